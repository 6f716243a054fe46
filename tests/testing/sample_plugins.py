"""Plugins that the tests of `adk_decl.testing` run; copied into projects of their own, too."""

from __future__ import annotations

from typing import Any, ClassVar

from adk_decl.plugins import HookContext, Plugin, amend, halt, keep, ret, text_response


class Clamp(Plugin):
    """Lowers `amount` to the configured most, and logs that it did."""

    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "most": {"type": "number", "minimum": 0, "default": 50},
            "deep": {"type": "object", "properties": {"level": {"type": "integer", "default": 3}}},
        },
    }

    def before_tool(self, ctx: HookContext, value: Any) -> Any:
        """Amend a large amount; halt on a negative one."""
        amount = value.args.get("amount", 0)
        if amount < 0:
            return halt({"negative": True})
        if amount > self.config["most"]:
            ctx.log.warning("clamped", most=self.config["most"])
            return amend(args={**value.args, "amount": self.config["most"]})
        return None

    def on_error(self, ctx: HookContext, value: Any) -> Any:
        """Legacy hook."""
        ctx.log.info("seen", phase=ctx.meta.phase)


class Answers(Plugin):
    """Answers in place of the model, asynchronously."""

    async def before_model(self, ctx: HookContext, value: Any) -> Any:
        """Answer with the agent's name."""
        return ret(text_response(f"{ctx.meta.agent}"))


class InPlace(Plugin):
    """Changes values in place; the name of the tool, or of the phase, says what it answers."""

    def before_tool(self, ctx: HookContext, value: Any) -> Any:
        """Change the arguments, and amend them or not."""
        value.args["amount"] = 1
        return {"amends": amend(args=value.args), "halts": halt("x")}.get(value.name)

    def before_model(self, ctx: HookContext, value: Any) -> Any:
        """Change a message, and keep it by its id, which does not carry the change."""
        value.messages[0].parts[0].args["a"] = 2
        return amend(messages=keep([message.id for message in value.messages]))


class Fails(Plugin):
    """Fails, or answers nonsense for a tool called `nonsense`."""

    def before_tool(self, ctx: HookContext, value: Any) -> Any:
        """Raise a ValueError."""
        if value.name == "nonsense":
            return 42
        raise ValueError("told to the author only")
