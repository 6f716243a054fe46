"""Whether what is there is what was locked: each drift is a finding with its place in the lock file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.compiler.finding import finding
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Span
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.lock.content import Lock
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import load_shape
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.read import read_file

_AGAIN = "if that is wanted, run `adk-decl lock` and commit the file"


class LockCheck(Record):
    """What a check found out. `comparable` says whether there is a lock file that could be read and compared."""

    comparable: bool
    diagnostics: tuple[Diagnostic, ...]
    sources: FrozenMap[str]


def check_lock(path: str, lock: Lock, *, shown: str) -> LockCheck:
    """Compare the lock file at `path` with what it would say now. `shown` is its name in findings.

    Findings: ADK601 to ADK607, and those of reading and of shape for a file that is not a lock file. A lock file that
    is not there can be compared: everything about it is missing.
    """
    bag, sources = DiagnosticBag(), dict[str, str]()
    if not os.path.lexists(path):
        bag.add(_missing(shown))
        return LockCheck(comparable=True, diagnostics=bag.sorted(), sources=FrozenMap(sources))
    document = read_file(path, shown=shown, bag=bag, sources=sources)
    if document is not None and not bag.has_errors:
        evaluate(load_shape("Lock"), document.root, file=shown, bag=bag)
    comparable = document is not None and not bag.has_errors
    if document is not None and comparable:
        for each in _Drift(document, lock).findings():
            bag.add(each)
    return LockCheck(comparable=comparable, diagnostics=bag.sorted(), sources=FrozenMap(sources))


def locked_manifest(path: str) -> str | None:
    """The manifest that an existing lock file is of; None when there is none that can be read."""
    document = read_file(path, bag=DiagnosticBag()) if os.path.lexists(path) else None
    found = document.root.get("manifest") if document is not None and document.root.kind == "map" else None
    return found.value if found is not None and isinstance(found.value, str) else None


def other_manifest(shown: str, locked: str, own: str, span: Span | None = None) -> Diagnostic:
    """ADK602: the lock file belongs to another manifest."""
    return finding(
        "ADK602",
        f"this lock file is of {quote(locked)}, and the manifest is {quote(own)}",
        span or Span(file=shown, line=1, column=1, end_line=1, end_column=1),
        path=("manifest",),
        label="another manifest",
        help="give one of the manifests another `name`, or name a file with `--lock-file`",
    )


def _missing(shown: str) -> Diagnostic:
    return finding(
        "ADK601",
        f"there is no lock file {quote(shown)}",
        Span(file=shown, line=1, column=1, end_line=1, end_column=1),
        help="`adk-decl lock MANIFEST` writes it",
    )


class _Drift:
    """One lock file and what it would say now."""

    def __init__(self, document: Document, lock: Lock) -> None:
        self._file = document.file
        self._root = document.root
        self._now = lock.content
        self._users = lock.users

    def findings(self) -> Iterator[Diagnostic]:
        locked = self._value(self._root, "manifest")
        if locked != self._now["manifest"]:
            yield other_manifest(self._file, str(locked), self._now["manifest"], self._span(self._root, "manifest"))
            return
        yield from self._plan_and_schema()
        yield from self._files()
        yield from self._components()

    def _plan_and_schema(self) -> Iterator[Diagnostic]:
        if self._value(self._root, "plan") != self._now["plan"]:
            yield self._found(
                "ADK605", "the plan is not the one that was locked", self._root, "plan", label="another plan",
                help_text=f"`adk-decl plan OLD NEW` shows what changed; {_AGAIN}",
            )  # fmt: skip
        if self._value(self._root, "schema") != self._now["schema"]:
            yield self._found(
                "ADK604", "the schema of manifests is not the one that was locked", self._root, "schema",
                label="another schema", help_text=f"adk-decl itself has another version; {_AGAIN}",
            )  # fmt: skip

    def _files(self) -> Iterator[Diagnostic]:
        for key, code in (("files", "ADK603"), ("code", "ADK607")):
            place = self._root.get(key)
            assert place is not None
            for name, what in _changes(_plain(place), self._now[key]):
                users = self._users.get(name, ()) if key == "code" else ()
                notes = (f"it is run by {listed(users)}",) if users else ()
                kind = "file" if key == "files" else "code file"
                yield self._found(code, f"{kind} {quote(name)} {what}", place, name, label=what, notes=notes)

    def _components(self) -> Iterator[Diagnostic]:
        kinds = self._root.get("components")
        assert kinds is not None
        same_code = _plain(self._root.get("code")) == self._now["code"]
        upgraded: dict[tuple[str, str, str], list[tuple[Node, str]]] = {}
        for kind in sorted({*kinds.keys(), *self._now["components"]}):
            group, now = kinds.get(kind), self._now["components"].get(kind, {})
            locked = _plain(group) if group is not None else {}
            for use in sorted({*locked, *now}):
                name = f"{kind} {quote(use)}"
                if use not in locked or use not in now:
                    what = "was not locked" if use in now else "is locked and not used any more"
                    node, key = (group, use) if group is not None else (self._root, "components")
                    yield self._found("ADK606", f"{name} {what}", node, key, label=what)
                    continue
                change = _first_change(locked[use], now[use])
                if change is not None and ("distribution" in now[use] or same_code):
                    upgraded.setdefault(change, []).append((_entry(group, use), name))
        for change, places in upgraded.items():
            yield self._upgraded(*change, places)

    def _upgraded(self, key: str, old: str, new: str, places: list[tuple[Node, str]]) -> Diagnostic:
        """One finding for all components that changed in the same way, at the first of them."""
        entry, name = places[0]
        texts = {
            "distribution": f"{name} comes from {quote(new)}, and was locked from {quote(old)}",
            "version": f"{name} has version {quote(new)}, and was locked with {quote(old)}",
            "code": f"the code of {name} is not what was locked",
        }
        notes = (f"the same holds for {listed(what for _, what in places[1:])}",) if len(places) > 1 else ()
        return self._found("ADK606", texts[key], entry, key, label="has changed", notes=notes)

    def _value(self, node: Node, key: str) -> object:
        found = node.get(key)
        return found.value if found is not None else None

    def _span(self, node: Node, key: str) -> Span:
        """The value under a key, its key when it is a map, or the map itself when there is no such key."""
        found = node.get(key)
        if found is None or found.kind != "scalar":
            found = node.key_node(key)
        if found is not None:
            return found.span(self._file)
        return Span(file=self._file, line=node.line, column=node.column, end_line=node.line, end_column=node.column + 1)

    def _found(
        self,
        code: str,
        message: str,
        node: Node,
        key: str,
        *,
        label: str,
        notes: tuple[str, ...] = (),
        help_text: str = _AGAIN,
    ) -> Diagnostic:
        return finding(code, message, self._span(node, key), label=label, notes=notes, help=help_text)


def _changes(locked: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name that differs, and how."""
    for name in sorted({*locked, *now}):
        if name not in now:
            yield name, "is locked and not used any more"
        elif name not in locked:
            yield name, "was not locked"
        elif locked[name] != now[name]:
            yield name, "has changed"


def _first_change(locked: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """What differs first: key, old and new value."""
    for key in ("distribution", "version", "code"):
        old, new = (str(entry.get(key, "the project")) for entry in (locked, now))
        if old != new:
            return key, old, new
    return None


def _plain(node: Node | None) -> dict[str, Any]:
    found = node.to_plain() if node is not None else None
    assert isinstance(found, dict)
    return found


def _entry(group: Node | None, use: str) -> Node:
    found = group.get(use) if group is not None else None
    assert found is not None
    return found
