"""The entry of the pre-commit hook `adk-decl-validate`: files in, findings out. No click, to start faster.

python -m adk_decl.hook [--deny-warnings] [--format text|concise|json] FILES…
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from adk_decl.cli.checking import FORMATS, check, show
from adk_decl.cli.exit_codes import DONE, FAILED, INTERRUPTED


class _Usage(Exception):
    """Arguments that can't be understood."""


def main(argv: Sequence[str] | None = None) -> int:
    """Check the files that pre-commit names and return the exit code; no file is nothing to do."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except _Usage as error:
        sys.stderr.write(f"adk-decl: {error}\n")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last boundary: nobody ever sees a traceback
        from adk_decl.cli.failures import of_defect, report

        return report(of_defect(error, command="hook"), as_json=False)


def _run(arguments: Sequence[str]) -> int:
    files, format_name, deny_warnings = _parse(arguments)
    if not files:
        return DONE
    checked = check(files)
    if checked.diagnostics or format_name == "json":
        sys.stdout.write(show(checked, format_name=format_name).rstrip("\n") + "\n")
        sys.stdout.flush()
    return checked.exit_code(deny_warnings=deny_warnings)


def _parse(arguments: Sequence[str]) -> tuple[list[str], str, bool]:
    files: list[str] = []
    format_name, deny_warnings = "text", False
    words = iter(arguments)
    for word in words:
        if word == "--":
            files += words
        elif word == "--deny-warnings":
            deny_warnings = True
        elif word == "--format" or word.startswith("--format="):
            format_name = word.partition("=")[2] or next(words, "")
            if format_name not in FORMATS:
                raise _Usage(f"--format must be one of {', '.join(FORMATS)}")
        elif word.startswith("-") and word != "-":
            raise _Usage("the hook knows --deny-warnings, --format and files")
        else:
            files.append(word)
    return files, format_name, deny_warnings


if __name__ == "__main__":
    sys.exit(main())
