"""Credentials of well-known forms: recognised, and kept out of every finding, whatever the finding is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adk_decl.diagnostics.diagnostic import Diagnostic

HIDDEN = "…"
_CODE = "ADK301"

# Repetitions are bounded, so that no text makes the search slow.
_FORMS: tuple[tuple[str, str], ...] = (
    ("an API key that begins with `sk-`", r"sk-(?=[A-Za-z0-9_-]{0,60}[0-9])[A-Za-z0-9_-]{20}"),
    ("a Stripe key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16}"),
    ("an AWS access key", r"(?:AKIA|ASIA)[0-9A-Z]{16}"),
    ("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{30}|github_pat_[A-Za-z0-9_]{30}"),
    ("a GitLab token", r"glpat-[A-Za-z0-9_-]{20}"),
    ("a Slack token", r"xox[abeprs]-[A-Za-z0-9-]{10}"),
    ("a Google API key", r"AIza[0-9A-Za-z_-]{35}"),
    ("a Google OAuth token", r"ya29\.[0-9A-Za-z_-]{20}"),
    ("a Hugging Face token", r"hf_[A-Za-z0-9]{30}"),
    ("an npm token", r"npm_[A-Za-z0-9]{36}"),
    ("a PyPI token", r"pypi-[A-Za-z0-9_-]{50}"),
    ("a JSON Web Token", r"eyJ[A-Za-z0-9_-]{10,200}+\.eyJ[A-Za-z0-9_-]{10}"),
    ("a private key", r"-----BEGIN (?:[A-Z]{2,10} ){0,3}PRIVATE KEY-----"),
)
MARKS = (
    *("sk-", "k_live_", "k_test_", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
    *("xox", "AIza", "ya29.", "hf_", "npm_", "pypi-", "eyJ", "PRIVATE KEY"),
)
"""One of these stands in every credential of a known form; most texts hold none."""

_TAIL = r"[A-Za-z0-9_./+=-]*"


def known_form(text: str) -> str | None:
    """What kind of credential a text holds, in words, or None."""
    if not any(mark in text for mark in MARKS):
        return None
    return next((name for name, form in _FORMS if re.search(rf"(?<![A-Za-z0-9]){form}", text)), None)


def without_credentials(found: Sequence[Diagnostic], sources: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """The findings so that none shows a credential: no snippet of its line, no part of it in any word.

    Of the findings at the place of one only that about the credential is left.
    """
    if not found:
        return ()
    lines = _lines(sources)
    places = {_place(each) for each in found if each.code == _CODE}
    if not lines and not places:
        return tuple(found)
    left = [each for each in found if each.code == _CODE or _place(each) not in places]
    return tuple(_cleaned(each, lines) for each in left)


def _place(finding: Diagnostic) -> tuple[str, int, int]:
    return finding.span.file, finding.span.line, finding.span.column


def _lines(sources: Mapping[str, str]) -> set[tuple[str, int]]:
    """Every line of every file that holds a credential."""
    found = set()
    for name, text in sources.items():
        if any(mark in text for mark in MARKS):
            found |= {(name, at) for at, line in enumerate(text.split("\n"), start=1) if known_form(line) is not None}
    return found


def _cleaned(finding: Diagnostic, lines: set[tuple[str, int]]) -> Diagnostic:
    spans = (finding.span, *(label.span for label in finding.labels))
    is_near = any((span.file, line) in lines for span in spans for line in range(span.line, span.end_line + 1))
    fix = finding.fix
    if fix is not None and any(known_form(text) for text in (fix.title, *(edit.text for edit in fix.edits))):
        fix = None
    return finding.replace(
        message=_hidden(finding.message),
        label=_hidden(finding.label),
        help=None if finding.help is None else _hidden(finding.help),
        notes=tuple(_hidden(note) for note in finding.notes),
        labels=tuple(label.replace(message=_hidden(label.message)) for label in finding.labels),
        path=tuple(_hidden(step) if isinstance(step, str) else step for step in finding.path),
        fix=fix,
        mask_values=finding.mask_values or is_near,
    )


def _hidden(text: str) -> str:
    if not any(mark in text for mark in MARKS):
        return text
    for _, form in _FORMS:
        text = re.sub(rf"(?<![A-Za-z0-9]){form}{_TAIL}", HIDDEN, text)
    return text
