"""A file to a `Document`. Everything that is wrong with it becomes a finding; nothing is raised."""

from __future__ import annotations

import errno
import os
from collections.abc import MutableMapping
from typing import Literal

from adk_decl import disk
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.preflight import decode, text_to_show
from adk_decl.syntax.profile import MANIFEST, Profile
from adk_decl.syntax.reporter import Reporter, Unreadable

Format = Literal["yaml", "toml", "json"]

_FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}
_REASONS = {
    errno.EISDIR: "it is a folder",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "a part of its path is no folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "its path is a loop of links",
    errno.ENAMETOOLONG: "its name is too long",
}


def format_of(path: str) -> Format | None:
    """The format that the ending of a file name stands for, or None."""
    return _FORMATS.get(os.path.splitext(path)[1].lower())


def read_file(
    path: str,
    *,
    bag: DiagnosticBag,
    shown: str | None = None,
    sources: MutableMapping[str, str] | None = None,
    profile: Profile = MANIFEST,
    data: bytes | None = None,
) -> Document | None:
    """Read and parse a file; its format is that of its ending. With `data`, that is its content, not the disk's.

    Findings go into `bag` under the name `shown` (by default `path`), the text into `sources` under the same
    name, also when the file can't be parsed, so that snippets can be shown. None when the file can't be opened
    (ADK020), has an unknown ending (ADK021) or can't be read as its format.
    """
    name = shown if shown is not None else path
    reporter = Reporter(name, most=profile.findings)
    document = None
    try:
        kind = _require_format(path, reporter)
        if data is None:
            data = _bytes_of(path, reporter, profile.max_bytes)
        document = read_bytes(data, file=name, format=kind, bag=bag, sources=sources, profile=profile)
    except Unreadable:
        reporter.hand_over(bag)
    return document


def read_bytes(
    data: bytes,
    *,
    file: str,
    format: Format,  # noqa: A002
    bag: DiagnosticBag,
    sources: MutableMapping[str, str] | None = None,
    profile: Profile = MANIFEST,
    pure: bool = False,
) -> Document | None:
    """Parse the bytes of a file; `file` is its name in findings, the rest as for `read_file`.

    `pure` keeps YAML away from the C parser; both give the same document and the same findings.
    """
    reporter = Reporter(file, most=profile.findings)
    if sources is not None:
        sources[file] = text_to_show(data[: profile.max_bytes])
    document = _document(data, file, format, reporter, profile, pure=pure)
    if reporter.found:
        # Imported only for a file with findings.
        from adk_decl.syntax.masking import masked

        for finding in masked(reporter.found, text_to_show(data[: profile.max_bytes])):
            bag.add(finding)
    return document


def _document(
    data: bytes,
    file: str,
    format: Format,  # noqa: A002
    reporter: Reporter,
    profile: Profile,
    *,
    pure: bool,
) -> Document | None:
    try:
        text = decode(data, reporter, profile)
        root = _parse(text, format, reporter, profile, pure=pure)
        return Document(file=file, text=text, format=format, root=root)
    except Unreadable:
        return None


def _parse(text: str, format: Format, reporter: Reporter, profile: Profile, *, pure: bool) -> Node:  # noqa: A002
    # Each reader is imported when the first file of its format is read: ruamel.yaml and tomllib cost start-up time.
    if format == "yaml":
        from adk_decl.syntax.yaml_reader import read_yaml

        return read_yaml(text, reporter, profile, pure=pure)
    if format == "toml":
        from adk_decl.syntax.toml_reader import read_toml

        return read_toml(text, reporter, profile)
    from adk_decl.syntax.json_reader import read_json

    return read_json(text, reporter, profile)


def _require_format(path: str, reporter: Reporter) -> Format:
    kind = format_of(path)
    if kind is not None:
        return kind
    ending = os.path.splitext(path)[1]
    what = f"the ending {quote(ending)}" if ending else "a name without an ending"
    raise reporter.refuse(
        "ADK021",
        (1, 1, 1, 1),
        f"{what} says neither YAML, TOML nor JSON",
        help="name the file `.yaml`, `.yml`, `.toml` or `.json`",
    )


def _bytes_of(path: str, reporter: Reporter, most: int) -> bytes:
    try:
        return disk.read_file_bytes(path, most)
    except disk.NotAFile:
        reason = "it is no regular file"
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, "it can't be opened")
    raise _not_opened(reason, reporter)


def _not_opened(reason: str, reporter: Reporter) -> Unreadable:
    return reporter.refuse("ADK020", (1, 1, 1, 1), f"the file can't be read: {reason}", help="check the path")
