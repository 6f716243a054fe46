"""The figures that `validate` has to reach, and the texts they are measured with."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.cli.checking import check
from tests.benchmarks.bench_validate import figures, jobs, ratio, report
from tests.benchmarks.manifests import at_the_node_limit, hostile, manifest
from tests.benchmarks.processes import measure

SLACK = 1.25
"""Machines are noisy: a figure fails this test when it is missed by more than a quarter."""


@pytest.mark.parametrize("lines", [200, 5000])
def test_the_made_manifests_are_valid_and_as_long_as_said(lines: int, tmp_path: Path) -> None:
    text = manifest(lines)
    file = tmp_path / "m.adk.yaml"
    file.write_text(text, encoding="utf-8")
    assert abs(text.count("\n") - lines) <= 0.1 * lines
    assert check([str(file)]).diagnostics == ()


def test_the_same_seed_makes_the_same_text() -> None:
    assert manifest(300, seed=7) == manifest(300, seed=7) != manifest(300, seed=8)


@pytest.mark.parametrize("name", [*hostile(), "node limit"])
def test_hostile_files_give_findings(name: str, tmp_path: Path) -> None:
    file = tmp_path / "h.yaml"
    file.write_text({**hostile(), "node limit": at_the_node_limit()}[name], encoding="utf-8")
    checked = check([str(file)])
    assert checked.defects == 0
    assert checked.exit_code(deny_warnings=False) == 1


@pytest.mark.slow
def test_the_figures_are_reached(tmp_path: Path) -> None:
    times = measure(jobs(tmp_path), rounds=5)
    wanted = figures(tuple(times))
    missed = [f for f in wanted if ratio(f, times) > f.most * SLACK]
    assert missed == [], report(times)
