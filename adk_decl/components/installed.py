"""Finds the component data of installed packages, without importing any of them.

A package offers components by an entry point of group `adk_decl.components` whose value is
`top_package:components.json`. The file is found next to the package by `find_spec` of the top package.
"""

from __future__ import annotations

import os
import re
from importlib.metadata import EntryPoint, entry_points

from adk_decl import disk
from adk_decl.components.descriptor import ComponentDescriptor, ComponentProblem
from adk_decl.components.packages import folders_answer, offers, package_folders
from adk_decl.components.reading import read_components
from adk_decl.plan.limits import LIMITS

GROUP = "adk_decl.components"
_LARGEST_FILE_BYTES = LIMITS["components.file_bytes"].default
_VALUE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):([A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*\.json)\Z")


def read_installed() -> tuple[tuple[ComponentDescriptor, ...], tuple[ComponentProblem, ...]]:
    """All components that installed packages offer, and what is wrong with their data.

    A name that two packages offer for one kind belongs to neither.
    """
    disk.note("offers", "", offers())
    found: dict[tuple[str, str], ComponentDescriptor] = {}
    twice: set[tuple[str, str]] = set()
    problems: list[ComponentProblem] = []
    for distribution, point in _points():
        components, reasons = _read(distribution, point)
        problems += [ComponentProblem(distribution=distribution, reason=reason) for reason in reasons]
        for component in components:
            key = (component.kind, component.name)
            if key in found:
                twice.add(key)
                problems.append(_offered_twice(component, found[key]))
            found.setdefault(key, component)
    return tuple(component for key, component in found.items() if key not in twice), tuple(problems)


def _points() -> list[tuple[str, EntryPoint]]:
    points: dict[tuple[str, str], EntryPoint] = {}
    for point in entry_points(group=GROUP):
        points.setdefault((_distribution(point), point.value), point)
    return sorted(((key[0], point) for key, point in points.items()), key=lambda pair: (pair[0], pair[1].value))


def _distribution(point: EntryPoint) -> str:
    name: object = None
    if point.dist is not None and "Name" in point.dist.metadata:
        name = point.dist.metadata["Name"]
    return name if isinstance(name, str) and name else "unnamed"


def _read(distribution: str, point: EntryPoint) -> tuple[tuple[ComponentDescriptor, ...], tuple[str, ...]]:
    match = _VALUE.match(point.value)
    if match is None:
        return (), ("the value of its entry point is not `top_package:FILE.json`",)
    path = _locate(match[1], match[2])
    if path is None:
        return (), ("the file that its entry point names does not exist",)
    try:
        data = disk.read_file_bytes(path, _LARGEST_FILE_BYTES)
    except OSError:
        return (), ("the file that its entry point names can't be read",)
    if len(data) > _LARGEST_FILE_BYTES:
        return (), ("the file that its entry point names is too large",)
    return read_components(data, distribution=distribution, package=match[1])


def _locate(package: str, file: str) -> str | None:
    """The path of a file of a top package."""
    disk.note("package", package, folders_answer(package))
    for folder in package_folders(package):
        path = os.path.join(folder, *file.split("/"))
        if disk.is_file(path):
            return path
    return None


def _offered_twice(component: ComponentDescriptor, other: ComponentDescriptor) -> ComponentProblem:
    return ComponentProblem(
        distribution=component.distribution,
        reason=f"it offers the {component.kind} `{component.name}`, as {other.distribution} does",
    )
