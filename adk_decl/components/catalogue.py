"""The catalogue of components: the built-in ones, and those of installed packages when they are needed.

Reading it never imports component code. Installed packages are looked up only for a name that is not built in,
because finding them costs more than a whole validation.
"""

from __future__ import annotations

from typing import Final

from adk_decl import disk
from adk_decl.components.descriptor import OWN_DISTRIBUTION, ComponentDescriptor, ComponentProblem, Kind
from adk_decl.components.reading import read_components
from adk_decl.data_files import read_package_file

BUILTIN_FILES: Final = ("adk_decl/components/builtin.json", "plugins_builtin/components.json")

_Table = dict[tuple[str, str], ComponentDescriptor]
_builtin: _Table | None = None
_installed: tuple[_Table, tuple[ComponentProblem, ...]] | None = None
_looked_at = disk.Recorder()


def find(kind: Kind, name: str) -> ComponentDescriptor | None:
    """The component of that kind and name, or None. A built-in one wins over an installed one."""
    return _builtins().get((kind, name)) or _from_packages()[0].get((kind, name))


def names(kind: Kind) -> tuple[str, ...]:
    """The names of all components of one kind, sorted; installed packages included."""
    return tuple(sorted(name for of, name in {**_from_packages()[0], **_builtins()} if of == kind))


def all_components() -> tuple[ComponentDescriptor, ...]:
    """Every component, the built-in ones first."""
    return (*_builtins().values(), *_from_packages()[0].values())


def problems() -> tuple[ComponentProblem, ...]:
    """What is wrong with the component data of installed packages."""
    return _from_packages()[1]


def forget() -> None:
    """Read everything anew at the next use, for a process whose packages or `sys.path` have changed."""
    global _builtin, _installed
    _builtin = None
    _installed = None


def _builtins() -> _Table:
    global _builtin
    if _builtin is None:
        table: _Table = {}
        for name in BUILTIN_FILES:
            components, wrong = read_components(read_package_file(name), distribution=OWN_DISTRIBUTION)
            assert not wrong, f"{name}: {wrong[0]}"
            table.update({(component.kind, component.name): component for component in components})
        _builtin = table
    return _builtin


def _from_packages() -> tuple[_Table, tuple[ComponentProblem, ...]]:
    global _installed, _looked_at
    if _installed is None:
        from adk_decl.components.installed import read_installed

        with disk.Recorder() as _looked_at:
            components, found = read_installed()
        hidden = [component for component in components if (component.kind, component.name) in _builtins()]
        found += tuple(
            ComponentProblem(
                distribution=component.distribution,
                reason=f"it offers the {component.kind} `{component.name}`, which is built in",
            )
            for component in hidden
        )
        table: _Table = {(c.kind, c.name): c for c in components if c not in hidden}
        _installed = (table, found)
    disk.replay(_looked_at)
    return _installed
