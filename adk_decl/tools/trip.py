"""What crosses between the host and a worker for one tool call, as JSON arrays."""

from __future__ import annotations

from typing import Any

from adk_decl.tools.context import ToolFacts
from adk_decl.values.content import ToolError
from adk_decl.wire import Raw, Struct

HANDLER = "tools"
"""Name of the handler that serves the tools of a domain."""

REPLY_OVERHEAD_BYTES = 1024
"""What a reply may hold beside a result."""


class ToolSetup(Struct, frozen=True, kw_only=True):
    """One tool as a worker knows it. `config` is JSON."""

    name: str
    module: str
    attribute: str
    context_parameter: str | None
    max_heap_mib: int
    config: dict[str, Any]
    debug: bool = False
    """Whether a traceback is printed to the worker's stderr when the tool raises."""


class ToolRequest(Struct, frozen=True, array_like=True):
    """One call. `deadline` is a time of `time.monotonic()`, which all processes of a machine share."""

    name: str
    call_id: str
    args: dict[str, Any]
    facts: ToolFacts
    timeout_ms: int
    deadline: float


class ToolReply(Struct, frozen=True, array_like=True):
    """The answer: `error`, or `result`."""

    error: ToolError | None
    result: Any = None


class EncodedReply(Struct, frozen=True, array_like=True):
    """A `ToolReply` whose result is encoded already."""

    error: ToolError | None
    result: Raw
