from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.errors import SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.protocol import SessionKey
from adk_decl.sessions.stored_event import check_key, check_room, decode_event, encode_event
from adk_decl.values import Event, Text
from tests.sessions.events import event

CANARY = "canary-7d1f"

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
).filter(lambda value: "inf" not in repr(value))


@given(_texts, st.dictionaries(_texts, _json, max_size=3), st.booleans())
def test_an_event_is_read_back_as_it_was(text: str, actions: dict[str, Any], partial: bool) -> None:
    before = event(1).replace(content=(Text(text),), actions=actions, partial=partial)
    assert decode_event(encode_event(before)) == before


def test_a_field_of_a_later_version_is_ignored_and_a_missing_one_takes_its_default() -> None:
    body = b'{"id":"e","invocation_id":"i","author":"user","content":[],"actions":{},"timestamp_ms":1,"later":[1]}'
    assert decode_event(body) == Event("e", "i", "user", (), {}, 1)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b"\xff", b'{"id": 7}', b"[" * 100_000, b'{"id":"' + CANARY.encode()]
)
def test_a_damaged_event_is_an_error_without_its_text(body: bytes) -> None:
    with pytest.raises(SessionStoreError) as failure:
        decode_event(body)
    assert failure.value.code == "session_store_corrupt"
    assert CANARY not in str(failure.value)
    assert failure.value.__cause__ is None


@pytest.mark.parametrize("value", [object(), {1, 2}, "\ud800", [[CANARY, object()]]])
def test_a_value_that_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(SessionStoreError) as failure:
        encode_event(event(1).replace(actions={CANARY: value} if not isinstance(value, set) else {"x": object()}))
    assert failure.value.code == "session_event_invalid"
    assert CANARY not in str(failure.value)


def test_the_size_of_an_event_is_bounded() -> None:
    bound = LIMITS["session.event_bytes"].maximum
    with pytest.raises(SessionStoreError) as failure:
        encode_event(event(1).replace(content=(Text("x" * bound),)))
    assert failure.value.code == "session_event_too_large"


@pytest.mark.parametrize("part", ["", "x" * 1025, "\ud800"])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_key_that_could_not_be_found_again_is_refused(part: str, position: int) -> None:
    parts = ["a", "b", "c"]
    parts[position] = part
    with pytest.raises(SessionStoreError) as failure:
        check_key(SessionKey(*parts))
    assert failure.value.code == "session_key_invalid"


def test_a_full_session_refuses() -> None:
    events, size = LIMITS["session.events"].maximum, LIMITS["session.bytes"].maximum
    check_room(events=events - 1, stored_bytes=0, added_bytes=size)
    for facts in ({"events": events, "stored_bytes": 0}, {"events": 0, "stored_bytes": size}):
        with pytest.raises(SessionStoreError) as failure:
            check_room(**facts, added_bytes=1)
        assert failure.value.code == "session_full"
