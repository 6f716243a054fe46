"""What is known of a component without its code: descriptor data."""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record

Kind = Literal["plugin", "model", "session_store", "exporter", "criterion"]
Stage = Literal["stable", "beta", "alpha"]

KINDS: tuple[Kind, ...] = ("plugin", "model", "session_store", "exporter", "criterion")
STAGES: tuple[Stage, ...] = ("stable", "beta", "alpha")
OWN_DISTRIBUTION = "adk-decl"


class ComponentDescriptor(Record):
    """One component of the catalogue.

    `name` is what `use` names. `entry` is `module:attribute`, which only the run side imports. `distribution` is
    the package that brings it. `hooks` are the phases a plugin serves. `config_schema` is the JSON Schema of
    `config`, frozen; empty means that anything is accepted. `guard` marks what protects: its failure policy is
    `closed` unless its own descriptor opens it. `defaults` are values of descriptor keys, such as `timeout_ms`.
    `extra` is the extra of adk-decl and `needs` the module that it takes to run, or None.
    """

    name: str
    kind: Kind
    entry: str
    distribution: str = OWN_DISTRIBUTION
    summary: str = ""
    stage: Stage = "stable"
    hooks: tuple[str, ...] = ()
    config_schema: FrozenMap[Any] = EMPTY_MAP
    requires_intervene: bool = False
    inline_safe: bool = False
    guard: bool = False
    stateless: bool = False
    stream_safe: bool = False
    reads: tuple[str, ...] = ()
    defaults: FrozenMap[FrozenJson] = EMPTY_MAP
    priority: int = 0
    extra: str | None = None
    needs: str | None = None


class ComponentProblem(Record):
    """Component data of an installed package that can't be used, whole or in part.

    `reason` says what is wrong, without a value from the data.
    """

    distribution: str
    reason: str
