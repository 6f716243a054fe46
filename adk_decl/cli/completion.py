"""What a shell offers for the words of a command line. Imported only while a shell asks.

Completion runs at each press of a key, so nothing here compiles a manifest, starts a component or reads a secret.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from adk_decl.cli.files import MANIFEST_ENDINGS

_FOLDERS_DEEP = 8
_MOST = 200

Offer = Callable[[click.Context, str], list[CompletionItem]]


def attach(command: click.Command) -> None:
    """Let the parameters of a command, and of its sub-commands, offer what fits their names."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            attach(inner)
    for parameter in command.params:
        offer = OFFERS.get((command.name or "", parameter.name or "")) or OFFERS.get(("", parameter.name or ""))
        if offer is not None and parameter.type is click.STRING:
            parameter.type = _Offered(offer)


def commands(table: Mapping[str, tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    """The sub-commands, without importing one."""
    return [CompletionItem(name, help=line) for name, (_, line) in table.items() if name.startswith(incomplete)]


def manifests(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Manifests and folders; in place of a single folder, what is in it."""
    found = list(_entries(incomplete))
    for _ in range(_FOLDERS_DEEP):
        if len(found) != 1 or not found[0].endswith("/"):
            break
        inside = list(_entries(found[0]))
        if not inside:
            break
        found = inside
    return [CompletionItem(path) for path in found[:_MOST]]


def runners(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """The runners that the manifest named before states itself; those of its layers are not looked up."""
    path = _manifest_named(context)
    if path is None:
        return []
    from adk_decl.diagnostics.diagnostic import DiagnosticBag
    from adk_decl.syntax.read import read_file

    document = read_file(path, bag=DiagnosticBag())
    stated = document.root.get("runners") if document is not None else None
    return _words(() if stated is None or stated.kind != "map" else stated.keys(), incomplete)


def codes(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Diagnostic codes, with their titles."""
    from adk_decl.diagnostics.codes import CODES

    wanted = incomplete.upper()
    return [CompletionItem(row.code, help=row.title) for row in CODES.values() if row.code.startswith(wanted)]


def schemas(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Kinds of documents that have a schema."""
    from adk_decl.cli.schema import schema_files

    return _words(schema_files(), incomplete)


def components(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Names of components, with what they do."""
    from adk_decl.components.catalogue import all_components

    return [
        CompletionItem(each.name, help=each.summary) for each in all_components() if each.name.startswith(incomplete)
    ]


def _by_the_shell(kind: str) -> Offer:
    return lambda context, incomplete: [CompletionItem(incomplete, type=kind)]


OFFERS: Mapping[tuple[str, str], Offer] = {
    ("", "manifest"): manifests,
    ("", "manifests"): manifests,
    ("", "paths"): manifests,
    ("", "overlays"): manifests,
    ("", "stdin_filename"): manifests,
    ("", "runner"): runners,
    ("", "project_root"): _by_the_shell("dir"),
    ("", "lock_file"): _by_the_shell("file"),
    ("", "out"): _by_the_shell("file"),
    ("init", "path"): _by_the_shell("dir"),
    ("explain", "code"): codes,
    ("schema", "kind"): schemas,
    ("show", "name"): components,
}
"""What is offered for a parameter, by command (empty for every one) and name."""


class _Offered(StringParamType):
    """Text, with something to offer."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self._offer(ctx, incomplete)


def _manifest_named(context: click.Context) -> str | None:
    named = context.params.get("manifest") or context.params.get("manifests")
    words = [named] if isinstance(named, str) else list(named or ())
    # Behind an option that still waits for its value, click leaves the words that it did not assign here.
    return next((word for word in [*words, *context.args] if word.endswith(MANIFEST_ENDINGS)), None)


def _entries(begun: str) -> Iterator[str]:
    """The manifests and folders whose path begins so, folders with a slash at the end, sorted."""
    folder, _, name = begun.rpartition("/")
    prefix = f"{folder}/" if "/" in begun else ""
    try:
        with os.scandir(os.path.expanduser(prefix) or ".") as entries:
            rows = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return
    for entry, is_folder in rows:
        if not entry.startswith(name) or not entry.isprintable() or (entry.startswith(".") and not name):
            continue
        if is_folder and entry != "__pycache__":
            yield f"{prefix}{entry}/"
        elif entry.endswith(MANIFEST_ENDINGS):
            yield prefix + entry


def _words(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete) and word.isprintable()]
