"""Drives one run for the command line: signals, output, exit code."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from typing import Any

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED, INTERRUPTED, TERMINATED
from adk_decl.cli.run_output import JsonOutput, Output, TextOutput
from adk_decl.errors import PluginHalted, RunError
from adk_decl.plan.model import Plan
from adk_decl.plan.record import Record
from adk_decl.plan.settings_table import read_setting
from adk_decl.runtime.own_loop import run_to_end
from adk_decl.runtime.runner import Runner
from adk_decl.values.phase_values import Event

_STOP_SIGNALS = ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED))


class RunOptions(Record):
    """What the command line asks for."""

    message: str
    session: str | None
    user: str
    stream: bool
    as_json: bool


def run_once(plan: Plan, runner: str, options: RunOptions) -> int:
    """Run one message to its end and return the exit code. Raises `StartError` when the runner can't be built."""
    _log_to_stderr()
    output: Output = JsonOutput() if options.as_json else TextOutput(stream=options.stream)
    return run_to_end(_Session(plan, runner, options, output).main())


class _Session:
    """One run and the signals that may end it."""

    def __init__(self, plan: Plan, runner: str, options: RunOptions, output: Output) -> None:
        self._plan = plan
        self._runner = runner
        self._options = options
        self._output = output
        self._stopped_by: int | None = None

    async def main(self) -> int:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        for number, code in _STOP_SIGNALS:
            loop.add_signal_handler(number, self._stop, task, code)
        try:
            return await self._run()
        except asyncio.CancelledError:
            if self._stopped_by is None:
                raise
            self._output.stopped("interrupted" if self._stopped_by == INTERRUPTED else "terminated")
            return self._stopped_by
        finally:
            for number, _ in _STOP_SIGNALS:
                loop.remove_signal_handler(number)

    def _stop(self, task: asyncio.Task[Any], code: int) -> None:
        """First signal: cancel, notifications are delivered. Another one: cancel again, they are skipped."""
        self._stopped_by = code
        task.cancel()

    async def _run(self) -> int:
        options = self._options
        async with Runner(self._plan, self._runner) as runner:
            run = runner.run(options.message, user_id=options.user, session_id=options.session, stream=options.stream)
            kept = self._plan.runners[self._runner].session_store.use != "memory"
            self._output.begin(run.session_id, new=options.session is None, kept=kept)
            code = DONE
            try:
                async for item in run.items():
                    if isinstance(item, Event):
                        self._output.event(item)
                    else:
                        self._output.trace(item)
            except RunError as error:
                code = ANSWER_IS_NO if isinstance(error, PluginHalted) else FAILED
                self._output.failed(error)
            self._output.end(run.result)
            return code


def _log_to_stderr() -> None:
    level = str(read_setting("log_level")).upper()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("adk_decl")
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False
