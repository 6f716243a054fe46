"""The code of `docs/python-api.md` runs as it is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "python-api.md"


def blocks() -> list[str]:
    """The Python blocks of the page, in order."""
    return [part.split("```", 1)[0] for part in PAGE.read_text(encoding="utf-8").split("```python\n")[1:]]


def run(code: str) -> str:
    """Run code in the checkout and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_whole_page_runs_from_top_to_bottom() -> None:
    out = run("\n".join(blocks()))
    assert out.startswith("quickstart sha256:")
    assert "user Where is order 1042?" in out
    assert "support Order 1042 is out for delivery in Lisbon. We wrote to m***@example.com." in out
    assert "completed 1" in out
    assert out.endswith("We wrote to m***@example.com.\n")


def test_the_longest_block_runs_alone() -> None:
    assert "completed 1" in run(max(blocks(), key=len))
