"""Tools of every temper, for the tests of the tool runner."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NotRequired, TypedDict

from adk_decl.tools import ToolContext

CANARY = "canary-in-the-tool"
ENTERED = threading.Event()
GO_ON = threading.Event()


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Line:
    item: str
    count: int = 1
    color: Color = Color.RED


class Note(TypedDict):
    text: str
    important: NotRequired[bool]


def look_up(order_id: int, *, currency: Literal["EUR", "USD"] = "EUR") -> dict[str, Any]:
    """Look up an order."""
    return {"order_id": order_id, "currency": currency, "status": "shipped"}


def typed(
    color: Color,
    line: Line,
    lines: list[Line],
    level: Level,
    note: Note,
    weight: float,
    count: int,
    maybe: Color | None,
) -> dict[str, Any]:
    kinds = [type(v).__name__ for v in (color, line, lines[0], level, note, weight, count, maybe)]
    return {"kinds": kinds, "back": {"color": color, "line": line, "pair": (level, maybe)}}


def who(context: ToolContext, text: str) -> dict[str, Any]:
    return {
        "user": context.user_id,
        "session": context.session_id,
        "app": context.app_name,
        "invocation": context.invocation_id,
        "call": context.call_id,
        "deadline_ms": context.deadline_ms,
        "left_ms": context.time_left_ms(),
        "config": context.config,
        "text": text,
    }


async def async_look_up(order_id: int) -> dict[str, Any]:
    asyncio.create_task(asyncio.sleep(3600))  # noqa: RUF006 - left behind on purpose
    await asyncio.sleep(0)
    return {"order_id": order_id}


def fails(text: str) -> str:
    raise PermissionError(f"{CANARY} {text}")


def odd_exception() -> str:
    raise type("x" * 100, (Exception,), {})(CANARY)


def wants_out() -> str:
    sys.exit(3)


def dies() -> str:
    os._exit(9)


def hangs() -> str:
    while True:
        pass


def greedy() -> int:
    kept = [bytearray(1 << 20) for _ in range(100_000)]
    return len(kept)


def large(size: int) -> str:
    return "x" * size


def endless() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


def odd_result(kind: str) -> Any:
    return {"set": {1}, "bytes": b"x", "nan": [float("nan")], "object": {"x": object()}, "key": {1: 2}}[kind]


def pid() -> int:
    return os.getpid()


def blocks() -> str:
    ENTERED.set()
    GO_ON.wait(30)
    return "done"


async def stubborn() -> str:
    ENTERED.set()
    ends = time.monotonic() + 0.3
    while time.monotonic() < ends:
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            continue
    return "late"


async def sleeps() -> str:
    ENTERED.set()
    await asyncio.sleep(3600)
    return "late"


async def async_fails(text: str) -> str:
    raise LookupError(f"{CANARY} {text}")


async def cancels_itself() -> str:
    raise asyncio.CancelledError


async def async_wants_out() -> str:
    sys.exit(3)


class Row(Mapping[str, Any]):
    """A result whose content can't be read."""

    def __getitem__(self, key: str) -> Any:
        raise ConnectionError(CANARY)

    def __iter__(self) -> Iterator[str]:
        return iter(["id"])

    def __len__(self) -> int:
        return 1


def lazy() -> Mapping[str, Any]:
    return Row()


async def async_lazy() -> Mapping[str, Any]:
    return Row()
