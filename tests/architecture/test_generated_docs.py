"""The pages of `docs/reference/` are what `docs/generate.py` writes today."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.sources import CHECKOUT


def test_no_generated_page_is_out_of_date() -> None:
    command = [sys.executable, "docs/generate.py", "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
