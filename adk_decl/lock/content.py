"""What a lock file holds: digests of everything that a plan was made from and of the code that it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adk_decl import disk
from adk_decl.components.catalogue import find
from adk_decl.components.descriptor import Kind
from adk_decl.data_files import read_data
from adk_decl.lock.package_code import UNKNOWN, package_digest, version_of
from adk_decl.lock.project_code import ProjectCode
from adk_decl.plan.canonical import canonical_json, digest
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import CodeRef, Plan
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.schema.load import FILES

LOCK_FORMAT = 1
LOCK_ENDING = ".lock.json"
_CODE_PREFIX = "python:"
_SOURCE = ".py"
_LARGEST_BYTES = LIMITS["read.manifest_bytes"].maximum

Content = dict[str, Any]


class Lock(Record):
    """What a lock file says: its `content`, as plain data, and for each file of the project's code who runs it."""

    content: Content
    users: FrozenMap[tuple[str, ...]]

    def text(self) -> str:
        """The text of the file: sorted, indented, one line an entry, so that a change is a small difference."""
        return json.dumps(self.content, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def lock_path(plan: Plan) -> str:
    """Where the lock of a plan stands unless another place is named: `<name>.lock.json` beside its manifest."""
    return os.path.join(os.path.dirname(plan.manifest_file), plan.name + LOCK_ENDING)


def make_lock(plan: Plan, sources: Iterable[str]) -> Lock:
    """What the lock of a plan says now. `sources` are the files that its compile read, as `CompileResult` names them.

    Reads these files and the code; imports and runs nothing of it.
    """
    components, code, users = _components(plan)
    content = {
        "lock_format": LOCK_FORMAT,
        "manifest": _from_root(plan, plan.manifest_file),
        "plan": plan.digest,
        "schema": digest(read_data(f"schemas/{FILES['Manifest']}")),
        "files": _files(plan, sources),
        "code": code,
        "components": components,
    }
    return Lock(content=content, users=FrozenMap({path: tuple(names) for path, names in users.items()}))


def _files(plan: Plan, sources: Iterable[str]) -> dict[str, str]:
    """The layers and every other text that the plan was made from; code has its own place."""
    paths = [*plan.layers, *(os.path.abspath(name) for name in sources if not name.endswith(_SOURCE))]
    return {_from_root(plan, path): _digest_of(path) for path in dict.fromkeys(paths)}


def _digest_of(path: str) -> str:
    try:
        return digest(disk.read_file_bytes(path, _LARGEST_BYTES))
    except OSError:
        return UNKNOWN


def _components(plan: Plan) -> tuple[dict[str, dict[str, Content]], dict[str, str], dict[str, list[str]]]:
    """Every component by kind and `use`; every file of project code; and who runs each of these."""
    reader = ProjectCode(plan.code_roots, inside=plan.project_root)
    packages: dict[str, str] = {}
    found: dict[str, dict[str, Content]] = {}
    code: dict[str, str] = {}
    users: dict[str, list[str]] = {}
    for kind, use, reference in _uses(plan):
        entries = found.setdefault(kind, {})
        if use in entries:
            continue
        if reference is None or not use.startswith(_CODE_PREFIX):
            entries[use] = _of_package(kind, use, packages)
            continue
        files = {_from_root(plan, path): value for path, value in reader.digests(reference.module).items()}
        entries[use] = {"code": digest(canonical_json(files))}
        code |= files
        for path in files:
            users.setdefault(path, []).append(f"{kind} {use}")
    return found, code, users


def _uses(plan: Plan) -> Iterator[tuple[str, str, CodeRef | None]]:
    """Kind, `use` and place of the code of everything in a plan that has code."""
    for model in plan.models.values():
        yield "model", model.use, None
    for tool in plan.tools.values():
        yield "tool", f"{_CODE_PREFIX}{tool.code.module}:{tool.code.attribute}", tool.code
    for agent in plan.agents.values():
        yield from (("plugin", plugin.use, plugin.code) for plugin in agent.plugins)
        yield from (("callback", callback.use, callback.code) for callback in agent.callbacks.values())
    for runner in plan.runners.values():
        yield from (("plugin", plugin.use, plugin.code) for plugin in runner.plugins)
        yield "session_store", runner.session_store.use, None


def _of_package(kind: str, use: str, packages: dict[str, str]) -> Content:
    component = find(_catalogued(kind), use)
    assert component is not None, "a plan names only components that exist"
    package = component.entry.partition(":")[0].partition(".")[0]
    if package not in packages:
        packages[package] = package_digest(package)
    distribution = component.distribution
    return {"distribution": distribution, "version": version_of(distribution), "code": packages[package]}


def _catalogued(kind: str) -> Kind:
    kinds: Mapping[str, Kind] = {"model": "model", "plugin": "plugin", "session_store": "session_store"}
    return kinds[kind]


def _from_root(plan: Plan, path: str) -> str:
    return os.path.relpath(path, plan.project_root).replace(os.sep, "/")
