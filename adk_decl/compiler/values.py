"""References to the environment and escapes in strings: parsed and typed by their field, never resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from adk_decl.compiler.finding import Path, finding
from adk_decl.compiler.tree import Shaped, Tree
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Span
from adk_decl.plan.model import EnvRef, EnvText, ValueType
from adk_decl.regex_safety import compile_pattern
from adk_decl.scalars import convert
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.env_refs import ReferenceSyntaxError, parse_text

Schemas: TypeAlias = Mapping[int, Mapping[str, Any]]
_TYPES: tuple[ValueType, ...] = ("string", "integer", "number", "boolean")


class References(NamedTuple):
    """Strings that differ from their source, by node, and the nodes that got a finding."""

    texts: dict[int, str | EnvText]
    muted: frozenset[int]


def read_references(shaped: Shaped, bag: DiagnosticBag) -> Tree:
    """The document with its strings read. What stands in a `config` waits for the schema of its component."""
    found = _Reader(shaped.document, shaped.schemas, shaped.muted, bag, skip_configs=True).read(shaped.document.root)
    return Tree(shaped._replace(muted=shaped.muted | found.muted), found.texts)


def read_config_references(
    document: Document, schemas: Schemas, muted: frozenset[int], node: Node, path: Path, bag: DiagnosticBag
) -> References:
    """The strings of one configuration, whose schemas are known by now."""
    return _Reader(document, schemas, muted, bag, skip_configs=False).read(node, path, mask=True)


class _Reader:
    def __init__(
        self, document: Document, schemas: Schemas, muted: frozenset[int], bag: DiagnosticBag, *, skip_configs: bool
    ) -> None:
        self.file = document.file
        self.document = document
        self.schemas = schemas
        self.skip = muted
        self.skip_configs = skip_configs
        self.bag = bag
        self.texts: dict[int, str | EnvText] = {}
        self.muted: set[int] = set()

    def read(self, node: Node, path: Path = (), *, mask: bool = False) -> References:
        self.walk(node, path, mask=mask)
        return References(self.texts, frozenset(self.muted))

    def walk(self, node: Node, path: Path, *, mask: bool) -> None:
        if id(node) in self.skip:
            return
        if node.kind == "scalar":
            if isinstance(node.value, str) and "$" in node.value:
                self._text(node, path, mask=mask or self._masks(node))
            return
        if self._masks(node):
            if self.skip_configs:
                return
            mask = True
        if node.kind == "list":
            for index, item in enumerate(node.items):
                self.walk(item, (*path, index), mask=mask)
            return
        for key, value in node.entries:
            if not key.text.startswith("x-") or mask:
                self.walk(value, (*path, key.text), mask=mask)

    def _masks(self, node: Node) -> bool:
        return bool(self.schemas.get(id(node), {}).get("x-mask"))

    def _text(self, node: Node, path: Path, *, mask: bool) -> None:
        assert isinstance(node.value, str)
        schema = self.schemas.get(id(node), {})
        try:
            parts = parse_text(node.value)
        except ReferenceSyntaxError as error:
            self._report(
                "ADK302", "`${` does not begin a valid reference", node, error.offset, path, mask, error.reason
            )
            return
        if not any(isinstance(part, EnvRef) for part in parts):
            self.texts[id(node)] = "".join(str(part) for part in parts)
        elif not schema.get("x-env"):
            message = "a reference to the environment may not stand here"
            offset = node.value.find("${env:")
            self._report("ADK303", message, node, offset, path, mask, "write the value itself")
        else:
            self._reference(node, parts, schema, path, mask=mask)

    def _reference(
        self, node: Node, parts: tuple[str | EnvRef, ...], schema: Mapping[str, Any], path: Path, *, mask: bool
    ) -> None:
        kind = schema.get("x-env-type", "string")
        value = EnvText(
            parts=parts,
            type=kind if kind in _TYPES else "string",
            minimum=schema.get("minimum") if kind != "string" else None,
            maximum=schema.get("maximum") if kind != "string" else None,
            choices=tuple(schema["enum"]) if "enum" in schema else None,
        )
        misfit = _misfit(value, schema)
        if misfit is not None:
            message = "the default of this reference does not fit its field"
            self._report("ADK304", message, node, str(node.value).find(":-") + 2, path, mask, misfit)
            return
        self.texts[id(node)] = value

    def _report(self, code: str, message: str, node: Node, offset: int, path: Path, mask: bool, label: str) -> None:
        self.muted.add(id(node))
        span = self._span(node, max(offset, 0))
        self.bag.add(finding(code, message, span, path=path, label=label, mask=mask, help=_HELP[code]))

    def _span(self, node: Node, offset: int) -> Span:
        """From `offset` inside a one-line scalar to its end; the whole scalar when escapes shift the columns."""
        whole = node.span(self.file)
        lines = self.document.text_of(node).split("\n")
        line = lines[node.line - 1] if node.line <= len(lines) else ""
        start = node.column if node.plain else node.column + 1
        text = str(node.value)
        if node.line != node.end_line or line[start - 1 : start - 1 + len(text)] != text:
            return whole
        closing = text.find("}", offset)
        whole_reference = text[offset : offset + 2] == "${"
        end = start + (len(text) if closing < 0 else closing + 1 if whole_reference else max(closing, offset + 1))
        return whole.replace(column=start + offset, end_column=end)


_HELP = {
    "ADK302": "write `${env:NAME}` or `${env:NAME:-default}`; `$$` stands for a dollar sign",
    "ADK303": "references may stand only where a value does not shape the plan; `$$` stands for a dollar sign",
    "ADK304": "give a default that the field would accept, or none",
}


def _misfit(value: EnvText, schema: Mapping[str, Any]) -> str | None:
    """What a field needs that the default of its reference does not give; None when it fits or there is none."""
    default = default_text(value)
    if default is None:
        return None
    try:
        convert(default, value.type, minimum=value.minimum, maximum=value.maximum, choices=value.choices)
    except ValueError as error:
        return str(error)
    if value.type != "string":
        return None
    if not schema.get("minLength", 0) <= len(default) <= schema.get("maxLength", len(default)):
        return "too few or too many characters"
    if "pattern" in schema and not compile_pattern(schema["pattern"])(default):
        return "does not have the form that the field needs"
    return None


def default_text(value: EnvText) -> str | None:
    """The text when no variable is set, or None when one of them has no default."""
    found: list[str] = []
    for part in value.parts:
        text = part if isinstance(part, str) else part.default
        if text is None:
            return None
        found.append(text)
    return "".join(found)
