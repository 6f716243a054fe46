"""References to code: followed to the definition, without running anything."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adk_decl.compiler.compile import CompileResult
from tests.compiler.project import HEAD, MODEL, PLUGIN, RUNNER, codes, compile_text, compiled, with_plugin, with_tool

TOOLS = "def tool(a: int) -> int:\n    return a\n"


def _tool(folder: Path, use: str, files: dict[str, str | bytes], extra: str = "") -> CompileResult:
    return compile_text(folder, with_tool(f'use: "{use}"{extra}'), files)


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("python:tools:tool", []),
        ("python:pack.tools:tool", []),
        ("python:pack:tool", []),
        ("python:space.tools:tool", []),
        ("python:pack.reexport:tool", []),
        ("tools:tool", ["ADK215"]),
        ("python:tools", ["ADK215"]),
        ("python:tools:tool:x", ["ADK215"]),
        ("python:tools:a.b", ["ADK215"]),
        ("python:../tools:tool", ["ADK215"]),
        ("python:tools:class", ["ADK215"]),
        ("python::tool", ["ADK215"]),
        ("python:nothing:tool", ["ADK206"]),
        ("python:pack.nothing:tool", ["ADK206"]),
        ("python:tools:toool", ["ADK207"]),
        ("python:os:system", ["ADK208"]),
        ("python:os.path:join", ["ADK208"]),
        ("python:msgspec:encode", ["ADK208"]),
        ("python:broken:tool", ["ADK214"]),
        ("python:latin:tool", ["ADK214"]),
        ("python:nul:tool", ["ADK214"]),
        ("python:deep:tool", ["ADK214"]),
        ("python:huge:tool", ["ADK214"]),
        ("python:cycle:tool", ["ADK213"]),
        ("python:tools:VALUE", ["ADK213"]),
    ],
)
def test_where_a_reference_leads(tmp_path: Path, use: str, found: list[str]) -> None:
    files: dict[str, str | bytes] = {
        "tools.py": TOOLS + "VALUE = 3\n",
        "pack/__init__.py": TOOLS,
        "pack/tools.py": TOOLS,
        "pack/reexport.py": "from .tools import tool\n",
        "space/tools.py": TOOLS,
        "broken.py": "def tool(:\n",
        "latin.py": b"x = '\xe9'\ndef tool(): ...\n",
        "nul.py": b"def tool(): ...\n\0",
        "deep.py": "x = " + "(" * 5000 + ")" * 5000 + "\n",
        "huge.py": TOOLS + "#" * (1024 * 1024),
        "cycle.py": "from cycle import tool\n",
    }
    result = _tool(tmp_path, use, files)
    assert codes(result) == found


def test_other_encodings_are_read_as_python_reads_them(tmp_path: Path) -> None:
    source = "# coding: latin-1\ndef tool(a: str = 'é') -> str: ...\n".encode("latin-1")
    plan = compiled(tmp_path, with_tool('use: "python:tools:tool"'), {"tools.py": source})
    assert plan.tools["t"].parameters["properties"]["a"]["default"] == "é"  # type: ignore[index,call-overload]


def test_the_place_of_a_syntax_error_is_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = _tool(tmp_path, "python:tools:tool", {"tools.py": "x = 1\nif x\n    pass\n"}).diagnostics[0]
    assert (found.span.file, found.span.line) == ("tools.py", 2)
    assert found.labels[0].span.file == "m.adk.yaml"


def test_code_roots_are_searched_in_order(tmp_path: Path) -> None:
    files = {"one/tools.py": TOOLS, "two/tools.py": "def other(): ...\n", "two/more.py": TOOLS}
    for roots, use, file in (
        ("[one, two]", "python:tools:tool", "one/tools.py"),
        ("[two, one]", "python:more:tool", "two/more.py"),
    ):
        text = with_tool(f'use: "{use}"').replace("models:", f"code_roots: {roots}\nmodels:")
        plan = compiled(tmp_path, text, files)
        assert plan.tools["t"].code.file == file
        assert plan.tools["t"].code.root == file.partition("/")[0]
        assert plan.code_roots == tuple(str(tmp_path / name) for name in roots[1:-1].split(", "))


def test_a_regular_package_hides_a_folder_of_the_same_name(tmp_path: Path) -> None:
    files = {"one/pack/tools.py": TOOLS, "two/pack/__init__.py": "", "two/pack/other.py": ""}
    text = with_tool('use: "python:pack.tools:tool"').replace("models:", "code_roots: [one, two]\nmodels:")
    assert codes(compile_text(tmp_path, text, files)) == ["ADK206"]


@pytest.mark.parametrize(
    ("roots", "found"),
    [("[..]", ["ADK221", "ADK206"]), ("[nothing]", ["ADK206", "ADK217"]), ("[m.adk.yaml]", ["ADK206", "ADK217"])],
)
def test_code_roots_lie_in_the_project(tmp_path: Path, roots: str, found: list[str]) -> None:
    text = with_tool('use: "python:tools:tool"').replace("models:", f"code_roots: {roots}\nmodels:")
    assert codes(compile_text(tmp_path, text)) == sorted(found)


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "tools.py").write_text(TOOLS)
    (inside / "tools.py").symlink_to(outside / "tools.py")
    assert codes(_tool(inside, "python:tools:tool", {})) == ["ADK221"]


def test_a_project_module_named_like_an_installed_package_is_refused(tmp_path: Path) -> None:
    result = _tool(tmp_path, "python:msgspec:tool", {"msgspec.py": TOOLS})
    assert codes(result) == ["ADK208"]
    assert "name that nothing else has" in (result.diagnostics[0].help or "")


def test_an_unreadable_module_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "tools.py").mkdir()
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    assert codes(_tool(tmp_path, "python:tools:tool", {})) == ["ADK206"]
    assert codes(_tool(tmp_path, "python:loop:tool", {})) == ["ADK206"]


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("def f(ctx, value): ...", []),
        ("async def f(ctx, value): ...", []),
        ("def f(ctx, value, extra=1): ...", []),
        ("def f(*args): ...", []),
        ("def f(ctx): ...", ["ADK220"]),
        ("def f(ctx, value, extra): ...", ["ADK220"]),
        ("def f(ctx, value, *, extra): ...", ["ADK220"]),
        ("@decorated\ndef f(ctx, value): ...", ["ADK220"]),
        ("f = 3", ["ADK220"]),
        ("class f: ...", ["ADK220"]),
        ("from somewhere import f", ["ADK220"]),
    ],
)
def test_callbacks_are_functions_of_two_parameters(tmp_path: Path, function: str, found: list[str]) -> None:
    text = f'{HEAD}{MODEL}agents:\n  support: {{model: clerk, callbacks: {{before_model: "python:own:f"}}}}\n{RUNNER}'
    assert codes(compile_text(tmp_path, text, {"own.py": function + "\n"})) == found


def test_callbacks_become_descriptors(tmp_path: Path) -> None:
    text = f'{HEAD}{MODEL}agents:\n  support: {{model: clerk, callbacks: {{after_tool: "python:own:f"}}}}\n'
    text += "runners:\n  desk: {agent: support, local_callbacks: {timeout_ms: 9, max_heap_mib: 8}}\n"
    plan = compiled(tmp_path, text, {"own.py": "def f(ctx, value): ...\n"})
    callback = plan.agents["support"].callbacks["after_tool"]
    assert (callback.kind, callback.hooks, callback.mode, callback.domain) == (
        "callback",
        ("after_tool",),
        "intervene",
        "project",
    )
    assert (callback.timeout_ms, callback.max_heap_mib, callback.failure_policy) == (5000, 32, "open")
    limits = plan.runners["desk"].local_callbacks
    assert limits is not None
    assert (limits.timeout_ms, limits.max_heap_mib, limits.heap_declared) == (9, 8, True)


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ("{type: object, properties: {a: {type: integer}}}", []),
        ("{type: object, properties: {a: {oneOf: [{type: integer}]}}}", []),
        ("{properties: {a: {type: integer}}}", ["ADK213"]),
        ("{type: array}", ["ADK213"]),
        ("{type: object}", ["ADK213"]),
        ("{type: object, properties: {a: {type: nothing}}}", ["ADK213"]),
        ("{type: object, properties: {a: {type: integer}, b: {type: string}}}", ["ADK213"]),
        ("{type: object, properties: 3}", ["ADK213"]),
    ],
)
def test_declared_parameters_fit_the_function(tmp_path: Path, parameters: str, found: list[str]) -> None:
    result = _tool(tmp_path, "python:tools:tool", {"tools.py": "def tool(a): ...\n"}, f", parameters: {parameters}")
    assert codes(result) == found


def test_code_of_models_is_not_available_yet(tmp_path: Path) -> None:
    text = HEAD + 'models:\n  clerk: {use: "python:own:Model"}\nagents:\n  support: {model: clerk}\n' + RUNNER
    assert codes(compile_text(tmp_path, text)) == ["ADK209"]


def test_a_heap_limit_of_an_inline_tool(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"tools.py": "async def tool(): ...\n"}
    assert codes(_tool(tmp_path, "python:tools:tool", files, ", max_heap_mib: 32")) == ["ADK402"]
    assert codes(_tool(tmp_path, "python:tools:tool", files, ", max_heap_mib: 32, isolation: worker")) == []


def test_compiling_runs_no_code_of_the_project(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    bomb = f"open({str(marker)!r}, 'w').write('x')\nraise SystemExit\n"
    files = {
        "plugs/__init__.py": bomb,
        "plugs/own.py": bomb + PLUGIN + "class P(Plugin):\n    def before_model(self, ctx, value): ...\n",
        "tools.py": bomb + TOOLS,
    }
    imported: list[str] = []
    watching = True

    def watch(event: str, args: tuple[object, ...]) -> None:
        if watching and event == "import" and str(args[0]).partition(".")[0] in ("plugs", "tools"):
            imported.append(str(args[0]))
        if watching and event in ("exec", "compile") and "bomb" in str(args):
            imported.append(event)

    sys.addaudithook(watch)
    text = with_plugin('use: "python:plugs.own:P"').replace(
        "agents:", 'tools:\n  t: {use: "python:tools:tool"}\nagents:'
    )
    text = text.replace("{model: clerk}", "{model: clerk, tools: [t]}")
    result = compile_text(tmp_path, text, files)
    watching = False
    assert codes(result) == []
    assert imported == []
    assert not marker.exists()
    assert {"plugs", "plugs.own", "tools"} & set(sys.modules) == set()
