"""A plugin, callbacks and tools that do what their configuration says and log what they saw into a file.

The conformance tests copy this file into a project of their own, so it imports nothing from the tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from adk_decl.plugins import (
    Content,
    Event,
    HookContext,
    Message,
    ModelResponse,
    Part,
    Plugin,
    Text,
    ToolCall,
    ToolCallPart,
    ToolResult,
    ToolResultPart,
    amend,
    halt,
    keep,
    observe,
    ret,
    text_content,
    text_response,
    tool_error,
    tool_response,
)

SHORT = {
    "on_user_message": "um",
    "before_run": "br",
    "on_event": "ev",
    "before_agent": "ba",
    "before_model": "bm",
    "after_model": "am",
    "on_model_error": "me",
    "before_tool": "bt",
    "after_tool": "at",
    "on_tool_error": "te",
    "after_agent": "aa",
    "after_run": "ar",
    "on_agent_error": "ae",
    "on_run_error": "re",
    "on_error": "oe",
}
"""Names of the hooks as the scenarios write them."""

_AMENDED_FIELD = {
    "UserMessage": "parts",
    "Content": "parts",
    "ModelRequest": "instruction",
    "ModelResponse": "content",
    "ToolCall": "args",
    "ToolResult": "result",
    "Event": "content",
    "Failure": "reason",
}


class Probe(Plugin):
    """Config: `log` is a file, `actions` maps a short hook name to an action.

    An action is `{do: NAME, with: VALUE, on: WHICH}`: see `_ACTIONS` for the names; `on` limits an `ev` action to
    one kind of event (`user`, `calls`, `resp`, `chunk`, `final`). A hook without an action observes.
    """

    config_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["log"],
        "properties": {"log": {"type": "string"}, "actions": {"type": "object"}},
    }

    def on_user_message(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def before_run(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def on_event(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def before_agent(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def before_model(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def after_model(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def on_model_error(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def before_tool(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def after_tool(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def on_tool_error(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def after_agent(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def after_run(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def on_agent_error(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def on_run_error(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def _act(self, ctx: HookContext, value: Any) -> Any:
        return _act(ctx.plugin_id, ctx, value, self.config["log"], self.config.get("actions", {}))


class LegacyProbe(Plugin):
    """Has the legacy `on_error` and neither `on_agent_error` nor `on_run_error`."""

    def on_error(self, ctx: HookContext, value: Any) -> Any:
        return _act(ctx.plugin_id, ctx, value, self.config["log"], self.config.get("actions", {}), hook="oe")


class AsyncProbe(Plugin):
    """Serves `before_run` with an async hook."""

    async def before_run(self, ctx: HookContext, value: Any) -> Any:
        await asyncio.sleep(0)
        return _act(ctx.plugin_id, ctx, value, self.config["log"], self.config.get("actions", {}))


def local(ctx: HookContext, value: Any) -> Any:
    """A local callback: logs as `L`, and acts as the file `local.json` beside this module says."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "local.json"), encoding="utf-8") as file:
        setup = json.load(file)
    return _act("L", ctx, value, setup["log"], setup["actions"])


def ok_tool(x: int = 0) -> dict[str, int]:
    """A tool that works.

    Args:
        x: Any number.
    """
    _log_tool("T(ok)", x)
    return {"x": x}


def raise_tool(x: int = 0) -> dict[str, int]:
    """A tool that fails, with a canary in the text of its exception."""
    _log_tool("T(raise)", x)
    raise ValueError("CANARY-exception-text")


def ref_tool(git_ref: str, x: int = 0) -> dict[str, int | str]:
    """A tool with an argument whose name looks like a handle.

    Args:
        git_ref: Any text.
        x: Any number.
    """
    _log_tool("T(ref)", {"git_ref": git_ref, "x": x})
    return {"x": x}


def slow_tool(x: int = 0) -> dict[str, int]:
    """A tool that ends after the file `release` beside this module appears, or after two seconds."""
    here = os.path.dirname(os.path.abspath(__file__))
    end = time.monotonic() + 2
    while not os.path.exists(os.path.join(here, "release")) and time.monotonic() < end:
        time.sleep(0.002)
    _log_tool("T(slow)", x)
    return {"x": x}


def fast_tool(x: int = 0) -> dict[str, int]:
    """A tool that lets `slow_tool` go on once it is done."""
    _log_tool("T(fast)", x)
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "release"), "w", encoding="utf-8"):
        pass
    return {"x": x}


def _log_tool(name: str, x: Any) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "local.json"), encoding="utf-8") as file:
        _write(json.load(file)["log"], {"entry": name, "seen": x})


def _act(who: str, ctx: HookContext, value: Any, log: str, actions: Mapping[str, Any], hook: str = "") -> Any:
    kind = _event_kind(value) if isinstance(value, Event) else None
    short = hook or SHORT[ctx.meta.phase]
    label = f"{short}({kind})" if kind else short
    _write(log, {"entry": f"{who}:{label}", "seen": _seen(value), "attempt": ctx.meta.attempt})
    action = actions.get(short)
    if action is None or action.get("on", kind) != kind:
        return observe()
    return _ACTIONS[action["do"]](value, _thaw(action.get("with")))


def _write(log: str, record: dict[str, Any]) -> None:
    """One line in one write, so that lines of several processes don't mix."""
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, json.dumps(record).encode() + b"\n")
    finally:
        os.close(descriptor)


