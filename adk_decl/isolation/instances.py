"""Makes plugins from data: imports their code, gives them their configuration, finds their hooks."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from adk_decl.isolation.trip import HookSetup
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.phases import FALLBACK_PHASES
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins.chain import Step
from adk_decl.workers.spec import Problem, kind_of


class LoadFailed(Exception):
    """A plugin can't be made; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.kind)


class Instance:
    """One live plugin or callback."""

    __slots__ = ("_config", "_plugin", "setup")

    def __init__(self, setup: HookSetup) -> None:
        """Import and construct. Raises `LoadFailed`."""
        self.setup = setup
        config = freeze(setup.config)
        assert isinstance(config, FrozenMap)
        self._config = config
        try:
            self._plugin = self._make()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise self._failed(kind_of(error)) from error

    def step(self, phase: str) -> Step:
        """How a chain of `phase` calls it. Raises `LoadFailed` when it has no such hook."""
        setup = self.setup
        return Step(
            self._hook(phase),
            setup.id,
            self._config,
            setup.mode != "observe",
            setup.failure_policy == "closed" and setup.mode != "shadow",
            setup.timeout_ms,
            setup.max_heap_mib,
            setup.max_result_bytes,
            setup.timeout_ms * 1_000_000,
            setup.mode == "shadow",
        )

    def check(self) -> None:
        """Raise `LoadFailed` unless every declared hook can be called."""
        for phase in self.setup.hooks:
            self._hook(phase)

    @property
    def is_async(self) -> bool:
        """Whether any of its hooks is declared async."""
        return any(is_async(self.step(phase)) for phase in self.setup.hooks)

    @property
    def on_close(self) -> Callable[[], Any] | None:
        """What to call when it ends in good order."""
        return None if self.setup.kind == "callback" else getattr(self._plugin, "on_close", None)

    def _make(self) -> Any:
        found: Any = importlib.import_module(self.setup.module)
        for name in self.setup.attribute.split("."):
            found = getattr(found, name)
        return found if self.setup.kind == "callback" else found(self._config)

    def _hook(self, phase: str) -> Callable[[Any, Any], Any]:
        if self.setup.kind == "callback":
            hook = self._plugin
        else:
            name = phase if phase in self.setup.hooks else FALLBACK_PHASES.get(phase, phase)
            hook = getattr(self._plugin, name, None)
        if not callable(hook):
            raise self._failed("hook_missing")
        return hook  # type: ignore[no-any-return]

    def _failed(self, kind: str) -> LoadFailed:
        noun = "callback" if self.setup.kind == "callback" else "plugin"
        return LoadFailed(Problem(subject=f"{noun} {self.setup.id!r}", module=self.setup.module, kind=kind))


def is_async(step: Step) -> bool:
    """Whether a hook is declared async, as a function or as an object with an async `__call__`."""
    hook: Any = step.hook
    return inspect.iscoroutinefunction(hook) or inspect.iscoroutinefunction(getattr(hook, "__call__", None))  # noqa: B004
