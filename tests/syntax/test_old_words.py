from __future__ import annotations

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.old_words import warn_old_words
from adk_decl.syntax.read import Format, read_bytes


def warned(data: bytes, kind: Format = "yaml", bag: DiagnosticBag | None = None) -> list[tuple[str, int, int]]:
    bag = bag or DiagnosticBag()
    document = read_bytes(data, file="f", format=kind, bag=bag)
    assert document is not None
    warn_old_words(document, bag)
    return [(d.code, d.span.line, d.span.column) for d in bag.sorted()]


def test_words_without_quotes_are_warned_about() -> None:
    assert warned(b"a: NO\nb: [off, 'on', y]\nc: true\nno: 1") == [("ADK009", 1, 4), ("ADK009", 2, 5)]


def test_only_yaml_has_them() -> None:
    assert warned(b"a = 'NO'", "toml") == []


def test_a_word_with_a_finding_gets_no_second_one() -> None:
    bag = DiagnosticBag()
    assert len(warned(b"a: NO", bag=bag)) == 1
    assert len(warned(b"a: NO", bag=bag)) == 1


def test_a_private_word_keeps_no_fix() -> None:
    bag = DiagnosticBag()
    warned(b"config: {x: NO}", bag=bag)
    (found,) = bag.sorted()
    assert found.mask_values
    assert found.fix is None
