from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.scalars import INT64_MAX, INT64_MIN, Scalar, ValueType, convert, missing_space, suspicion, typed

TYPED: list[tuple[str, Scalar]] = [
    ("true", True),
    ("false", False),
    ("null", None),
    ("0", 0),
    ("-0", 0),
    ("42", 42),
    ("-7", -7),
    ("1e3", 1000.0),
    ("1.5", 1.5),
    ("-1.5E-2", -0.015),
    (str(INT64_MAX), INT64_MAX),
    (str(INT64_MIN), INT64_MIN),
    ("1e-400", 0.0),
]

TEXT = [
    *("", "~", "True", "NULL", "no", "y", "off", "010", "08", "1_000", "0x10", "0o17", "0b1", "+5", ".5", "5."),
    *("22:22", "2026-01-02", "2024-13-45", "1.2.3", "12e4567", ".inf", "nan", "-", "-x", "5s", "=", "１２"),
    *(str(INT64_MAX + 1), str(INT64_MIN - 1), "9" * 5000, "-" + "9" * 5000, "1e400", "9" * 5000 + ".0"),
]

SUSPICIOUS = {
    "yes": "ADK009",
    "NO": "ADK009",
    "True": "ADK009",
    "y": "ADK009",
    "Off": "ADK009",
    "~": "ADK112",
    "Null": "ADK112",
    "010": "ADK010",
    "-010": "ADK010",
    "08": "ADK010",
    "00": "ADK010",
    "1_000": "ADK010",
    "1__0": "ADK010",
    "0x1F": "ADK010",
    "0o10": "ADK010",
    "0b1": "ADK010",
    "+5": "ADK010",
    ".5": "ADK010",
    "5.": "ADK010",
    ".inf": "ADK012",
    "-.INF": "ADK012",
    "NaN": "ADK012",
    ".nan": "ADK012",
    "Infinity": "ADK012",
    "1e400": "ADK012",
    "9" * 5000 + ".0": "ADK012",
    "9" * 5000: "ADK013",
    str(INT64_MAX + 1): "ADK013",
}

JUST_TEXT = [
    "",
    "-",
    "22:22",
    "2026-01-02",
    "5s",
    "hello",
    "information",
    "nano",
    "1.2.3",
    "0.x",
    "i",
    "١٢",
    "_1",
    "1-2",
]


@pytest.mark.parametrize(("text", "value"), TYPED)
def test_typed_values(text: str, value: Scalar) -> None:
    assert typed(text) == value
    assert type(typed(text)) is type(value)


@pytest.mark.parametrize("text", TEXT)
def test_all_else_is_text(text: str) -> None:
    assert typed(text) == text


@pytest.mark.parametrize(("text", "code"), SUSPICIOUS.items())
def test_suspicious_text(text: str, code: str) -> None:
    found = suspicion(text)
    assert found is not None
    assert found[0] == code
    assert typed(text) == text


@pytest.mark.parametrize("text", JUST_TEXT)
def test_ordinary_text_is_not_suspicious(text: str) -> None:
    assert suspicion(text) is None


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("007", "string", "007"),
        ("7", "integer", 7),
        ("7", "number", 7),
        ("7.5", "number", 7.5),
        ("true", "boolean", True),
        ("", "string", ""),
    ],
)
def test_convert(text: str, type_: ValueType, value: object) -> None:
    assert convert(text, type_) == value


@pytest.mark.parametrize(
    ("text", "type_", "minimum", "maximum", "choices"),
    [
        ("seven-77", "integer", None, None, None),
        ("1.0", "integer", None, None, None),
        ("true", "integer", None, None, None),
        ("true", "number", None, None, None),
        ("null", "integer", None, None, None),
        ("yes", "boolean", None, None, None),
        ("1", "boolean", None, None, None),
        ("-12345", "integer", 0, None, None),
        ("98765", "integer", None, 100, None),
        ("9" * 5000, "integer", None, None, None),
        ("purple", "string", None, None, ("red", "green")),
    ],
)
def test_convert_refuses_without_the_value(
    text: str, type_: ValueType, minimum: int | None, maximum: int | None, choices: tuple[str, ...] | None
) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        convert(text, type_, minimum=minimum, maximum=maximum, choices=choices)
    if type_ != "boolean":
        assert text not in str(error.value)


@pytest.mark.parametrize(
    ("text", "missing"),
    [("name:demo", True), ("a-b_c:1", True), ("http://x", False), ("a::b", False), ("name", False), (":x", False)],
)
def test_missing_space(text: str, missing: bool) -> None:
    assert missing_space(text) is missing


@given(st.text(max_size=40) | st.from_regex(r"[-+.0-9eE_xob]{1,30}", fullmatch=True))
def test_never_raises_and_stays_finite(text: str) -> None:
    value = typed(text)
    assert not isinstance(value, float) or math.isfinite(value)
    assert isinstance(value, str) or suspicion(text) is None or text in ("true", "false", "null")
    suspicion(text)
    missing_space(text)
