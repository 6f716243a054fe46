"""The agent loop: model, tools, model, until the model answers without a tool call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Protocol

from adk_decl.errors import LimitReached, ModelError, PluginFailed, PluginHalted
from adk_decl.plugins.context import Meta
from adk_decl.runtime.events import EventFactory, conversation, new_id, tool_result_part
from adk_decl.runtime.failures import failure_of
from adk_decl.runtime.lifecycle import Lifecycle
from adk_decl.runtime.model_step import DeliverChunk, ModelStep
from adk_decl.runtime.tool_step import ToolStep
from adk_decl.values.content import GenerationSettings, Message, Part, Text, ToolCallPart, ToolSpec, Usage
from adk_decl.values.phase_values import Content, Event, ModelRequest, ModelResponse

Publish = Callable[[Event], Awaitable[Event]]


class TurnAgent(Protocol):
    """What the loop needs to know of an agent, all references resolved."""

    name: str
    model_name: str
    instruction: str | None
    tools: tuple[ToolSpec, ...]
    generation: GenerationSettings
    output_schema: dict[str, object] | None


class Budget:
    """Model and tool calls that a run may still make, and what it used."""

    __slots__ = ("_max_model_calls", "_max_tool_calls", "model_calls", "tool_calls", "usage")

    def __init__(self, *, max_model_calls: int, max_tool_calls: int) -> None:
        self._max_model_calls = max_model_calls
        self._max_tool_calls = max_tool_calls
        self.model_calls = 0
        self.tool_calls = 0
        self.usage = Usage()

    def take_model_call(self) -> None:
        """Count a model call. Raises `LimitReached`."""
        if self.model_calls >= self._max_model_calls:
            raise LimitReached("max_model_calls", self._max_model_calls)
        self.model_calls += 1

    def take_tool_calls(self, count: int) -> None:
        """Count tool calls, all or none. Raises `LimitReached`."""
        if self.tool_calls + count > self._max_tool_calls:
            raise LimitReached("max_tool_calls", self._max_tool_calls)
        self.tool_calls += count


class AgentTurn:
    """One agent working on one message."""

    __slots__ = ("_agent", "_budget", "_factory", "_lifecycle", "_model_step", "_publish", "_stream", "_tool_step")

    def __init__(
        self,
        agent: TurnAgent,
        *,
        lifecycle: Lifecycle,
        model_step: ModelStep,
        tool_step: ToolStep,
        budget: Budget,
        factory: EventFactory,
        publish: Publish,
        stream: bool,
    ) -> None:
        self._agent = agent
        self._lifecycle = lifecycle
        self._model_step = model_step
        self._tool_step = tool_step
        self._budget = budget
        self._factory = factory
        self._publish = publish
        self._stream = stream

    async def run(self, history: Sequence[Message], meta: Meta) -> Content:
        """The final content. `history` ends with the message to work on.

        Raises what ends the run; failures of the model and of plugins around it are told to `on_agent_error` first.
        """
        messages = list(history)
        while True:
            self._budget.take_model_call()
            response = await self._ask(messages, meta)
            if not response.tool_calls:
                return Content(parts=response.content)
            self._budget.take_tool_calls(len(response.tool_calls))
            said = await self._publish(self._factory.make(self._agent.name, _with_calls(response)))
            messages.extend(conversation([said]))
            calls = [part for part in said.content if isinstance(part, ToolCallPart)]
            await self._use_tools(calls, messages, meta)

    async def _ask(self, messages: Sequence[Message], meta: Meta) -> ModelResponse:
        agent = self._agent
        request = ModelRequest(
            model=agent.model_name,
            instruction=agent.instruction,
            messages=tuple(messages),
            tools=agent.tools,
            generation=agent.generation,
            output_schema=agent.output_schema,
            stream=self._stream,
        )
        held_back = self._lifecycle.may_intervene("after_model") or self._lifecycle.may_intervene("after_agent")
        deliver: DeliverChunk | None = None if held_back or not self._stream else self._chunk
        try:
            response = await self._model_step.run(request, meta, deliver)
        except (ModelError, PluginFailed, PluginHalted) as error:
            await self.tell_error(error, meta)
            raise
        self._budget.usage += response.usage
        if self._stream and held_back and response.text and not self._lifecycle.may_intervene("after_agent"):
            await self._chunk(response.text)
        return response

    async def _chunk(self, text: str) -> None:
        await self._publish(self._factory.make(self._agent.name, (Text(text),), partial=True))

    async def _use_tools(self, calls: Sequence[ToolCallPart], messages: list[Message], meta: Meta) -> None:
        async with aclosing(self._tool_step.run(calls, meta)) as results:
            while True:
                try:
                    result = await anext(results)
                except StopAsyncIteration:
                    return
                except (PluginFailed, PluginHalted) as error:
                    await self.tell_error(error, meta)
                    raise
                event = await self._publish(self._factory.make("tool", (tool_result_part(result),)))
                messages.extend(conversation([event]))

    async def tell_error(self, error: BaseException, meta: Meta, *, deadline: float | None = None) -> None:
        """Deliver `on_agent_error`."""
        failure = failure_of(error, meta, component="agent", operation="run")
        await self._lifecycle.notify("on_agent_error", failure, meta, deadline=deadline)


def _with_calls(response: ModelResponse) -> tuple[Part, ...]:
    """Text and tool calls of a response; a call without an id, or with one used twice, gets a new one."""
    seen: set[str] = set()
    calls: list[Part] = []
    for call in response.tool_calls:
        call_id = call.call_id if call.call_id and call.call_id not in seen else new_id("call")
        seen.add(call_id)
        calls.append(ToolCallPart(name=call.name, args=call.args, call_id=call_id))
    return (*(part for part in response.content if isinstance(part, Text)), *calls)
