"""Whole scripted runs: how many a second, and what plugins, a worker tool and a stored session add.

    python -m tests.benchmarks.bench_runs [--runs N]

Every row runs the same question through the same agent: two model calls and one tool call, four events. The floor
is an agent without plugins, with its tool in this process and its session in memory. Rows rotate in blocks.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import adk_decl

FLOOR = "no plugin, inline tool, memory"
BLOCKS, RUNS_PER_BLOCK = 20, 5

_MANIFEST = """
apiVersion: adk-decl/v1
kind: Manifest
name: bench
models:
  clerk:
    use: scripted
    config:
      replies:
        - {{when: {{contains: "order"}}, tool_calls: [{{name: look, args: {{order_id: "1"}}}}]}}
        - {{text: "Order <<result.order>> is on its way."}}
tools:
  look: {{use: "python:bench_tools_{number}:look", isolation: {isolation}}}
agents:
  a: {{model: clerk, tools: [look]}}
plugins:
  style: {{use: global_instruction, mode: intervene, config: {{instruction: Be brief.}}}}
  recent: {{use: context_filter, mode: intervene, config: {{max_messages: 20}}}}
  retry: {{use: reflect_retry, mode: intervene}}
  audit: {{use: metadata_logger}}
runners:
  r:
    agent: a
    plugins: [{plugins}]
    session_store: {{{store}}}
"""
_TOOLS = 'def look(order_id: str) -> dict[str, str]:\n    """Look up."""\n    return {"order": order_id}\n'
_ALL = "style, recent, retry, audit"

ROWS: dict[str, dict[str, str]] = {
    FLOOR: {"isolation": "inline", "plugins": "", "store": "use: memory"},
    "worker tool": {"isolation": "worker", "plugins": "", "store": "use: memory"},
    "four built-in plugins": {"isolation": "inline", "plugins": _ALL, "store": "use: memory"},
    "SQLite session": {"isolation": "inline", "plugins": "", "store": "use: sqlite, path: sessions.db"},
    "all of it": {"isolation": "worker", "plugins": _ALL, "store": "use: sqlite, path: sessions.db"},
}


async def measure(folder: Path, *, runs: int) -> dict[str, list[float]]:
    """Seconds of one run per row, one median per round."""
    async with AsyncExitStack() as stack:
        runners = {name: await stack.enter_async_context(_runner(folder, name)) for name in ROWS}
        for runner in runners.values():
            await runner.run("Where is my order?").wait()
        return await _rotate(runners, runs)


def report(times: dict[str, list[float]]) -> str:
    """A table: runs a second, and the ratio to the floor of the same round."""
    lines = [f"{'':32s}  runs/s   x floor"]
    for name, seconds in times.items():
        ratios = [a / b for a, b in zip(seconds, times[FLOOR], strict=True)]
        lines.append(f"{name:32s}  {1 / statistics.median(seconds):6.0f}  {statistics.median(ratios):8.2f}")
    return "\n".join(lines)


def _runner(folder: Path, name: str) -> adk_decl.Runner:
    number = list(ROWS).index(name)
    place = folder / str(number)
    place.mkdir()
    (place / "pyproject.toml").write_text("")
    (place / f"bench_tools_{number}.py").write_text(_TOOLS)
    manifest = place / "bench.adk.yaml"
    manifest.write_text(_MANIFEST.format(number=number, **ROWS[name]))
    return adk_decl.Runner(adk_decl.load(manifest))


async def _rotate(runners: dict[str, adk_decl.Runner], rounds: int) -> dict[str, list[float]]:
    medians: dict[str, list[float]] = {name: [] for name in runners}
    names = list(runners)
    for _ in range(rounds):
        seconds: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(BLOCKS):
            random.shuffle(names)
            for name in names:
                for _ in range(RUNS_PER_BLOCK):
                    started = time.perf_counter()
                    await runners[name].run("Where is my order?").wait()
                    seconds[name].append(time.perf_counter() - started)
        for name, values in seconds.items():
            medians[name].append(statistics.median(values))
    return medians


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Whole scripted runs per second.")
    parser.add_argument("--runs", type=int, default=5, help="rounds to take the median of")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(report(asyncio.run(measure(Path(folder), runs=arguments.runs))))


if __name__ == "__main__":
    main()
