"""`adk-decl lsp`: the language server for editors."""

from __future__ import annotations

import os
import signal
import sys

import click

from adk_decl.cli.exit_codes import DONE, FAILED

_NEEDS = frozenset(("pygls", "lsprotocol", "cattrs", "attrs"))


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Taken for the sake of editors that pass it; there is no other way.")
def command(*, stdio: bool) -> int:
    """Serve an editor over stdin and stdout: findings, fixes, hover, definitions, completion.

    Ends when the editor says so or closes the stream. Runs none of your code, reads no secret, opens no connection.
    """
    try:
        from adk_decl.lsp.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _NEEDS:
            raise
        raise click.ClickException("the language server needs its extra: pip install 'adk-decl[lsp]'") from None
    # Reading stdin can't be interrupted from within, and there is nothing to tidy up: these signals end the process.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    # Nothing but messages may ever stand on stdout, so the protocol gets its own copy of it.
    with os.fdopen(os.dup(sys.stdin.fileno()), "rb") as stdin, os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stdout:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return DONE if serve(stdin, stdout, _report) else FAILED


def _report(error: BaseException) -> str:
    from adk_decl.cli.defect import report_defect

    return report_defect(error, command="lsp")
