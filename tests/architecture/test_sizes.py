"""Files and functions stay small. `python -m tests.architecture.sources` lists what is larger than wanted."""

from __future__ import annotations

from statistics import median

from tests.architecture.sources import FILE_LINES_MOST, FUNCTION_LINES_MOST, file_lengths, functions


def test_no_file_is_too_long() -> None:
    assert {name: lines for name, lines in file_lengths().items() if lines > FILE_LINES_MOST} == {}


def test_no_function_is_too_long() -> None:
    assert [function for function in functions() if function.lines > FUNCTION_LINES_MOST] == []


def test_the_median_function_of_the_packages_is_short() -> None:
    own = [function.lines for function in functions() if not function.place.startswith("tests/")]
    assert median(own) < 10
