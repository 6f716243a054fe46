"""One compile: everything found at once, plans that nobody can change, twins in YAML and TOML."""

from __future__ import annotations

import copy
import json
import operator
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_decl.compiler.compile import compile_file
from adk_decl.plan.model import EnvRef, EnvText, Plan, SecretRef
from adk_decl.plan.record import FrozenMap, Record
from tests.compiler.project import BASE, HEAD, PLUGIN, RUNNER, codes, compile_text, compiled, write_files

MANY = """\
apiVersion: adk-decl/v1
kind: Manifest
name: many
models:
  m: {use: openai_chatt}
  n: {use: openai_chat, model: x, base_url: "http://example.com", timeout_ms: "${env:T:-x}", api_key: abc}
tools:
  t: {use: "python:own:nothing", timeout_ms: soon}
agents:
  a: {model: mm, tools: [t], sub_agents: [b]}
plugins:
  p: {use: "python:own:Typo", timeout_msec: 3}
  q: {use: global_instruction, config: {instruction: x}}
runners:
  r: {agent: a, plugins: [p, q, q], limits: {run_timeout_ms: 0}}
"""
CODE = {"own.py": f"{PLUGIN}class Typo(Plugin):\n    def before_modle(self, ctx, value): ...\n"}

RICH = """\
apiVersion: adk-decl/v1
kind: Manifest
name: rich
description: "costs 5$$ or $5"
x-note: {anything: 1}
models:
  fast:
    use: openai_chat
    model: "${env:MODEL:-small}"
    base_url: https://api.example.com/v1
    api_key: {secret: {env: API_KEY}}
    timeout_ms: "${env:TIMEOUT_MS}"
    price: {input: 1, output: 2.0}
agents:
  support:
    model: fast
    instruction: "Hello ${env:NAME:-you}, $$"
    output_schema: schemas/answer.yaml
runners:
  desk:
    agent: support
    session_store: {use: sqlite, path: var/s.db}
"""


def test_every_mistake_is_found_once(tmp_path: Path) -> None:
    result = compile_text(tmp_path, MANY, CODE)
    assert result.plan is None
    assert Counter(codes(result)) == {
        "ADK101": 1,
        "ADK110": 1,
        "ADK121": 1,
        "ADK201": 1,
        "ADK202": 1,
        "ADK203": 1,
        "ADK207": 1,
        "ADK209": 1,
        "ADK210": 1,
        "ADK301": 1,
        "ADK304": 1,
        "ADK405": 1,
        "ADK412": 1,
    }
    assert "abc" not in " ".join(found.message for found in result.diagnostics)


def test_the_smallest_manifest(tmp_path: Path) -> None:
    result = compile_text(tmp_path, BASE)
    assert codes(result) == []
    assert result.kind == "Manifest"
    assert result.plan is not None
    assert result.plan.runners["desk"].session_store.use == "memory"
    assert result.plan.runners["desk"].limits.run_timeout_ms == 120_000
    assert result.plan.tools == {}


def test_references_secrets_and_files_stay_what_they_are(tmp_path: Path) -> None:
    schema = "type: object\nproperties: {answer: {type: string}}\n"
    plan = compiled(tmp_path, RICH, {"schemas/answer.yaml": schema})
    model = plan.models["fast"]
    assert plan.body.description == "costs 5$ or $5"
    assert model.model == EnvText(parts=(EnvRef(name="MODEL", default="small"),))
    assert model.timeout_ms == EnvText(parts=(EnvRef(name="TIMEOUT_MS"),), type="integer", minimum=1, maximum=3_600_000)
    assert model.api_key == SecretRef(source="env", name="API_KEY")
    assert model.config == {"insecure_http": False}
    assert plan.agents["support"].instruction == EnvText(parts=("Hello ", EnvRef(name="NAME", default="you"), ", $"))
    assert plan.agents["support"].output_schema == {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
    }
    assert plan.runners["desk"].session_store.path == "var/s.db"


def test_the_environment_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"schemas/answer.yaml": "type: object\n"}
    first = compiled(tmp_path, RICH, files)
    monkeypatch.setenv("MODEL", "other")
    monkeypatch.setenv("TIMEOUT_MS", "none of your business")
    monkeypatch.setenv("API_KEY", "k")
    assert compiled(tmp_path, RICH, files).digest == first.digest


