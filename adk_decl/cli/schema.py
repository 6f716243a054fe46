"""`adk-decl schema`: the JSON Schemas, for editors."""

from __future__ import annotations

import click

from adk_decl.cli.output import emit
from adk_decl.data_files import data_names, read_data

_FOLDER = "schemas"
_ENDING = ".schema.json"


@click.command("schema")
@click.argument("kind", default="manifest")
def command(*, kind: str) -> int:
    """Print the JSON Schema of a document KIND (manifest by default)."""
    files = schema_files()
    name = files.get(kind.lower())
    if name is None:
        raise click.UsageError(f"there is no schema of kind {kind!r}; there is {', '.join(files)}")
    emit(read_data(f"{_FOLDER}/{name}").decode("utf-8"))
    return 0


def schema_files() -> dict[str, str]:
    """Kind in small letters and file name of every schema; the highest version of each."""
    found = sorted(name for name in data_names(_FOLDER) if name.endswith(_ENDING))
    return {name.split(".")[0]: name for name in found}
