"""Small manifests to examine, and the checks they give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from adk_decl.doctor.check import Check
from adk_decl.doctor.examine import examine
from adk_decl.plan.runner_choice import choose_runner
from tests.compiler.project import compiled

HEAD = "apiVersion: adk-decl/v1\nkind: Manifest\nname: example\n"
AGENT = "agents:\n  support: {model: m}\nrunners:\n  desk: {agent: support}\n"
SCRIPTED = "models:\n  m: {use: scripted, config: {replies: [{text: Hello.}]}}\n"


def chat(base_url: str, *, model: str = "small", more: str = "") -> str:
    """A manifest whose model is behind an endpoint."""
    return f"{HEAD}models:\n  m: {{use: openai_chat, model: {model}, base_url: '{base_url}'{more}}}\n{AGENT}"


def checks(
    folder: Path,
    manifest: str,
    files: Mapping[str, str] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    offline: bool = False,
) -> dict[str, Check]:
    """The checks of the only runner, by `group/name`."""
    plan = compiled(folder, manifest, files)
    state = {"ADK_DECL_STATE_DIR": str(folder / "state"), "ADK_DECL_CACHE": str(folder / "cache")}
    found = examine(plan, choose_runner(plan), {**state, **(environment or {})}, offline=offline)
    return {f"{check.group}/{check.name}": check for check in found}


def statuses(found: Mapping[str, Check], *groups: str) -> dict[str, str]:
    """The status of every check of some groups."""
    return {name: check.status for name, check in found.items() if check.group in groups}
