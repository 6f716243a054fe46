"""What a plugin class declares, read from its source."""

from __future__ import annotations

import pytest

from adk_decl.compiler.hook_methods import within_one_edit
from adk_decl.compiler.plugin_class import PluginFacts, read_plugin_class
from adk_decl.plan.phases import PHASES
from adk_decl.source_code import CodeBase, SourceFile

HEAD = "from adk_decl.plugins import Plugin, ret, halt\n"


def _read(source: str, name: str = "P", **others: str) -> PluginFacts:
    sources = {"own": HEAD + source, **others}

    def read(module: str) -> SourceFile | None:
        return SourceFile(sources[module].encode()) if module in sources else None

    code = CodeBase(read)
    module = code.module("own")
    assert module is not None
    found = code.definition(module, name)
    assert found is not None
    return read_plugin_class(code, found)


def _codes(facts: PluginFacts) -> list[str]:
    return sorted(problem.code for problem in facts.problems)


def _class(body: str, bases: str = "Plugin") -> str:
    return f"class P({bases}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def test_hooks_come_in_the_order_of_the_phases() -> None:
    facts = _read(_class("def after_run(self, c, v): ...\nasync def before_model(self, c, v): ..."))
    assert facts.hooks == ("before_model", "after_run")
    assert facts.problems == ()


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("before_modle", ["ADK210"]),
        ("before_model_call", ["ADK210"]),
        ("after_lunch", ["ADK210"]),
        ("on_budget", ["ADK210"]),
        ("befor_model", ["ADK210"]),
        ("before_models", ["ADK210"]),
        ("on_close", []),
        ("_before_lunch", []),
        ("helper", []),
        ("__init__", []),
    ],
)
def test_methods_that_look_like_hooks(method: str, found: list[str]) -> None:
    facts = _read(_class(f"def before_run(self, c, v): ...\ndef {method}(self, c, v): ..."))
    assert _codes(facts) == found


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ("self, ctx, value", []),
        ("self, c, v, extra=1", []),
        ("self, *args", []),
        ("self, c, v, *, extra=1", []),
        ("self, c, v, **more", []),
        ("self, c", ["ADK211"]),
        ("self, c, v, w", ["ADK211"]),
        ("self, c, v, *, w", ["ADK211"]),
        ("", ["ADK211"]),
    ],
)
def test_parameters_of_a_hook(parameters: str, found: list[str]) -> None:
    assert _codes(_read(_class(f"def before_run({parameters}): ..."))) == found


def test_decorated_and_assigned_hooks_are_refused() -> None:
    body = "@staticmethod\ndef before_run(a, c, v): ...\nafter_run = before_run"
    assert _codes(_read(_class(body))) == ["ADK211", "ADK211"]


def test_attributes_are_literals() -> None:
    body = (
        "priority = 7\nrequires_intervene: bool = True\nstateless = True\n"
        "config_schema = {'type': 'object'}\ndef before_run(self, c, v): ..."
    )
    facts = _read(_class(body))
    assert (facts.priority, facts.requires_intervene, facts.stateless) == (7, True, True)
    assert facts.config_schema == {"type": "object"}
    for wrong in ("priority = len('x')", "priority = True", "config_schema = dict(a=1)", "stateless = 1"):
        assert _codes(_read(_class(f"{wrong}\ndef before_run(self, c, v): ..."))) == ["ADK216"]


@pytest.mark.parametrize("attribute", ["reads = ('messages',)", "stream_safe = 32"])
def test_later_attributes_are_refused(attribute: str) -> None:
    assert _codes(_read(_class(f"{attribute}\ndef before_run(self, c, v): ..."))) == ["ADK209"]


def test_stateful_plugins_are_refused_for_now() -> None:
    source = "from adk_decl.plugins import StatefulPlugin\n" + _class("def init(self): ...", "StatefulPlugin")
    assert _codes(_read(source)) == ["ADK209"]


def test_bases_of_the_project_are_followed() -> None:
    base = (
        "import adk_decl.plugins as ap\nclass Base(ap.Plugin):\n    priority = 3\n    def before_run(self, c, v): ...\n"
    )
    facts = _read("from lib import Base as B\n" + _class("def after_run(self, c, v): ...", "B"), lib=base)
    assert facts.hooks == ("before_run", "after_run")
    assert facts.priority == 3
    overridden = _read("import lib\n" + _class("priority = 4\ndef before_run(self, c): ...", "lib.Base"), lib=base)
    assert (overridden.priority, _codes(overridden)) == (4, ["ADK211"])


@pytest.mark.parametrize(
    "source",
    [
        _class("def before_run(self, c, v): ...", "Other"),
        _class("def before_run(self, c, v): ...", "object"),
        "class P:\n    def before_run(self, c, v): ...\n",
        "from elsewhere import Base\n" + _class("def before_run(self, c, v): ...", "Base"),
        _class("def before_run(self, c, v): ...", "make()"),
        "class P(P): ...\n",
        "class P(Q): ...\nclass Q(P): ...\n",
        "def P(): ...\n",
        "P = 3\n",
        "from elsewhere import P\n",
    ],
)
def test_what_is_no_plugin(source: str) -> None:
    assert set(_codes(_read(source))) == {"ADK216"}


def test_a_plugin_without_hooks() -> None:
    assert _codes(_read(_class("def helper(self): ..."))) == ["ADK212"]


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        ("return ret(value)", True),
        ("'doc'\n        return halt('no')", True),
        ("return None", False),
        ("return ret", False),
        ("if value: return ret(value)", False),
        ("return other(value)", False),
    ],
)
def test_hooks_that_only_return(body: str, returns: bool) -> None:
    facts = _read(f"class P(Plugin):\n    def before_run(self, ctx, value):\n        {body}\n")
    assert facts.returns == (frozenset({"before_run"}) if returns else frozenset())


def test_deep_and_wide_classes_end() -> None:
    chain = "class C0(Plugin):\n    def before_run(self, c, v): ...\n"
    chain += "".join(f"class C{i}(C{i - 1}): ...\n" for i in range(1, 200))
    facts = _read(chain, "C20")
    assert facts.hooks == ("before_run",)
    assert _codes(_read(chain, "C199")) == ["ADK216"]


@pytest.mark.parametrize(
    ("left", "right", "near"),
    [
        ("before_model", "before_modle", True),
        ("before_model", "before_mode", True),
        ("before_model", "before_moodel", True),
        ("before_model", "before_mxdel", True),
        ("before_model", "befroe_modle", False),
        ("before_model", "after_model", False),
        ("ab", "ba", True),
        ("", "a", True),
        ("a", "a", True),
    ],
)
def test_one_edit(left: str, right: str, near: bool) -> None:
    assert within_one_edit(left, right) is near
    assert within_one_edit(right, left) is near


def test_no_two_hooks_are_one_edit_apart() -> None:
    assert [(a, b) for a in PHASES for b in PHASES if a < b and within_one_edit(a, b)] == []
