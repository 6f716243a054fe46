"""Bytes to text, before any parser: size, UTF-8, characters that no file may hold, length of lines."""

from __future__ import annotations

from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Reporter, place_at

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ALLOWED_ASCII = bytes([*range(0x20, 0x7F), 0x09, 0x0A])
_MAYBE_FORBIDDEN = (b"\xc2", b"\xe2\x80\xa8", b"\xe2\x80\xa9", _BOM, b"\xef\xbf\xbe", b"\xef\xbf\xbf")
_FORBIDDEN = frozenset(chr(n) for n in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)) - {
    "\t",
    "\n",
}
_NAMES = {
    "\0": "a NUL character",
    "\r": "a carriage return without a line feed",
    "\x85": "the line break U+0085",
    "\u2028": "the line separator U+2028",
    "\u2029": "the paragraph separator U+2029",
    "\ufeff": "a byte order mark inside the text",
}


def decode(data: bytes, reporter: Reporter, profile: Profile) -> str:
    """The bytes of a file as text, without a byte order mark at its start; line ends stay as they are.

    Raises `Unreadable` after reporting ADK001, ADK002 or ADK016.
    """
    if len(data) > profile.max_bytes:
        raise reporter.refuse(
            "ADK016",
            (1, 1, 1, 1),
            f"the file is larger than {profile.max_bytes} bytes",
            help="split the file",
        )
    body = data.removeprefix(_BOM)
    text = _utf8(body, reporter, skipped=len(data) - len(body))
    _check_characters(body, text, reporter)
    if profile.line_characters is not None and len(body) > profile.line_characters:
        _check_lines(text, reporter, profile.line_characters)
    return text


def text_to_show(data: bytes) -> str:
    """The text of a file for snippets, whatever its bytes are: what is not UTF-8 becomes U+FFFD."""
    return data.removeprefix(_BOM).decode("utf-8", "replace")


def _utf8(body: bytes, reporter: Reporter, *, skipped: int) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start
    before = body[:offset].decode("utf-8")
    line, column, _, _ = place_at(before, len(before), len(before))
    utf16 = body.startswith(_UTF16)
    raise reporter.refuse(
        "ADK001",
        (line, column, line, column + 1),
        "the file is UTF-16, not UTF-8"
        if utf16
        else f"byte {skipped + offset} (0x{body[offset]:02x}) is not valid UTF-8",
        label="not UTF-8 from here",
        help="save the file as UTF-8",
    )


def _check_characters(body: bytes, text: str, reporter: Reporter) -> None:
    """Report the first character that no file may hold."""
    suspects = body.translate(None, _ALLOWED_ASCII) if body.isascii() else body
    if body.isascii() and suspects.count(b"\r") == len(suspects) == body.count(b"\r\n"):
        return
    if not body.isascii() and _looks_clean(body):
        return
    found = [i for i, c in enumerate(text) if c in _FORBIDDEN and not (c == "\r" and text[i + 1 : i + 2] == "\n")]
    if not found:
        return
    first = found[0]
    character = text[first]
    name = _NAMES.get(character, f"the control character U+{ord(character):04X}")
    raise reporter.refuse(
        "ADK002",
        place_at(text, first, first + 1),
        f"{name} may not stand in a file",
        label=f"U+{ord(character):04X}",
        note=f"{len(found) - 1} more of this kind follow" if len(found) > 1 else None,
        help="end lines with a line feed" if character == "\r" else "remove the character, or write it as an escape",
    )


def _looks_clean(body: bytes) -> bool:
    """Whether the bytes of a text that is not ASCII show nothing that needs a look at each character."""
    others = body.translate(None, _ALLOWED_ASCII + bytes(range(0x80, 0x100)))
    if others.count(b"\r") != len(others) or len(others) != body.count(b"\r\n"):
        return False
    return not any(mark in body for mark in _MAYBE_FORBIDDEN)


def _check_lines(text: str, reporter: Reporter, most: int) -> None:
    lines = text.split("\n")
    if max(map(len, lines)) <= most:
        return
    for number, line in enumerate(lines, start=1):
        if len(line) > most:
            raise reporter.refuse(
                "ADK016",
                (number, most + 1, number, len(line) + 1),
                f"the line is longer than {most} characters",
                label=f"character {most + 1}",
                help="break the line, or keep long text in a block (`|` in YAML, three quotes in TOML)",
            )
