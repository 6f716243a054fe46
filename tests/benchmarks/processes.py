"""Measures whole processes: CPU time and wall time, rounds in random order, medians."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Job(NamedTuple):
    """A command, the folder it runs in, and the exit codes it may have."""

    command: tuple[str, ...]
    folder: Path
    exit_codes: tuple[int, ...] = (0,)


class Times(NamedTuple):
    """Median milliseconds of one command: CPU of the process and its children, and wall."""

    cpu_ms: float
    wall_ms: float


def measure(jobs: Mapping[str, Job], *, rounds: int, seed: int = 1) -> dict[str, Times]:
    """Run every job once a round, in random order, after one round that does not count."""
    samples: dict[str, list[Times]] = {name: [] for name in jobs}
    order = list(jobs)
    random_source = random.Random(seed)
    for number in range(rounds + 1):
        random_source.shuffle(order)
        for name in order:
            taken = _run(jobs[name])
            if number:
                samples[name].append(taken)
    return {
        name: Times(median(t.cpu_ms for t in taken), median(t.wall_ms for t in taken))
        for name, taken in samples.items()
    }


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned columns, the first row being the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _run(job: Job) -> Times:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    started = time.perf_counter()
    process = subprocess.Popen(
        job.command,
        cwd=job.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in job.exit_codes:
        raise RuntimeError(f"exit {process.returncode}: {' '.join(job.command)[:200]}")
    return Times((usage.ru_utime + usage.ru_stime) * 1000, wall * 1000)
