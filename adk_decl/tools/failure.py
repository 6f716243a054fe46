"""A tool call that failed, without the text of its cause."""

from __future__ import annotations

from typing import Literal

from adk_decl.values.content import ToolError
from adk_decl.workers.spec import kind_of


class ToolFailed(Exception):
    """Carries the structural failure of a call from where it arises to the result."""

    def __init__(self, error: ToolError) -> None:
        self.error = error
        super().__init__(error.reason)


def failed(reason: str) -> ToolFailed:
    """A failure with a registered reason."""
    return ToolFailed(ToolError(reason=reason))


def raised(error: BaseException) -> ToolFailed:
    """A failure named by the class of an exception.

    A tool that wants to end the process (`SystemExit`) has class `exit`. The exception is the `__cause__`.
    """
    error_class: Literal["exit", "exception"] = "exit" if isinstance(error, SystemExit) else "exception"
    failure = ToolFailed(ToolError(reason=kind_of(error), error_class=error_class))
    failure.__cause__ = error
    return failure


TOOL_FAILURES: tuple[str, ...] = (
    "tool_not_found",
    "invalid_arguments",
    "timeout",
    "heap_exceeded",
    "worker_down",
    "queue_full",
    "invalid_result_type",
    "result_too_large",
    "protocol_error",
    "internal",
)
"""Every reason of a `ToolError` that is not the class of an exception."""
