"""References to the environment inside a value: `${env:NAME}`, `${env:NAME:-default}`, `$$` for a dollar sign.

`${` that does not begin a valid reference is an error; a lone `$` is itself. A default reaches to the first `}`
and can't hold one. Nothing is resolved here.
"""

from __future__ import annotations

from adk_decl.plan.model import EnvRef

_OPENING = "${"
_SCHEME = "env:"
_DEFAULT = ":-"


class ReferenceSyntaxError(ValueError):
    """`${` at `offset` (in characters) of the text does not begin a valid reference; `reason` says why.

    `reason` never holds the text.
    """

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


def has_reference(text: str) -> bool:
    """Whether the text holds `${` that is not escaped, be it a valid reference or not."""
    position = text.find("$")
    while position >= 0:
        following = text[position + 1 : position + 2]
        if following == "{":
            return True
        position = text.find("$", position + (2 if following == "$" else 1))
    return False


def parse_text(text: str) -> tuple[str | EnvRef, ...]:
    """The text as literal parts and references, in order; `$$` becomes `$`, no part is empty.

    Raises `ReferenceSyntaxError` at the first `${` that is not a valid reference.
    """
    parts: list[str | EnvRef] = []
    literal: list[str] = []
    position = 0
    while (dollar := text.find("$", position)) >= 0:
        literal.append(text[position:dollar])
        following = text[dollar + 1 : dollar + 2]
        if following == "{":
            reference, position = _reference(text, dollar)
            _flush(literal, parts)
            parts.append(reference)
        else:
            literal.append("$")
            position = dollar + (2 if following == "$" else 1)
    literal.append(text[position:])
    _flush(literal, parts)
    return tuple(parts)


def unescape(text: str) -> str:
    """A text without references, with `$$` turned into `$`.

    Raises `ReferenceSyntaxError` when the text holds a reference after all.
    """
    parts = parse_text(text)
    for part in parts:
        if isinstance(part, EnvRef):
            raise ReferenceSyntaxError(text.index(_OPENING), "a reference may not stand here")
    return "".join(part for part in parts if isinstance(part, str))


def _flush(literal: list[str], parts: list[str | EnvRef]) -> None:
    joined = "".join(literal)
    if joined:
        parts.append(joined)
    literal.clear()


def _reference(text: str, start: int) -> tuple[EnvRef, int]:
    """The reference that begins at `start`, and where it ends."""
    end = text.find("}", start)
    if end < 0:
        raise ReferenceSyntaxError(start, "the closing brace is missing")
    body = text[start + len(_OPENING) : end]
    if not body.startswith(_SCHEME):
        if _is_name(body.split(_DEFAULT, 1)[0]):
            raise ReferenceSyntaxError(start, "a reference begins with `${env:`")
        raise ReferenceSyntaxError(start, "only `${env:NAME}` and `${env:NAME:-default}` are references")
    name, separator, default = body[len(_SCHEME) :].partition(_DEFAULT)
    if not _is_name(name):
        reason = "the name is missing" if not name else "a name holds letters, digits and `_` and begins with no digit"
        raise ReferenceSyntaxError(start, reason)
    if _OPENING in default:
        raise ReferenceSyntaxError(start, "a default can't hold another reference")
    return EnvRef(name=name, default=default if separator else None), end + 1


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()
