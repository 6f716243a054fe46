"""Failures keep structure and lose text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adk_decl.errors import LimitReached, ModelError, PluginFailed, RunTimeout
from adk_decl.runtime.failures import failure_of
from tests.runtime.doubles import META

CANARY = "canary-5c1d"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ModelError("rate_limited", status=429), ("model", "external", "rate_limited", 429)),
        (PluginFailed("p", "before_model", "timeout"), ("plugin", "error", "plugin_failed", None)),
        (RunTimeout(5), ("agent", "exit", "timeout", None)),
        (asyncio.CancelledError(), ("agent", "exit", "cancelled", None)),
        (LimitReached("max_model_calls", 3), ("agent", "error", "limit_reached", None)),
        (ValueError(CANARY), ("agent", "exception", "ValueError", None)),
    ],
)
def test_each_error_has_its_structure(error: BaseException, expected: tuple[Any, ...]) -> None:
    failure = failure_of(error, META, component="agent", operation="run")
    assert (failure.component, failure.error_class, failure.reason, failure.status) == expected
    assert CANARY.encode() not in failure.to_json()


def test_ids_are_told_as_hashes() -> None:
    failure = failure_of(ValueError(), META, component="agent", operation="run")
    assert set(failure.correlation) == {"invocation_id", "run_id"}
    assert all(len(value) == 24 and META.run_id not in value for value in failure.correlation.values())


def test_the_name_of_an_exception_class_is_bounded() -> None:
    error = type("E" * 500, (Exception,), {})()
    assert len(failure_of(error, META, component="a", operation="b").reason) == 64
