from __future__ import annotations

import pytest

from adk_decl.diagnostics.suggest import is_typo, nearest

KEYS = ("timeout_ms", "failure_policy", "max_heap_mib", "mode", "use")


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("timeout_msec", KEYS, "timeout_ms"),
        ("timeout-ms", KEYS, "timeout_ms"),
        ("Mode", KEYS, "mode"),
        ("mdoe", KEYS, "mode"),
        ("uses", KEYS, "use"),
        ("xyz", KEYS, None),
        ("", KEYS, None),
        ("mode", ("mode",), None),
        ("ab", ("aa", "bb"), None),
        ("colour", ("color", "colours"), None),
        ("a" * 100, ("a" * 99,), None),
        ("modes", ("mode", "mode"), "mode"),
        ("anything", (), None),
    ],
)
def test_nearest(word: str, candidates: tuple[str, ...], expected: str | None) -> None:
    assert nearest(word, candidates) == expected


@pytest.mark.parametrize(
    ("word", "name", "typo"),
    [
        ("fsat", "fast", True),
        ("Fast", "fast", True),
        ("house-style", "house_style", True),
        ("fasst", "fast", True),
        ("fast2", "fast", False),
        ("v1", "v2", False),
        ("m1-fsat", "m1-fast", True),
        ("fsta2", "fast2", False),
        ("quick", "fast", False),
    ],
)
def test_a_typo_touches_no_digit(word: str, name: str, *, typo: bool) -> None:
    assert is_typo(word, name) is typo
