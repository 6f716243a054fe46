"""Starts the code of every plugin, callback and tool once, each trust domain in a worker of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from adk_decl.doctor.check import Check
from adk_decl.doctor.subject import Subject, is_open
from adk_decl.errors import StartError
from adk_decl.plan.model import PluginDescriptor, ToolPlan
from adk_decl.plan.record import FrozenMap
from adk_decl.plan.settings_table import read_setting
from adk_decl.runtime.build import domains_of
from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.spec import DomainSpec


class Served(NamedTuple):
    """What runs in one trust domain; `inline` is what a run has in its own process."""

    plugins: tuple[str, ...]
    tools: tuple[str, ...]
    inline: bool


def check_code(subject: Subject) -> Iterator[Check]:
    """One check for each trust domain; code that runs inline is tried in a worker too."""
    for inline in (False, True):
        plugins = tuple(p for p in subject.reached.descriptors if (p.isolation == "inline") == inline)
        tools = {name: t for name, t in subject.reached.tools.items() if (t.isolation == "inline") == inline}
        yield from _domains(subject, plugins, tools, inline=inline)


def _domains(
    subject: Subject, plugins: tuple[PluginDescriptor, ...], tools: Mapping[str, ToolPlan], *, inline: bool
) -> Iterator[Check]:
    ready = tuple(p.replace(isolation="worker") for p in plugins if not is_open(p))
    able = {name: t.replace(isolation="worker") for name, t in tools.items() if not is_open(t)}
    for name in (*(p.id for p in plugins if is_open(p)), *(n for n, t in tools.items() if is_open(t))):
        yield Check(group="code", name=name, status="skipped", summary="needs a value that is missing")
    for spec in domains_of(subject.plan, ready, able, debug=_debug(subject)):
        served = Served(
            plugins=tuple(p.id for p in ready if p.domain == spec.name),
            tools=tuple(n for n, t in able.items() if t.domain == spec.name),
            inline=inline,
        )
        yield asyncio.run(_start(spec, served, debug=_debug(subject)))


async def _start(spec: DomainSpec, served: Served, *, debug: bool) -> Check:
    pool = WorkerPool((spec,), workers=1, debug_fd=sys.stderr.fileno() if debug else None)
    started = time.monotonic()
    problems: tuple[str, ...] = ()
    try:
        await pool.start()
    except StartError as error:
        problems = error.problems
    finally:
        start_ms = round((time.monotonic() - started) * 1000)
        await pool.close()
    return Check(
        group="code",
        name=spec.name,
        status="fail" if problems else "ok",
        summary="; ".join(problems)
        if problems
        else f"started in {start_ms} ms: {', '.join((*served.plugins, *served.tools))}",
        facts=FrozenMap({**served._asdict(), "start_ms": start_ms, "problems": problems}),
        mend="ADK_DECL_DEBUG=1 shows the traceback" if problems and not debug else None,
    )


def _debug(subject: Subject) -> bool:
    try:
        return read_setting("debug", subject.environment) is True
    except ValueError:
        return False
