"""The picture of a runner: complete, in order, and grouped by trust domain."""

from __future__ import annotations

import json

from adk_decl.json_schema import validator
from adk_decl.plan.dispatch import dispatch_table
from adk_decl.plan.graph import HOST, PlanGraph, plan_graph
from adk_decl.plan.graph_text import dot, mermaid
from tests.architecture.sources import CHECKOUT
from tests.cli.plans import HIDDEN, plan, plugin, runner
from tests.plan.compared_plans import full_plan
from tests.snapshot import check_snapshot


def graph() -> PlanGraph:
    """The picture of the full plan, with a digest that does not change."""
    made = full_plan()
    return plan_graph(made, made.runners["desk"]).replace(digest="sha256:…")


def test_pictures() -> None:
    check_snapshot("graph/full.mmd", mermaid(graph()))
    check_snapshot("graph/full.dot", dot(graph()))


def test_every_phase_is_a_path_through_its_plugins_in_order() -> None:
    made, picture = full_plan(), graph()
    names = {node.id: node.name for node in picture.nodes}
    for phase, chain in dispatch_table(made.runners["desk"], made.agents["support"]).items():
        labels = [f"{phase} {position}" for position in range(1, len(chain) + 1)]
        edges = [edge for label in labels for edge in picture.edges if edge.label == label]
        assert [names[edge.target] for edge in edges] == [member.id for member in chain]
        assert [names[edge.source] for edge in edges] == [phase, *(member.id for member in chain)][: len(chain)]


def test_ids_are_unique_and_every_arrow_has_two_ends() -> None:
    ids = [node.id for node in graph().nodes]
    assert len(ids) == len(set(ids))
    assert {end for edge in graph().edges for end in (edge.source, edge.target)} == set(ids)


def test_groups_are_trust_domains_and_inline_code_runs_in_the_host() -> None:
    groups = {node.name: node.group for node in graph().nodes}
    assert groups["redact"] == "project"
    assert groups["refund"] == HOST
    assert set(groups.values()) == set(graph().groups)


def test_guards_and_what_is_open_are_marked() -> None:
    marks = {node.name: (node.guard, node.failure_policy) for node in graph().nodes if node.kind == "plugin"}
    assert marks["redact"] == (True, "closed")
    assert marks["audit"] == (False, "open")


def test_a_plugin_is_one_node_and_two_of_one_name_are_two() -> None:
    both = plan(runner("desk", plugin("shield", "before_run", "before_model")))
    picture = plan_graph(both, both.runners["desk"])
    assert [node.name for node in picture.nodes if node.kind == "plugin"] == ["shield", "shield"]


def test_no_config_and_no_instruction() -> None:
    assert HIDDEN not in mermaid(graph()) + dot(graph()) + str(graph().to_json())
    assert "password" not in str(graph().to_json())


def test_json_follows_its_schema() -> None:
    check = validator(json.loads((CHECKOUT / "schemas" / "graph.v1.schema.json").read_text("utf-8")))
    plain = json.loads(json.dumps(graph().to_json()))
    assert check(plain) == []
    assert check({**plain, "more": 1}) != []