def test_the_digest_depends_on_the_content_alone(tmp_path: Path) -> None:
    files = {"schemas/answer.yaml": "type: object\n"}
    one, two = tmp_path / "one", tmp_path / "two" / "deeper"
    one.mkdir()
    two.mkdir(parents=True)
    commented = "# a comment\n" + RICH.replace("x-note: {anything: 1}\n", "").replace("input: 1,", "input: 1.0,")
    first, second = compiled(one, RICH, files), compiled(two, commented, {"schemas/answer.yaml": "{type: object}"})
    assert first.digest == second.digest
    assert first == second
    changed = compiled(one, RICH.replace("output: 2.0", "output: 2.5"), files)
    assert changed.digest != first.digest


def test_a_path_in_a_lower_folder_stands_from_the_root(tmp_path: Path) -> None:
    write_files(tmp_path, {"sub/m.adk.yaml": RICH, "sub/schemas/answer.yaml": "type: object"})
    plan = compile_file(str(tmp_path / "sub" / "m.adk.yaml")).plan
    assert plan is not None
    assert plan.runners["desk"].session_store.path == "sub/var/s.db"
    assert plan.project_root == str(tmp_path)
    own_root = compile_file(str(tmp_path / "sub" / "m.adk.yaml"), project_root=str(tmp_path / "sub")).plan
    assert own_root is not None
    assert own_root.runners["desk"].session_store.path == "var/s.db"


# --- Twins -----------------------------------------------------------------------------------------------------

_names = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True)
_texts = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="$\x7f"), max_size=12).filter(
    lambda text: not any(0x7F <= ord(c) <= 0x9F for c in text)
)


@st.composite
def _manifests(draw: st.DrawFn) -> dict[str, Any]:
    models = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    agents = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    runners = draw(st.lists(_names, min_size=1, max_size=2, unique=True))
    integer = st.integers(1000, 50_000)
    return {
        "apiVersion": "adk-decl/v1",
        "kind": "Manifest",
        "name": draw(_names),
        "description": draw(_texts),
        "models": {
            name: {
                "use": "scripted",
                "timeout_ms": draw(integer),
                "config": {"replies": [{"text": draw(_texts.filter(bool))}]},
                "generation": {"temperature": draw(st.sampled_from([0, 0.5, 1, 1.25]))},
            }
            for name in models
        },
        "agents": {name: {"model": draw(st.sampled_from(models))} for name in agents},
        "plugins": {"log": {"use": "metadata_logger", "timeout_ms": draw(st.integers(1, 900))}},
        "runners": {
            name: {"agent": draw(st.sampled_from(agents)), "plugins": draw(st.sampled_from([["log"], []]))}
            for name in runners
        },
    }


