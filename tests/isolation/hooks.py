"""Plugins of the tests that do what they should not, and some that behave. Run in worker processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from typing import Any, ClassVar

from adk_decl.plugins import (
    Content,
    HookContext,
    Message,
    ModelRequest,
    ModelResponse,
    Plugin,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
    amend,
    halt,
    keep,
    ret,
    text_content,
    text_response,
    tool_error,
    tool_response,
)


class Observer(Plugin):
    """Reads nothing, does nothing."""

    def before_model(self, ctx: HookContext, value: ModelRequest) -> None:
        return None

    def before_run(self, ctx: HookContext, value: UserMessage) -> None:
        return None


class AsyncObserver(Plugin):
    """The same, async."""

    async def before_model(self, ctx: HookContext, value: ModelRequest) -> None:
        return None


class Reader(Plugin):
    """Reads all messages."""

    def before_model(self, ctx: HookContext, value: ModelRequest) -> None:
        for message in value.messages:
            assert message.text is not None


class Amender(Plugin):
    """Sets the instruction."""

    def before_model(self, ctx: HookContext, value: ModelRequest) -> Any:
        return amend(instruction="be brief")


class Act(Plugin):
    """Does in `before_run` (and all other hooks) what `config.do` names; `config.log` is a file of who ran."""

    config_schema: ClassVar[dict[str, Any]] = {}

    def before_run(self, ctx: HookContext, value: UserMessage) -> Any:
        return self._act(ctx, value)

    def before_model(self, ctx: HookContext, value: ModelRequest) -> Any:
        return self._act(ctx, value)

    def before_tool(self, ctx: HookContext, value: ToolCall) -> Any:
        return self._act(ctx, value)

    def after_tool(self, ctx: HookContext, value: ToolResult) -> Any:
        return self._act(ctx, value)

    def after_model(self, ctx: HookContext, value: ModelResponse) -> Any:
        return self._act(ctx, value)

    def after_run(self, ctx: HookContext, value: Content) -> Any:
        return self._act(ctx, value)

    def on_error(self, ctx: HookContext, value: Any) -> Any:
        return self._act(ctx, value)

    def on_close(self) -> None:
        self._write("closed")

    def _write(self, line: str) -> None:
        log = self.config.get("log")
        if isinstance(log, str):
            with open(log, "a", encoding="utf-8") as file:
                file.write(line + "\n")

    def _act(self, ctx: HookContext, value: Any) -> Any:
        self._write(ctx.plugin_id)
        do = self.config.get("do", "observe")
        assert isinstance(do, str)
        return ACTIONS[do](self.config.get("with"), ctx, value)


class AsyncAct(Plugin):
    """Waits without end in an async hook."""

    async def before_run(self, ctx: HookContext, value: UserMessage) -> None:
        await asyncio.sleep(1000)


class Leaver(Plugin):
    """Leaves a task behind and tells which process it is in and how many tasks there are."""

    async def before_run(self, ctx: HookContext, value: UserMessage) -> Any:
        tasks = len(asyncio.all_tasks())
        self.left = asyncio.create_task(_linger(stubborn=bool(self.config.get("with"))))
        await asyncio.sleep(0)
        return amend(parts=(Text(f"{os.getpid()} {tasks}"),))


async def _linger(*, stubborn: bool) -> None:
    while True:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            if not stubborn:
                raise


class BrokenInit(Plugin):
    """Can't be made."""

    def __init__(self, config: Any) -> None:
        raise ValueError("a secret that must not be shown")

    def before_run(self, ctx: HookContext, value: UserMessage) -> None:
        return None


class HangingInit(BrokenInit):
    """Never is made."""

    def __init__(self, config: Any) -> None:
        time.sleep(1000)


def callback(ctx: HookContext, value: Any) -> Any:
    """A local callback."""
    return amend(parts=(Text(value.text + "+callback"),))


def _spin(argument: Any, ctx: HookContext, value: Any) -> None:
    while True:
        pass


