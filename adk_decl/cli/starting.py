"""The files of a new manifest: which ones, where, and with what in them. No click here."""

from __future__ import annotations

import os
import re
import shlex
from typing import Literal

from adk_decl.cli.files import MANIFEST_ENDINGS
from adk_decl.data_files import read_data
from adk_decl.plan.record import Record

Kind = Literal["manifest", "overlay"]

_TEMPLATES = "manifests/templates"
_SCHEMA = "manifest.v1.schema.json"
_USUAL_SCHEMA = f"schemas/{_SCHEMA}"
_SCHEMA_PLACES = ("schemas", os.path.join("..", "schemas"))
_TOOLS = "agent_tools.py"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}\Z")


class NotStarted(Exception):
    """Nothing was written; the text says why."""


class NewFile(Record):
    """A file to write, and its content."""

    path: str
    content: bytes


def new_files(path: str, *, kind: Kind, toml: bool, with_tool: bool) -> tuple[NewFile, ...]:
    """The manifest at `path`, which comes first, and the files that it refers to.

    A folder stands for the usual name in it. The schema, for editors, is left out where it is there already. Raises
    `NotStarted` for a path that can't be that of a manifest.
    """
    ending = ".adk.toml" if toml else ".adk.yaml"
    usual = "overlay" if kind == "overlay" else "agent"
    if not path or os.path.isdir(path) or path.endswith(("/", os.sep)):
        path = os.path.join(path, usual + ending)
    elif not path.endswith(MANIFEST_ENDINGS):
        raise NotStarted(f"the name of a manifest ends in {ending}: {path}{ending}")
    elif toml and not path.endswith(ending):
        raise NotStarted("--toml and the ending of the file say different things")
    folder = os.path.dirname(path)
    schema, missing = _schema_place(folder)
    template = "agent_with_tool" if with_tool and kind == "manifest" else usual
    ending = ".adk.toml" if path.endswith(".toml") else ".adk.yaml"
    text = read_data(f"{_TEMPLATES}/{template}{ending}").decode("utf-8")
    found = [NewFile(path=path, content=_filled(text, usual + ending, path, schema).encode("utf-8"))]
    if kind == "manifest":
        if with_tool:
            found.append(NewFile(path=os.path.join(folder, _TOOLS), content=read_data(f"{_TEMPLATES}/{_TOOLS}")))
        if missing:
            found.append(NewFile(path=os.path.join(folder, schema), content=read_data(f"schemas/{_SCHEMA}")))
    return tuple(found)


def write_new(files: tuple[NewFile, ...]) -> None:
    """Write files that are not there yet, and folders for them.

    Raises `NotStarted` when one is there or can't be written; then none of them is left behind.
    """
    there = [file.path for file in files if os.path.lexists(file.path)]
    if there:
        raise NotStarted(f"{there[0]} is there already; nothing was written")
    written: list[str] = []
    try:
        for file in files:
            os.makedirs(os.path.dirname(file.path) or ".", exist_ok=True)
            with open(file.path, "xb") as stream:
                written.append(file.path)
                stream.write(file.content)
    except OSError:
        for path in written:
            os.unlink(path)
        raise NotStarted("the files can't be written here; nothing was written") from None


def _filled(text: str, usual: str, path: str, schema: str) -> str:
    """A template with the name and the place of this manifest in the places of the usual ones."""
    name = re.sub(r"[^A-Za-z0-9_-]", "-", os.path.basename(path).rsplit(".adk.", 1)[0])
    # Only in comments, and there as a word of a shell: whatever the path is, it can't change what the file says.
    shown = shlex.quote(path) if path.isprintable() else usual
    lines = [
        line.replace(_USUAL_SCHEMA, schema.replace(os.sep, "/")).replace(usual, shown) if line[:1] == "#" else line
        for line in text.split("\n")
    ]
    filled = "\n".join(lines)
    for line in ("name: agent\n", 'name = "agent"\n'):
        filled = filled.replace(f"\n{line}", "\n" + line.replace("agent", name if _NAME.match(name) else "agent"))
    return filled


def _schema_place(folder: str) -> tuple[str, bool]:
    """Where the schema is for a manifest in `folder`, relative to it, and whether it has to be written."""
    for place in _SCHEMA_PLACES:
        if os.path.exists(os.path.join(folder, place, _SCHEMA)):
            return os.path.join(place, _SCHEMA), False
    return os.path.join(_SCHEMA_PLACES[0], _SCHEMA), True
