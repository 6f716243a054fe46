"""Whatever a name holds, the picture stays a picture: read back by small parsers of both languages."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.graph import PlanGraph, plan_graph
from adk_decl.plan.graph_text import dot, mermaid
from tests.cli.plans import plan, plugin, runner

_LABEL = r'"((?:[^"#\\<>{}\[\]()|`]|#\d+;|<br/>)+)"'
_MERMAID = [
    re.compile(r"flowchart LR"),
    re.compile(r"%% [^{].*"),
    re.compile(rf"subgraph g\d+\[{_LABEL}\]"),
    re.compile(r"end"),
    re.compile(rf"n\d+(?:\(\[|\[\[|\[\(|\[/|\{{\{{|\[|\(){_LABEL}(?:\]\)|\]\]|\)\]|/\]|\}}\}}|\]|\))"),
    re.compile(rf"n\d+ -->(?:\|{_LABEL}\|)? n\d+"),
    re.compile(r"classDef [a-z]+ [a-z0-9: -]+"),
    re.compile(r"class n\d+(?:,n\d+)* [a-z]+"),
]
_STRING = r'"((?:[^"\\\n]|\\["\\n])*)"'
_ATTRIBUTES = rf"\[(?:[a-z]+=(?:[a-z]+|{_STRING})(?:, )?)+\]"
_DOT = [
    re.compile(r"digraph plan \{"),
    re.compile(r"rankdir=LR"),
    re.compile(r"node \[shape=box\]"),
    re.compile(rf"label={_STRING}"),
    re.compile(r"subgraph cluster_\d+ \{"),
    re.compile(rf"n\d+ {_ATTRIBUTES}"),
    re.compile(rf"n\d+ -> n\d+(?: {_ATTRIBUTES})?"),
    re.compile(r"\}"),
]

NAMES = st.text(max_size=12) | st.sampled_from(
    [
        '"]; end',
        "end",
        "a\nb",
        "#quot;",
        "</br>",
        "`x`",
        "%%{init}",
        "a\\",
        '\\"',
        "${env:X}",
        "subgraph",
        "\x1b[0m",
        "é漢",
    ]
)


def picture(name: str) -> PlanGraph:
    """A picture in which a name stands wherever one can."""
    desk = runner(name, plugin(name, "before_model", domain=name, use=name))
    made = plan(desk)
    return plan_graph(made, made.runners[name])


@given(NAMES)
def test_mermaid(name: str) -> None:
    text = mermaid(picture(name))
    lines = [line.strip() for line in text.rstrip("\n").split("\n")]
    assert [line for line in lines if not any(form.fullmatch(line) for form in _MERMAID)] == []
    assert sum(line.startswith("subgraph") for line in lines) == lines.count("end")
    shown = "".join(c if c.isprintable() else " " for c in name)
    assert f"plugin {shown}" in re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text)


@given(NAMES)
def test_dot(name: str) -> None:
    lines = [line.strip() for line in dot(picture(name)).rstrip("\n").split("\n")]
    assert [line for line in lines if not any(form.fullmatch(line) for form in _DOT)] == []
    assert sum(line.endswith("{") for line in lines) == lines.count("}")
