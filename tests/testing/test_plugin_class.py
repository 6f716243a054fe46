"""The configuration of a plugin under test."""

from __future__ import annotations

import pytest

from adk_decl.testing.plugin_class import checked_config, hooks_of
from tests.testing.sample_plugins import Answers, Clamp


def test_defaults_are_filled_in_where_the_compiler_does() -> None:
    assert checked_config(Clamp, {}) == {"most": 50}
    assert checked_config(Clamp, {"deep": {}}) == {"most": 50, "deep": {"level": 3}}
    assert checked_config(Answers, {"anything": [1]})["anything"] == (1,)


def test_what_does_not_fit_is_told_by_path_and_without_the_value() -> None:
    with pytest.raises(ValueError, match="most") as caught:
        checked_config(Clamp, {"most": -77, "nonsense": 1})
    assert "77" not in str(caught.value)


def test_hooks_stand_in_the_order_of_the_phases() -> None:
    assert hooks_of(Clamp) == ("before_tool", "on_error")
