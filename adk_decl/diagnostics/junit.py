"""Findings as JUnit XML, for servers that know nothing else: each file is a test case, and its errors a failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adk_decl.diagnostics import concise
from adk_decl.diagnostics.diagnostic import Diagnostic
from adk_decl.diagnostics.text import by_file
from adk_decl.diagnostics.wording import counted, printable

_SUITE = "adk-decl validate"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = None,
    files: Sequence[str] = (),
    deny_warnings: bool = False,
) -> str:
    """One document with a test case for each file of `files` and each other file that has a finding.

    Warnings stand in the output of their test case, or in its failure under `deny_warnings`. `color` and `limit`
    have no effect. The result is valid XML for any text.
    """
    groups = by_file(tuple(diagnostics))
    names = tuple(dict.fromkeys((*files, *groups)))
    cases = [_case(name, groups.get(name, []), sources, deny_warnings=deny_warnings) for name in names]
    failures = sum("<failure" in case for case in cases)
    counts = f'name="{_SUITE}" tests="{len(cases)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'  <testsuite {counts} skipped="0">',
        *cases,
        "  </testsuite>",
        "</testsuites>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _case(name: str, found: Sequence[Diagnostic], sources: Mapping[str, str], *, deny_warnings: bool) -> str:
    head = f'    <testcase classname="adk-decl.validate" name="{_escaped(name)}" file="{_escaped(name)}"'
    wrong = [d for d in found if deny_warnings or d.severity == "error"]
    rest = [d for d in found if not (deny_warnings or d.severity == "error")]
    inside = []
    if wrong:
        first = wrong[0]
        more = f" and {counted(len(wrong) - 1, 'more finding')}" if len(wrong) > 1 else ""
        message = _escaped(f"{first.code} {first.message}{more}")
        inside.append(f'      <failure type="{first.code}" message="{message}">{_lines(wrong, sources)}</failure>')
    if rest:
        inside.append(f"      <system-out>{_lines(rest, sources)}</system-out>")
    return "\n".join([f"{head}>", *inside, "    </testcase>"]) if inside else f"{head}/>"


def _lines(found: Sequence[Diagnostic], sources: Mapping[str, str]) -> str:
    # `concise` writes nothing that does not print, so no character is left that XML forbids.
    return concise.render(found, sources, limit=None).translate(_ESCAPES)


def _escaped(text: str) -> str:
    return printable(text).translate(_ESCAPES)