def _event_kind(event: Event) -> str:
    if event.partial:
        return "chunk"
    if event.author == "user":
        return "user"
    if any(isinstance(part, ToolCallPart) for part in event.content):
        return "calls"
    if any(isinstance(part, ToolResultPart) for part in event.content):
        return "resp"
    return "final" if event.is_final else "text"


def _seen(value: Any) -> Any:
    """The part of a value that scenarios compare."""
    name = type(value).__name__
    if name == "ModelRequest":
        said = " / ".join(f"{message.role}: {shown(message.parts)}" for message in value.messages)
        return {"instruction": value.instruction, "said": said}
    if name == "ToolCall":
        return value.args
    if name == "ToolResult":
        return {"result": value.result, "error": value.error.reason if value.error else None}
    if name == "Event":
        bodies = [part.body for part in value.content if isinstance(part, ToolResultPart)]
        return bodies[0] if bodies else value.text
    return value.reason if name == "Failure" else value.text


def shown(parts: Iterable[Part]) -> str:
    """Parts as the scenarios write them: text, `tool()` for a call, `tool ok` or `tool failed` for a result."""
    words = []
    for part in parts:
        if isinstance(part, ToolCallPart):
            words.append(f"{part.name}()")
        elif isinstance(part, ToolResultPart):
            words.append(f"{part.name} {'ok' if part.body.get('success') else 'failed'}")
        else:
            words.append(part.text)
    return " ".join(words)


def _amended(value: Any, given: Any) -> Any:
    """`amend` of the one field that the phase is about; a text becomes the parts where parts are wanted."""
    field = _AMENDED_FIELD[type(value).__name__]
    return amend(**{field: (Text(given),) if field in ("parts", "content") else given})


def _amended_result(value: Any, given: Any) -> Any:
    if isinstance(value, Event):
        part = value.content[0]
        assert isinstance(part, ToolResultPart)
        return amend(content=(ToolResultPart(name=part.name, call_id=part.call_id, body=given),))
    return amend(result=given, error=None)


def _amended_call(value: Any, given: Any) -> Any:
    part = value.content[0]
    assert isinstance(part, ToolCallPart)
    return amend(content=(ToolCallPart(**({"name": part.name, "args": part.args, "call_id": part.call_id} | given)),))


def _returned(value: Any, given: Any) -> Any:
    return ret(_final(value, given))


def _final(value: Any, given: Any) -> Any:
    """The value that this phase may be finished with."""
    name = type(value).__name__
    if name in ("UserMessage", "Content"):
        return text_content(given)
    if name in ("ModelRequest", "ModelResponse"):
        return text_response(given)
    if name == "Failure":
        return text_response(given)
    if name == "Event":
        return value.replace(content=(Text(given),))
    return tool_response(given)


def _change_in_place(value: Any, given: Any) -> Any:
    """Changes the value itself and says nothing about it."""
    if isinstance(value, ToolCall):
        value.args.update(given)
    else:
        for message in value.messages:
            for part in message.parts:
                if isinstance(part, ToolResultPart):
                    part.body["result"] = given
    return observe()


def _raise(value: Any, given: Any) -> Any:
    raise RuntimeError("CANARY-exception-text")


def _sleep(value: Any, given: Any) -> Any:
    time.sleep(given / 1000)
    return observe()


def _spin(value: Any, given: Any) -> Any:
    while True:
        pass


def _bomb(value: Any, given: Any) -> Any:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def _exit(value: Any, given: Any) -> Any:
    os._exit(3)


def _nested(levels: int) -> Any:
    nested: Any = 1
    for _ in range(levels):
        nested = [nested]
    return nested


def _thaw(value: Any) -> Any:
    """Plain data from a frozen configuration."""
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    return [_thaw(item) for item in value] if isinstance(value, tuple | list) else value


_ACTIONS: dict[str, Any] = {
    "observe": lambda value, given: observe(),
    "none": lambda value, given: None,
    "amend": _amended,
    "amend_fields": lambda value, given: amend(**given),
    "amend_result": _amended_result,
    "amend_call": _amended_call,
    "amend_error": lambda value, given: amend(result=None, error=tool_error(given).error),
    "replace_messages": lambda value, given: amend(
        messages=keep([], append=[Message(role="user", parts=(Text(given),))])
    ),
    "amend_extended": lambda value, given: amend(args={**value.args, **given}),
    "return": _returned,
    "replace": _returned,
    "return_event": lambda value, given: ret(value.replace(**given)),
    "return_error": lambda value, given: ret(tool_error(given)),
    "return_wrong_type": lambda value, given: ret(Content((Text(given),))),
    "return_tool_result": lambda value, given: ret(ToolResult("other", result=given)),
    "return_response": lambda value, given: ret(ModelResponse(content=(Text(given),))),
    "halt": lambda value, given: halt(given),
    "change_in_place": _change_in_place,
    "raise": _raise,
    "sleep": _sleep,
    "spin": _spin,
    "memory_bomb": _bomb,
    "exit": _exit,
    "oversize": lambda value, given: _amended(value, "x" * given),
    "unsafe_leaf": lambda value, given: halt(object()),
    "nested": lambda value, given: amend(result=_nested(given)),
    "bogus": lambda value, given: 42,
}
"""Everything a hook can be told to do."""
