"""How the values of a plan read in text."""

from __future__ import annotations

from adk_decl.plan.model import EnvText, SecretRef

_UNITS = (("MiB", 1024 * 1024), ("KiB", 1024))


def duration(milliseconds: int | EnvText) -> str:
    """`250 ms`, `1.25 s`, `2 min`; a reference as itself."""
    if isinstance(milliseconds, EnvText):
        return reference(milliseconds) + " ms"
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds >= 60_000 and milliseconds % 60_000 == 0:
        return f"{milliseconds // 60_000} min"
    return f"{milliseconds / 1000:g} s" if milliseconds < 1_000_000 else f"{milliseconds / 1000:.0f} s"


def size(count: int) -> str:
    """`262144` as `256 KiB`; what is not a whole number of units stays in bytes."""
    for unit, factor in _UNITS:
        if count >= factor and count % factor == 0:
            return f"{count // factor} {unit}"
    return f"{count} B"


def number(value: int | EnvText) -> str:
    """A number, or the reference that stands for it."""
    return reference(value) if isinstance(value, EnvText) else str(value)


def plural(value: int | EnvText, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number(value)} {noun}" + ("" if value == 1 else "s")


def reference(value: EnvText) -> str:
    """`${NAME}` for each reference; defaults are left out, they stand in the plan's JSON."""
    return "".join(part if isinstance(part, str) else f"${{env:{part.name}}}" for part in value.parts)


def text_of(value: str | EnvText | None) -> str:
    """A literal, a reference, or nothing."""
    if value is None:
        return ""
    return reference(value) if isinstance(value, EnvText) else value


def without_user(url: str) -> str:
    """An address without user name, password and query."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path.partition("?")[0] if mark else url


def secret(value: SecretRef) -> str:
    """Where a secret is read: `env NAME` or `file PATH`."""
    return f"{value.source} {value.name}"


def reference_with_defaults(value: EnvText, *, hide_text: bool = False) -> str:
    """`${env:NAME:-default}` for each reference; `hide_text` leaves out defaults and what stands around them."""
    parts = []
    for part in value.parts:
        if isinstance(part, str):
            parts.append("…" if hide_text else part)
        elif part.default is None or hide_text:
            parts.append(f"${{env:{part.name}}}")
        else:
            parts.append(f"${{env:{part.name}:-{part.default}}}")
    return "".join(parts)