def _swallow(argument: Any, ctx: HookContext, value: Any) -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def _bomb(argument: Any, ctx: HookContext, value: Any) -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def _log(argument: Any, ctx: HookContext, value: Any) -> None:
    ctx.log.info("seen", plugin=ctx.plugin_id)
    ctx.log.records.append([object()])


def _mutate(argument: Any, ctx: HookContext, value: Any) -> None:
    value.args["x"] = "changed in place"
    value.args["inner"]["y"] = "changed in place"


def _raise(argument: Any, ctx: HookContext, value: Any) -> None:
    raise ValueError("a secret that must not be shown")


def _replace_first(argument: Any, ctx: HookContext, value: ModelRequest) -> Any:
    first = value.messages[0]
    return amend(
        messages=keep(
            [message.id for message in value.messages], replace={first.id: Message(role="user", parts=(Text("new"),))}
        )
    )


ACTIONS: dict[str, Any] = {
    "observe": lambda argument, ctx, value: None,
    "word": lambda argument, ctx, value: argument,
    "append": lambda argument, ctx, value: amend(parts=(Text(value.text + argument),)),
    "amend": lambda argument, ctx, value: amend(parts=(Text(argument),)),
    "amend_args": lambda argument, ctx, value: amend(args={**value.args, "added": argument}),
    "see_args": lambda argument, ctx, value: amend(args={"seen": sorted(value.args), **value.args}),
    "amend_name": lambda argument, ctx, value: amend(name=argument),
    "return": lambda argument, ctx, value: ret(text_content(argument)),
    "return_response": lambda argument, ctx, value: ret(text_response(argument)),
    "return_result": lambda argument, ctx, value: ret(tool_response({"a": argument}, name="other", call_id="other")),
    "return_error": lambda argument, ctx, value: ret(tool_error(argument)),
    "amend_error": lambda argument, ctx, value: amend(tool_error(argument)),
    "halt": lambda argument, ctx, value: halt({"api-key": "k", "why": argument}),
    "halt_long": lambda argument, ctx, value: halt("x" * 2000),
    "large": lambda argument, ctx, value: amend(parts=(Text("x" * argument),)),
    "object": lambda argument, ctx, value: amend(parts=(object(),)),
    "set": lambda argument, ctx, value: amend(args={"x": {1, 2}}),
    "nan": lambda argument, ctx, value: amend(args={"x": float("nan")}),
    "bogus": lambda argument, ctx, value: 42,
    "spin": _spin,
    "spin_in_c": lambda argument, ctx, value: re.match(r"(a+)+$", "a" * 64 + "b"),
    "swallow": _swallow,
    "sleep": lambda argument, ctx, value: time.sleep(argument),
    "bomb": _bomb,
    "exit": lambda argument, ctx, value: os._exit(3),
    "segfault": lambda argument, ctx, value: os.kill(os.getpid(), signal.SIGSEGV),
    "system_exit": lambda argument, ctx, value: exit(3),
    "raise": _raise,
    "log": _log,
    "log_text": lambda argument, ctx, value: ctx.log.info("seen", text=argument),
    "mutate": _mutate,
    "pid": lambda argument, ctx, value: amend(parts=(Text(f"{value.text} {os.getpid()}"),)),
    "print": lambda argument, ctx, value: print("x" * 1_000_000),
    "deadline": lambda argument, ctx, value: amend(parts=(Text(str(ctx.deadline_ms)),)),
    "phase": lambda argument, ctx, value: ctx.log.info("phase", phase=ctx.meta.phase),
    "drop_first": lambda argument, ctx, value: amend(messages=keep([m.id for m in value.messages[1:]])),
    "append_message": lambda argument, ctx, value: amend(
        messages=keep([m.id for m in value.messages], append=[Message(role="user", parts=(Text(argument),))])
    ),
    "keep_unknown": lambda argument, ctx, value: amend(messages=keep(["nobody"])),
    "replace_first": _replace_first,
    "whole_messages": lambda argument, ctx, value: amend(value.replace(messages=value.messages[:1])),
}
"""What `Act` can do: argument, context and value to an answer."""
