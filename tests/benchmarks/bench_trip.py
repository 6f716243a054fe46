"""What a phase of plugins costs, against the floor of the system and against no isolation.

    python -m tests.benchmarks.bench_trip [--runs N] [--json]

Host and workers share one CPU, options rotate in small shuffled blocks, and every figure is the median of a run's
median, so the ratios compare what ran side by side. Everything is on: budgets, progress page, traces.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import socket
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from adk_decl.plan.model import PluginDescriptor
from adk_decl.plan.phases import PHASES
from adk_decl.values import GenerationSettings, Message, ModelRequest, Text
from tests.isolation.setting import META, plugin, setting

SIZES = {"0.2 KB": 200, "2 KB": 2_000, "20 KB": 20_000}
BLOCKS, CALLS = 30, 10
Option = Callable[[], Awaitable[object]]

FIGURES = {
    ("1 hook", "echo"): 3.5,
    ("10 hooks", "echo"): 4.0,
    ("no plugin", "await"): 5.0,
}
"""What has to be reached at 2 KB: the ratio of a row to a base, at most."""


def request_of(size: int) -> ModelRequest:
    """A model request of about `size` bytes of JSON, made of messages of ordinary length."""
    messages: list[Message] = []
    request = ModelRequest(model="m", generation=GenerationSettings(temperature=0.2))
    while len(request.to_json()) < size:
        left = size - len(request.to_json())
        text = ("the agent calls a tool and reads its result then plans the next step " * 4)[
            : max(20, min(240, left - 60))
        ]
        role = "user" if len(messages) % 2 == 0 else "assistant"
        messages.append(Message(role=role, parts=(Text(text),), id=f"m{len(messages)}"))  # type: ignore[arg-type]
        request = ModelRequest(model="m", messages=tuple(messages), generation=GenerationSettings(temperature=0.2))
    return request


async def measure(size: int, *, runs: int) -> dict[str, list[float]]:
    """Microseconds per option, one median per run."""
    observers = tuple(_observer(index) for index in range(10))
    readers = tuple(_observer(index, "Reader") for index in range(10))
    amender = _observer(0, "Amender")
    async with setting(*observers, *readers, amender) as live:
        request = request_of(size)
        echo = Echo(request.to_json())
        phase = PHASES["before_model"]
        run_chain = live.executor.run_chain

        def trip(*chain: PluginDescriptor) -> Option:
            return lambda: run_chain(phase, chain, META, request)

        options: dict[str, Option] = {
            "echo": echo.once,
            "1 hook": trip(*observers[:1]),
            "10 hooks": trip(*observers),
            "10 hooks that read": trip(*readers),
            "1 hook that amends": trip(amender),
            "10 x await + timeout": _ten_with_timeout,
            "no plugin": trip(),
            "await": _nothing,
        }
        gc.collect()
        gc.freeze()
        try:
            return await _rotate(options, runs)
        finally:
            gc.unfreeze()
            echo.close()


class Echo:
    """A forked child that sends back what it gets over a blocking socket pair."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._buffer = bytearray(1 << 18)
        self._socket, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            self._socket.close()
            buffer = bytearray(1 << 18)
            while count := theirs.recv_into(buffer):
                theirs.sendall(memoryview(buffer)[:count])
            os._exit(0)
        theirs.close()

    async def once(self) -> None:
        """Send and receive once."""
        self._socket.sendall(self._data)
        left = len(self._data)
        while left:
            left -= self._socket.recv_into(self._buffer)

    def close(self) -> None:
        """End the child."""
        self._socket.close()
        os.waitpid(self._pid, 0)


async def _rotate(options: dict[str, Option], runs: int) -> dict[str, list[float]]:
    medians: dict[str, list[float]] = {name: [] for name in options}
    for _ in range(runs):
        samples: dict[str, list[int]] = {name: [] for name in options}
        for _ in range(BLOCKS):
            names = list(options)
            random.shuffle(names)
            for name in names:
                option = options[name]
                await option()
                for _ in range(CALLS):
                    began = time.perf_counter_ns()
                    await option()
                    samples[name].append(time.perf_counter_ns() - began)
        for name, values in samples.items():
            medians[name].append(statistics.median(values) / 1000)
    return medians


async def _nothing() -> None:
    return None


async def _ten_with_timeout() -> None:
    for _ in range(10):
        async with asyncio.timeout(1):
            await _nothing()


def _observer(index: int, attribute: str = "Observer") -> PluginDescriptor:
    return plugin(f"{attribute}{index}", attribute, hooks=("before_model",), timeout_ms=1000)


def ratio(medians: dict[str, list[float]], name: str, base: str) -> float:
    """The median of the same-run ratios."""
    return statistics.median(a / b for a, b in zip(medians[name], medians[base], strict=True))


def pin() -> None:
    """Host and workers on one CPU: where a worker wakes is the largest noise there is."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def report(size: str, medians: dict[str, list[float]]) -> list[str]:
    """The table of one size."""
    lines = [f"{size}"]
    for name, values in medians.items():
        spread = f"[{min(values):.2f}..{max(values):.2f}]"
        times = ratio(medians, name, "echo")
        lines.append(f"  {name:22s} {statistics.median(values):9.2f} us {spread:>18s}   x echo {times:6.2f}")
    lines.append(f"  no plugin / await      {ratio(medians, 'no plugin', 'await'):9.2f}")
    lines.append(f"  10 hooks / 10 timeouts {ratio(medians, '10 hooks', '10 x await + timeout'):9.2f}")
    return lines


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="only 2 KB, as JSON")
    arguments: Any = parser.parse_args()
    pin()
    if arguments.json:
        print(json.dumps(asyncio.run(measure(SIZES["2 KB"], runs=arguments.runs))))
        return
    for name, size in SIZES.items():
        print("\n".join(report(name, asyncio.run(measure(size, runs=arguments.runs)))))


if __name__ == "__main__":
    main()
