"""Scalar rules: which plain text is a boolean, a number or null, and why other text looks as if it were.

They are those of JSON: `true`, `false`, `null` and decimal numbers; everything else is text. YAML readers
disagree about the rest (`no`, `010`, `1_000`, `1:30`, dates), so it is never converted. No message holds the text.
"""

from __future__ import annotations

import re
from typing import Literal

Scalar = None | bool | int | float | str
ValueType = Literal["string", "integer", "number", "boolean"]
Suspicion = tuple[str, str, str]
"""A diagnostic code, what is odd, and what to write instead."""

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1

_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_NUMBER_START = frozenset("-0123456789")
_INT64_DIGITS = 19
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z")
_OLD_TRUE = frozenset(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "True", "TRUE"])
_OLD_FALSE = frozenset(["n", "N", "no", "No", "NO", "off", "Off", "OFF", "False", "FALSE"])
_OLD_NULL = frozenset(("~", "Null", "NULL"))
_NON_FINITE = frozenset(["inf", "infinity", "nan", ".inf", ".nan"])
_WRONG_TYPE = {
    "integer": "must be a whole number in decimal digits",
    "number": "must be a number in decimal digits",
    "boolean": "must be true or false",
}


def typed(text: str) -> Scalar:
    """The value of a plain scalar: a constant, a number that fits 64 bits, or the text itself."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text and text[0] in _NUMBER_START:
        number = _number(text)
        if number is not None:
            return number
    return text


def suspicion(text: str) -> Suspicion | None:
    """Why a plain text that is not of the type its field needs may have been meant as that type.

    For a plain scalar that `typed` left as text. The answer is (code, what is odd, what to write); None when
    the text is just text.
    """
    if text in _OLD_TRUE or text in _OLD_FALSE:
        word = "true" if text in _OLD_TRUE else "false"
        return ("ADK009", f"this word is text; only older YAML reads it as {word}", f"write `{word}`")
    if text in _OLD_NULL:
        return ("ADK112", "only `null` stands for no value", "write `null`, or leave the key out")
    if not text or text[0] not in "-+.0123456789iInN":
        return None
    body = text.lstrip("+-").lower()
    if body in _NON_FINITE:
        return ("ADK012", "a number must be finite", "write a finite number, or leave the key out")
    return _odd_number(text, body) if body[:1] in frozenset(".0123456789") else None


def missing_space(text: str) -> bool:
    """Whether a plain text is `key:value`, that is, a map entry that lacks the space after its colon."""
    key, colon, rest = text.partition(":")
    return bool(colon and rest) and rest[0] not in "/ :" and key.replace("-", "").replace("_", "").isalnum()


def convert(
    text: str,
    type: ValueType,  # noqa: A002
    *,
    minimum: int | float | None = None,
    maximum: int | float | None = None,
    choices: tuple[str, ...] | None = None,
) -> str | int | float | bool:
    """The text as a value of `type` within the inclusive bounds, by the rules of `typed`.

    Raises `ValueError`, whose text says what is needed and never holds the given text.
    """
    value: Scalar = text if type == "string" else typed(text)
    if not _is(value, type):
        raise ValueError(_WRONG_TYPE[type])
    if choices is not None and text not in choices:
        raise ValueError(f"must be one of: {', '.join(choices)}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if minimum is not None and value < minimum:
            raise ValueError(f"must be at least {minimum}")
        if maximum is not None and value > maximum:
            raise ValueError(f"must be at most {maximum}")
    assert value is not None
    return value


def _is(value: Scalar, type: ValueType) -> bool:  # noqa: A002
    if type == "string":
        return isinstance(value, str)
    if type == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (type == "number" and isinstance(value, float))


def _number(text: str) -> int | float | None:
    match = _NUMBER.match(text)
    if match is None:
        return None
    if match[1] is None and match[2] is None:
        # CPython refuses to convert thousands of digits, so the length is checked first.
        if len(text) > _INT64_DIGITS + 1:
            return None
        whole = int(text)
        return whole if INT64_MIN <= whole <= INT64_MAX else None
    value = float(text)
    return value if value - value == 0.0 else None


def _odd_number(text: str, body: str) -> Suspicion | None:
    """Why a text that begins like a number is none."""
    if _number(text) is not None:
        return None
    if match := _NUMBER.match(text):
        if match[1] is None and match[2] is None:
            return ("ADK013", "a whole number must fit 64 bits", "write a smaller number, or quote it if it is text")
        return ("ADK012", "this number is too large to be finite", "write a smaller number, or quote it if it is text")
    if body[:2] in ("0x", "0o", "0b") and body[2:].replace("_", "").isalnum():
        return (
            "ADK010",
            "numbers are written in decimal digits",
            "write the decimal number, or quote it if it is text",
        )
    plain = body.replace("_", "")
    if plain != body and _reads_as_number(plain):
        return (
            "ADK010",
            "digits are written without underscores",
            "leave the underscores out, or quote it if it is text",
        )
    if not _reads_as_number(body):
        return None
    if text[0] == "+":
        return (
            "ADK010",
            "numbers are written without a plus sign",
            "leave the plus sign out, or quote it if it is text",
        )
    if body[0] == "0" and body[1:2].isdigit():
        return (
            "ADK010",
            "a leading zero means octal to some readers and decimal to others",
            "leave the zero out, or quote it if it is text",
        )
    return ("ADK010", "a decimal point needs digits on both sides", "write the digits on both sides of the point")


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()
