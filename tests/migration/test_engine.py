"""Migrations with versions and a `v0` schema that only these tests carry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.migration.engine import Migrated, migrate
from adk_decl.migration.rules import Rule
from adk_decl.migration.versions import Step, UnknownVersion, rules_from
from adk_decl.plan.record import FrozenMap
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import shape_from
from adk_decl.syntax.document import Document
from adk_decl.syntax.read import Format, read_bytes
from tests.compiler.project import codes, compile_text

V0_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["apiVersion", "kind", "name", "providers", "bots", "runners"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "adk-decl/v0"},
        "kind": {"const": "Manifest"},
        "name": {"type": "string"},
        "providers": {"type": "object", "additionalProperties": {"$ref": "#/$defs/provider"}},
        "bots": {"type": "object", "additionalProperties": {"type": "object"}},
        "runners": {"type": "object", "additionalProperties": {"type": "object"}},
        "plugins": {"type": "array", "items": {"type": "object", "required": ["id", "use"]}},
    },
    "$defs": {
        "provider": {
            "type": "object",
            "required": ["kind"],
            "additionalProperties": False,
            "properties": {
                "kind": {"type": "string"},
                "timeout_s": {"type": "number"},
                "config": {"type": "object"},
            },
        }
    },
}
STEPS = (
    Step(
        before="adk-decl/v0",
        after="adk-decl/v0.5",
        rules=(
            Rule(pattern="providers", rename="models"),
            Rule(pattern="models.*.kind", rename="use"),
            Rule(pattern="models.*.timeout_s", scale=1000),
            Rule(pattern="models.*.timeout_s", rename="timeout_ms"),
        ),
    ),
    Step(
        before="adk-decl/v0.5",
        after="adk-decl/v1",
        rules=(
            Rule(pattern="bots", rename="agents"),
            Rule(pattern="plugins", key_by="id"),
            Rule(pattern="plugins.*.mode", values=FrozenMap({"watch": "observe", "act": "intervene"})),
        ),
    ),
)
V0 = """\
# What stands here stays.
apiVersion: adk-decl/v0   # the version
kind: Manifest
name: example

providers:
  clerk: # the only one
    timeout_s: 2.5   # seconds
    kind: "scripted"
    config: {replies: [{text: "# no comment"}]}
bots:
  support: {model: clerk}
plugins:
  # the log
  - id: log   # its id
    use: metadata_logger
    mode: watch

  - {use: global_instruction, id: "house style", mode: 'act', config: {instruction: Be short.}}
runners:
  desk:
    agent: support
    plugins: [log, house style]
"""
V1 = """\
# What stands here stays.
apiVersion: adk-decl/v1   # the version
kind: Manifest
name: example

models:
  clerk: # the only one
    timeout_ms: 2500   # seconds
    use: "scripted"
    config: {replies: [{text: "# no comment"}]}
agents:
  support: {model: clerk}
plugins:
  # the log
  log:   # its id
    use: metadata_logger
    mode: observe

  "house style": {use: global_instruction, mode: 'intervene', config: {instruction: Be short.}}
runners:
  desk:
    agent: support
    plugins: [log, house style]
