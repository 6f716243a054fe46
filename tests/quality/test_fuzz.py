"""Random byte edits of valid manifests never crash the compiler, never take a second, never 200 MB."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.quality.bases import CHECKOUT
from tests.quality.byte_edits import MOST_SECONDS, run

MOST_BYTES = 200 * 1000 * 1000
CHILD = """
import resource, sys
from pathlib import Path
seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
import tests.quality.byte_edits as edits
longest = edits.run(count, seed, folder)
print(longest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_edits_in_this_process(tmp_path: Path) -> None:
    assert run(500, 1, tmp_path) < MOST_SECONDS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
@pytest.mark.parametrize("seed", range(2, 6))
def test_edits_in_a_limited_process(seed: int, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (300, 300))

    command = [sys.executable, "-c", CHILD, str(seed), "2500", str(tmp_path)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, preexec_fn=limit, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    longest, most_kib = done.stdout.split()
    assert float(longest) < MOST_SECONDS
    assert int(most_kib) * 1024 < MOST_BYTES
