"""What the compile side asks the file system, all in one place, so that a compile can say what it depended on.

Every question is one of the functions here. While a `Recorder` is open in this thread, each question is kept with
its answer; asked again later, the same answers mean that the same compile would see the same world. Standard library
only, and light: a warm `validate` imports it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token

try:  # hashlib also loads OpenSSL, which takes longer than everything else here
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - an interpreter without the builtin module
    from hashlib import blake2b

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DIGEST_BYTES = 20
_LARGEST_BYTES = 16 * 1024 * 1024
_PART_BYTES = 1024 * 1024
_UNREADABLE = "unreadable"


class NotAFile(OSError):
    """The path is there and is neither a file nor a folder: a pipe, a device, a socket."""


class Recorder:
    """Keeps every question and its answer while it is open: `answers[kind, name]`.

    `complete` turns False when something was looked at that can't be asked again, or when one question got two
    answers, because a file changed meanwhile.
    """

    __slots__ = ("_token", "answers", "complete")

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], str] = {}
        self.complete = True
        self._token: Token[Recorder | None] | None = None

    def __enter__(self) -> Recorder:
        self._token = _recorder.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        _recorder.reset(self._token)

    def note(self, kind: str, name: str, answer: str) -> None:
        """Keep one answer."""
        if self.answers.setdefault((kind, name), answer) != answer:
            self.complete = False


_recorder: ContextVar[Recorder | None] = ContextVar("adk_decl_disk_recorder", default=None)


def read_file_bytes(path: str, most: int) -> bytes:
    """At most `most` + 1 bytes of a regular file; a pipe or a device is never waited for.

    Raises `IsADirectoryError`, `NotAFile` or another `OSError`, also for a path that can't be one.
    """
    recorder = _recorder.get()
    try:
        data = plain_bytes(path, most)
    except OSError:
        if recorder is not None:
            recorder.note("read", path, _UNREADABLE)
        raise
    if recorder is not None:
        recorder.note("read", path, digest(data))
        recorder.complete &= len(data) <= most
    return data


def is_file(path: str) -> bool:
    """Whether a regular file is there, links followed."""
    return _ask("file", path) == "yes"


def is_folder(path: str) -> bool:
    """Whether a folder is there, links followed."""
    return _ask("folder", path) == "yes"


def exists(path: str) -> bool:
    """Whether anything is there, links followed."""
    return _ask("exists", path) == "yes"


def real_path(path: str) -> str:
    """The path with every symbolic link followed. Raises `OSError`, or `ValueError` for a path that can't be one."""
    return _ask("real", path)


def entries(path: str, most: int) -> tuple[tuple[str, bool], ...]:
    """Up to `most` names in a folder, and whether each is a folder; none when it can't be listed.

    Only findings ask this, so the answer is not kept: the compile does not count as complete.
    """
    recorder = _recorder.get()
    if recorder is not None:
        recorder.complete = False
    try:
        with os.scandir(path) as found:
            return tuple((entry.name, entry.is_dir()) for entry, _ in zip(found, range(most), strict=False))
    except (OSError, ValueError):
        return ()


def note(kind: str, name: str, answer: str) -> None:
    """Keep the answer to a question that is asked elsewhere, if a recorder is open."""
    recorder = _recorder.get()
    if recorder is not None:
        recorder.note(kind, name, answer)


def replay(earlier: Recorder) -> None:
    """Keep what another recorder kept: for answers that are remembered in the process and used again."""
    recorder = _recorder.get()
    if recorder is not None and recorder is not earlier:
        for (kind, name), answer in earlier.answers.items():
            recorder.note(kind, name, answer)
        recorder.complete &= earlier.complete


def digest(data: bytes) -> str:
    """A digest of a content, as text."""
    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def plain_bytes(path: str, most: int) -> bytes:
    """What `read_file_bytes` gives, and nothing is kept of it."""
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except ValueError:
        raise OSError(errno.EINVAL, "no path") from None
    try:
        facts = os.fstat(descriptor)
        if stat.S_ISDIR(facts.st_mode):
            raise IsADirectoryError(errno.EISDIR, "a folder")
        if not stat.S_ISREG(facts.st_mode):
            raise NotAFile(errno.EINVAL, "no regular file")
        parts = [os.read(descriptor, min(most, facts.st_size) + 1)]
        while parts[-1] and (left := most + 1 - sum(map(len, parts))) > 0:
            parts.append(os.read(descriptor, min(left, _PART_BYTES)))
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _ask(kind: str, name: str) -> str:
    answer = QUESTIONS[kind](name)
    recorder = _recorder.get()
    if recorder is not None:
        recorder.note(kind, name, answer)
    return answer


def _content(path: str) -> str:
    try:
        return digest(plain_bytes(path, _LARGEST_BYTES))
    except OSError:
        return _UNREADABLE


QUESTIONS: Mapping[str, Callable[[str], str]] = {
    "read": _content,
    "file": lambda path: "yes" if os.path.isfile(path) else "no",
    "folder": lambda path: "yes" if os.path.isdir(path) else "no",
    "exists": lambda path: "yes" if os.path.exists(path) else "no",
    "real": os.path.realpath,
}
"""Each kind of question, and how it is asked."""
