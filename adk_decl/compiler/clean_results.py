"""Remembers which manifests compiled without a finding, so that `validate` need not compile them again.

A result counts only while everything is as it was: each question that the compile asked the disk gets the answer it
got then, files by a digest of their content, folders and missing files by being looked up again. Modification times
are not trusted: a file may change twice within one tick, and tools set times back. Anything unusual (an entry that
can't be read, a folder of somebody else, a full disk) means that the manifest is compiled; nothing is raised.

`run`, `plan` and `load` never look here. Light: a warm `validate` imports this and not the compiler.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from adk_decl import disk
from adk_decl.data_files import data_names, read_data
from adk_decl.version import VERSION

MOST_ENTRIES = 4096
LARGEST_ENTRY_BYTES = 256 * 1024
"""Bounds of the folder; rows `cache.entries` and `cache.entry_bytes` of the limits repeat them, and a test compares."""

_FOLDER = "validate"
_HEAD = "adk-decl clean result 1"
_ENDING = ".clean"
_UNFINISHED = ".part"
_OWN_CODE = ("", "compiler", "components", "diagnostics", "plan", "schema", "syntax")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_DATA_FILES = (
    os.path.join(_PACKAGE, "components", "builtin.json"),
    os.path.join(os.path.dirname(_PACKAGE), "plugins_builtin", "components.json"),
)
_PARSERS = ("ruamel.yaml", "_ruamel_yaml", "jsonschema", "referencing")


class CleanResults:
    """The clean results in one folder, for one process that looks once at each file; see the module's text.

    `options` are all that was asked for and may change a finding. `folder` need not exist.
    """

    def __init__(self, folder: str, *, options: Sequence[str] = ()) -> None:
        self._folder = os.path.join(folder, _FOLDER)
        self._options = tuple(options)
        self._now = _Answers()
        self._head: tuple[str, str] | None = None
        self._usable: bool | None = None
        self._kept = 0

    def find(self, path: str) -> str | None:
        """The name in findings of a manifest that is known to be clean; None when it has to be compiled."""
        entry = self._entry(path)
        if entry is None or not self._may_use():
            return None
        try:
            data = disk.plain_bytes(entry, LARGEST_ENTRY_BYTES)
        except OSError:
            return None
        parsed = _parse(data)
        if parsed is None:
            return None
        shown, answers = parsed
        return shown if all(self._now.same(*answer) for answer in answers) else None

    def keep(self, path: str, *, shown: str, seen: disk.Recorder) -> None:
        """Remember that a manifest is clean, as long as what was `seen` stays the same."""
        entry = self._entry(path)
        if entry is None or not seen.complete:
            return
        for name, answer in _parser_facts():
            seen.note("stamp", name, answer)
        data = _render(shown, seen.answers)
        if data is not None and self._make_folder() and _write(entry, data):
            self._kept += 1

    def prune(self) -> None:
        """Drop the oldest results beyond the bound, if this process added any."""
        if self._kept:
            _prune(self._folder)
            self._kept = 0

    def _entry(self, path: str) -> str | None:
        """The file that would hold the result for a manifest; None where there is no current folder."""
        if self._head is None:
            self._head = self._state()
        cwd, state = self._head
        if not cwd:
            return None
        file = os.path.normpath(os.path.join(cwd, path))
        return os.path.join(self._folder, disk.digest(_bytes(f"{state}\0{file}")) + _ENDING)

    def _state(self) -> tuple[str, str]:
        """The current folder, and a digest of all but the files that a result depends on."""
        try:
            cwd = os.getcwd()
        except OSError:
            return "", ""
        facts = (VERSION, sys.version, sys.platform, cwd, *sys.path, *self._options, *_own_code())
        return cwd, disk.digest(_bytes("\0".join(facts)))

    def _may_use(self) -> bool:
        """Whether the folder is this user's alone: another's results are not believed."""
        if self._usable is None:
            try:
                facts = os.lstat(self._folder)
            except OSError:
                return False
            folder = facts.st_mode & 0o170000 == 0o040000
            own = not hasattr(os, "geteuid") or (facts.st_uid == os.geteuid() and not facts.st_mode & 0o022)
            self._usable = folder and own
        return self._usable

    def _make_folder(self) -> bool:
        if self._usable is None:
            try:
                os.makedirs(os.path.dirname(self._folder), mode=0o700, exist_ok=True)
                os.mkdir(self._folder, mode=0o700)
            except FileExistsError:
                pass
            except OSError:
                self._usable = False
        return self._may_use()


class _Answers:
    """What the disk says now; each question is asked once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def same(self, kind: str, name: str, answer: str) -> bool:
        """Whether a question gets this answer."""
        key = (kind, name)
        now = self._known.get(key)
        if now is None:
            now = self._known[key] = self._ask(kind, name)
        return now == answer

    def _ask(self, kind: str, name: str) -> str:
        try:
            if kind == "real":
                return self._real(name)
            question = disk.QUESTIONS.get(kind) or _RARE_QUESTIONS.get(kind)
            return "unknown" if question is None else question(name)
        except (OSError, ValueError):
            return "failed"

    def _real(self, path: str) -> str:
        """`os.path.realpath`; the folder of many files is followed once."""
        folder, name = os.path.split(path)
        if not folder or name in ("", os.curdir, os.pardir):
            return os.path.realpath(path)
        key = ("real", folder)
        if key not in self._known:
            self._known[key] = os.path.realpath(folder)
        whole = os.path.join(self._known[key], name)
        try:
            is_link = os.lstat(whole).st_mode & 0o170000 == 0o120000
        except OSError:
            is_link = True
        return os.path.realpath(path) if is_link else whole


