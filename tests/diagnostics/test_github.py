from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from adk_decl.diagnostics import github
from adk_decl.diagnostics.github import ANNOTATIONS_PER_KIND
from tests.diagnostics.samples import EVERYTHING, LONG, MARKUP, SOURCES, UNKNOWN, WIDE, span
from tests.snapshot import check_snapshot

COMMAND = re.compile(r"::(error|warning) ([^:\r\n]*)::([^\r\n]*)")
MOST_BYTES = 64 * 1024


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands as the runner of GitHub reads them: properties split before they are unescaped."""
    found = []
    for line in text.splitlines():
        if line.strip().startswith("::"):
            match = COMMAND.fullmatch(line)
            assert match is not None, line
            pairs = (pair.partition("=")[::2] for pair in match[2].split(","))
            found.append((match[1], {name: unescaped(value) for name, value in pairs}, unescaped(match[3])))
    return found


def unescaped(text: str) -> str:
    for escape, character in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(escape, character)
    return text


def test_snapshot() -> None:
    check_snapshot("diagnostics/everything.github.txt", github.render(EVERYTHING, SOURCES))


def test_errors_come_first_and_counts_last() -> None:
    text = github.render((WIDE, UNKNOWN), SOURCES)
    assert [kind for kind, _, _ in commands(text)] == ["error", "warning"]
    assert text.endswith("1 error, 1 warning in 1 file\n")


def test_properties_survive_what_separates_them() -> None:
    ((kind, properties, message),) = commands(github.render((MARKUP,), {}))
    assert kind == "warning"
    assert properties["file"] == MARKUP.span.file
    assert properties["title"] == "adk-decl ADK202"
    assert (properties["line"], properties["col"], properties["endColumn"]) == ("1", "1", "6")
    assert message.startswith(MARKUP.message + "\n")


def test_a_place_over_several_lines_has_no_columns() -> None:
    wide = UNKNOWN.replace(span=UNKNOWN.span.replace(end_line=6))
    ((_, properties, _),) = commands(github.render((wide,), {}))
    assert set(properties) == {"title", "file", "line", "endLine"}


def test_what_github_would_drop_is_in_the_log() -> None:
    errors = [UNKNOWN.replace(message=f"e{n}.") for n in range(25)]
    warnings = [WIDE.replace(message=f"w{n}.") for n in range(13)]
    text = github.render([*warnings, *errors], SOURCES)
    kinds = [kind for kind, _, _ in commands(text)]
    assert (kinds.count("error"), kinds.count("warning")) == (ANNOTATIONS_PER_KIND, ANNOTATIONS_PER_KIND)
    assert "18 more findings beyond the limit of annotations:" in text
    assert all(f"{kind}{n}." in text for kind, count in (("e", 25), ("w", 13)) for n in range(count))


def test_long_messages_are_cut_below_the_size_limit() -> None:
    for line in github.render((LONG, LONG.replace(message="漢%" * 10_000)), {}).splitlines():
        assert len(line.encode()) < MOST_BYTES


@given(message=st.text(), file=st.text(min_size=1), note=st.text())
def test_no_text_makes_another_command(message: str, file: str, note: str) -> None:
    one = UNKNOWN.replace(message=message, span=span(1, 1, 2, file), notes=(note,))
    text = github.render([one.replace(label=str(n)) for n in range(12)], {})
    assert len(commands(text)) == ANNOTATIONS_PER_KIND
    log = [line for line in text.splitlines() if not line.startswith("::")]
    assert not any("##[" in line or line.strip().startswith("::") for line in log)


def test_no_finding_gives_no_text() -> None:
    assert github.render((), {}) == ""
