"""Values that models, tools, plugins and the runtime exchange."""

from __future__ import annotations

from adk_decl.values.content import (
    GenerationSettings,
    Message,
    Part,
    Text,
    ToolCallPart,
    ToolError,
    ToolResultPart,
    ToolSpec,
    Usage,
)
from adk_decl.values.payload import Payload
from adk_decl.values.phase_values import (
    PAYLOAD_TYPES,
    Content,
    Event,
    Failure,
    ModelRequest,
    ModelResponse,
    ToolCall,
    ToolResult,
    UserMessage,
)

__all__ = [
    "PAYLOAD_TYPES",
    "Content",
    "Event",
    "Failure",
    "GenerationSettings",
    "Message",
    "ModelRequest",
    "ModelResponse",
    "Part",
    "Payload",
    "Text",
    "ToolCall",
    "ToolCallPart",
    "ToolError",
    "ToolResult",
    "ToolResultPart",
    "ToolSpec",
    "Usage",
    "UserMessage",
]
