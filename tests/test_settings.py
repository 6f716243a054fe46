from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.errors import UsageError
from adk_decl.plan.settings_table import PREFIX, SETTINGS, read_setting
from adk_decl.settings import Settings, load_settings

CANARY = "canary-2b7d"


def test_the_model_has_the_rows_of_the_table() -> None:
    kinds: dict[str, Any] = {"path": str | None, "boolean": bool, "integer": int}
    assert list(Settings.model_fields) == list(SETTINGS)
    for name, field in Settings.model_fields.items():
        row = SETTINGS[name]
        assert field.default == row.default
        assert field.description == row.help
        if row.type == "choice":
            assert typing.get_args(field.annotation) == row.choices
        else:
            assert field.annotation == kinds[row.type]
        bounds = {type(m).__name__: getattr(m, "ge", getattr(m, "le", None)) for m in field.metadata}
        assert bounds == {k: v for k, v in (("Ge", row.minimum), ("Le", row.maximum)) if v is not None}


def test_every_wrong_setting_is_named_and_no_value_told() -> None:
    wrong = {"LOG_LEVEL": CANARY, "COLOR": CANARY, "DEBUG": CANARY, "WORKERS": CANARY, "STATE_DIR": "/x"}
    with pytest.raises(UsageError) as failure:
        load_settings({PREFIX + name: value for name, value in wrong.items()})
    text = str(failure.value)
    assert [line.split()[0] for line in text.split("\n")] == [
        PREFIX + n for n in ("LOG_LEVEL", "COLOR", "DEBUG", "WORKERS")
    ]
    assert CANARY not in text


def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_DECL_WORKERS", "7")
    monkeypatch.setenv("ADK_DECL_COLOR", "")
    assert load_settings().workers == 7
    assert load_settings().color == "auto"
    assert load_settings({}).workers == 2
    with pytest.raises(ValueError, match="frozen"):
        load_settings().workers = 3


_words = st.sampled_from(["true", "YES", "off", "1", "0", "64", "65", "٣", "Debug", "never", " 2", "2.0", "", "-1"])


@given(st.sampled_from(sorted(SETTINGS)), _words | st.text(st.characters(exclude_characters="\0"), max_size=8))
def test_both_readers_agree_on_every_text(name: str, text: str) -> None:
    environment = {PREFIX + name.upper(): text}
    assert _read(lambda: getattr(load_settings(environment), name)) == _read(lambda: read_setting(name, environment))


def _read(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (UsageError, ValueError) as error:
        return f"refused: {error}"
