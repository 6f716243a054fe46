"""The codec refuses what is not JSON of the wanted shape, always with the same error."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.values import ToolCall
from adk_decl.wire import WireError, decode, decoder


@pytest.mark.parametrize("data", [b"", b"{", b"[1,]", b"nan", b"[" * 100_000, b'{"a":' * 100_000])
def test_bytes_that_are_not_json_are_a_wire_error(data: bytes) -> None:
    with pytest.raises(WireError):
        decode(data)


@pytest.mark.parametrize("shape", [Any, list[Any], dict[str, Any]])
def test_nesting_without_end_is_a_wire_error_for_every_shape(shape: Any) -> None:
    with pytest.raises(WireError):
        decoder(shape)(b"[" * 50_000 + b"]" * 50_000)


def test_a_field_that_nests_too_deep_is_a_wire_error_when_it_is_read() -> None:
    deep = b'["t",{"a":' + b"[" * 50_000 + b"]" * 50_000 + b'},"c"]'
    with pytest.raises(WireError):
        _ = ToolCall.from_json(deep).args
