"""The process and the machine: settings with their origin, Python, platform, packages and extras."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, metadata, version

from adk_decl.doctor.check import Check
from adk_decl.plan.record import FrozenMap
from adk_decl.plan.settings_table import PREFIX, SETTINGS, cache_folder, read_setting, state_folder
from adk_decl.version import VERSION

_DISTRIBUTION = "adk-decl"
_FOR_DEVELOPERS = frozenset({"test", "bench", "docs"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


def check_settings(environment: Mapping[str, str]) -> Iterator[Check]:
    """Every process setting, its value and where it comes from. A value that is not valid is not shown."""
    for name in SETTINGS:
        variable = PREFIX + name.upper()
        origin = f"environment {variable}" if environment.get(variable) else "default"
        try:
            value = _effective(name, environment)
        except ValueError as error:
            yield Check(
                group="settings",
                name=name,
                status="fail",
                summary=str(error),
                facts=FrozenMap({"origin": origin}),
                mend=f"set {variable} to a value that fits, or unset it",
            )
            continue
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        facts = FrozenMap({"value": value, "origin": origin})
        yield Check(group="settings", name=name, status="ok", summary=f"{shown} ({origin})", facts=facts)


def check_machine() -> Iterator[Check]:
    """Python, platform, packages and extras."""
    python = {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
    }
    system = {"system": platform.system(), "release": platform.release(), "machine": platform.machine()}
    cpus = os.cpu_count()
    yield _ok("python", f"{python['implementation']} {python['version']}", python)
    yield _ok("system", " ".join(system.values()), {**system, "cpus": cpus})
    yield from _packages()


def _effective(name: str, environment: Mapping[str, str]) -> str | bool | int | None:
    value = read_setting(name, environment)
    if name == "state_dir":
        return state_folder(environment)
    return cache_folder(environment) or "off" if name == "cache" else value


def _packages() -> Iterator[Check]:
    try:
        needs = metadata(_DISTRIBUTION).get_all("Requires-Dist") or []
    except PackageNotFoundError:
        yield _ok("packages", f"adk-decl {VERSION}, not installed as a package", {_DISTRIBUTION: VERSION})
        return
    versions: dict[str, str | None] = {_DISTRIBUTION: VERSION}
    extras: dict[str, list[str]] = {}
    for need in needs:
        match, extra_of = _NAME.match(need), _EXTRA.search(need)
        if match is not None and extra_of is not None:
            extras.setdefault(extra_of[1], []).append(match[0])
        elif match is not None:
            versions[match[0]] = _version(match[0])
    missing = [name for name, found in versions.items() if found is None]
    yield Check(
        group="machine",
        name="packages",
        status="fail" if missing else "ok",
        summary=f"missing: {', '.join(missing)}"
        if missing
        else ", ".join(f"{name} {found}" for name, found in versions.items()),
        facts=FrozenMap(versions),
        mend=f"pip install {_DISTRIBUTION}" if missing else None,
    )
    for extra, names in extras.items():
        if extra not in _FOR_DEVELOPERS:
            yield _extra(extra, {name: _version(name) for name in names})


def _extra(extra: str, found: Mapping[str, str | None]) -> Check:
    present = all(found.values())
    return Check(
        group="machine",
        name=f"extra {extra}",
        status="ok" if present else "skipped",
        summary=", ".join(f"{name} {number}" for name, number in found.items()) if present else "not installed",
        facts=FrozenMap(found),
        mend=None if present else f"if it is needed: pip install '{_DISTRIBUTION}[{extra}]'",
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _ok(name: str, summary: str, facts: Mapping[str, object]) -> Check:
    return Check(group="machine", name=name, status="ok", summary=summary, facts=FrozenMap(facts))
