"""The command `adk-decl`: finds the sub-command, and turns whatever happens into an exit code.

A sub-command is imported only when it is called, so that `--help` and `validate` stay fast. A command module has
an attribute `command`; what it returns is the exit code.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from adk_decl.cli.exit_codes import DONE, FAILED, INTERRUPTED, TERMINATED
from adk_decl.cli.failures import Failure, document_format, of_defect, of_error, report
from adk_decl.errors import AdkDeclError
from adk_decl.version import VERSION

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: dict[str, tuple[str, str]] = {
    "validate": ("adk_decl.cli.validate", "All findings of all manifests."),
    "plan": ("adk_decl.cli.plan", "What a manifest will run, phase by phase."),
    "graph": ("adk_decl.cli.graph", "A picture of what a manifest will run."),
    "config": ("adk_decl.cli.config", "The resolved manifest, and where each value came from."),
    "env": ("adk_decl.cli.env", "Environment variables and secrets that a manifest needs."),
    "lock": ("adk_decl.cli.lock", "Write down what a manifest is made of, or check it."),
    "run": ("adk_decl.cli.run", "Run an agent under its plan."),
    "init": ("adk_decl.cli.init", "Write a manifest that is valid and runs."),
    "fmt": ("adk_decl.cli.fmt", "Write files in canonical layout; comments stay."),
    "migrate": ("adk_decl.cli.migrate", "Older versions and foreign spellings to ours."),
    "doctor": ("adk_decl.cli.doctor", "Whether a runner can run on this machine, and what is missing."),
    "explain": ("adk_decl.cli.explain", "The page of a diagnostic code."),
    "schema": ("adk_decl.cli.schema", "The JSON Schema of a document kind."),
    "lsp": ("adk_decl.cli.lsp", "Findings, fixes and completion in an editor."),
    "components": ("adk_decl.cli.components", "What a manifest can use, and what is not there yet."),
}
"""Every sub-command: its module and its line in `--help`."""


class LazyGroup(click.Group):
    """A group whose commands are modules, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        if ctx.resilient_parsing:
            from adk_decl.cli.completion import attach

            attach(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What a shell offers for the first word: commands from the table alone, and options."""
        from adk_decl.cli.completion import commands

        return [*commands(COMMANDS, incomplete), *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands for `--help`, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest name for an unknown one."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS and not ctx.resilient_parsing:
            from adk_decl.diagnostics.suggest import nearest

            near = nearest(args[0], COMMANDS)
            ctx.fail(f"there is no command {args[0]!r}" + (f"; did you mean {near!r}?" if near else ""))
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"adk-decl {VERSION}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="The version.")
def cli() -> None:
    """Declare how agents run: check manifests, show their plan, run agents under it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no exception but `SystemExit` leaves this function."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminated)
    result = _run(arguments)
    if isinstance(result, int):
        return result
    return report(result, format_name=document_format(arguments))


def _run(arguments: list[str]) -> int | Failure:
    command = next((word for word in arguments if word in COMMANDS), "adk-decl")
    try:
        code = cli.main(arguments, prog_name="adk-decl", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.format_message(), err=True)
        return FAILED
    except (click.Abort, KeyboardInterrupt):
        return Failure(exit_code=INTERRUPTED, code="interrupted", text="adk-decl: interrupted")
    except click.ClickException as error:
        return _usage(error)
    except AdkDeclError as error:
        return of_error(error)
    except Exception as error:  # noqa: BLE001 - the last boundary: nobody ever sees a traceback
        return of_defect(error, command=command)
    return code if isinstance(code, int) else DONE


def _usage(error: click.ClickException) -> Failure:
    context = error.ctx if isinstance(error, click.UsageError) else None
    usage = context.get_usage() + "\n" if context is not None else ""
    return Failure(
        exit_code=FAILED, code="usage", text=f"{usage}error: {error.format_message()}", message=error.format_message()
    )


def _terminated(signal_number: int, frame: object) -> NoReturn:
    raise SystemExit(TERMINATED)


if __name__ == "__main__":
    sys.exit(main())
