"""Makes plugins for tests as a worker would: the class, its hooks, its checked configuration with every default."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from adk_decl.json_schema import validator
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.phases import FALLBACK_PHASES, PHASES
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins.protocol import Plugin


def plugin_class(plugin: type[Plugin] | str) -> type[Plugin]:
    """The class itself, or the one that `module:Class` or `python:module:Class` names. Raises `TypeError`."""
    found: Any = plugin
    if isinstance(plugin, str):
        module, colon, attribute = plugin.removeprefix("python:").partition(":")
        if not colon:
            raise TypeError(f"{plugin!r} is no `module:Class`")
        found = importlib.import_module(module)
        for name in attribute.split("."):
            found = getattr(found, name)
    if not isinstance(found, type) or not issubclass(found, Plugin):
        raise TypeError(f"{plugin!r} is no subclass of Plugin")
    return found


def hooks_of(cls: type[Plugin]) -> tuple[str, ...]:
    """The hooks that a class defines, in the order of the phases."""
    return tuple(name for name in PHASES if callable(getattr(cls, name, None)))


def hook_for(cls: type[Plugin], phase: str) -> str:
    """The hook that serves a phase: its own, or the legacy `on_error`. Raises `TypeError` when there is none."""
    for name in (phase, FALLBACK_PHASES.get(phase, phase)):
        if callable(getattr(cls, name, None)):
            return name
    raise TypeError(f"{cls.__name__} has no hook {phase}; it has {', '.join(hooks_of(cls)) or 'none'}")


def checked_config(cls: type[Plugin], config: Mapping[str, Any]) -> FrozenMap[Any]:
    """The configuration with the defaults of `config_schema`. Raises `ValueError` with every problem, by path."""
    schema = cls.config_schema
    full = _with_defaults(schema, dict(config))
    problems = validator(dict(schema))(full) if schema else []
    if problems:
        told = "; ".join(f"{'.'.join(map(str, each.path)) or 'config'}: {each.message}" for each in problems)
        raise ValueError(f"the config of {cls.__name__} does not fit its config_schema: {told}")
    frozen = freeze(full)
    assert isinstance(frozen, FrozenMap)
    return frozen


def _with_defaults(schema: Any, value: Any) -> Any:
    """What the compiler fills in: the defaults of properties, at every depth that the value has."""
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    if not isinstance(value, dict):
        return value
    filled = {name: each["default"] for name, each in properties.items() if "default" in each} | value
    return {name: _with_defaults(properties.get(name, {}), item) for name, item in filled.items()}
