"""Traps whose answer depends on the field: what the value is where text, a number or a boolean is asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

_YAML = """apiVersion: adk-decl/v1
kind: Manifest
name: traps
agents: {a: {model: m}}
runners: {r: {agent: a}}
"""
_TOML = """apiVersion = "adk-decl/v1"
kind = "Manifest"
name = "traps"
agents.a.model = "m"
runners.r.agent = "a"
"""


class Row(NamedTuple):
    """A line that stands as line 10 of YAML or TOML, its findings as (code, line), and the value in the plan."""

    name: str
    format: str
    line: str
    findings: list[tuple[str, int]]
    path: str = ""
    value: Any = None

    @property
    def manifest(self) -> bytes:
        """The whole manifest."""
        if self.format == "toml":
            return f'{_TOML}\n\n[models.m]\nuse = "openai_chat"\n{self.line}\n'.encode()
        # Lines 6 to 9 are the model; what follows is deeper or shallower as the line says.
        return f"{_YAML}models:\n  m:\n    use: openai_chat\n    x-filler: x\n{self.line}\n".encode()


def _text(name: str, written: str, value: str | None, *codes: str) -> Row:
    """A text field: `model`."""
    return Row(name, "yaml", f"    model: {written}", [(c, 10) for c in codes], "models.m.model", value)


def _whole(name: str, written: str, *codes: str) -> Row:
    """A whole number: `timeout_ms`."""
    return Row(name, "yaml", f"    model: s\n    timeout_ms: {written}", [(c, 11) for c in codes])


def _truth(name: str, written: str, *codes: str) -> Row:
    """A boolean: `insecure_http`."""
    return Row(name, "yaml", f"    model: s\n    config: {{insecure_http: {written}}}", [(c, 11) for c in codes])


def _toml(name: str, line: str, *codes: str, path: str = "", value: Any = None) -> Row:
    return Row(name, "toml", line, [(c, 10) for c in codes], path, value)


ROWS = (
    _text("Norway as text", "NO", "NO", "ADK009"),
    _text("quoted Norway", '"NO"', "NO"),
    _text("a date as text", "2024-01-02", "2024-01-02"),
    _text("an impossible date", "2024-13-45", "2024-13-45"),
    _text("sexagesimal as text", "22:22", "22:22"),
    _text("a version as a number", "1.10", None, "ADK101"),
    _text("a number as text", "12", None, "ADK101"),
    _text("a leading zero as text", "010", "010"),
    _text("a hash like a number", "12e4567", "12e4567"),
    _text("an equals sign", "=", "="),
    _text("a tilde", "~", "~"),
    _text("null for text", "null", None, "ADK112"),
    _text("nothing for text", "", None, "ADK112"),
    _text("a comment that cuts", "fast #2", "fast", "ADK018"),
    _text("a hash inside", "fast#2", "fast#2"),
    _text("an emoji by escapes", '"\\U0001F600"', "😀"),
    _text("a surrogate pair", '"\\ud83d\\ude00"', None, "ADK002"),
    _text("an at sign", "@x", None, "ADK004"),
    _text("a backtick", "`x`", None, "ADK004"),
    _text("a percent sign", "%x", None, "ADK004"),
    _text("an alias", "*x", None, "ADK007"),
    _text("a tag", "!env X", None, "ADK008"),
    _text("a string tag", "!!str 12", None, "ADK008"),
    _text("a template", "{{ model }}", None, "ADK101", "ADK014"),
    _text("an old placeholder", "${MODEL}", None, "ADK302"),
    _text("dollars", "a$b$$c", "a$b$c"),
    _whole("a boolean for a number", "true", "ADK101"),
    _whole("octal", "010", "ADK010"),
    _whole("0o octal", "0o10", "ADK010"),
    _whole("hexadecimal", "0x1F", "ADK010"),
    _whole("underscores", "1_000", "ADK010"),
    _whole("sexagesimal", "1:30", "ADK101"),
    _whole("an exponent", "1e3", "ADK101"),
    _whole("an integral fraction", "100.0", "ADK101"),
    _whole("infinity", ".inf", "ADK012"),
    _whole("infinity by size", "1e400", "ADK012"),
    _whole("not a number", ".nan", "ADK012"),
    _whole("5000 digits", "9" * 5000, "ADK013"),
    _whole("beyond 64 bits", "99999999999999999999", "ADK013"),
    _whole("a unit", "5s", "ADK101"),
    _whole("quoted", '"5"', "ADK101"),
    _whole("zero", "0", "ADK121"),
    _whole("a plus sign", "+5", "ADK010"),
    _truth("yes", "yes", "ADK101"),
    _truth("on", "on", "ADK101"),
    _truth("capital", "True", "ADK101"),
    _truth("quoted", '"true"', "ADK101"),
    _truth("one", "1", "ADK101"),
    _truth("null", "null", "ADK112"),
    Row("a map for text", "yaml", "    model: {a: 1}", [("ADK101", 10)]),
    Row("a number as a key", "yaml", "    model: s\n    1: x", [("ADK014", 11)]),
    Row("a boolean as a key", "yaml", "    model: s\n    true: x", [("ADK014", 11)]),
    Row("a merge key", "yaml", "    model: s\n    <<: {timeout_ms: 5}", [("ADK007", 11)]),
    Row("a duplicate", "yaml", "    model: s\n    model: t", [("ADK006", 11)]),
    Row("a lost space", "yaml", "    model:s", [("ADK019", 10)]),
    Row("an empty block", "yaml", "    model: s\n    retries:", [("ADK112", 11)]),
    Row("a directive that comes late", "yaml", "    model: s\n%YAML 1.1", [("ADK004", 11)]),
    Row("a second document", "yaml", "    model: s\n---\na: 1", [("ADK005", 11)]),
    _toml("TOML: a date", "model = 2024-01-02", "ADK101"),
    _toml("TOML: infinity", "model = 's'\ntimeout_ms = inf", "ADK012")._replace(findings=[("ADK012", 11)]),
    _toml("TOML: not a number", "timeout_ms = nan", "ADK012"),
    _toml("TOML: infinity by size", "timeout_ms = 1e400", "ADK012"),
    _toml("TOML: beyond 64 bits", "timeout_ms = 99999999999999999999", "ADK013"),
    _toml("TOML: an integral fraction", "timeout_ms = 100.0", "ADK101"),
    _toml("TOML: text for a number", 'timeout_ms = "5s"', "ADK101"),
    _toml("TOML: leading zero", "timeout_ms = 010", "ADK010"),
    _toml("TOML: null", "timeout_ms = null", "ADK004"),
    _toml("TOML: yes", "config = {insecure_http = yes}", "ADK004"),
    _toml("TOML: a key that stands below a table", 'description = "x"', "ADK110"),
    _toml("TOML: dotted numbers", "3.4 = 5", "ADK110"),
    _toml("TOML: an empty key", '"" = 1', "ADK014"),
    _toml("TOML: a mixed array", 'generation.stop = ["a", 1]', "ADK101"),
    _toml("TOML: an escape of 1.1", 'model = "\\e"', "ADK004"),
    _toml("TOML: a table again", "[models.m]\nmodel = 's'", "ADK006"),
    _toml("TOML: underscores are its own", "timeout_ms = 1_000", path="models.m.timeout_ms", value=1000),
    _toml("TOML: hexadecimal is its own", "timeout_ms = 0xFF", path="models.m.timeout_ms", value=255),
    _toml("TOML: a line goes on", 'model = """\\\n  small"""', path="models.m.model", value="small"),
)
