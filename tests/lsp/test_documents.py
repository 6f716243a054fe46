"""What is open, what belongs to us, and what an editor has to be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.lsp.documents import Analysis, Documents, analyse, is_ours, path_of


def _finding(file: str, message: str = "wrong") -> Diagnostic:
    span = Span(file=file, line=1, column=1, end_line=1, end_column=2)
    return Diagnostic(code="ADK110", severity="error", message=message, span=span)


def _analysis(folder: Path, *findings: Diagnostic) -> Analysis:
    return Analysis(0, "a.adk.yaml", findings, {found.span.file: "text" for found in findings}, str(folder))


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.yaml", "/a/b.yaml"),
        ("file://localhost/a/b%20c%C3%A9.yaml", "/a/b cé.yaml"),
        ("file:///a/../b.yaml", "/b.yaml"),
        ("file://elsewhere/a", None),
        ("untitled:Untitled-1", None),
        ("https://example.com/a", None),
        ("file:a", None),
        ("file:///a%00b", None),
        ("file://[::1", None),
        ("", None),
    ],
)
def test_paths_of_uris(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


@pytest.mark.parametrize(
    ("path", "text", "ours"),
    [
        ("/m.adk.yaml", "", True),
        ("/m.adk.toml", "", True),
        ("/m.yaml", "# note\napiVersion: adk-decl/v1\n", True),
        ("/m.toml", 'apiVersion = "adk-decl/v1"', True),
        ("/m.json", '{"apiVersion": "adk-decl/v1"}', True),
        ("/m.json", '{\n  "apiVersion": "adk-decl/v1"}', True),
        ("/m.yaml", "apiVersion: apps/v1\n", False),
        ("/m.yaml", "x: 'apiVersion: adk-decl/v1'\n", False),
        ("/adk.yaml", "a: b", False),
    ],
)
def test_what_is_ours(path: str, text: str, ours: bool) -> None:
    assert is_ours(path, text) is ours


def test_two_manifests_may_find_something_in_one_file(tmp_path: Path) -> None:
    documents = Documents()
    first, second = ((tmp_path / name).as_uri() for name in ("a.adk.yaml", "b.adk.yaml"))
    shared = (tmp_path / "own.py").as_uri()
    one, two = _finding("own.py"), _finding("own.py", "also wrong")
    assert documents.tell(first, _analysis(tmp_path, one)) == {first: [], shared: [one]}
    assert documents.tell(second, _analysis(tmp_path, one, two)) == {second: [], shared: [one, two]}
    assert documents.source("own.py") == "text"
    assert documents.tell(first, _analysis(tmp_path)) == {first: [], shared: [one, two]}
    assert documents.close(second) == {second: [], shared: []}
    assert documents.source("own.py") == ""


def test_the_editor_s_own_uri_is_kept(tmp_path: Path) -> None:
    documents = Documents()
    uri = (tmp_path / "a.adk.yaml").as_uri().replace("a.adk", "%61.adk")
    assert documents.open(uri, "x", 3) is not None
    assert documents.uri(str(tmp_path / "a.adk.yaml")) == uri
    assert documents.uri(str(tmp_path / "b")) == (tmp_path / "b").as_uri()
    assert documents.versions() == {uri: 3}
    assert documents.texts() == {str(tmp_path / "a.adk.yaml"): b"x"}
    changed = documents.change(uri, "y", 3)
    assert changed is not None
    assert (changed.text, changed.version) == ("y", 1)
    assert documents.change("file:///nowhere", "y", 3) is None


def test_a_text_is_compiled_with_the_open_ones_in_place_of_their_files(tmp_path: Path) -> None:
    path = str(tmp_path / "m.adk.yaml")
    found = analyse(path, "apiVersion: adk-decl/v1\nkind: Manifest\nname: x\nwrong: 1\n", 7, {})
    assert (found.version, [each.code for each in found.findings if each.severity == "error"]) == (7, ["ADK110"])
    assert found.path(found.file) == path
    assert analyse(str(tmp_path / "other.yaml"), "a: [", 1, {}).findings == ()
