"""What a hook is told about the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap
from adk_decl.wire import Raw, Struct, decoder, encode

_FACTS = (str, int, float, bool, type(None))


class Meta(Struct, frozen=True, kw_only=True, array_like=True):
    """Facts about a run, without content. `level` is run, agent, model, tool or event; `phase` the phase's name.

    `attempt` counts the failures of this tool in this invocation, from 1; it is None outside `on_tool_error`.
    `duration_ms` is how long the model call took, in `after_model` and `on_model_error`, and how long the run took,
    in `after_run` and `on_run_error`; it is None elsewhere. Tool results say it themselves.
    """

    run_id: str
    invocation_id: str
    session_id: str
    user_id: str
    app_name: str
    agent: str
    model: str | None = None
    level: str = "run"
    phase: str = ""
    tool: str | None = None
    call_id: str | None = None
    attempt: int | None = None
    event_author: str | None = None
    event_final: bool | None = None
    duration_ms: int | None = None


class HookLog:
    """Log records of one hook call, bounded; the host writes them to the logger `adk_decl.plugins`.

    At most 32 records of 1024 bytes each; what is beyond is counted in `dropped`, which the last record tells. A fact
    that is neither text, a number, a boolean nor None is written as the name of its class: logging fails no hook.
    """

    __slots__ = ("dropped", "records")

    def __init__(self) -> None:
        self.records: list[list[Any]] = []
        self.dropped = 0

    def debug(self, event: str, **facts: str | int | float | bool | None) -> None:
        """Log at level debug: the name of an event and facts about it."""
        self._add("debug", event, facts)

    def info(self, event: str, **facts: str | int | float | bool | None) -> None:
        """Log at level info."""
        self._add("info", event, facts)

    def notice(self, event: str, **facts: str | int | float | bool | None) -> None:
        """Log at level notice, which Python's logging knows as info."""
        self._add("notice", event, facts)

    def warning(self, event: str, **facts: str | int | float | bool | None) -> None:
        """Log at level warning."""
        self._add("warning", event, facts)

    def _add(self, level: str, event: str, facts: dict[str, Any]) -> None:
        told = {name: fact if isinstance(fact, _FACTS) else f"<{type(fact).__name__}>" for name, fact in facts.items()}
        record = [level, event, told]
        full = len(self.records) >= LIMITS["plugin.log_records"].default
        if full or _encoded(record) is None:
            self.dropped += 1
        else:
            self.records.append(record)


class HookContext:
    """The first argument of every hook.

    `config` is the plugin's configuration, frozen. `deadline_ms` is the time left when the hook starts.
    `plugin_id` is the id of the descriptor. `meta` are facts about the run. `log` takes log records;
    `logged` is that log once a hook has asked for it.
    """

    __slots__ = ("_meta", "_raw_meta", "config", "deadline_ms", "logged", "plugin_id")

    def __init__(
        self,
        plugin_id: str,
        config: FrozenMap[FrozenJson],
        deadline_ms: int,
        meta: Meta | None = None,
        raw_meta: Raw | bytes | None = None,
    ) -> None:
        self.plugin_id = plugin_id
        self.config = config
        self.deadline_ms = deadline_ms
        self.logged: HookLog | None = None
        self._meta = meta
        self._raw_meta = raw_meta

    @property
    def log(self) -> HookLog:
        """Takes log records; the host writes them to the logger `adk_decl.plugins`."""
        if self.logged is None:
            self.logged = HookLog()
        return self.logged

    def encoded_log(self) -> list[bytes]:
        """The log records as JSON, within their bounds whatever the plugin did to them."""
        log = self.logged
        if log is None:
            return []
        found = [_encoded(record) for record in log.records[: LIMITS["plugin.log_records"].default]]
        encoded = [data for data in found if data is not None]
        dropped = log.dropped + len(found) - len(encoded)
        if dropped:
            encoded.append(encode(["warning", "log_records_dropped", {"count": dropped}]))
        return encoded

    @property
    def meta(self) -> Meta:
        """Facts about the run, decoded when first read."""
        if self._meta is None:
            assert self._raw_meta is not None
            self._meta = _decode_meta(self._raw_meta)
        return self._meta


def _encoded(record: Any) -> bytes | None:
    """A log record as JSON; None when it is none or is too large."""
    try:
        data = encode(record)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None
    return data if len(data) <= LIMITS["plugin.log_record_bytes"].default else None


_decode_meta: Callable[[Any], Meta] = decoder(Meta)
