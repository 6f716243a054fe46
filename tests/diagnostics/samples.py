"""Findings with every feature, for the renderers: labels, notes, fixes, masked lines, several files, hostile text."""

from __future__ import annotations

from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label, Span

SOURCE = """\
plugins:
  redact:
    use: pii_redactor
    timeout_msec: 250
    config: {secret: hunter2, depht: 3}
  redact:
    use: 漢字 # wide
"""


def span(line: int, column: int, end_column: int, file: str = "a.yaml") -> Span:
    """A place within one line."""
    return Span(file=file, line=line, column=column, end_line=line, end_column=end_column)


UNKNOWN = Diagnostic(
    code="ADK110",
    severity="error",
    message="unknown key `timeout_msec` in plugin `redact`",
    span=span(4, 5, 17),
    label="not a key of a plugin",
    path=("plugins", "redact", "timeout_msec"),
    notes=("keys here: use, timeout_ms",),
    help="did you mean `timeout_ms`?",
    fix=Fix(title="rename the key", applicability="safe", edits=(Edit(span=span(4, 5, 17), text="timeout_ms"),)),
)
MASKED = Diagnostic(
    code="ADK110",
    severity="error",
    message="unknown key `depht`",
    span=span(5, 31, 36),
    path=("plugins", "redact", "config", "depht"),
    mask_values=True,
)
TWICE = Diagnostic(
    code="ADK006",
    severity="error",
    message="key `redact` stands twice in this map",
    span=span(6, 3, 9),
    label="again here",
    labels=(Label(span=span(2, 3, 9), message="first here"),),
)
WIDE = Diagnostic(
    code="ADK018",
    severity="warning",
    message="the value ends before this `#`",
    span=span(7, 13, 14),
    label="a comment begins here",
    fix=Fix(title="quote it", applicability="display"),
)
ELSEWHERE = Diagnostic(
    code="ADK203",
    severity="error",
    message="two plugins with one id",
    span=span(2, 3, 9),
    labels=(
        Label(span=span(1, 1, 5, "b.yaml"), message="the other one"),
        Label(span=span(9, 1, 5, "unknown.yaml"), message="and this one"),
    ),
)
OVER_LINES = Diagnostic(
    code="ADK101",
    severity="error",
    message="a list, not a map",
    span=Span(file="a.yaml", line=2, column=3, end_line=4, end_column=22),
    label="from here",
)
WHOLE_FILE = Diagnostic(code="ADK020", severity="error", message="the file can't be read", span=span(1, 1, 1, "c.yaml"))
HOSTILE = Diagnostic(
    code="ADK110",
    severity="error",
    message="unknown key `\x1b[2J`",
    span=span(1, 1, 3, "d\x1b.yaml"),
    label="\x1b",
    help="\n",
    notes=("\u202e",),
)
ALL = (UNKNOWN, MASKED, TWICE, WIDE, ELSEWHERE, OVER_LINES, WHOLE_FILE, HOSTILE)
SOURCES = {"a.yaml": SOURCE, "b.yaml": "other: 1\n", "d\x1b.yaml": "\x1b[2J: 1\n"}

MARKUP = Diagnostic(
    code="ADK202",
    severity="warning",
    message="100% of ]]> <b>\"names\"</b> & 'more', a: b ##[error]x ::error::y",
    span=span(1, 1, 6, 'folder, with: 100%/e&<>".yaml'),
    label="é 漢字 \U0001f600 \ud800 \x00 \ufffe",
    help="first\r\nsecond",
    path=("models", "a.b", 3),
)
LONG = Diagnostic(
    code="ADK204",
    severity="warning",
    message="x" * 10_000,
    span=span(2, 1, 3, "/elsewhere/f.yaml"),
    notes=("%" * 10_000,),
)
EVERYTHING = (*ALL, MARKUP, LONG)
"""`ALL` with what a format of markup or commands has to escape, and what it has to cut."""