"""


def read(text: str, format_name: Format = "yaml") -> Document:
    bag = DiagnosticBag()
    document = read_bytes(text.encode(), file="f", format=format_name, bag=bag)
    assert document is not None, bag.sorted()
    return document


def run(text: str, *rules: Rule, format_name: Format = "yaml") -> Migrated:
    return migrate(read(text, format_name), rules)


def test_versions_are_a_chain_and_comments_survive(tmp_path: Path) -> None:
    bag = DiagnosticBag()
    evaluate(shape_from(V0_SCHEMA), read(V0).root, file="f", bag=bag)
    assert bag.sorted() == ()
    done = migrate(read(V0), rules_from("adk-decl/v0", STEPS))
    assert done.text == V1
    assert not any(change.by_hand for change in done.changes)
    assert codes(compile_text(tmp_path, done.text)) == []


def test_every_change_is_reported_with_its_place() -> None:
    done = migrate(read(V0), rules_from("adk-decl/v0", STEPS))
    assert [(change.span.line, change.message) for change in done.changes] == [
        (6, "`providers` is now `models`"),
        (9, "`kind` is now `use`"),
        (8, "`timeout_s` now says `2500`"),
        (8, "`timeout_s` is now `timeout_ms`"),
        (2, "`apiVersion` now says `adk-decl/v0.5`"),
        (11, "`bots` is now `agents`"),
        (13, "`plugins` is a map by `id`"),
        (17, "`mode` now says `observe`"),
        (19, "`mode` now says `intervene`"),
        (2, "`apiVersion` now says `adk-decl/v1`"),
    ]


def test_a_migration_of_what_is_migrated_changes_nothing() -> None:
    assert migrate(read(V1), rules_from("adk-decl/v1", STEPS)) == Migrated(text=V1, changes=())
    assert rules_from("adk-decl/v1") == ()


@pytest.mark.parametrize("version", ["adk-decl/v9", "", "adk-decl/v0"])
def test_a_version_that_leads_nowhere(version: str) -> None:
    with pytest.raises(UnknownVersion):
        rules_from(version, STEPS[1:])


RENAME = Rule(pattern="a.*.old", rename="new")
KEY_BY = Rule(pattern="a", key_by="id")
INSERT = Rule(pattern="a.*.name", insert_before="use", values=FrozenMap({"x": "w"}))
SET = Rule(pattern="a.*", values=FrozenMap({"x": "true"}))
HIGH = Rule(pattern="a.*", scale=10)


@pytest.mark.parametrize(
    ("rule", "format_name", "before", "after"),
    [
        (RENAME, "yaml", "a: {b: {old: 1, c: 2}}\n", "a: {b: {new: 1, c: 2}}\n"),
        (RENAME, "yaml", "a:\n  b:\n    'old': 1 # old\n", "a:\n  b:\n    new: 1 # old\n"),
        (RENAME, "yaml", "a:\n  - old: 1\n  - x: old\n", "a:\n  - new: 1\n  - x: old\n"),
        (RENAME, "toml", "[a.b]\n'old' = 1 # old\n", "[a.b]\nnew = 1 # old\n"),
        (RENAME, "toml", "a.b.old = 1\n", "a.b.new = 1\n"),
        (RENAME, "toml", "[a.b.old]\nc = 1\n", "[a.b.new]\nc = 1\n"),
        (RENAME, "json", '{"a": [{"old": 1}]}', '{"a": [{"new": 1}]}'),
        (SET, "yaml", "a: [x, 'x', \"x\", z]\n", 'a: ["true", \'true\', "true", z]\n'),
        (SET, "toml", "a = ['x', \"x\"]\n", "a = ['true', \"true\"]\n"),
        (SET, "json", '{"a": {"b": "x"}}', '{"a": {"b": "true"}}'),
        (HIGH, "yaml", "a: [1, 2.5, 0.01, x, true]\n", "a: [10, 25, 0.01, x, true]\n"),
        (INSERT, "yaml", "a:\n  - name: x # c\n    z: 1\n", "a:\n  - use: w\n    name: x # c\n    z: 1\n"),
        (INSERT, "yaml", "a:\n  b:\n    z: 1\n    name: q\n", "a:\n  b:\n    z: 1\n    use: q\n    name: q\n"),
        (INSERT, "yaml", "a: [{z: 1, name: x}]\n", "a: [{z: 1, use: w, name: x}]\n"),
        (INSERT, "yaml", "a: [{use: k, name: x}]\n", "a: [{use: k, name: x}]\n"),
        (INSERT, "toml", "[[a]]\n  name = 'x'\n", "[[a]]\n  use = \"w\"\n  name = 'x'\n"),
        (INSERT, "json", '{"a": [{"name": "x"}]}', '{"a": [{"use": "w", "name": "x"}]}'),
        (KEY_BY, "yaml", "a: [{id: x, b: 1}, {b: 2, id: v}]\n", "a: {x: {b: 1}, v: {b: 2}}\n"),
        (KEY_BY, "yaml", "a:\n- id: x\n  b: 1\n\n- b: 2\n  id: v\n", "a:\n  x:\n    b: 1\n\n  v:\n    b: 2\n"),
        (KEY_BY, "yaml", "a:\n-   id: x\n    b: |\n      t\n     \n", "a:\n  x:\n      b: |\n        t\n     \n"),
        (KEY_BY, "yaml", "a:\n  - b: 1\n    id: 'no' # c\n", 'a:\n  "no":\n    b: 1\n    # c\n'),
        (KEY_BY, "toml", "a = [{id = 'x', b = 1}]\n", "a = {x = {b = 1}}\n"),
        (
            KEY_BY,
            "toml",
            "[[a]] # one\nid = 'x'\nb = 1\n[[a]]\nb = 2\nid = \"y z\" # c\n[a.c]\nd = 3\n",
            '[a.x] # one\nb = 1\n[a."y z"]\nb = 2\n# c\n[a."y z".c]\nd = 3\n',
        ),
        (KEY_BY, "json", '{"a": [{"id": "x", "b": 1}]}', '{"a": {"x": {"b": 1}}}'),
    ],
)
def test_each_operation_in_each_form(rule: Rule, format_name: Format, before: str, after: str) -> None:
    rules = [rule] if rule is not INSERT else [INSERT.replace(unless="use")]
    done = run(before, *rules, format_name=format_name)
    assert done.text == after
    assert not any(change.by_hand for change in done.changes)


@pytest.mark.parametrize(
    ("rule", "format_name", "text"),
    [
        (RENAME, "yaml", "a: {b: {old: 1, new: 2}}\n"),
        (Rule(pattern="a", rename="z"), "toml", "[a.b]\nx = 1\n[a.c]\nx = 2\n"),
        (KEY_BY, "yaml", "a: [{id: x, b: 1}, {id: x, b: 2}]\n"),
        (KEY_BY, "yaml", "a: [{b: 1}]\n"),
        (KEY_BY, "yaml", "a: [{id: x}]\n"),
        (KEY_BY, "yaml", "a: [name, {id: x, b: 1}]\n"),
        (KEY_BY, "yaml", "a:\n  - {id: x, b: 1}\n  -\n    id: y\n    b: 2\n"),
        (KEY_BY, "toml", "a = [\n  {id = 'x', b = 1},\n]\n"),
    ],
)
def test_what_can_not_be_done_safely_is_left_to_a_person(rule: Rule, format_name: Format, text: str) -> None:
    bag = DiagnosticBag()
    if read_bytes(text.encode(), file="f", format=format_name, bag=bag) is None:
        pytest.skip("not a document")
    done = run(text, rule, format_name=format_name)
    assert done.text == text
    assert [change.by_hand for change in done.changes] == [True]


def test_one_place_that_can_not_be_done_keeps_no_other_back() -> None:
    done = run("a: {b: {old: 1, new: 2}, c: {old: 3}}\n", RENAME)
    assert done.text == "a: {b: {old: 1, new: 2}, c: {new: 3}}\n"
    assert [change.by_hand for change in done.changes] == [True, False]


def test_line_ends_stay() -> None:
    text = "a:\r\n  - name: x\r\n    id: q\r\n"
    assert run(text, INSERT, KEY_BY).text == "a:\r\n  q:\r\n    use: w\r\n    name: x\r\n"


def test_a_rule_for_one_component() -> None:
    rule = Rule(pattern="a.*.config.old", rename="new", component="one")
    text = "a: {b: {use: one, config: {old: 1}}, c: {use: two, config: {old: 1}}, d: {config: {old: 1}}}\n"
    assert run(text, rule).text == text.replace("old", "new", 1)


def test_what_a_person_has_to_do_is_told() -> None:
    text = "a:\n  old: 1\n"
    done = run(text, Rule(pattern="a.old", by_hand="say it in words"))
    (change,) = done.changes
    assert (done.text, change.message, change.by_hand, change.span.line) == (text, "say it in words", True, 2)


names = st.sampled_from(("id", "old", "name", "use", "b c", "#", "no"))
scalars = st.one_of(st.integers(-5, 5), st.booleans(), st.text("ab: #{}[]'\"\n", max_size=6), names)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(st.just("a"), trees), st.sampled_from([RENAME, KEY_BY, INSERT, SET, HIGH]))
def test_a_rule_never_spoils_a_document(data: dict[str, Any], rule: Rule) -> None:
    text = json.dumps(data, indent=1)
    formats: tuple[Format, ...] = ("json", "yaml")
    for format_name in formats:
        bag = DiagnosticBag()
        document = read_bytes(text.encode(), file="f", format=format_name, bag=bag)
        if document is None:
            continue
        done = migrate(document, [rule])
        again = read_bytes(done.text.encode(), file="f", format=format_name, bag=bag)
        assert again is not None
        if all(change.by_hand for change in done.changes):
            assert done.text == text
