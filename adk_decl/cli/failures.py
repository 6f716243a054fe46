"""A command that could not do its work: what is said, where, and with which exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DEFECT, FAILED
from adk_decl.errors import AdkDeclError, PluginHalted
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record

DOCUMENTS = ("json", "sarif")
"""Formats whose output is one document, whatever happens."""


class Failure(Record):
    """Why a command ends: exit code, symbolic code, the text for people and the facts for programs."""

    exit_code: int
    code: str
    text: str
    message: str = ""
    facts: FrozenMap[Any] = EMPTY_MAP


def document_format(arguments: Sequence[str]) -> str | None:
    """The format, `json` or `sarif`, that these arguments ask for on stdout, even if they are not valid."""
    words = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "--json":
            return "json"
        asked = following if word == "--format" else word.removeprefix("--format=")
        if asked in DOCUMENTS and (word == "--format" or word.startswith("--format=")):
            return asked
    return None


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


def report(failure: Failure, *, format_name: str | None) -> int:
    """Say it on stderr, or in a format of one document on stdout, and return the exit code."""
    try:
        if format_name is not None:
            sys.stdout.write(document(failure, format_name=format_name).rstrip("\n") + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write(failure.text + "\n")
            sys.stderr.flush()
    except OSError:
        _silence_stdout()
    return failure.exit_code


def document(failure: Failure, *, format_name: str = "json") -> str:
    """The failure as JSON that fits `schemas/diagnostics.v1.schema.json`, or as SARIF."""
    message = failure.message or failure.text
    if format_name == "sarif":
        from adk_decl.diagnostics import sarif

        return sarif.failure(message, exit_code=failure.exit_code)
    import json

    head = {"format_version": 1, "valid": False, "error_count": 1, "warning_count": 0, "diagnostics": []}
    error = {**failure.facts, "code": failure.code, "message": message}
    return json.dumps({**head, "error": error}, default=str)


def _silence_stdout() -> None:
    import os

    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
