"""What the tests of isolation share: descriptors of the test plugins, a started pool with its executor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adk_decl.isolation.domains import handler_specs
from adk_decl.isolation.executor import HookExecutor
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.model import CodeRef, PluginDescriptor
from adk_decl.plan.phases import PHASES
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins.context import Meta
from adk_decl.plugins.trace import PhaseResult
from adk_decl.values.payload import Payload
from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.spec import DomainSpec

MODULE = "tests.isolation.hooks"
ROOT = str(Path(__file__).resolve().parents[2])
META = Meta(run_id="r", invocation_id="i", session_id="s", user_id="u", app_name="a", agent="g", phase="before_run")
HOOKS = ("before_run", "before_model", "before_tool", "after_tool", "after_model", "after_run", "on_error")


def plugin(plugin_id: str = "p", attribute: str = "Act", **changes: Any) -> PluginDescriptor:
    """A descriptor of a test plugin; keyword arguments are fields of it, `do`, `with_` and `log` go to its config."""
    config = {key.rstrip("_"): freeze(changes.pop(key)) for key in ("do", "with_", "log") if key in changes}
    given: dict[str, Any] = {
        "use": "python:" + MODULE,
        "domain": "project",
        "mode": "intervene",
        "failure_policy": "open",
        "timeout_ms": 2000,
        "max_heap_mib": 64,
        "max_result_bytes": 262_144,
        "hooks": HOOKS if attribute == "Act" else ("before_run",),
    }
    return PluginDescriptor(
        id=plugin_id,
        code=CodeRef(module=MODULE, attribute=attribute),
        config=FrozenMap(config),
        **{**given, **changes},
    )


def domain_specs(descriptors: Sequence[PluginDescriptor], *, debug: bool = False) -> list[DomainSpec]:
    """The domains of these plugins as a pool wants them."""
    specs = handler_specs(descriptors, debug=debug)
    return [DomainSpec(name=name, import_paths=(ROOT,), handlers=(spec,)) for name, spec in specs.items()]


class Setting:
    """An executor over a started pool."""

    def __init__(self, executor: HookExecutor, pool: WorkerPool) -> None:
        self.executor = executor
        self.pool = pool

    async def run(
        self,
        chain: Sequence[PluginDescriptor],
        value: Payload,
        *,
        phase: str = "before_run",
        deadline: float | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> PhaseResult:
        """Run a chain in a phase."""
        return await self.executor.run_chain(PHASES[phase], tuple(chain), META, value, deadline=deadline)


@asynccontextmanager
async def setting(
    *descriptors: PluginDescriptor,
    workers: int = 2,
    max_input_bytes: int = 8 << 20,
    debug_fd: int | None = None,
) -> AsyncIterator[Setting]:
    """A pool and an executor for these plugins, warm, closed afterwards."""
    pool = WorkerPool(domain_specs(descriptors, debug=debug_fd is not None), workers=workers, debug_fd=debug_fd)
    executor = HookExecutor(descriptors, pool, max_input_bytes=max_input_bytes)
    await pool.start()
    try:
        await pool.warm()
        await executor.open()
        yield Setting(executor, pool)
        await executor.close()
    finally:
        await pool.close()


def outcomes(result: PhaseResult) -> list[str]:
    """The outcomes of the trace, in order."""
    return [entry.outcome for entry in result.trace]
