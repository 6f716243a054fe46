"""The tests that `docs/policy-tests.md` prints pass as printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "policy-tests.md"


def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    blocks = [part.split("```", 1)[0] for part in PAGE.read_text(encoding="utf-8").split("```python\n")[1:]]
    (tmp_path / "test_policy.py").write_text("\n\n".join(blocks), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", tmp_path]
    done = subprocess.run(
        [*map(str, command), str(tmp_path / "test_policy.py")],
        cwd=CHECKOUT,
        env={"PYTHONPATH": str(CHECKOUT), "PATH": "", "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
