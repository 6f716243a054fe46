from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from adk_decl.cli.replace_file import FileChanged, replace_file


def test_content_changes_and_mode_stays(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")
    file.chmod(0o640)
    replace_file(str(file), before=b"old", after=b"new\r\n")
    assert file.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["f"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    replace_file(str(tmp_path / "link"), before=b"old", after=b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize("now", [b"", b"older", b"OLD"])
def test_what_somebody_else_wrote_stays(tmp_path: Path, now: bytes) -> None:
    file = tmp_path / "f"
    file.write_bytes(now)
    with pytest.raises(FileChanged):
        replace_file(str(file), before=b"old", after=b"new")
    assert file.read_bytes() == now
    assert os.listdir(tmp_path) == ["f"]


def test_a_file_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"."):
        replace_file(str(tmp_path / "f"), before=b"old", after=b"new")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(PermissionError):
        replace_file(str(file), before=b"old", after=b"new")
