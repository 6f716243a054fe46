"""A command that could not do its work: what is said, where, and with which exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DEFECT, FAILED
from adk_decl.errors import AdkDeclError, PluginHalted
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record


class Failure(Record):
    """Why a command ends: exit code, symbolic code, the text for people and the facts for programs."""

    exit_code: int
    code: str
    text: str
    message: str = ""
    facts: FrozenMap[Any] = EMPTY_MAP


def json_wanted(arguments: Sequence[str]) -> bool:
    """Whether these arguments ask for JSON on stdout, even if they are not valid."""
    words = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    pairs = zip(words, [*words[1:], ""], strict=True)
    return any(
        word in ("--json", "--format=json") or (word, following) == ("--format", "json") for word, following in pairs
    )


def of_error(error: AdkDeclError) -> Failure:
    """An error that a command let pass."""
    code = ANSWER_IS_NO if isinstance(error, PluginHalted) else FAILED
    return Failure(
        exit_code=code, code=error.code, text=f"error: {error}", message=str(error), facts=FrozenMap(error.to_dict())
    )


def of_defect(error: BaseException, *, command: str) -> Failure:
    """An error that adk-decl did not foresee; the log file is written here."""
    from adk_decl.cli.defect import report_defect

    line = report_defect(error, command=command)
    return Failure(exit_code=DEFECT, code="internal", text=line, message=line)


def report(failure: Failure, *, as_json: bool) -> int:
    """Say it on stderr, or as one JSON document on stdout, and return the exit code."""
    try:
        if as_json:
            sys.stdout.write(document(failure) + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write(failure.text + "\n")
            sys.stderr.flush()
    except OSError:
        _silence_stdout()
    return failure.exit_code


def document(failure: Failure) -> str:
    """The failure as JSON that fits `schemas/diagnostics.v1.schema.json`."""
    import json

    head = {"format_version": 1, "valid": False, "error_count": 1, "warning_count": 0, "diagnostics": []}
    error = {**failure.facts, "code": failure.code, "message": failure.message or failure.text}
    return json.dumps({**head, "error": error}, default=str)


def _silence_stdout() -> None:
    import os

    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
