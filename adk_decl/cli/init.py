"""`adk-decl init`: a manifest that is valid and runs."""

from __future__ import annotations

import click

from adk_decl.cli.exit_codes import DONE
from adk_decl.cli.output import emit
from adk_decl.cli.starting import NotStarted, new_files, write_new


@click.command("init")
@click.argument("path", default="")
@click.option("--kind", type=click.Choice(("manifest", "overlay")), default="manifest", help="What to begin.")
@click.option("--toml", is_flag=True, help="Write TOML; YAML by default.")
@click.option("--with-tool", is_flag=True, help="Write a tool too, a Python function in agent_tools.py.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the file and write nothing.")
def command(*, path: str, kind: str, toml: bool, with_tool: bool, to_stdout: bool) -> int:
    """Write a manifest that is valid and runs at once, offline. A file that is there is never overwritten.

    PATH is the file, or a folder for it; by default agent.adk.yaml in the current folder. The schema for editors is
    written to schemas/ beside it, unless it is there.
    """
    if with_tool and kind == "overlay":
        raise click.UsageError("an overlay brings no tool of its own; --with-tool goes with --kind manifest")
    try:
        files = new_files(path, kind="overlay" if kind == "overlay" else "manifest", toml=toml, with_tool=with_tool)
        if to_stdout:
            emit(files[0].content.decode("utf-8"))
            return DONE
        write_new(files)
    except NotStarted as error:
        raise click.UsageError(str(error)) from None
    emit("\n".join(f"wrote {file.path}" for file in files), err=True)
    return DONE
