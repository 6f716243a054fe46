"""From a declared model to a live one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from adk_decl.errors import StartError
from adk_decl.models.bounded import BoundedModel
from adk_decl.models.limits import CallLimits
from adk_decl.models.protocol import Model
from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.model import Generation, ModelPlan
from adk_decl.values import GenerationSettings
from adk_decl.wire import Struct, WireError, convert

if TYPE_CHECKING:
    from adk_decl.models.openai_chat import Endpoint

C = TypeVar("C", bound=Struct)


class OpenAIChatConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`config` of `openai_chat`: http beyond this machine, and root certificates of one's own (a PEM file)."""

    insecure_http: bool = False
    ca_bundle: str | None = None


def build_model(plan: ModelPlan, *, api_key: str | None, project_root: str) -> Model:
    """The model that a plan declares, bounded and not yet open. Every `EnvText` in it is already resolved.

    Raises `StartError` for a component that is not there and for a `config` that does not fit.
    """
    build = _BUILDERS.get(plan.use)
    if build is None:
        raise StartError((f"model {plan.name!r}: there is no model component {plan.use!r}",))
    limits = CallLimits(
        max_concurrency=cast(int, plan.max_concurrency), requests_per_minute=cast(int, plan.requests_per_minute)
    )
    return BoundedModel(
        build(plan, limits, api_key, project_root),
        limits=limits,
        timeout_ms=cast(int, plan.timeout_ms),
        generation=_settings(plan.generation),
    )


def chat_endpoint(plan: ModelPlan, api_key: str | None, project_root: str) -> Endpoint:
    """Where a model of `openai_chat` is. Raises `StartError` for what is missing or does not fit."""
    from adk_decl.models.openai_chat import Endpoint

    config = _config(plan, OpenAIChatConfig)
    return Endpoint(
        name=plan.name,
        model=_required(plan, "model"),
        base_url=_required(plan, "base_url"),
        api_key=api_key,
        tool_calling=plan.tool_calling,
        insecure_http=config.insecure_http,
        ca_bundle=None if config.ca_bundle is None else os.path.join(project_root, config.ca_bundle),
        max_connections=cast(int, plan.max_concurrency),
    )


def _scripted(plan: ModelPlan, limits: CallLimits, api_key: str | None, project_root: str) -> Model:
    from adk_decl.models.scripted import ScriptedModel

    return ScriptedModel.from_config(thaw(plan.config), name=plan.name)


def _openai_chat(plan: ModelPlan, limits: CallLimits, api_key: str | None, project_root: str) -> Model:
    from adk_decl.models.openai_chat import OpenAIChatModel
    from adk_decl.transport.retry import RetryPolicy

    retries = RetryPolicy(
        max_attempts=plan.retries.max_attempts,
        base_delay_ms=plan.retries.base_delay_ms,
        max_delay_ms=plan.retries.max_delay_ms,
    )
    return OpenAIChatModel(chat_endpoint(plan, api_key, project_root), retries=retries, limits=limits)


def _llama_cpp(plan: ModelPlan, limits: CallLimits, api_key: str | None, project_root: str) -> Model:
    from adk_decl.models.llama_cpp import LlamaCppConfig, LlamaCppModel

    return LlamaCppModel(
        name=plan.name,
        model=_required(plan, "model"),
        project_root=project_root,
        config=_config(plan, LlamaCppConfig),
        tool_calling=plan.tool_calling,
    )


_BUILDERS: Mapping[str, Callable[[ModelPlan, CallLimits, str | None, str], Model]] = {
    "scripted": _scripted,
    "openai_chat": _openai_chat,
    "llama_cpp": _llama_cpp,
}
"""Built-in components by name."""


def _settings(generation: Generation) -> GenerationSettings:
    values: dict[str, Any] = {name: getattr(generation, name) for name in generation._fields}
    return GenerationSettings(**values)


def _config(plan: ModelPlan, shape: type[C]) -> C:
    try:
        return convert(thaw(plan.config), shape)
    except WireError:
        pass
    raise StartError((f"model {plan.name!r}: config does not fit {plan.use}",))


def _required(plan: ModelPlan, field: str) -> str:
    value = getattr(plan, field)
    if not isinstance(value, str) or not value:
        raise StartError((f"model {plan.name!r}: {plan.use} needs `{field}`",))
    return value
