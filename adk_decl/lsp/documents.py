"""The texts that an editor has open, what was found in them, and what the editor was told. No protocol here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics.diagnostic import Diagnostic
from adk_decl.syntax.document import Document

_OURS_BY_NAME = re.compile(r"\.adk\.(ya?ml|toml|json)\Z")
_OURS_BY_CONTENT = re.compile(r"""^[\s{]*["']?apiVersion["']?\s*[:=]\s*["']?adk-decl/""", re.MULTILINE)
_HEAD_CHARACTERS = 4096


class Analysis(NamedTuple):
    """What a compile of one version of a text found. `sources` are the texts that findings point into."""

    version: int
    file: str
    findings: tuple[Diagnostic, ...]
    sources: Mapping[str, str]
    folder: str

    def path(self, shown: str) -> str:
        """The absolute path of a file as findings name it."""
        return os.path.normpath(os.path.join(self.folder, shown))


class Open:
    """One open text.

    `version` counts what the editor sent, whatever numbers it gave; `tree` is the last that there was.
    """

    __slots__ = ("analysis", "given_version", "path", "text", "tree", "uri", "version")

    def __init__(self, uri: str, path: str, text: str, given_version: int) -> None:
        self.uri = uri
        self.path = path
        self.text = text
        self.given_version = given_version
        self.version = 0
        self.analysis: Analysis | None = None
        self.tree: Document | None = None


class Documents:
    """All open texts, by the URI that the editor uses, and what the editor was told about each file."""

    def __init__(self) -> None:
        self._open: dict[str, Open] = {}
        self._told: dict[str, tuple[Analysis, dict[str, list[Diagnostic]]]] = {}

    def all(self) -> list[Open]:
        """Every open text."""
        return list(self._open.values())

    def get(self, uri: str) -> Open | None:
        """The open text of that URI."""
        return self._open.get(uri)

    def open(self, uri: str, text: str, version: int) -> Open | None:
        """Take a text that was opened; None for one that is no file of this machine."""
        path = path_of(uri)
        if path is None:
            return None
        opened = self._open[uri] = Open(uri, path, text, version)
        return opened

    def change(self, uri: str, text: str, version: int) -> Open | None:
        """Take the new content of an open text; None when it is not open."""
        changed = self._open.get(uri)
        if changed is not None:
            changed.text = text
            changed.given_version = version
            changed.version += 1
        return changed

    def close(self, uri: str) -> dict[str, list[Diagnostic]]:
        """Forget a text; what is known now of each file that it had findings in, by URI."""
        self._open.pop(uri, None)
        return self.tell(uri, None)

    def texts(self) -> dict[str, bytes]:
        """The content of every open text by absolute path."""
        return {each.path: _encoded(each.text) for each in self._open.values()}

    def versions(self) -> dict[str, int]:
        """The version that the editor gave each open text, by URI."""
        return {each.uri: each.given_version for each in self._open.values()}

    def uri(self, path: str) -> str:
        """The URI of a file: the editor's own for an open one."""
        return next((each.uri for each in self._open.values() if each.path == path), Path(path).as_uri())

    def source(self, shown: str) -> str:
        """The text of a file as findings name it; empty when nothing was found in it."""
        return next((told.sources[shown] for told, _ in self._told.values() if shown in told.sources), "")

    def tell(self, uri: str, analysis: Analysis | None) -> dict[str, list[Diagnostic]]:
        """Keep what one manifest found; all findings now of each file that this changes, by URI.

        Two manifests may find something in one file, such as a module that both name.
        """
        _, before = self._told.pop(uri, (None, {}))
        found: dict[str, list[Diagnostic]] = {}
        if analysis is not None:
            for each in analysis.findings:
                found.setdefault(self.uri(analysis.path(each.span.file)), []).append(each)
            self._told[uri] = (analysis, found)
        return {changed: self._all(changed) for changed in dict.fromkeys((uri, *before, *found))}

    def _all(self, uri: str) -> list[Diagnostic]:
        return list(dict.fromkeys(each for _, found in self._told.values() for each in found.get(uri, ())))


def analyse(path: str, text: str, version: int, texts: Mapping[str, bytes]) -> Analysis:
    """Compile one text, with the open texts in place of their files. A text that is not ours has no findings."""
    folder = os.getcwd()
    if not is_ours(path, text):
        return Analysis(version, path, (), {}, folder)
    result = compile_file(path, checks_only=True, texts={**texts, path: _encoded(text)})
    return Analysis(version, result.file, result.diagnostics, result.sources, folder)


def is_ours(path: str, text: str) -> bool:
    """Whether a file is a document of adk-decl, by its name or by its first lines."""
    return bool(_OURS_BY_NAME.search(path) or _OURS_BY_CONTENT.search(text, 0, _HEAD_CHARACTERS))


def path_of(uri: str) -> str | None:
    """The absolute path that a `file:` URI names, or None."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not os.path.isabs(path) or "\0" in path:
        return None
    return os.path.normpath(path)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
