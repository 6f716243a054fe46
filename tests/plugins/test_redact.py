"""Reasons of halts without secrets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plugins.redact import bounded_reason, redact
from adk_decl.wire import decode

CASES: list[tuple[Any, Any]] = [
    ("plain", "plain"),
    (5, 5),
    (None, None),
    ({"api_key": "k", "why": "w"}, {"api_key": "[REDACTED]", "why": "w"}),
    ({"API-Key": {"a": 1}}, {"API-Key": "[REDACTED]"}),
    ({"max_tokens": 5, "secretary": "s"}, {"max_tokens": 5, "secretary": "s"}),
    ([{"pin": 1}, {"list": [{"otp": 2}]}], [{"pin": "[REDACTED]"}, {"list": [{"otp": "[REDACTED]"}]}]),
    ("see https://u:p@h.example/x", "see https://[REDACTED]@h.example/x"),
    ("https://h/x?token=t&a=1#f", "https://h/x?token=[REDACTED]&a=1#f"),
    ("https://h/x?a=1&client-secret=t", "https://h/x?a=1&client-secret=[REDACTED]"),
    ("mail a@b.example", "mail a@b.example"),
]


@pytest.mark.parametrize(("value", "expected"), CASES)
def test_secrets_are_replaced(value: Any, expected: Any) -> None:
    assert redact(value) == expected


def test_a_long_reason_is_only_said_to_be_long() -> None:
    assert decode(bounded_reason("x" * 1022)) == "x" * 1022
    assert decode(bounded_reason("x" * 1023)) == {"truncated": True}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_any_reason_fits_and_redacting_twice_changes_nothing(value: Any) -> None:
    assert len(bounded_reason(value)) <= 1024
    assert redact(redact(value)) == redact(value)
