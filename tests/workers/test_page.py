"""The shared page: progress, marks, checkpoints that survive a torn write."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.workers.page import _SLOTS_AT, SLOT_BYTES, WORD_BEGAN, WORD_CALL, WORD_STEP, Page, create_page_file


@pytest.fixture
def page() -> Iterator[Page]:
    fd = create_page_file()
    page = Page(fd)
    os.close(fd)
    yield page
    page.close()


def test_progress_belongs_to_a_call(page: Page) -> None:
    page.words[WORD_CALL] = 9
    page.words[WORD_STEP] = 3
    page.words[WORD_BEGAN] = 1_234_000
    assert page.progress(8) is None
    assert page.progress(9) == (3, 1_234_000)


def test_the_newest_checkpoint_counts_and_belongs_to_a_call(page: Page) -> None:
    assert page.checkpoint(1, before=9) is None
    assert page.publish(1, 0, b"a")
    assert page.publish(1, 4, b"bb")
    assert page.checkpoint(1, before=9) == (4, b"bb")
    assert page.checkpoint(1, before=4) == (0, b"a")
    assert page.checkpoint(2, before=9) is None


def test_a_broken_checkpoint_leaves_the_one_before(page: Page) -> None:
    page.publish(1, 0, b"first")
    page.publish(1, 1, b"second")
    newest = _SLOTS_AT + (page.words[2] & 1) * (24 + SLOT_BYTES) + 24
    page.words.cast("B")[newest] ^= 1
    assert page.checkpoint(1, before=9) == (0, b"first")


def test_a_checkpoint_has_a_largest_size(page: Page) -> None:
    assert page.publish(1, 0, b"x" * SLOT_BYTES)
    assert not page.publish(1, 1, b"x" * (SLOT_BYTES + 1))
    assert page.checkpoint(1, before=9) == (0, b"x" * SLOT_BYTES)


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=8))
def test_what_is_published_is_what_is_read(datas: list[bytes]) -> None:
    fd = create_page_file()
    page = Page(fd)
    os.close(fd)
    for step, data in enumerate(datas):
        page.publish(7, step, data)
        assert page.checkpoint(7, before=9) == (step, data)
    page.close()
