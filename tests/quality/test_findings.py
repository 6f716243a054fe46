"""What is said about realistic mistakes: everything is found, on its line, with the right word, and once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from adk_decl.diagnostics.edits import apply_edits
from tests.quality import oracle
from tests.quality.bases import bases
from tests.quality.measure import KINDS, Outcome, figures, outcomes, table

LEAST_ON_LINE = 0.99
LEAST_SUGGESTED = 0.95
MOST_FINDINGS = 1.05
LEAST_OF_A_KIND = 0.85
"""A single kind may be a little worse than all of them together."""


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """A thousand mistakes."""
    return list(outcomes(1000, 1, tmp_path_factory.mktemp("quality")))


def check(some: list[Outcome]) -> None:
    reached = figures(some)
    shown = table(some)
    assert reached.detected.value == 1, shown
    assert reached.on_line.value >= LEAST_ON_LINE, shown
    assert reached.suggested.value >= LEAST_SUGGESTED, shown
    assert reached.findings.value <= MOST_FINDINGS, shown


def test_a_thousand_mistakes(some: list[Outcome]) -> None:
    check(some)


@pytest.mark.slow
def test_ten_thousand_mistakes(tmp_path: Path) -> None:
    check(list(outcomes(10_000, 2, tmp_path)))


def test_every_kind_is_made_and_does_well(some: list[Outcome]) -> None:
    made = Counter(each.kind for each in some)
    assert len(KINDS) >= 20
    assert [kind.__name__ for kind in KINDS if made[kind.__name__] < 10] == []
    for kind in KINDS:
        reached = figures([each for each in some if each.kind == kind.__name__])
        assert min(reached.on_line.value, reached.suggested.value) >= LEAST_OF_A_KIND, kind.__name__


def test_both_formats_are_changed(some: list[Outcome]) -> None:
    assert min(Counter(each.base.format for each in some).values()) >= 200


def test_a_safe_fix_of_a_misspelling_gives_the_manifest_back(some: list[Outcome]) -> None:
    fixed = 0
    for each in some:
        fix = each.findings[0].fix
        if each.mutant.wanted is not None and fix is not None and fix.applicability == "safe":
            assert apply_edits(each.mutant.text, fix.edits) == each.base.text, each.mutant.lines
            fixed += 1
    assert fixed >= 150


def test_no_key_with_another_unit_is_renamed_unasked(some: list[Outcome]) -> None:
    """`timeout_sec: 5` is not `timeout_ms: 5`."""
    safe = [
        each.mutant.text.split("\n")[min(each.mutant.lines) - 1].strip()
        for each in some
        if each.kind == "unit_in_key" and (fix := each.findings[0].fix) is not None and fix.applicability == "safe"
    ]
    assert [line for line in safe if "millis" not in line] == []


def test_the_manifests_are_valid() -> None:
    assert [base.name for base in bases() if oracle.reason(base.text, base.format) is not None] == []
