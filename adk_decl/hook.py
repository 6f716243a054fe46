"""The entry of the pre-commit hooks: files in, findings out. No click, to start faster.

python -m adk_decl.hook [--deny-warnings] [--fix] [--no-cache] [--format FORMAT] FILES…
python -m adk_decl.hook --fmt [--check] FILES…
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from adk_decl.cli.checking import FOR_PEOPLE, FORMATS, check, setting_overlays, show
from adk_decl.cli.exit_codes import DONE, FAILED, INTERRUPTED


class Arguments(NamedTuple):
    """What was asked for."""

    files: list[str]
    format_name: str = "text"
    deny_warnings: bool = False
    mends: bool = False
    cached: bool = True


class _Usage(Exception):
    """Arguments that can't be understood."""


def main(argv: Sequence[str] | None = None) -> int:
    """Check the files that pre-commit names and return the exit code; no file is nothing to do."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        return _run(arguments)
    except BrokenPipeError:
        return FAILED
    except (_Usage, KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - the last boundary: nobody sees a traceback
        return _failed(error, arguments)


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--fmt"]:
        return _format(arguments[1:])
    files, format_name, deny_warnings, mends, cached = _parse(arguments)
    if not files:
        return DONE
    if mends:
        from adk_decl.cli.fixing import fix, summary

        fixed = fix(files, overlays=setting_overlays())
        checked = fixed.checked
        said = summary(fixed, written=True)
        sys.stderr.write(f"{said}\n" if said else "")
    else:
        checked = check(files, overlays=setting_overlays(), cached=cached)
    if checked.diagnostics or format_name not in FOR_PEOPLE:
        shown = show(checked, format_name=format_name, deny_warnings=deny_warnings).rstrip("\n")
        sys.stdout.write(f"{shown}\n" if shown else "")
        sys.stdout.flush()
    return checked.exit_code(deny_warnings=deny_warnings)


def _format(arguments: Sequence[str]) -> int:
    """The hook `adk-decl-fmt`. Files that it changes are no failure: pre-commit sees that they changed."""
    from adk_decl.cli.formatting import hook

    try:
        code, said = hook(arguments)
    except ValueError as error:
        raise _Usage(str(error)) from None
    sys.stdout.write(f"{said}\n" if said else "")
    sys.stdout.flush()
    return code


def _failed(error: BaseException, arguments: Sequence[str]) -> int:
    from adk_decl.cli.failures import Failure, document_format, of_defect, report

    if isinstance(error, _Usage):
        failure = Failure(exit_code=FAILED, code="usage", text=f"adk-decl: {error}", message=str(error))
    elif isinstance(error, KeyboardInterrupt):
        failure = Failure(exit_code=INTERRUPTED, code="interrupted", text="adk-decl: interrupted")
    else:
        failure = of_defect(error, command="hook")
    return report(failure, format_name=document_format(arguments))


def _parse(arguments: Sequence[str]) -> Arguments:
    found = Arguments([])
    words = iter(arguments)
    for word in words:
        if word == "--":
            found.files.extend(words)
        elif word == "--deny-warnings":
            found = found._replace(deny_warnings=True)
        elif word == "--fix":
            found = found._replace(mends=True)
        elif word == "--no-cache":
            found = found._replace(cached=False)
        elif word == "--format" or word.startswith("--format="):
            format_name = word.partition("=")[2] or next(words, "")
            if format_name not in FORMATS:
                raise _Usage(f"--format must be one of {', '.join(FORMATS)}")
            found = found._replace(format_name=format_name)
        elif word.startswith("-") and word != "-":
            raise _Usage("the hook knows --deny-warnings, --fix, --no-cache, --format and files")
        else:
            found.files.append(word)
    return found


if __name__ == "__main__":
    sys.exit(main())
