"""What happens when adk-decl itself is wrong: one line for the user, a log file for whoever mends it.

The log names exception types and code lines. The texts of exceptions may quote a manifest or a message, so they
are written only when the setting `debug` is on. Standard library only and no click: the hook uses it too.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from adk_decl.plan.settings_table import read_setting, state_folder
from adk_decl.version import VERSION

LOGS_KEPT = 20
_PREFIX = "defect-"


def report_defect(error: BaseException, *, command: str) -> str:
    """Write the log of an unexpected error and return the line to show. Never raises."""
    name = type(error).__name__
    try:
        place = _write_log(_log_text(error, command=command))
    except Exception:  # noqa: BLE001 - whatever goes wrong here, the user still has to get the line
        return f"adk-decl: defect ({name}) in `{command}`; the log file could not be written"
    return f"adk-decl: defect ({name}) in `{command}`; please report it with {place}"


def _log_text(error: BaseException, *, command: str) -> str:
    import traceback

    texts = _debug()
    lines = [f"adk-decl {VERSION} · Python {sys.version.split()[0]} · {sys.platform} · command {command}\n"]
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        lines.append("\n" if len(lines) > 1 else "")
        lines += traceback.StackSummary.extract(traceback.walk_tb(current.__traceback__), limit=-200).format()
        lines.append(f"{type(current).__module__}.{type(current).__qualname__}")
        lines.append(f": {current}\n" if texts else "\n")
        current = current.__cause__ or current.__context__
    return "".join(lines)


def _write_log(text: str) -> str:
    import time

    folder = os.path.join(state_folder(), "logs")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _prune(folder)
    place = os.path.join(folder, f"{_PREFIX}{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log")
    with open(
        os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8", errors="replace"
    ) as log:
        log.write(text)
    return place


def _prune(folder: str) -> None:
    old = sorted(name for name in os.listdir(folder) if name.startswith(_PREFIX))
    for name in old[: max(0, len(old) - LOGS_KEPT + 1)]:
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))


def _debug() -> bool:
    try:
        return read_setting("debug") is True
    except ValueError:
        return False