def _toml(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """A document as TOML with dotted keys, one a line."""
    for key, item in value.items():
        where = (*path, json.dumps(key))
        if isinstance(item, dict):
            yield from _toml(item, where)
        else:
            yield f"{'.'.join(where)} = {_inline(item)}"


def _inline(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def _shuffled(value: Any, draw: st.DataObject) -> Any:
    """The same document with the keys of every map in another order."""
    if isinstance(value, dict):
        return {key: _shuffled(value[key], draw) for key in draw.draw(st.permutations(list(value)))}
    return [_shuffled(item, draw) for item in value] if isinstance(value, list) else value


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(manifest=_manifests(), data=st.data())
def test_yaml_toml_and_json_give_one_plan(tmp_path: Path, manifest: dict[str, Any], data: st.DataObject) -> None:
    twins = {
        "m.adk.json": json.dumps(manifest),
        "m.adk.yaml": "# comment\n" + json.dumps(_shuffled(manifest, data), indent=1),
        "m.adk.toml": "# comment\n" + "\n".join(_toml(_shuffled(manifest, data))) + "\n",
    }
    write_files(tmp_path, twins)
    results = [compile_file(str(tmp_path / name)) for name in twins]
    assert [[d.message for d in r.diagnostics if d.severity == "error"] for r in results] == [[], [], []]
    assert len({result.plan.digest for result in results if result.plan is not None}) == 1


# --- Nobody changes a plan --------------------------------------------------------------------------------------


def _parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, FrozenMap):
        for item in value.values():
            yield from _parts(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, Record):
        for name in value._fields:
            yield from _parts(getattr(value, name))


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """A plan with every kind of part."""
    text = (
        RICH + "    plugins: [{id: a, use: metadata_logger}, {id: b, use: 'python:own:P', config: {k: [1, {z: 2}]}}]\n"
    )
    text = text.replace("output_schema", "tools: [t]\n    output_schema").replace(
        "agents:", 'tools:\n  t: {use: "python:own:tool"}\nagents:'
    )
    code = f"{PLUGIN}class P(Plugin):\n    def before_model(self, ctx, value): ...\n\n"
    code += "def tool(a: list[int]) -> None: ...\n"
    return compiled(tmp_path_factory.mktemp("frozen"), text, {"own.py": code, "schemas/answer.yaml": "type: object"})


def test_no_part_of_a_plan_can_be_changed(plan: Plan) -> None:
    before = plan.to_json()
    parts = [part for part in _parts(plan) if isinstance(part, Record | FrozenMap | tuple)]
    assert len(parts) > 50
    for part in parts:
        _attack(part)
    assert plan.to_json() == before
    assert plan.verify()


def _attack(part: Any) -> None:
    names = part._fields if isinstance(part, Record) else ("entries", "_entries")
    for name in (*names, "new"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(part, name, None)
        with pytest.raises((AttributeError, TypeError)):
            delattr(part, name)
    for key in ("k", 0):
        with pytest.raises((TypeError, AttributeError)):
            part[key] = None
        with pytest.raises((TypeError, AttributeError)):
            del part[key]
    for method in ("update", "pop", "popitem", "clear", "setdefault", "append", "extend", "insert", "remove", "sort"):
        assert not hasattr(part, method)
    if isinstance(part, FrozenMap):
        with pytest.raises(TypeError):
            operator.ior(part, {"k": None})  # type: ignore[no-untyped-call]
    assert not hasattr(part, "__dict__")


def test_copies_leave_the_original(plan: Plan) -> None:
    before = plan.to_json()
    for other in (copy.copy(plan), copy.deepcopy(plan), pickle.loads(pickle.dumps(plan))):
        assert other == plan
        assert other.digest == plan.digest
        assert other.verify()
    changed = plan.replace(body=plan.body.replace(name="other"))
    assert (changed.body.name, plan.body.name) == ("other", "rich")
    assert not changed.verify()
    assert plan.to_json() == before


# --- Hostile surroundings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\xff", b"[", b"a: &x [*x]", b"[" * 100_000, b"- a", b"3", b"null", b"{}"])
def test_other_documents_give_findings(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.adk.yaml").write_bytes(content)
    result = compile_file(str(tmp_path / "m.adk.yaml"))
    assert result.plan is None
    assert result.diagnostics != ()


def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    assert codes(compile_file(str(tmp_path / "no.adk.yaml"))) == ["ADK020"]
    assert codes(compile_file(str(tmp_path))) == ["ADK021"]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_manifest_never_raises(tmp_path: Path, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([MANY, RICH]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    junk = data.draw(
        st.sampled_from(["", "x", "[]", "{}", "null", "3", "\n", ": ", '"', "${env:A}", "{secret: {env: A}}"])
    )
    result = compile_text(tmp_path, text[:start] + junk + text[end:], CODE)
    assert (result.plan is None) == any(d.severity == "error" for d in result.diagnostics)


def test_a_manifest_without_code_imports_no_python_parser(tmp_path: Path) -> None:
    write_files(tmp_path, {"m.adk.yaml": HEAD + BASE.removeprefix(HEAD).removesuffix(RUNNER) + RUNNER})
    script = (
        "import sys; from adk_decl.compiler.compile import compile_file; r = compile_file(sys.argv[1]);"
        "assert r.plan; print(*sorted({'ast', 'hashlib', 'difflib', 'asyncio', 'jsonschema', 'httpx', 'pydantic',"
        "'dataclasses', 'importlib.metadata'} & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "m.adk.yaml")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert set(ended.stdout.split()) <= {"hashlib"}


def test_a_text_that_is_not_saved_stands_for_the_file(tmp_path: Path) -> None:
    schema = tmp_path / "answer.yaml"
    manifest = BASE.replace("model: clerk}", "model: clerk, output_schema: answer.yaml}")
    write_files(tmp_path, {"m.adk.yaml": "kind: [", "answer.yaml": "type: object\n"})
    path = str(tmp_path / "m.adk.yaml")
    assert compile_file(path, texts={path: manifest.encode()}).plan is not None
    unsaved = compile_file(path, texts={path: manifest.encode(), str(schema): b"type: string\n"})
    assert codes(unsaved) == ["ADK217"]
    assert codes(compile_file(path)) == ["ADK004"]
