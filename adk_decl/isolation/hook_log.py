"""Writes what hooks logged to the logger `adk_decl.plugins` of the host."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from adk_decl.wire import Raw, WireError, decoder

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "notice": logging.INFO, "warning": logging.WARNING}
_LOGGER = logging.getLogger("adk_decl.plugins")


def write_log(plugin_id: str, hook: str, record: Raw) -> None:
    """One record of a hook: its event as the message, plugin, hook and facts as attributes of the log record."""
    try:
        level, event, facts = _decode_record(record)
    except WireError:
        return
    number = _LEVELS.get(level, logging.INFO)
    if not _LOGGER.isEnabledFor(number):
        return
    told = "".join(f" {name}={_line(value)}" for name, value in facts.items())
    extra = {"plugin_id": plugin_id, "hook": hook, "event": event, "facts": facts}
    _LOGGER.log(number, "%s %s: %s%s", plugin_id, hook, _line(event), told, extra=extra)


def _line(value: str | int | float | bool | None) -> str:
    """A fact as part of a line: what could end the line or steer a terminal is escaped."""
    text = str(value)
    return text if text.isprintable() else repr(text)


_decode_record: Callable[[Any], tuple[str, str, dict[str, str | int | float | bool | None]]] = decoder(
    tuple[str, str, dict[str, str | int | float | bool | None]]
)
