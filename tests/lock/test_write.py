"""A lock file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_decl.lock.write import write_lock


def test_written_once(tmp_path: Path) -> None:
    place = tmp_path / "a.lock.json"
    assert write_lock(str(place), "{}\n") is True
    assert write_lock(str(place), "{}\n") is False
    assert write_lock(str(place), "{}") is True
    assert place.read_bytes() == b"{}"
    assert os.stat(place).st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["a.lock.json"]


def test_mode_and_link_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "real.lock.json", tmp_path / "link.lock.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o600)
    link.symlink_to(target)
    assert write_lock(str(link), "new") is True
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"
    assert os.stat(target).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failure_leaves_the_old_one(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a.lock.json"
    place.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space"):
        write_lock(str(place), "new")
    assert place.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.lock.json"]


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="irectory"):
        write_lock(str(tmp_path), "new")
