from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_decl.diagnostics import text
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.plan.limits import LIMITS
from adk_decl.syntax.profile import MANIFEST
from adk_decl.syntax.read import format_of, read_bytes, read_file


def codes(bag: DiagnosticBag) -> list[str]:
    return [d.code for d in bag.sorted()]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.adk.yaml", "yaml"),
        ("a.YML", "yaml"),
        ("a.toml", "toml"),
        ("a.json", "json"),
        ("a.txt", None),
        ("yaml", None),
        ("a.yaml/b", None),
    ],
)
def test_format_is_that_of_the_ending(name: str, kind: str | None) -> None:
    assert format_of(name) == kind


def test_reads_a_file_under_its_shown_name(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\n")
    bag, sources = DiagnosticBag(), dict[str, str]()
    document = read_file(str(file), shown="shown.yaml", bag=bag, sources=sources)
    assert document is not None
    assert (document.file, document.format, document.text) == ("shown.yaml", "yaml", "a: 1\r\n")
    assert sources == {"shown.yaml": "a: 1\r\n"}
    assert codes(bag) == []


def test_a_file_that_cannot_be_parsed_still_has_a_source(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"a: \xff")
    bag, sources = DiagnosticBag(), dict[str, str]()
    assert read_file(str(file), bag=bag, sources=sources) is None
    assert sources == {str(file): "a: \ufffd"}


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    (tmp_path / "file.yaml").write_text("a: 1")
    names = {
        "missing.yaml": "does not exist",
        "folder.yaml": "folder",
        "pipe.yaml": "no regular file",
        "loop.yaml": "loop",
        "file.yaml/x.yaml": "no folder",
        "x" * 300 + ".yaml": "too long",
        "nul\0.yaml": "can't be opened",
    }
    for name, reason in names.items():
        bag = DiagnosticBag()
        assert read_file(str(tmp_path / name), shown="shown", bag=bag) is None
        (found,) = bag.sorted()
        assert (found.code, found.span.file) == ("ADK020", "shown")
        assert reason in found.message


def test_unknown_ending(tmp_path: Path) -> None:
    bag = DiagnosticBag()
    assert read_file(str(tmp_path / "a.conf"), bag=bag) is None
    assert codes(bag) == ["ADK021"]


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    bag, sources = DiagnosticBag(), dict[str, str]()
    assert read_file(str(file), bag=bag, sources=sources) is None
    assert codes(bag) == ["ADK016"]
    assert len(sources[str(file)]) == MANIFEST.max_bytes


def test_findings_are_bounded() -> None:
    bag = DiagnosticBag()
    most = LIMITS["read.syntax_findings"].default
    assert read_bytes(b"1: a\n" * (most + 50), file="f", format="yaml", bag=bag) is None
    assert len(bag.sorted()) == most


def test_hostile_files_are_refused_before_they_cost_anything() -> None:
    files = {
        "aliases": b"a0: &a0 [x]\n"
        + b"".join(b"a%d: &a%d [*a%d, *a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 9000)),
        "brackets": b"a:\n" + b" [\n" * 100_000,
        "quotes": (b'"' * 8000 + b"\n") * 100,
        "items": b"a: [" + (b"a," * 4000 + b"\n ") * 100,
        "keys": b"".join(b"k%d: 1\n" % n for n in range(80_000)),
        "quotes in plain text": (b"a'" * 4000 + b"\n") * 10,
    }
    for name, data in files.items():
        for pure in (False, True):
            bag = DiagnosticBag()
            began = os.times().user
            read_bytes(data, file=name, format="yaml", bag=bag, pure=pure)
            assert os.times().user - began < 0.5, name
            assert pure or name == "quotes in plain text" or bag.has_errors


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        ("yaml", b'plugins:\n  a:\n    config:\n      greeting: "hunter2\n'),
        ("yaml", b"plugins:\n  a:\n    config:\n      x: hunter2\n      x: hunter3: hunter4\n"),
        ("yaml", b"models:\n  m:\n    api_key: hunter2: hunter3\n"),
        ("yaml", b"plugins:\n- id: a\n  config: {a: hunter2, a: hunter3}\n"),
        ("yaml", b"agents:\n  a:\n    instruction: hunter2: hunter3\n"),
        ("yaml", b"plugins:\n  a:\n    config:\n      x: hunter2\xff\n"),
        ("yaml", b"plugins:\n  a:\n    config:\n      x: hunter2 #hunter3\n"),
        ("toml", b"[plugins.a.config]\nx = hunter2\n"),
        ("toml", b"[plugins.a]\nconfig = {a = 'hunter2', a = 'hunter3'}\n"),
        ("toml", b"[plugins.a]\nconfig.x = 'hunter2\n"),
        ("json", b'{"a": {"config": {"x": "hunter2", "x": hunter3}}}'),
        ("json", b'{\n "config": {\n  "x": "hunter2",\n  "y": hunter3\n }\n}'),
    ],
)
def test_private_values_are_not_shown(format_: str, data: bytes) -> None:
    from adk_decl.diagnostics import concise, json_format

    bag, sources = DiagnosticBag(), dict[str, str]()
    read_bytes(data, file="f", format=format_, bag=bag, sources=sources)  # type: ignore[arg-type]
    found = bag.sorted()
    assert found
    for renderer in (text, concise, json_format):
        assert "hunter" not in renderer.render(found, sources)


def test_other_values_are_shown() -> None:
    bag, sources = DiagnosticBag(), dict[str, str]()
    read_bytes(b"a:\n  config:\n    w: x\nname: one: two\n", file="f", format="yaml", bag=bag, sources=sources)
    assert "name: one: two" in text.render(bag.sorted(), sources)