def _offers(_: str) -> str:
    from adk_decl.components.packages import offers

    return offers()


def _package(name: str) -> str:
    from adk_decl.components.packages import folders_answer

    return folders_answer(name)


def _stamp(path: str) -> str:
    facts = os.stat(path)
    return f"{facts.st_size}/{facts.st_mtime_ns}"


_RARE_QUESTIONS: Mapping[str, Callable[[str], str]] = {"offers": _offers, "package": _package, "stamp": _stamp}


def _own_code() -> list[str]:
    """The code of adk-decl by names, sizes and times, and its data by content: a new version knows new findings."""
    facts: list[str] = []
    for name in _OWN_CODE:
        with os.scandir(os.path.join(_PACKAGE, name)) as entries:
            files = [entry for entry in entries if entry.name.endswith(".py")]
        for entry in sorted(files, key=lambda found: found.name):
            found = entry.stat()
            facts.append(f"{name}/{entry.name}/{found.st_size}/{found.st_mtime_ns}")
    facts += [disk.digest(read_data(f"schemas/{name}")) for name in data_names("schemas")]
    facts += [disk.QUESTIONS["read"](path) for path in _DATA_FILES]
    return facts


def _parser_facts() -> list[tuple[str, str]]:
    """Which third-party parsers this process has used, by size and time of their files."""
    facts: list[tuple[str, str]] = []
    for name in _PARSERS:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            facts.append((file, _stamp(file)))
    return facts


def _render(shown: str, answers: Mapping[tuple[str, str], str]) -> bytes | None:
    """One line for each answer; None for what has no such form."""
    rows = [("shown", shown, ""), *((kind, name, answer) for (kind, name), answer in answers.items())]
    if any("\t" in text or "\n" in text for row in rows for text in row):
        return None
    body = _bytes("\n".join("\t".join(row) for row in rows))
    data = b"\n".join((_bytes(f"{_HEAD} {disk.digest(body)}"), body))
    return data if len(data) <= LARGEST_ENTRY_BYTES else None


def _parse(data: bytes) -> tuple[str, list[tuple[str, str, str]]] | None:
    """The name in findings and the answers of an entry; None when it is not whole."""
    head, _, body = data.partition(b"\n")
    if head != _bytes(f"{_HEAD} {disk.digest(body)}"):
        return None
    rows: list[tuple[str, str, str]] = []
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        kind, name, answer = line.split("\t")
        rows.append((kind, name, answer))
    return rows[0][1], rows[1:]


def _write(path: str, data: bytes) -> bool:
    """Put a whole file in place, or none."""
    part = f"{path}.{os.getpid()}.{os.urandom(6).hex()}{_UNFINISHED}"
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
    except OSError:
        return False
    return True


def _prune(folder: str) -> None:
    """Keep three quarters of the bound once it is passed; the oldest go, and what a killed process left unfinished."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith((_ENDING, _UNFINISHED))]
        if len(names) <= MOST_ENTRIES:
            return
        aged = sorted((os.stat(os.path.join(folder, name)).st_mtime_ns, name) for name in names)
    except OSError:
        return
    for _, name in aged[: len(aged) - MOST_ENTRIES * 3 // 4]:
        with suppress(OSError):  # another process prunes too
            os.unlink(os.path.join(folder, name))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
