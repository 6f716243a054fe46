"""From a declared model to a live one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import ModelError, StartError
from adk_decl.models import GenerationSettings
from adk_decl.models.build import build_model
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.model import Generation, ModelPlan, RetryPlan
from tests.models.conversation import answer, request
from tests.transport.loopback import LoopbackServer, json_reply, whole

RETRIES = RetryPlan(max_attempts=2, base_delay_ms=0, max_delay_ms=0)


def plan(use: str, config: dict[str, Any] | None = None, **fields: Any) -> ModelPlan:
    facts: dict[str, Any] = {
        "name": "fast",
        "use": use,
        "model": "m",
        "base_url": "https://example.com",
        "api_key": None,
        "timeout_ms": 5000,
        "retries": RETRIES,
        "max_concurrency": 2,
        "requests_per_minute": 0,
        "generation": Generation(),
        "tool_calling": "native",
        "price": None,
        "config": freeze(config or {}),
    }
    return ModelPlan(**(facts | fields))


async def test_scripted() -> None:
    model = build_model(plan("scripted", {"replies": [{"text": "Hi"}]}), api_key=None, project_root="/")
    await model.open()
    assert (await answer(model, request())).text == "Hi"
    await model.close()
    await model.close()


async def test_openai_chat_with_key_retries_and_declared_settings() -> None:
    reply = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    async with LoopbackServer(whole(b"", status=500), json_reply(reply)) as server:
        declared = plan("openai_chat", base_url=f"{server.url}/v1", generation=Generation(temperature=0.5, seed=3))
        model = build_model(declared, api_key="key", project_root="/")
        await model.open()
        asked = request(model="fast", generation=GenerationSettings(seed=9))
        assert (await answer(model, asked)).text == "Hi"
        await model.close()
    last = server.requests[-1]
    assert (last.json["model"], last.json["temperature"], last.json["seed"]) == ("m", 0.5, 9)
    assert last.headers["authorization"] == "Bearer key"


async def test_plain_http_elsewhere_only_when_declared() -> None:
    for insecure in (False, True):
        declared = plan("openai_chat", {"insecure_http": insecure}, base_url="http://model.example.com/v1")
        model = build_model(declared, api_key=None, project_root="/")
        if insecure:
            await model.open()
        else:
            with pytest.raises(StartError, match="insecure_http"):
                await model.open()
        await model.close()


async def test_a_closed_model_does_not_answer() -> None:
    model = build_model(plan("openai_chat"), api_key=None, project_root="/")
    with pytest.raises(ModelError, match="internal"):
        await answer(model, request())


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        (plan("nonsense"), "no model component 'nonsense'"),
        (plan("scripted", {"replies": 1}), "config is not a script"),
        (plan("openai_chat", {"unknown": 1}), "config does not fit openai_chat"),
        (plan("openai_chat", {"insecure_http": "yes"}), "config does not fit openai_chat"),
        (plan("openai_chat", model=None), "openai_chat needs `model`"),
        (plan("openai_chat", base_url=None), "openai_chat needs `base_url`"),
        (plan("llama_cpp", model=None), "llama_cpp needs `model`"),
        (plan("llama_cpp", {"context_tokens": "many"}), "config does not fit llama_cpp"),
    ],
)
def test_what_does_not_fit_can_not_be_built(declared: ModelPlan, problem: str) -> None:
    with pytest.raises(StartError, match=problem):
        build_model(declared, api_key=None, project_root="/")


@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="needs the extra `local`")
async def test_llama_cpp_names_what_is_missing(tmp_path: Path) -> None:
    model = build_model(plan("llama_cpp", model="absent.gguf"), api_key=None, project_root=str(tmp_path))
    with pytest.raises(StartError, match="its file does not exist"):
        await model.open()
    (tmp_path / "absent.gguf").write_bytes(b"not a model")
    with pytest.raises(StartError, match="not a readable GGUF file"):
        await model.open()
    await model.close()
