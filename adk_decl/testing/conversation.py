"""Runs conversations through the real compiler, runner and workers; the model answers from a script."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from adk_decl.errors import RunError, UsageError
from adk_decl.loading import load, load_text
from adk_decl.plan.model import Plan
from adk_decl.runtime.own_loop import run_to_end
from adk_decl.runtime.result import RunResult
from adk_decl.runtime.runner import Runner
from adk_decl.testing.hooks import LogRecord
from adk_decl.values.phase_values import Event
from adk_decl.wire import Struct

_SESSION = "session-test"
_LOGGER = "adk_decl.plugins"
_VIRTUAL = "adk-decl-test.adk.yaml"


class Conversation(Struct, frozen=True, kw_only=True):
    """What the runs of one conversation left: one result and one error (or None) a message, events and logs of all."""

    results: tuple[RunResult, ...]
    errors: tuple[RunError | None, ...]
    events: tuple[Event, ...]
    logs: tuple[LogRecord, ...]

    @property
    def text(self) -> str | None:
        """The last answer."""
        return self.results[-1].text

    @property
    def status(self) -> str:
        """How the last run ended: completed, failed, halted or timeout."""
        return self.results[-1].status

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all runs."""
        return tuple(warning for result in self.results for warning in result.warnings)

    def outcomes(self, phase: str, plugin_id: str | None = None) -> list[str]:
        """What plugins (or one of them) did in a phase, over all runs, in order."""
        return [
            entry.outcome
            for result in self.results
            for record in result.traces
            if record.phase == phase
            for entry in record.entries
            if plugin_id in (None, entry.plugin_id)
        ]


def scripted_manifest(
    *,
    replies: Sequence[Mapping[str, Any]] = ({"text": "done"},),
    plugins: Sequence[Mapping[str, Any]] = (),
    tools: Mapping[str, Mapping[str, Any] | str] | None = None,
    agent: Mapping[str, Any] | None = None,
    runner: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A manifest with a scripted model, one agent and one runner.

    `replies` are those of the model `scripted`. `plugins` are descriptors with `id`, as in a runner's list. A tool is
    its descriptor, or only what `use` names. `agent` and `runner` are further keys of these.
    """
    given = {name: {"use": tool} if isinstance(tool, str) else dict(tool) for name, tool in (tools or {}).items()}
    return {
        "apiVersion": "adk-decl/v1",
        "kind": "Manifest",
        "name": "plugin-test",
        "models": {"script": {"use": "scripted", "config": {"replies": [dict(reply) for reply in replies]}}},
        "tools": given,
        "agents": {"agent": {"model": "script", "tools": list(given), **(agent or {})}},
        "runners": {"runner": {"agent": "agent", "plugins": [dict(each) for each in plugins], **(runner or {})}},
    }


def run_conversation(
    messages: str | Sequence[str],
    manifest: str | os.PathLike[str] | Mapping[str, Any],
    *,
    project: str | os.PathLike[str] = ".",
    runner: str | None = None,
    stream: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Conversation:
    """Send messages, one after another in one session, through a runner of a manifest.

    `manifest` is a file, or a manifest as a map (such as `scripted_manifest` makes), which then counts as a file in the
    folder `project`: there `python:` references are looked up. What ends a run is in `errors`. Raises `ManifestError`
    for a manifest with errors, `StartError` when the runner can't be built, `UsageError` inside a running event loop;
    `await converse(...)` is for there.
    """
    with suppress(RuntimeError):
        asyncio.get_running_loop()
        raise UsageError("an event loop is running here: `await converse(...)` instead of run_conversation")
    return run_to_end(
        converse(messages, manifest, project=project, runner=runner, stream=stream, environment=environment)
    )


async def converse(
    messages: str | Sequence[str],
    manifest: str | os.PathLike[str] | Mapping[str, Any],
    *,
    project: str | os.PathLike[str] = ".",
    runner: str | None = None,
    stream: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Conversation:
    """`run_conversation` for async tests."""
    plan = _plan(manifest, project)
    results: list[RunResult] = []
    errors: list[RunError | None] = []
    events: list[Event] = []
    with _captured() as logs:
        async with Runner(plan, runner, environment=environment) as live:
            for message in [messages] if isinstance(messages, str) else messages:
                run = live.run(message, session_id=_SESSION, stream=stream)
                error = None
                try:
                    async for event in run:
                        events.append(event)  # noqa: PERF401 - what came before an error counts
                except RunError as caught:
                    error = caught
                results.append(run.result)
                errors.append(error)
    return Conversation(results=tuple(results), errors=tuple(errors), events=tuple(events), logs=tuple(logs))


def _plan(manifest: str | os.PathLike[str] | Mapping[str, Any], project: str | os.PathLike[str]) -> Plan:
    if not isinstance(manifest, Mapping):
        return load(manifest)
    return load_text(json.dumps(manifest), path=os.path.join(os.path.abspath(project), _VIRTUAL))


class _Records(logging.Handler):
    """Keeps what plugins log."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        facts = record.__dict__
        if "plugin_id" in facts:
            level = record.levelname.lower()
            self.records.append(LogRecord(facts["plugin_id"], level, facts["event"], dict(facts["facts"])))


@contextmanager
def _captured() -> Iterator[list[LogRecord]]:
    handler, logger = _Records(), logging.getLogger(_LOGGER)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield handler.records
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
