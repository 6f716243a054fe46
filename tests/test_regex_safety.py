"""Patterns of other people's schemas: refused when they could take for ever, bounded when they are used."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.regex_safety import LONGEST_PATTERN, compile_pattern, compile_safe, longest_text, pattern_problem

PIECES = st.sampled_from(
    [
        "a",
        "[ab]",
        "[^]a]",
        ".",
        r"\d",
        r"\.",
        "(a|b)",
        "(?:a)",
        "a*",
        "a+",
        "a?",
        "a{2}",
        "a{1,3}",
        "^",
        "$",
        "|",
        "a{0,900}",
    ]
)


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+$",
        "^[A-Za-z_][A-Za-z0-9_]*$",
        "a|b",
        "(foo|bar)?x",
        "(?:ab){3}",
        "([a-z]{3})+",
        r"\(a+\)+",
        "[)*+]+",
        r"[\]]*a",
        "x{,3}",
        "x{a}",
        "(?=a)b",
        "a{1,10000}",
        "",
    ],
)
def test_harmless_patterns(pattern: str) -> None:
    assert pattern_problem(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+",
        "(a*)*$",
        "(a|a)*",
        "((a)?)*",
        "(a{1,2}){1,2}",
        r"(a)\1",
        "(?P<n>a)(?P=n)",
        "(?i)a",
        "(?<=a)b",
        "(?>a)" if re.__doc__ else "(?i)",
        "a{1,20000}",
        "a*" * 7,
        "a?" * 17,
        "a" * (LONGEST_PATTERN + 1),
        "(",
        "[",
        "*a",
        "a{2,1}",
    ],
)
def test_refused_patterns(pattern: str) -> None:
    assert pattern_problem(pattern)


@pytest.mark.parametrize(
    "pattern", [".*.*=", "a?" * 16 + "b", "(a|a)" * 16 + "b", "a{0,4}" * 5 + "b", "a{0,100}" * 6 + "b"]
)
def test_the_worst_text_of_an_accepted_pattern_takes_a_bounded_time(pattern: str) -> None:
    assert pattern_problem(pattern) is None
    search = compile_safe(pattern)
    started = time.process_time()
    assert search("a" * longest_text(pattern)) is None
    assert time.process_time() - started < 5


def test_a_text_that_is_too_long_does_not_match() -> None:
    search = compile_safe("a.*b.*c")
    assert search("abc")
    assert search("abc" + "x" * 8192) is None


def test_a_dollar_at_the_end_means_the_end_of_the_text() -> None:
    assert compile_pattern("^a$")("a\n") is None
    assert compile_pattern(r"^a\$")("a$")


@given(st.lists(PIECES, max_size=20).map("".join))
def test_every_accepted_pattern_compiles_and_ends(pattern: str) -> None:
    if pattern_problem(pattern) is None:
        assert longest_text(pattern) >= 1
        started = time.process_time()
        compile_safe(pattern)("a" * longest_text(pattern) + "!")
        assert time.process_time() - started < 5


@given(st.text(max_size=40))
def test_any_text_gets_an_answer(pattern: str) -> None:
    pattern_problem(pattern)
