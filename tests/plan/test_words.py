"""How numbers and references read."""

from __future__ import annotations

import pytest

from adk_decl.plan.model import EnvRef, EnvText
from adk_decl.plan.words import duration, plural, size, without_user


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (1250, "1.25 s"),
        (60_000, "1 min"),
        (61_001, "61.001 s"),
        (86_400_000, "1440 min"),
        (86_399_999, "86400 s"),
    ],
)
def test_durations(milliseconds: int, text: str) -> None:
    assert duration(milliseconds) == text


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 B"), (1024, "1 KiB"), (1025, "1025 B"), (2**20, "1 MiB"), (2**20 + 1024, "1025 KiB")]
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls")])
def test_plurals(count: int, text: str) -> None:
    assert plural(count, "call") == text


def test_references_stand_for_themselves() -> None:
    assert duration(EnvText(parts=(EnvRef(name="T", default="5"),), type="integer")) == "${env:T} ms"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://a.example/v1", "https://a.example/v1"),
        ("https://user:pa:ss@a.example/v1?k=v", "https://a.example/v1"),
        ("https://user@a.example", "https://a.example"),
        ("a.example/v1", "a.example/v1"),
    ],
)
def test_addresses_lose_what_could_be_secret(url: str, text: str) -> None:
    assert without_user(url) == text
