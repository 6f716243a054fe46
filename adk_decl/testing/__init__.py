"""For tests of plugins: run one hook, a chain of them, or a scripted conversation.

Its public name is `adk_decl.plugins.testing`.
"""

from __future__ import annotations

from adk_decl.testing.conversation import Conversation, converse, run_conversation, scripted_manifest
from adk_decl.testing.hooks import ChangedInPlace, HookResult, LogRecord, Use, run_chain, run_hook

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
