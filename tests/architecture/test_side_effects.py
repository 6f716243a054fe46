"""Importing any module starts nothing and writes nothing."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.architecture.sources import CHECKOUT, module_name, package_files

OPTIONAL = frozenset({"lsprotocol", "pygls", "xllamacpp"})
"""Packages of extras: a module that needs one may fail to import without it."""

_PROBE = """
import importlib, json, os, sys, threading
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
FORBIDDEN = ("socket.", "subprocess.", "os.fork", "os.exec", "os.posix_spawn", "os.mkdir", "os.remove", "os.rename",
             "os.system", "sqlite3.", "signal.", "_thread.start_new_thread")
HARMLESS = ("socket.gethostname",)
effects, current = [], "?"

def watch(event, arguments):
    if event == "open":
        if isinstance(arguments[2], int) and arguments[2] & WRITES:
            effects.append(f"{current}: opens {arguments[0]} to write")
    elif event.startswith(FORBIDDEN) and event not in HARMLESS:
        effects.append(f"{current}: {event}")

environment = dict(os.environ)
sys.addaudithook(watch)
for current in json.loads(sys.argv[1]):
    try:
        importlib.import_module(current)
    except ModuleNotFoundError as missing:
        if missing.name not in json.loads(sys.argv[2]):
            effects.append(f"{current}: needs {missing.name}")
    if threading.active_count() != 1:
        effects.append(f"{current}: starts a thread")
if dict(os.environ) != environment:
    effects.append("changes the environment")
print(json.dumps(effects))
"""


def test_imports_have_no_side_effects() -> None:
    modules = [module_name(name) for name, _ in package_files() if not name.endswith("__main__.py")]
    command = [sys.executable, "-B", "-c", _PROBE, json.dumps(modules), json.dumps(sorted(OPTIONAL))]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == []
