"""Failures as plugins and records see them: structure, never text."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import Literal

from adk_decl.errors import AdkDeclError, ModelError, PluginFailed, RunTimeout
from adk_decl.plugins.context import Meta
from adk_decl.values.phase_values import Failure

FailureClass = Literal["error", "exit", "throw", "exception", "external"]
_NAME_CHARACTERS = 64


def failure_of(error: BaseException, meta: Meta, *, component: str, operation: str) -> Failure:
    """The structural form of an error: a registered code or the class name of a foreign exception."""
    if isinstance(error, ModelError):
        return _failure("model", "generate", "external", error.reason, meta, status=error.status)
    if isinstance(error, PluginFailed):
        return _failure("plugin", error.hook, "error", error.code, meta)
    if isinstance(error, RunTimeout):
        return _failure(component, operation, "exit", "timeout", meta)
    if isinstance(error, asyncio.CancelledError):
        return _failure(component, operation, "exit", "cancelled", meta)
    if isinstance(error, AdkDeclError):
        return _failure(component, operation, "error", error.code, meta)
    return _failure(component, operation, "exception", type(error).__name__[:_NAME_CHARACTERS], meta)


def _failure(
    component: str,
    operation: str,
    error_class: FailureClass,
    reason: str,
    meta: Meta,
    *,
    status: int | None = None,
) -> Failure:
    return Failure(
        component=component,
        operation=operation,
        error_class=error_class,
        reason=reason,
        status=status,
        correlation=_correlation(meta),
    )


def _correlation(meta: Meta) -> dict[str, str]:
    """Ids by which a failure can be found again, as prefixes of their hashes: an id may be chosen by a caller."""
    ids = {"invocation_id": meta.invocation_id, "run_id": meta.run_id, "call_id": meta.call_id}
    return {key: sha256(value.encode()).hexdigest()[:24] for key, value in ids.items() if value}
