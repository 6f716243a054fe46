"""Realistic mistakes, one at a time: each function changes one place of a valid manifest, or gives None.

A mutant says on which lines a finding may stand and, for a misspelling, which word was meant.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.quality.spots import Source, Spot
from tests.quality.typos import misspelt

Maker = Callable[[Source, Random], "Mutant | None"]
HOOKS = ("before_run", "before_model", "after_model", "before_tool", "after_tool", "on_tool_error", "after_run")


class Mutant(NamedTuple):
    """A manifest with one mistake."""

    text: str
    lines: frozenset[int]
    wanted: str | None = None


def replaced(source: Source, start: int, end: int, new: str, *, wanted: str | None = None) -> Mutant:
    """The manifest with other text between two offsets; a finding belongs on the lines of that text."""
    text = source.text[:start] + new + source.text[end:]
    first = text.count("\n", 0, start) + 1
    last = first + new.rstrip("\n").count("\n")
    return Mutant(text, frozenset(range(first, last + 1)), wanted)


def pick(source: Source, random: Random, fits: Callable[[Spot], Any]) -> Spot | None:
    """One of the spots that fit, or None. Those inside `x-` keys are no part of the manifest."""
    found = [spot for spot in source.spots if not any(str(step).startswith("x-") for step in spot.path) and fits(spot)]
    return random.choice(found) if found else None


def with_value(source: Source, spot: Spot | None, new: str | None, *, wanted: str | None = None) -> Mutant | None:
    """The manifest with another value at a spot."""
    return None if spot is None or new is None else replaced(source, *source.range(spot.value), new, wanted=wanted)


def with_word(source: Source, spot: Spot | None, word: str, wanted: str | None = None) -> Mutant | None:
    """The manifest with another word at a spot, in the quotes that stand there."""
    if spot is None:
        return None
    quote = source.written(spot.value)[:1]
    quote = quote if quote in "'\"" else '"' if source.base.format == "toml" else ""
    return with_value(source, spot, f"{quote}{word}{quote}", wanted=wanted)


def is_word(spot: Spot) -> bool:
    """Whether a spot holds one short text."""
    return isinstance(spot.value.value, str) and "\n" not in spot.value.text and "$" not in spot.value.text


# Words


def misspelt_key(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.key is not None and s.key.text in s.around.get("properties", {}))
    if spot is None or spot.key is None:
        return None
    word = spot.key.text
    return replaced(source, *source.range(spot.key), misspelt(word, random), wanted=word)


def misspelt_reference(source: Source, random: Random) -> Mutant | None:
    return _misspelt_value(source, random, lambda s: "x-name-of" in s.schema)


def misspelt_component(source: Source, random: Random) -> Mutant | None:
    return _misspelt_value(source, random, lambda s: "x-component" in s.schema and ":" not in s.value.text)


def misspelt_choice(source: Source, random: Random) -> Mutant | None:
    return _misspelt_value(source, random, lambda s: "enum" in s.schema and "x-enum-code" not in s.schema)


def misspelt_hook(source: Source, random: Random) -> Mutant | None:
    return _misspelt_value(source, random, lambda s: s.schema.get("x-enum-code") == "ADK210")


def misspelt_head(source: Source, random: Random) -> Mutant | None:
    return _misspelt_value(source, random, lambda s: s.path in (("kind",), ("apiVersion",)))


def misspelt_module(source: Source, random: Random) -> Mutant | None:
    return _misspelt_code(source, random, 1)


def misspelt_attribute(source: Source, random: Random) -> Mutant | None:
    return _misspelt_code(source, random, 2)


def _misspelt_value(source: Source, random: Random, fits: Callable[[Spot], Any]) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and fits(s))
    return None if spot is None else with_word(source, spot, misspelt(spot.value.text, random), spot.value.text)


def _misspelt_code(source: Source, random: Random, part: int) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and s.value.text.startswith("python:"))
    if spot is None:
        return None
    parts = spot.value.text.split(":")
    right = parts[part]
    parts[part] = misspelt(right, random, separators=False)
    return with_word(source, spot, ":".join(parts), right)


def unknown_reference(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and "x-name-of" in s.schema)
    return with_word(source, spot, random.choice(("something-else", "default", "none", "fast2")))


def foreign_choice(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and "enum" in s.schema)
    return with_word(source, spot, random.choice(("fail_closed", "process", "strictly", "all", "sync", "enabled")))


def other_hook(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.schema.get("x-enum-code") == "ADK210")
    return with_word(source, spot, random.choice(HOOKS))


def broken_code_reference(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and s.value.text.startswith("python:"))
    if spot is None:
        return None
    module, attribute = spot.value.text.removeprefix("python:").split(":")
    choices = (
        f"{module}:{attribute}",
        f"python:{module}.{attribute}",
        f"python:{module.replace('.', '/')}.py:{attribute}",
        f"python:os.path:{attribute}",
        f"python:{module}:{attribute}()",
        f"python:jsonschema:{attribute}",
    )
    return with_word(source, spot, random.choice(choices))


# Values


def wrong_type(source: Source, random: Random) -> Mutant | None:
    def fits(spot: Spot) -> bool:
        is_header = source.base.format == "toml" and spot.value.kind == "map" and source.written(spot.value)[:1] != "{"
        return bool(spot.types) and spot.value.line == spot.value.end_line and not is_header

    spot = pick(source, random, fits)
    if spot is None:
        return None
    wrong = {
        "integer": "many",
        "number": "[1]",
        "boolean": random.choice(("enabled", 1)),
        "string": random.choice((5, True, 1.5)),
        "array": random.choice(("all", 1)),
        "object": random.choice(("default", 3)),
    }
    value = wrong[spot.types[0]]
    return with_value(source, spot, value if value == "[1]" else source.text_of(value))


def out_of_range(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: {"minimum", "maximum"} & set(s.schema) and type(s.value.value) is not str)
    if spot is None:
        return None
    schema = spot.schema
    outside = [schema["minimum"] - 1] if "minimum" in schema else []
    outside += [schema["maximum"] + 1, schema["maximum"] * 1000] if "maximum" in schema else []
    return with_value(source, spot, str(random.choice(outside)))


def unit_behind_number(source: Source, random: Random) -> Mutant | None:
    units = {"_ms": ("s", "ms", " sec", "m"), "_mib": ("MiB", "mb", "G"), "_bytes": ("k", "KiB", "MB")}
    spot = pick(source, random, lambda s: type(s.value.value) is int and str(s.path[-1]).endswith(tuple(units)))
    if spot is None:
        return None
    suffix = next(end for end in units if str(spot.path[-1]).endswith(end))
    return with_value(source, spot, source.text_of(f"{spot.value.text}{random.choice(units[suffix])}"))


def unit_in_key(source: Source, random: Random) -> Mutant | None:
    """`timeout_sec` or `timeout` for `timeout_ms`."""
    others = {"_ms": ("_sec", "_s", "_seconds", "", "_millis"), "_mib": ("_mb", "_gb", ""), "_bytes": ("_kb", "_size")}
    spot = pick(source, random, lambda s: s.key is not None and s.key.text.endswith(tuple(others)))
    if spot is None or spot.key is None or spot.key.text not in spot.around.get("properties", {}):
        return None
    word = spot.key.text
    suffix = next(end for end in others if word.endswith(end))
    other = word.removesuffix(suffix) + random.choice(others[suffix])
    return replaced(source, *source.range(spot.key), other, wanted=word)


def quoted_number(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: type(s.value.value) in (int, float, bool))
    return None if spot is None else with_value(source, spot, f'"{source.written(spot.value)}"')


def old_boolean(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: type(s.value.value) is bool)
    return with_value(source, spot, random.choice(("yes", "no", "on", "off", "True", "TRUE", "y")))


def fraction(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: type(s.value.value) is int and "integer" in s.types)
    return None if spot is None else with_value(source, spot, f"{spot.value.text}.{random.choice('05')}")


def no_value(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: source.owns_lines(s) and s.value.kind == "scalar" and s.types != ("null",))
    if spot is None or spot.value.line != spot.value.end_line:
        return None
    return with_value(source, spot, random.choice(("", "null")) if source.base.format == "yaml" else "null")


def literal_secret(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.schema.get("x-secret"))
    return with_value(source, spot, source.text_of(random.choice(("hunter2", "changeme", "abc123def456"))))


def credential(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and s.types == ("string",) and "instruction" in s.path)
    letters = "".join(random.choice("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(36))
    return with_word(
        source, spot, random.choice((f"use sk-7{letters} please", f"ghp_{letters}", "AKIA7Q2XK4M9WZ8RB5TD"))
    )


def broken_env_reference(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.schema.get("x-env") and s.value.kind == "scalar")
    wrong = ("${SHOP_MODEL}", "${env:}", "${env:1ST}", "${env:A B}", "${env:NAME", "${secret:NAME}", "${env:NAME-x}")
    return with_value(source, spot, f'"{random.choice(wrong)}"')


def swapped_delays(source: Source, random: Random) -> Mutant | None:
    first = pick(source, random, lambda s: s.path[-1] == "base_delay_ms")
    if first is None:
        return None
    second = next(s for s in source.spots if s.path == (*first.path[:-1], "max_delay_ms"))
    one, two = sorted((source.range(first.value), source.range(second.value)))
    between = source.text[one[1] : two[0]]
    changed = source.text[slice(*two)] + between + source.text[slice(*one)]
    return replaced(source, one[0], two[1], changed)


def repeated_item(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: is_word(s) and s.key is None and ("x-name-of" in s.schema))
    if spot is None:
        return None
    end = source.range(spot.value)[1]
    written, line = source.written(spot.value), source.lines[spot.value.line - 1]
    if line.strip().startswith("- "):
        again = replaced(source, end, end, "\n" + line[: line.index("-")] + "- " + written)
    else:
        again = replaced(source, end, end, f", {written}")
    return again
