"""Embedded GGUF models by llama.cpp, through the package xllamacpp. The only module that imports it.

The model runs in a child process that serves chat completions on a loopback port under a key made for it; the
requests take the way of `openai_chat`. When a call is cancelled its connection closes and llama.cpp stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from importlib.util import find_spec
from typing import Any, Literal

from adk_decl.errors import ModelError, StartError
from adk_decl.models.llama_process import Ready, ServerProcess
from adk_decl.models.model_files import find_model_file
from adk_decl.models.openai_chat import Endpoint, OpenAIChatModel
from adk_decl.models.protocol import ModelCall, TextDelta
from adk_decl.plan.limits import LIMITS
from adk_decl.transport.retry import RetryPolicy
from adk_decl.values import ModelRequest, ModelResponse
from adk_decl.wire import Struct, encode

_LOAD_TIMEOUT_S = LIMITS["model.load_timeout_ms"].default / 1000
_BATCH_TOKENS = 256
"""Between two batches of a prompt llama.cpp notices that nobody waits any more; larger ones are hardly faster."""
_ONCE = RetryPolicy(max_attempts=1, base_delay_ms=0, max_delay_ms=0)
_MAGIC = b"GGUF"
_INSTALL = "pip install 'adk-decl[local]'"


class LlamaCppConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`config` of the component: size of the context, answer included, and threads (0: one per core but one)."""

    context_tokens: int = LIMITS["llama_cpp.context_tokens"].default
    threads: int = LIMITS["llama_cpp.threads"].default


class LlamaCppModel:
    """One model in one child process; calls wait for each other."""

    def __init__(
        self,
        *,
        name: str,
        model: str,
        project_root: str,
        config: LlamaCppConfig,
        tool_calling: Literal["native", "json_schema"] = "json_schema",
    ) -> None:
        self._name = name
        self._model = model
        self._project_root = project_root
        self._config = config
        self._tool_calling = tool_calling
        self._starting = asyncio.Lock()
        self._process: ServerProcess | None = None
        self._chat: OpenAIChatModel | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the child while there is one."""
        return None if self._process is None else self._process.pid

    async def open(self) -> None:
        """Find the file and load it. Raises `StartError` with the command that installs what is missing."""
        if find_spec("xllamacpp") is None:
            raise StartError((f"model {self._name!r}: llama.cpp is not installed: {_INSTALL}",))
        path = find_model_file(self._model, project_root=self._project_root, name=self._name)
        _check_magic(path, name=self._name)
        async with self._starting:
            if self._process is None or not self._process.running:
                await self._start(path)

    async def close(self) -> None:
        """End the child."""
        chat, self._chat = self._chat, None
        process, self._process = self._process, None
        if chat is not None:
            await chat.close()
        if process is not None:
            await process.close()

    async def generate(self, request: ModelRequest, call: ModelCall) -> AsyncGenerator[TextDelta | ModelResponse, None]:
        """Answer one request; a child that died since the last one is started again. Raises `ModelError`."""
        if self._process is not None and not self._process.running:
            await self._restart()
        if self._chat is None:
            raise ModelError("internal")
        async with aclosing(self._chat.generate(request.replace(model=""), call)) as outputs:
            async for output in outputs:
                yield output

    async def _start(self, path: str) -> None:
        key = secrets.token_urlsafe(32)
        alias = os.path.basename(path)
        settings = {
            "path": path,
            "alias": alias,
            "api_key": key,
            "context_tokens": self._config.context_tokens,
            "threads": self._config.threads or _free_cores(),
        }
        process = await ServerProcess.start(settings, timeout_s=_LOAD_TIMEOUT_S)
        if process is None:
            raise StartError((f"model {self._name!r}: llama.cpp can't load its file with this context_tokens",))
        endpoint = Endpoint(
            name=self._name,
            model=alias,
            base_url=f"{process.address}/v1",
            api_key=key,
            tool_calling=self._tool_calling,
        )
        await self.close()
        self._process = process
        self._chat = OpenAIChatModel(endpoint, retries=_ONCE)
        await self._chat.open()

    async def _restart(self) -> None:
        with contextlib.suppress(StartError):
            await self.open()
            return
        raise ModelError("connection_failed")


def serve(settings: Mapping[str, Any]) -> None:
    """The child: load the model, say where it is served, and end when standard input does."""
    _die_with_owner()
    answer_to = os.dup(sys.stdout.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what native code prints is nobody's
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["alias"]}
    params.api_keys = [settings["api_key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.endpoint_slots = False
    params.n_ctx = settings["context_tokens"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.verbosity = -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    try:
        server = xllamacpp.Server(params)
    except Exception:  # noqa: BLE001  the owner is told by the end of this process
        os._exit(1)
    os.write(answer_to, encode(Ready(address=server.listening_address)) + b"\n")
    sys.stdin.buffer.read()
    os._exit(0)


def _free_cores() -> int:
    """All cores but one: llama.cpp's threads wait for each other by spinning, and one that is displaced holds up all.

    On two busy cores two threads were measured to be four to ten times slower than one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


def _check_magic(path: str, *, name: str) -> None:
    try:
        with open(path, "rb") as file:
            found = file.read(len(_MAGIC))
    except OSError:
        found = b""
    if found != _MAGIC:
        raise StartError((f"model {name!r}: its file is not a readable GGUF file",))


def _die_with_owner() -> None:
    """On Linux the kernel kills this process with its owner, even while a model is being loaded."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
