"""`adk-decl schema`: the JSON Schemas, for editors."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

import click

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.output import emit, wants_color
from adk_decl.data_files import data_names, read_data

_FOLDER = "schemas"
_ENDING = ".schema.json"
_MANIFEST = "manifest"


@click.command("schema")
@click.argument("kind", default=_MANIFEST)
@click.option(
    "--with-plugins",
    "manifest",
    metavar="MANIFEST",
    help="Put the `config` of every component in: built-in, installed, and the project's that MANIFEST uses.",
)
@click.option("--out", metavar="FILE", help="Write to a file, in one step, and print nothing.")
def command(*, kind: str, manifest: str | None, out: str | None) -> int:
    """Print the JSON Schema of a document KIND (manifest by default).

    With --with-plugins an editor completes and checks inside `config` too. No code is executed.
    """
    files = schema_files()
    name = files.get(kind.lower())
    if name is None:
        raise click.UsageError(f"there is no schema of kind {kind!r}; there is {', '.join(files)}")
    if manifest is not None:
        if kind.lower() != _MANIFEST:
            raise click.UsageError(f"--with-plugins is for the schema of kind {_MANIFEST!r}")
        text = _with_components(manifest)
        if text is None:
            return FAILED
    else:
        text = read_data(f"{_FOLDER}/{name}").decode("utf-8")
    if out is None:
        emit(text)
    else:
        _write(out, text)
    return DONE


def schema_files() -> dict[str, str]:
    """Kind in small letters and file name of every schema; the highest version of each."""
    found = sorted(name for name in data_names(_FOLDER) if name.endswith(_ENDING))
    return {name.split(".")[0]: name for name in found}


def _with_components(manifest: str) -> str | None:
    """The schema for one manifest, or None after showing why it can't be read. Its other mistakes don't matter."""
    import json

    from adk_decl.compiler.context import Context
    from adk_decl.diagnostics import text
    from adk_decl.diagnostics.diagnostic import DiagnosticBag
    from adk_decl.editor.component_schema import schema_with_components
    from adk_decl.editor.uses import Components, uses_of, with_layers
    from adk_decl.syntax.read import read_file

    bag = DiagnosticBag()
    context = Context(manifest)
    document = read_file(context.file, shown=context.shown, bag=bag, sources=context.sources)
    if document is None:
        emit(text.render(bag.sorted(), context.sources, color=wants_color(err=True)), err=True)
        return None
    merged = with_layers(document, context)
    schema = schema_with_components(Components(context, merged), uses_of(merged))
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _write(path: str, text: str) -> None:
    """Write a whole file or leave the old one; an editor may read it at any moment."""
    temporary = None
    try:
        folder = os.path.dirname(os.path.abspath(path))
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, delete=False) as file:
            temporary = file.name
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise click.ClickException(f"{path!r} can't be written") from None
