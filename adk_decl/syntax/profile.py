"""How much of a file is read: a manifest has tighter limits than data."""

from __future__ import annotations

from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import Record


class Profile(Record):
    """The reading limits of one kind of file. `line_characters` is None where lines may be of any length."""

    max_bytes: int
    depth: int
    nodes: int
    line_characters: int | None
    findings: int


MANIFEST = Profile(
    max_bytes=LIMITS["read.manifest_bytes"].default,
    depth=LIMITS["read.depth"].default,
    nodes=LIMITS["read.nodes"].default,
    line_characters=LIMITS["read.line_characters"].default,
    findings=LIMITS["read.syntax_findings"].default,
)
"""The limits of a manifest, an overlay and every other file that an operator writes by hand."""
