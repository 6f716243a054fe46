"""What a model is, for those who write one: the protocol and its values."""

from __future__ import annotations

from adk_decl.errors import ModelError
from adk_decl.models.protocol import MODEL_FAILURES, Model, ModelCall, TextDelta
from adk_decl.values import (
    GenerationSettings,
    Message,
    ModelRequest,
    ModelResponse,
    Part,
    Text,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    Usage,
)

__all__ = [
    "MODEL_FAILURES",
    "GenerationSettings",
    "Message",
    "Model",
    "ModelCall",
    "ModelError",
    "ModelRequest",
    "ModelResponse",
    "Part",
    "Text",
    "TextDelta",
    "ToolCallPart",
    "ToolResultPart",
    "ToolSpec",
    "Usage",
]
