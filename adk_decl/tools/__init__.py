"""What a tool function may ask about its call."""

from __future__ import annotations

from adk_decl.tools.context import ToolContext

__all__ = ["ToolContext"]
