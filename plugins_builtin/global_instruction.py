"""`global_instruction`: one text in the instruction of every model request."""

from __future__ import annotations

from adk_decl.plugins import Amend, HookContext, ModelRequest, Plugin, amend

DEFAULT_POSITION = "prepend"
DEFAULT_SEPARATOR = "\n\n"


class GlobalInstruction(Plugin):
    """Adds the configured text before or after the agent's own instruction, in every model request.

    Each request starts from the agent's own instruction, so the text never piles up over the rounds of a run.
    """

    requires_intervene = True
    stateless = True

    def before_model(self, ctx: HookContext, value: ModelRequest) -> Amend:
        """Amend `instruction` and nothing else."""
        text = str(self.config["instruction"])
        if not value.instruction:
            return amend(instruction=text)
        separator = str(self.config.get("separator", DEFAULT_SEPARATOR))
        both = (text, value.instruction)
        if self.config.get("position", DEFAULT_POSITION) == "append":
            both = (value.instruction, text)
        return amend(instruction=separator.join(both))
