"""The shared traps as manifests: how the stand-in fields of each file become ours, and what has to come out."""

from __future__ import annotations

from typing import NamedTuple

MODEL = b"models:\n m:\n  use: openai_chat\n  model: small\n"
RUNNER = b"runners:\n r:\n  agent: a\n"
_HEAD = b"apiVersion: adk-decl/v1\nkind: Manifest\nagents: {a: {model: m}}"
_MODELS = b"\nmodels: {m: {use: openai_chat, model: small}}"
_RUNNERS = b"\nrunners: {r: {agent: a}}"
_TOML_HEAD = (
    b'apiVersion = "adk-decl/v1"\nkind = "Manifest"\nagents.a.model = "m"\n'
    b'models.m.use = "openai_chat"\nmodels.m.model = "s"\nrunners.r.agent = "a"'
)


class Field(NamedTuple):
    """A stand-in, what it becomes, and which block of the rest of the manifest it brings itself."""

    old: bytes
    new: bytes
    brings: str = ""


FIELDS = (
    Field(b"region:", b"description:"),
    Field(b"bind:", b"description:"),
    Field(b"revision:", b"description:"),
    Field(b"version:", b"description:"),
    Field(b"version =", b"description ="),
    Field(b"pattern =", b"description ="),
    Field(b"labels:", b"x-labels:"),
    Field(b"[labels]", b"[x-labels]"),
    Field(b"telemetry:\n  enabled:", MODEL + b"  config:\n   insecure_http:", "models"),
    Field(b"file_mode:", RUNNER + b"  limits:\n   max_model_calls:", "runners"),
    Field(b"token_file: |\n  /run", RUNNER + b"  session_store:\n   use: sqlite\n   path: |\n     /run", "runners"),
    Field(b"criteria:\n  - name: tool_trajectory\n    threshold:", MODEL + b"  generation:\n   temperature:", "models"),
    Field(
        b"limits: {memory_mb: 64, memory_mb: 640}",
        RUNNER + b"  limits: {max_model_calls: 64, max_model_calls: 640}",
        "runners",
    ),
    Field(b"endpoint:", MODEL + b"  base_url:", "models"),
    Field(b"plugins: []", b"tools: {}"),
    Field(b"\nplugins:\n", b"\n" + RUNNER + b"  plugins:\n", "runners"),
    Field(b"module: pkg.mod", b"use: metadata_logger"),
    Field(b"module: pkg.other", b"use: metadata_logger"),
    Field(b"[[plugins]]", b"[[runners.r.plugins]]"),
    Field(b"[plugins]", b"[runners.r.plugins]"),
    Field(b'module = "pkg.mod"', b'use = "metadata_logger"'),
    Field(b"tags =", b"models.m.generation.stop ="),
    Field(b"limits.memory_mb", b"runners.r.limits.max_model_calls"),
    Field(b"[limits]", b"[runners.r.limits]"),
    Field(b"[limits.more]", b"[runners.r.limits.more]"),
    Field(b"limits =", b"runners.r.limits ="),
    Field(b"memory_mb", b"max_model_calls"),
    Field(b"[telemetry]\nenabled", b"[tools.t]\nidempotent"),
)

CODES: dict[str, list[tuple[str, int]]] = {
    "y01": [("ADK006", 7)],
    "y03": [("ADK006", 9)],
    "y05": [("ADK014", 8)],
    "y07": [("ADK203", 12)],
    "y08": [("ADK009", 7)],
    "y09": [("ADK101", 11)],
    "y12": [("ADK101", 11)],
    "y15": [("ADK101", 12)],
    "y16": [("ADK101", 12)],
    "y18": [("ADK010", 12)],
    "y19": [("ADK010", 10)],
    "y23": [("ADK012", 12)],
    "y25": [("ADK121", 12)],
    "y27": [("ADK101", 12)],
    "y29": [("ADK013", 12)],
    "y31": [("ADK101", 12)],
    "y35": [("ADK012", 11)],
    "y37": [("ADK112", 6)],
    "y39": [("ADK112", 6)],
    "y41": [("ADK112", 9)],
    "y43": [("ADK110", 12)],
    "y45": [("ADK110", 6)],
    "y47": [("ADK014", 7)],
    "y49": [("ADK014", 7)],
    "y51": [("ADK110", 7)],
    "y53": [("ADK110", 7)],
    "y55": [("ADK004", 10)],
    "y60": [("ADK004", 6)],
    "y61": [("ADK018", 6)],
    "y64": [("ADK302", 10)],
    "y65": [
        ("ADK007", 7),
        ("ADK007", 8),
        ("ADK007", 9),
        ("ADK007", 10),
        ("ADK007", 11),
        ("ADK007", 12),
        ("ADK007", 13),
        ("ADK007", 14),
        ("ADK007", 15),
    ],
    "y67": [("ADK007", 6)],
    "y70": [("ADK007", 6), ("ADK007", 11)],
    "y72": [("ADK008", 6)],
    "y74": [("ADK008", 6)],
    "y76": [("ADK005", 7)],
    "y80": [("ADK015", 1)],
    "y82": [("ADK101", 1)],
    "y84": [("ADK413", 1)],
    "y85": [("ADK016", 7)],
    "y87": [("ADK001", 1)],
    "y89": [("ADK002", 5)],
    "y91": [("ADK001", 6)],
    "y93": [("ADK002", 6)],
    "y95": [("ADK002", 6)],
    "y98": [("ADK002", 6)],
    "t01": [("ADK006", 8)],
    "t03": [("ADK006", 9), ("ADK101", 8)],
    "t05": [("ADK006", 9)],
    "t07": [("ADK006", 9)],
    "t09": [("ADK006", 10), ("ADK111", 9)],
    "t11": [("ADK101", 8)],
    "t14": [("ADK012", 11)],
    "t17": [("ADK010", 11)],
    "t19": [("ADK004", 9)],
    "t22": [("ADK002", 6)],
    "t25": [("ADK004", 8)],
    "t27": [("ADK101", 8)],
    "j01": [("ADK006", 1), ("ADK130", 1)],
    "j03": [("ADK012", 1)],
    "j05": [("ADK004", 1)],
    "j07": [("ADK130", 1)],
    "j08": [("ADK002", 1)],
    "j10": [("ADK005", 2)],
}
"""What each file gives: codes and lines. A file that is not here has no finding."""


def manifest_of(name: str, data: bytes) -> bytes:
    """A shared file as a manifest of ours. JSON is taken as it is: those files are eval sets."""
    if name.endswith(".json") or b"kind" not in data:
        return data
    brought = set()
    for field in FIELDS:
        if field.old in data:
            data = data.replace(field.old, field.new)
            brought.add(field.brings)
    if name.endswith(".toml"):
        return data.replace(b'kind = "runner"', _TOML_HEAD)
    head = _HEAD + (b"" if "models" in brought else _MODELS) + (b"" if "runners" in brought else _RUNNERS)
    if data.startswith(b"{"):
        return data.replace(b'"kind": "runner"', b'"apiVersion": "adk-decl/v1", "kind": "Manifest"')
    for old in (b"kind: runner", b"kind: exporter", b"kind: eval"):
        data = data.replace(old, head, 1)
    return data
