"""A child process that serves one model on this machine and ends with its owner.

Native inference does not belong in the host: loading a model holds the interpreter lock from start to end, a
prompt in work can't be interrupted, and a defect takes the process along. A child can be killed at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from typing import Any

from adk_decl.wire import Struct, WireError, decoder, encode

_BOOT = (
    "import json,sys;settings=json.loads(sys.stdin.readline());sys.path[:]=settings.pop('sys_path');"
    "from adk_decl.models.llama_cpp import serve;serve(settings)"
)
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH")
_PASSED_ON_PREFIXES = ("CUDA_", "GGML_", "HIP_", "HSA_", "ROCR_", "OMP_", "VK_")
_END_TIMEOUT_S = 2.0


class Ready(Struct, frozen=True):
    """What the child says once it serves."""

    address: str


_ready: Callable[[bytes], Ready] = decoder(Ready)


class ServerProcess:
    """The running child. Killed by `close`, and by the system when the host dies."""

    def __init__(self, process: Process, *, address: str) -> None:
        self._process = process
        self.address = address

    @classmethod
    async def start(cls, settings: Mapping[str, Any], *, timeout_s: float) -> ServerProcess | None:
        """A child that has loaded its model, or None when it ended or was too slow."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-c",
            _BOOT,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment(),
            start_new_session=True,
        )
        try:
            address = await _greet(process, settings, timeout_s=timeout_s)
        except BaseException:
            await _end(process)
            raise
        if address is None:
            await _end(process)
            return None
        return cls(process, address=address)

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the child still lives."""
        return self._process.returncode is None

    async def close(self) -> None:
        """Kill the child and wait until it is gone; safe to call twice."""
        await _end(self._process)


def environment() -> dict[str, str]:
    """What graphics drivers need, and nothing that could be a secret."""
    return {k: v for k, v in os.environ.items() if k in _PASSED_ON or k.startswith(_PASSED_ON_PREFIXES)}


async def _greet(process: Process, settings: Mapping[str, Any], *, timeout_s: float) -> str | None:
    """Tell the child what to serve and read where it does."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        return None
    try:
        async with asyncio.timeout(timeout_s):
            stdin.write(encode({**settings, "sys_path": [p for p in sys.path if p]}) + b"\n")
            await stdin.drain()
            return _ready(await stdout.readline()).address
    except (TimeoutError, OSError, WireError, ValueError):
        return None


async def _end(process: Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_END_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        pass
