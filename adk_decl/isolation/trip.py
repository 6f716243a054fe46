"""What crosses between the executor and the workers: the setup of a domain's plugins, and one request.

A request is a header of lengths, then the key of the chain, the facts of the run and the encoded fields of the value,
so that a worker decodes nothing that no hook reads. The key names phase and plugins; a worker looks it up whole.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from adk_decl.wire import Struct

HANDLER = "hooks"
_HEADER = struct.Struct("<HHI")
_LENGTHS = tuple(struct.Struct(f"<{count}I") for count in range(33))


class HookSetup(Struct, frozen=True, kw_only=True):
    """One plugin or callback as its workers know it."""

    id: str
    kind: str
    module: str
    attribute: str
    mode: str
    failure_policy: str
    timeout_ms: int
    max_heap_mib: int
    max_result_bytes: int
    hooks: tuple[str, ...]
    config: dict[str, Any]


class DomainSetup(Struct, frozen=True, kw_only=True):
    """All plugins of one domain, in the order in which requests name them. `debug` shows tracebacks locally."""

    plugins: tuple[HookSetup, ...]
    debug: bool


def chain_key(phase: str, plugins: Sequence[int]) -> bytes:
    """The name of a chain: its phase and the indexes of its plugins."""
    return f"{phase}:{','.join(map(str, plugins))}".encode()


def parse_key(key: bytes) -> tuple[str, tuple[int, ...]]:
    """Phase and plugin indexes of a chain's name."""
    phase, _, plugins = key.decode().partition(":")
    return phase, tuple(int(index) for index in plugins.split(","))


def pack_request(key: bytes, meta: bytes, fields: Sequence[Any]) -> bytes:
    """The body of one call."""
    lengths = _LENGTHS[len(fields)].pack(*map(len, fields))
    return b"".join((_HEADER.pack(len(key), len(fields), len(meta)), lengths, key, meta, *fields))


def unpack_request(body: bytes) -> tuple[bytes, bytes, list[bytes]]:
    """Key, facts and fields of a request."""
    key_length, count, meta_length = _HEADER.unpack_from(body)
    lengths = _LENGTHS[count].unpack_from(body, _HEADER.size)
    at = _HEADER.size + 4 * count
    key = body[at : at + key_length]
    at += key_length
    meta = body[at : at + meta_length]
    at += meta_length
    fields = []
    for length in lengths:
        fields.append(body[at : at + length])
        at += length
    return key, meta, fields
