"""The project code of the examples: everybody copies it, so it holds what it says."""

from __future__ import annotations

import importlib
import os
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from adk_decl.plan.frozen_json import freeze
from adk_decl.plugins import HookContext, Meta, ModelRequest, ModelResponse, Observe, Text, ToolCallPart

MANIFESTS = Path(__file__).parents[2] / "manifests"


@pytest.fixture
def support(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The package `support`, with its database in a folder of this test."""
    monkeypatch.syspath_prepend(str(MANIFESTS))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return importlib.import_module


def test_looks_up_an_order(support: Any) -> None:
    found = support("support.tools").lookup_order("1042")
    assert found == {
        "order_id": "1042",
        "status": "out for delivery",
        "place": "Lisbon",
        "arrives": "2026-03-06",
        "customer_email": "maria.silva@example.com",
    }


@pytest.mark.parametrize("order_id", ["9999", "", "1042' OR '1'='1"])
def test_an_order_that_does_not_exist(support: Any, order_id: str) -> None:
    tools = support("support.tools")
    with pytest.raises(tools.OrderNotFound):
        tools.lookup_order(order_id)


def test_many_may_build_the_database_at_once(support: Any, tmp_path: Path) -> None:
    orders = support("support.orders")
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(orders.find_order, ["1041"] * 32))
    assert {order.status for order in found} == {"delivered"}
    folder = orders.database_file().parent
    assert [path.name for path in folder.iterdir()] == [orders.FILE_NAME]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_refuses_a_folder_that_is_a_link(support: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"adk-decl-examples-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError):
        support("support.orders").database_file()


def masked(support: Any, *parts: Any, visible_characters: int = 1) -> Any:
    config: Any = freeze({"visible_characters": visible_characters})
    plugin = support("support.policy").MaskEmails(config)
    return plugin.after_model(_context(config), ModelResponse(content=parts))


@pytest.mark.parametrize(
    ("text", "visible", "after"),
    [
        ("ask maria.silva@example.com.", 1, "ask m***@example.com."),
        ("a@b.de, cc@d.example.org", 0, "***@b.de, ***@d.example.org"),
        ("maria@example.com", 3, "mar***@example.com"),
    ],
)
def test_masks_addresses(support: Any, text: str, visible: int, after: str) -> None:
    assert masked(support, Text(text), visible_characters=visible).fields == {"content": (Text(after),)}


@pytest.mark.parametrize("text", ["no address", "@example.com", "maria@localhost"])
def test_leaves_other_text_alone(support: Any, text: str) -> None:
    call = ToolCallPart(name="mail", args={"to": "maria@example.com"}, call_id="c1")
    assert isinstance(masked(support, Text(text), call), Observe)


def test_masking_takes_no_time_that_grows_with_the_square_of_the_text(support: Any) -> None:
    assert isinstance(masked(support, Text("a." * 200_000)), Observe)


@pytest.mark.parametrize(("before", "begin"), [("Be kind.", "Be kind.\n\nToday is "), (None, "Today is ")])
def test_adds_the_date(support: Any, before: str | None, begin: str) -> None:
    outcome = support("support.callbacks").add_date(_context(freeze({})), ModelRequest("m", before))
    assert outcome.fields["instruction"].startswith(begin)


def _context(config: Any) -> HookContext:
    meta = Meta(run_id="r", invocation_id="i", session_id="s", user_id="u", app_name="a", agent="support")
    return HookContext(plugin_id="p", config=config, deadline_ms=1000, meta=meta)
