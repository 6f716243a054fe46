"""What is found in the labelled set `pii_cases.yaml`, measured, and how long it takes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from plugins_builtin.pii_patterns import TYPES, find

DATA: dict[str, Any] = YAML(typ="safe", pure=True).load(
    (Path(__file__).parent / "pii_cases.yaml").read_text(encoding="utf-8")
)
POSITIVES: list[dict[str, Any]] = DATA["positives"]
NEGATIVES: list[str] = DATA["negatives"]


class Score(NamedTuple):
    """Pieces found rightly, found wrongly, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed)


def pieces(text: str) -> list[tuple[str, str]]:
    return [(found.type, text[found.start : found.end]) for found in find(text, TYPES)]


def wanted(case: dict[str, Any]) -> list[tuple[str, str]]:
    return [(kind, piece) for kind, piece in case["finds"]]


def score() -> Score:
    right = wrong = missed = 0
    for case in [*POSITIVES, *({"text": text, "finds": []} for text in NEGATIVES)]:
        found, expected = pieces(case["text"]), wanted(case)
        hits = len([piece for piece in found if piece in expected])
        right += hits
        wrong += len(found) - hits
        missed += len(expected) - hits
    return Score(right, wrong, missed)


@pytest.mark.parametrize("case", [c for c in POSITIVES if not c.get("missed")], ids=lambda c: repr(c["text"]))
def test_personal_data_is_found(case: dict[str, Any]) -> None:
    assert pieces(case["text"]) == wanted(case)


@pytest.mark.parametrize("case", [c for c in POSITIVES if c.get("missed")], ids=lambda c: repr(c["text"]))
def test_what_is_marked_as_missed_is_missed(case: dict[str, Any]) -> None:
    assert pieces(case["text"]) != wanted(case)


@pytest.mark.parametrize("text", NEGATIVES, ids=repr)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert pieces(text) == []


def test_precision_and_recall_of_the_set() -> None:
    result = score()
    assert len(POSITIVES) >= 80
    assert len(NEGATIVES) >= 80
    assert result.wrong == 0
    assert result.precision == 1.0
    assert result.recall >= 0.95


def test_every_kind_is_in_the_set() -> None:
    assert {kind for case in POSITIVES for kind, _ in wanted(case)} == set(TYPES)


def test_only_the_kinds_asked_for_are_found() -> None:
    text = "anna@example.org 415-555-0132 203.0.113.42"
    assert [kind for kind, _ in pieces(text)] == ["email", "phone", "ip_address"]
    assert [found.type for found in find(text, ["phone"])] == ["phone"]
    assert find(text, []) == []


@pytest.mark.parametrize(
    "unit",
    [
        *('1', '1 ', '1-', '+', '+1', '0', 'a', 'a.', 'a@', '@', 'a@a.', "'", '-', 'sk-', 'eyJ', 'eyJa.eyJ', 'A1'),
        *('DE60', 'DE60 ', 'DE60-', '4111 ', '(', '1.', ':', 'a:', '::1', 'tel ', 'phone 1', '219-09-', 'é'),
        *('9 (', '00 ', '%', 'x@1x.', 'SG.'),
    ],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        find(text, TYPES)
        return time.process_time() - started

    assert seconds(100_000) < 1.0
    assert seconds(60_000) < 8 * seconds(15_000) + 0.05


@given(st.text(alphabet="0123456789+-. @()ab:/DE", max_size=200))
def test_pieces_are_in_order_apart_and_inside(text: str) -> None:
    end = 0
    for found in find(text, TYPES):
        assert end <= found.start < found.end <= len(text)
        end = found.end


@given(st.text(alphabet="xyz ,;\n", max_size=40), st.text(alphabet="xyz ,;\n", max_size=40))
def test_what_stands_around_changes_nothing(before: str, after: str) -> None:
    text = f"{before} anna@example.org {after}"
    assert pieces(text) == [("email", "anna@example.org")]
