"""For tests of plugins: what `adk_decl.testing` has, loaded when it is first asked for, since no worker needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_decl.testing import (
        ChangedInPlace,
        Conversation,
        HookResult,
        LogRecord,
        Use,
        converse,
        run_chain,
        run_conversation,
        run_hook,
        scripted_manifest,
    )

__all__ = [
    "ChangedInPlace",
    "Conversation",
    "HookResult",
    "LogRecord",
    "Use",
    "converse",
    "run_chain",
    "run_conversation",
    "run_hook",
    "scripted_manifest",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from adk_decl import testing

    return getattr(testing, name)
