"""Questions to the file system, and what a recorder keeps of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_decl import disk


def test_every_question_is_kept_with_its_answer(tmp_path: Path) -> None:
    file, folder, missing = tmp_path / "a", tmp_path, tmp_path / "missing"
    file.write_bytes(b"text")
    with disk.Recorder() as recorder:
        assert disk.read_file_bytes(str(file), 10) == b"text"
        assert disk.is_file(str(file))
        assert not disk.is_file(str(missing))
        assert disk.is_folder(str(folder))
        assert not disk.exists(str(missing))
        assert disk.real_path(str(file)) == os.path.realpath(file)
    disk.is_file("/elsewhere")
    assert recorder.complete
    assert [kind for kind, _ in recorder.answers] == ["read", "file", "file", "folder", "exists", "real"]
    assert all(disk.QUESTIONS[kind](name) == answer for (kind, name), answer in recorder.answers.items())


def test_a_file_that_changes_between_two_readings_makes_the_record_incomplete(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"1")
    with disk.Recorder() as recorder:
        disk.read_file_bytes(str(file), 10)
        file.write_bytes(b"2")
        disk.read_file_bytes(str(file), 10)
    assert not recorder.complete


def test_a_file_that_was_not_read_to_its_end_makes_the_record_incomplete(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    with disk.Recorder() as recorder:
        assert disk.read_file_bytes(str(file), 3) == b"1234"
    assert not recorder.complete


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with disk.Recorder() as recorder:
        with pytest.raises(IsADirectoryError):
            disk.read_file_bytes(str(tmp_path), 10)
        with pytest.raises(disk.NotAFile):
            disk.read_file_bytes(str(pipe), 10)
        with pytest.raises(OSError, match="no path"):
            disk.read_file_bytes("a\0b", 10)
    assert set(recorder.answers.values()) == {"unreadable"}


def test_recorders_are_kept_apart_and_can_be_replayed(tmp_path: Path) -> None:
    with disk.Recorder() as outer:
        with disk.Recorder() as inner:
            disk.exists(str(tmp_path))
        assert not outer.answers
        disk.replay(inner)
        disk.note("offers", "", "x")
    assert list(outer.answers) == [("exists", str(tmp_path)), ("offers", "")]
