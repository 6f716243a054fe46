"""The author contract: what a plugin is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.record import FrozenMap


class Plugin:
    """Base of all plugins.

    A hook is a method named after a phase, sync or async: `def before_model(self, ctx, value)`. It returns
    `None` or an outcome. `ctx` is a `HookContext`, `value` the payload that the phase table names. A public
    method that begins with `before_`, `after_` or `on_` and is no hook is refused by the compiler; helpers begin
    with an underscore or another word.

    The class attributes below are read from the source without importing it, so they are literals.
    """

    priority: ClassVar[int] = 0
    """Order under `plugin_order: priority`; lower runs earlier before an operation and later after it."""

    requires_intervene: ClassVar[bool] = False
    """Whether the plugin would do nothing under `mode: observe`; the compiler then refuses that mode."""

    stateless: ClassVar[bool] = False
    """Whether nothing is kept between calls, so that a worker need not be replaced between evaluation samples."""

    config_schema: ClassVar[Mapping[str, Any]] = {}
    """JSON Schema of `config`. Without one, any configuration is accepted."""

    def __init__(self, config: FrozenMap[FrozenJson]) -> None:
        """Keep the validated configuration as `self.config`. Runs in the worker, before the first hook."""
        self.config: FrozenMap[Any] = config

    def on_close(self) -> None:
        """Called when the worker ends in good order; best effort: all plugins of a worker share one second."""
