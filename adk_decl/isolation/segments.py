"""Cuts a chain into runs of neighbours that share a process, so that each run costs one trip."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Final, NamedTuple

from adk_decl.isolation.trip import chain_key
from adk_decl.plan.limits import KIB, LIMITS
from adk_decl.plan.model import PluginDescriptor

INLINE: Final = ""
_LOG_BYTES: Final = LIMITS["plugin.log_records"].default * (LIMITS["plugin.log_record_bytes"].default + 32)
_OVERHEAD_BYTES: Final = 64 * KIB


class Segment(NamedTuple):
    """Neighbours of one chain: `first` is the index of the first in the whole chain, `domain` is "" for inline.

    `key` names the run in its domain. `reply_bytes` is what its steps may send back, without the ids of messages.
    """

    domain: str
    first: int
    plugins: tuple[PluginDescriptor, ...]
    key: bytes
    timeouts_ms: tuple[int, ...]
    reply_bytes: int


def cut(phase: str, chain: tuple[PluginDescriptor, ...], places: Mapping[PluginDescriptor, int]) -> tuple[Segment, ...]:
    """The segments of a chain in order. `places` has the index of each plugin in its domain."""
    segments: list[Segment] = []
    for domain, group in groupby(chain, key=_process_of):
        plugins = tuple(group)
        first = sum(len(segment.plugins) for segment in segments)
        reply_bytes = sum(plugin.max_result_bytes + _LOG_BYTES for plugin in plugins) + _OVERHEAD_BYTES
        segments.append(
            Segment(
                domain=domain,
                first=first,
                plugins=plugins,
                key=chain_key(phase, [places[plugin] for plugin in plugins]),
                timeouts_ms=tuple(plugin.timeout_ms for plugin in plugins),
                reply_bytes=min(reply_bytes, LIMITS["workers.frame_bytes"].default // 2),
            )
        )
    return tuple(segments)


def _process_of(plugin: PluginDescriptor) -> str:
    return INLINE if plugin.isolation == "inline" else plugin.domain
