"""The benchmark of whole runs measures what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import bench_runs


@pytest.mark.slow
async def test_every_row_runs_and_isolation_costs_no_more_than_a_few_times_the_floor(tmp_path: Path) -> None:
    times = await bench_runs.measure(tmp_path, runs=1)
    assert set(times) == set(bench_runs.ROWS)
    ratio = times["four built-in plugins"][0] / times[bench_runs.FLOOR][0]
    assert ratio < 12, bench_runs.report(times)
