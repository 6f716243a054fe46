"""Project code as text: where modules lie, what they bind, where names come from."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl import source_code
from adk_decl.plan.limits import LIMITS
from adk_decl.source_code import (
    MAX_SOURCE_BYTES,
    CodeBase,
    Import,
    Module,
    SourceFile,
    SourceProblem,
    find_module,
    folder_reader,
    parse,
)


def _module(source: str, name: str = "own", *, is_package: bool = False) -> Module:
    file = SourceFile(source.encode(), is_package=is_package)
    return Module(name, file, parse(file))


def test_the_bound_is_that_of_the_table_of_limits() -> None:
    assert LIMITS["read.source_bytes"].maximum == MAX_SOURCE_BYTES


def test_what_the_top_level_binds() -> None:
    source = (
        "import a.b\nimport c.d as e\nfrom f import g as h\nx = y = 1\nz: int = 2\nw: int\n"
        "try:\n    import fast\nexcept ImportError:\n    slow = 1\n"
        "if True:\n    def f(): ...\nelse:\n    class K: ...\n"
        "with a as b:\n    inner = 1\nfor i in x:\n    pass\n"
    )
    bindings = _module(source).bindings
    assert set(bindings) == {"a", "e", "h", "x", "y", "z", "fast", "slow", "f", "K", "inner"}
    assert bindings["a"] == Import("a", None)
    assert bindings["e"] == Import("c.d", None)
    assert bindings["h"] == Import("f", "g")


@pytest.mark.parametrize(
    ("statement", "name", "is_package", "module"),
    [
        ("from . import x", "p.q.m", False, "p.q"),
        ("from .a import x", "p.q.m", False, "p.q.a"),
        ("from ..a import x", "p.q.m", False, "p.a"),
        ("from . import x", "p.q", True, "p.q"),
        ("from ..a import x", "p.q", True, "p.a"),
        ("from ...... import x", "p.q", True, ""),
        ("from .a import x", "m", False, "a"),
    ],
)
def test_relative_imports(statement: str, name: str, is_package: bool, module: str) -> None:
    assert _module(statement, name, is_package=is_package).bindings["x"] == Import(module, "x")


def test_columns_count_characters() -> None:
    module = _module("x = 'ä😀'; y = 1\nasync   def  name(): ...\n")
    assert module.place(ast.parse("x = 'ä😀'; y = 1").body[1]) == (1, 11, 1, 16)
    function = module.bindings["name"]
    assert isinstance(function, ast.AsyncFunctionDef)
    assert module.name_place(function) == (2, 14, 2, 18)


def test_names_are_followed_through_modules() -> None:
    sources = {
        "a": "from b import x as y, loop\nimport typing as t\nimport b as bb\n",
        "b": "from c import x\nfrom a import loop\n",
        "c": "class x: ...\n",
    }
    code = CodeBase(lambda name: SourceFile(sources[name].encode()) if name in sources else None)
    module = code.module("a")
    assert module is not None
    found = code.definition(module, "y")
    assert found is not None
    assert isinstance(found.node, ast.ClassDef)
    assert found.module.name == "c"
    for text, name in (("y", "c.y"), ("t.Optional", "typing.Optional"), ("str", "builtins.str"), ("bb.x", "b.x")):
        assert code.qualified(module, ast.parse(text, mode="eval").body) == name
    assert code.qualified(module, ast.parse("f()", mode="eval").body) is None
    assert code.locate(module, ast.parse("bb.x", mode="eval").body) == found
    assert code.definition(module, "loop") is not None
    assert code.definition(module, "nothing") is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"def f(:", "syntax"),
        (b"x = 1\0", "syntax"),
        (b"x = '\xff'", "syntax"),
        (b"# coding: nonsense\nx = 1", "syntax"),
        (b"x = 99" + b"9" * 5000, "syntax"),
        (b"#" * (MAX_SOURCE_BYTES + 1), "too_large"),
    ],
)
def test_what_can_not_be_parsed(data: bytes, reason: str) -> None:
    with pytest.raises(SourceProblem) as caught:
        parse(SourceFile(data))
    assert caught.value.reason == reason
    assert caught.value.line >= 1


@pytest.mark.parametrize("unit", [b"-", b"(", b"[", b"not ", b"lambda:"])
def test_deep_code_never_crashes(unit: bytes) -> None:
    closing = {b"(": b")", b"[": b"]"}.get(unit, b"")
    with pytest.raises(SourceProblem):
        parse(SourceFile(b"x = " + unit * 100_000 + b"1" + closing * 100_000))


def test_warnings_of_the_parser_stay_inside() -> None:
    assert parse(SourceFile(b"x = '\\d'\ny = 1 is 1\n")).body


@given(st.binary(max_size=200))
def test_any_bytes_give_a_tree_or_a_problem(data: bytes) -> None:
    try:
        _ = Module("m", SourceFile(data), parse(SourceFile(data)))
    except SourceProblem as problem:
        assert problem.line >= 0  # noqa: PT017


def test_modules_are_found_as_python_finds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for path in (
        one / "space_x" / "a.py",
        two / "space_x" / "b.py",
        one / "pack_x" / "c.py",
        two / "pack_x" / "__init__.py",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    roots = (str(one), str(two))
    monkeypatch.setattr(sys, "path", [*roots, *sys.path])
    for name in ("space_x.a", "space_x.b", "pack_x", "pack_x.c"):
        from importlib.util import find_spec

        try:
            spec = find_spec(name)
        except ModuleNotFoundError:
            spec = None
        found = find_module(name, roots)
        assert (found[0] if found else None) == (spec.origin if spec else None), name
    for name in list(sys.modules):
        if name.partition(".")[0] in ("space_x", "pack_x"):
            del sys.modules[name]


def test_a_module_is_read_once_and_a_problem_is_kept() -> None:
    calls: list[str] = []

    def read(name: str) -> SourceFile | None:
        calls.append(name)
        return SourceFile(b"def f(:") if name == "bad" else SourceFile(b"")

    code = CodeBase(read)
    assert code.module("good") is code.module("good")
    for _ in range(2):
        with pytest.raises(SourceProblem):
            code.module("bad")
    assert calls == ["good", "bad"]


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe.py")
    assert folder_reader((str(tmp_path),))("pipe") is None


def test_a_module_is_parsed_once_for_each_content(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("def look(): ...\n")
    first, second = (CodeBase(folder_reader([str(tmp_path)])).module("shop") for _ in range(2))
    assert first is second
    (tmp_path / "shop.py").write_text("def find(): ...\n")
    third = CodeBase(folder_reader([str(tmp_path)])).module("shop")
    assert third is not None
    assert list(third.bindings) == ["find"]


def test_what_stays_parsed_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_code, "_KEPT_BYTES", 50)
    for number in range(20):
        CodeBase(lambda name, number=number: SourceFile(b"x = %d" % number)).module("m")  # type: ignore[misc]
        assert sum(len(file.data) for _, file in source_code._kept) <= 50
