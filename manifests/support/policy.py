"""Plugins of the project."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from adk_decl.plugins import HookContext, ModelResponse, Outcome, Part, Plugin, Text, amend, observe

_EMAIL = re.compile(r"\b([\w.+-]{1,64})@([\w-]{1,63}(?:\.[\w-]{1,63}){1,4})\b")


class MaskEmails(Plugin):
    """Masks e-mail addresses in what the agent says: `maria.silva@example.com` becomes `m***@example.com`.

    It changes what the model answers, so the session and everybody who reads the answer see the masked address.
    What the tool returned stays as it was, for the model and in the session.
    """

    requires_intervene = True
    stateless = True
    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "visible_characters": {
                "description": "How many characters of the name stay readable.",
                "type": "integer",
                "minimum": 0,
                "maximum": 3,
                "default": 1,
            }
        },
    }

    def after_model(self, ctx: HookContext, value: ModelResponse) -> Outcome:
        """Amend the text parts that hold an address; observe when there is none."""
        content = tuple(self._masked(part) for part in value.content)
        return observe() if content == value.content else amend(content=content)

    def _masked(self, part: Part) -> Part:
        if not isinstance(part, Text):
            return part
        visible = self.config["visible_characters"]
        return Text(_EMAIL.sub(lambda found: f"{found[1][:visible]}***@{found[2]}", part.text))
