"""Turns one schema into one closure `(node, path, walk)` that checks a node and, through it, what it holds.

Each closure does no more than its schema needs; what goes wrong is worded elsewhere, after the fact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from adk_decl.regex_safety import compile_pattern, compile_safe
from adk_decl.schema.evaluate import Walk, fits
from adk_decl.syntax.document import Node, Path
from adk_decl.syntax.env_refs import ReferenceSyntaxError, has_reference, parse_text

if TYPE_CHECKING:
    from adk_decl.schema.load import Schema, Shape

Check = Callable[[Node, Path, Walk], None]
Test = Callable[[Any], str | None]
"""Says what is wrong with a scalar: the name of a wording, or None."""

_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
ALL_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def types_of(schema: Schema) -> tuple[str, ...]:
    """The types that a schema allows; all of them when it does not say."""
    stated = schema.get("type", ALL_TYPES)
    return (stated,) if isinstance(stated, str) else tuple(stated)


def compile_check(shape: Shape, schema: Schema) -> Check:
    """The closure for a resolved schema."""
    if not schema:
        return free_check
    if schema.get("x-never"):
        return _never_check(schema)
    check = _value_check(shape, schema)
    if schema.get("x-mask") or schema.get("x-secret"):
        return _masking(check, secret=schema.get("x-secret") is True)
    return check


def free_check(node: Node, path: Path, walk: Walk) -> None:
    """The check of a value that no schema describes: no reference and no secret may stand there."""
    if node.kind == "scalar":
        value = node.value
        if type(value) is str and "$" in value and has_reference(value):
            walk.fail("reference", {}, node, path)
    elif node.kind == "list":
        for index, item in enumerate(node.items):
            free_check(item, (*path, index), walk)
    elif is_secret_form(node):
        walk.fail("secret", {}, node, path)
    else:
        for key, value_node in node.entries:
            free_check(value_node, (*path, key.text), walk)


def ignore_check(node: Node, path: Path, walk: Walk) -> None:
    """The check of what is kept and not looked at, such as `x-` keys."""


def is_secret_form(node: Node) -> bool:
    """Whether a node is written as `{secret: {env: ...}}` or `{secret: {file: ...}}`."""
    if node.kind != "map" or len(node.entries) != 1 or node.entries[0][0].text != "secret":
        return False
    source = node.entries[0][1]
    return source.kind == "map" and any(key.text in ("env", "file") for key, _ in source.entries)


def _never_check(schema: Schema) -> Check:
    def check(node: Node, path: Path, walk: Walk) -> None:
        walk.fail("never", schema, node, path)

    return check


def _masking(check: Check, *, secret: bool) -> Check:
    def masked(node: Node, path: Path, walk: Walk) -> None:
        if not walk.masked:
            walk.private.append(node)
        before = walk.masked, walk.secret
        walk.masked = True
        walk.secret = walk.secret or secret
        check(node, path, walk)
        walk.masked, walk.secret = before

    return masked


def _value_check(shape: Shape, schema: Schema) -> Check:
    types = types_of(schema)
    on_scalar = _scalar_check(shape, schema, types)
    on_map = map_check(shape, schema) if "object" in types else None
    on_list = _list_check(shape, schema) if "array" in types else None

    def check(node: Node, path: Path, walk: Walk) -> None:
        walk.schemas[id(node)] = schema
        kind = node.kind
        if kind == "scalar":
            on_scalar(node, path, walk)
        elif kind == "map":
            if on_map is None:
                walk.fail("wrong_type", schema, node, path)
            else:
                on_map(node, path, walk)
        elif on_list is None:
            walk.fail("wrong_type", schema, node, path)
        else:
            on_list(node, path, walk)

    return check


def _scalar_check(shape: Shape, schema: Schema, types: tuple[str, ...]) -> Check:
    accepted = frozenset(t for name in types for t in _PYTHON_TYPES.get(name, ()))
    takes_text = "string" in types
    takes_references = bool(schema.get("x-env"))
    whole_only = schema.get("x-env-type", "string") != "string"
    text_tests = (*_value_tests(schema), *_text_tests(shape, schema)) if takes_text else ()
    other_tests = (*_value_tests(schema), *_number_tests(schema))

    def check(node: Node, path: Path, walk: Walk) -> None:
        value = node.value
        kind = type(value)
        if kind is str:
            if "$" in value and has_reference(value):  # type: ignore[operator, arg-type]
                if not takes_references:
                    walk.fail("reference", schema, node, path)
                elif whole_only and not _is_whole_reference(value):  # type: ignore[arg-type]
                    walk.fail("part_reference", schema, node, path)
                return
            tests = text_tests
            if not takes_text:
                walk.fail("wrong_type", schema, node, path)
                return
        elif kind in accepted:
            tests = other_tests
        else:
            walk.fail("wrong_type", schema, node, path)
            return
        for test in tests:
            what = test(value)
            if what is not None:
                walk.fail(what, schema, node, path)
                return

    return check


def _is_whole_reference(text: str) -> bool:
    """Whether a text is one reference and nothing else. What is no valid reference is left to a later pass."""
    try:
        return len(parse_text(text)) == 1
    except ReferenceSyntaxError:
        return True


def _value_tests(schema: Schema) -> tuple[Test, ...]:
    if "const" not in schema and "enum" not in schema:
        return ()
    allowed = [schema["const"]] if "const" in schema else list(schema["enum"])
    # True equals 1 in Python and not in JSON, so a value counts together with whether it is a boolean.
    known = frozenset((type(value) is bool, value) for value in allowed)
    return (lambda value: None if (type(value) is bool, value) in known else "choice",)


def _text_tests(shape: Shape, schema: Schema) -> tuple[Test, ...]:
    tests: list[Test] = []
    if "minLength" in schema or "maxLength" in schema:
        least, most = schema.get("minLength", 0), schema.get("maxLength", float("inf"))
        tests.append(lambda value: None if least <= len(value) <= most else "length")
    if "x-max-bytes" in schema:
        most_bytes = schema["x-max-bytes"]
        tests.append(lambda value: None if len(value.encode("utf-8", "replace")) <= most_bytes else "byte_length")
    if "pattern" in schema and schema.get("x-env-type", "string") == "string":
        search = _search(shape, schema["pattern"])
        tests.append(lambda value: None if search(value) else "form")
    elif "pattern" in schema:
        # Only a reference may stand here as text, and this text is none.
        tests.append(lambda value: "wrong_type")
    return tuple(tests)


def _search(shape: Shape, pattern: str) -> Callable[[str], object]:
    return compile_pattern(pattern) if shape.trusted else compile_safe(pattern)


def _number_tests(schema: Schema) -> tuple[Test, ...]:
    bounds = [
        (key, schema[key]) for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if key in schema
    ]
    if not bounds:
        return ()
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    above, below = schema.get("exclusiveMinimum", float("-inf")), schema.get("exclusiveMaximum", float("inf"))

    def test(value: Any) -> str | None:
        if value is None or value is True or value is False:
            return None
        return None if least <= value <= most and above < value < below else "range"

    return (test,)


def _list_check(shape: Shape, schema: Schema) -> Check:
    least, most = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
    unique = schema.get("uniqueItems") is True
    items = schema.get("items")
    item_check: Check = ignore_check if schema.get("x-mask") else free_check
    if items is not None:
        item_check = shape.check(items)

    def check(node: Node, path: Path, walk: Walk) -> None:
        if not least <= len(node.items) <= most:
            walk.fail("length", schema, node, path)
        for index, item in enumerate(node.items):
            item_check(item, (*path, index), walk)
        if unique and len(node.items) > 1:
            _check_unique(schema, node, path, walk)

    return check


def _check_unique(schema: Schema, node: Node, path: Path, walk: Walk) -> None:
    first: dict[str, Node] = {}
    for index, item in enumerate(node.items):
        key = _identity(item)
        if key in first:
            walk.fail("repeated", schema, item, (*path, index), first[key])
        else:
            first[key] = item


def _identity(node: Node) -> str:
    """Equal for equal JSON values: numbers by value, maps in any order."""
    if node.kind == "scalar":
        value = node.value
        return repr(float(value)) if type(value) is int and abs(value) < 2**53 else repr(value)
    if node.kind == "list":
        return "[" + ",".join(_identity(item) for item in node.items) + "]"
    return "{" + ",".join(sorted(f"{key.text!r}:{_identity(value)}" for key, value in node.entries)) + "}"


def map_check(shape: Shape, schema: Schema) -> Check:
    """The closure for the keys of a map: which there are, which there have to be, and what stands under them."""
    required = tuple(schema.get("required", ()))
    sizes = schema.get("minProperties", 0), schema.get("maxProperties", float("inf"))
    choose = tuple(schema.get("x-exactly-one", ()))
    name_check = _name_check(shape, schema)
    branches = _branches(shape, schema)
    find = _key_finder(shape, schema)
    known: dict[str, Check | None] = {}

    def check(node: Node, path: Path, walk: Walk) -> None:
        unknown: list[tuple[Node, Node]] = []
        for key, value in node.entries:
            name = key.text
            child = known.get(name) or find(name, known)
            if name_check is not None:
                name_check(key, value, path, walk)
            if child is None:
                unknown.append((key, value))
            else:
                child(value, (*path, name), walk)
        missing = [name for name in required if node.get(name) is None]
        for branch in branches:
            missing += branch(node, path, walk)
        layer = walk.partial and not walk.secret
        if unknown or (missing and not layer):
            _report_keys(schema, node, path, walk, unknown, [] if layer else missing)
        if choose and not layer and sum(node.get(name) is not None for name in choose) != 1:
            walk.fail("exactly_one", schema, node, path)
        if not sizes[0] <= len(node.entries) <= sizes[1]:
            walk.fail("length", schema, node, path)

    return check


def _report_keys(
    schema: Schema,
    node: Node,
    path: Path,
    walk: Walk,
    unknown: list[tuple[Node, Node]],
    missing: list[str],
) -> None:
    """Unknown and missing keys together, since one misspelt key is both."""
    walk.failed = True
    if walk.bag is None:
        return
    from adk_decl.schema.keys import key_findings

    if missing:
        walk.poisoned.add(id(node))
    walk.poisoned.update(id(value) for _, value in unknown)
    for diagnostic in key_findings(walk, schema, node, path, unknown, missing):
        walk.report(diagnostic)


def _name_check(shape: Shape, schema: Schema) -> Callable[[Node, Node, Path, Walk], None] | None:
    if "propertyNames" not in schema:
        return None
    names = shape.resolve(schema["propertyNames"])
    tests = (*_value_tests(names), *_text_tests(shape, names))

    def check(key: Node, value: Node, path: Path, walk: Walk) -> None:
        for test in tests:
            what = test(key.text)
            if what is not None:
                walk.fail("name", names, value, (*path, key.text), key, what)
                return

    return check


def _key_finder(shape: Shape, schema: Schema) -> Callable[[str, dict[str, Check | None]], Check | None]:
    """How the check of a key's value is found: by its own name, by a pattern, or as one of the rest."""
    properties = schema.get("properties", {})
    patterns = [(_search(shape, p), s) for p, s in schema.get("patternProperties", {}).items()]
    rest = schema.get("additionalProperties", True)
    if rest is True:
        of_the_rest: Check | None = ignore_check if schema.get("x-mask") or schema.get("x-part") else free_check
    else:
        of_the_rest = None if rest is False else shape.check(rest)

    def find(name: str, known: dict[str, Check | None]) -> Check | None:
        checks = [shape.check(properties[name])] if name in properties else []
        matching = [s for search, s in patterns if search(name)]
        if not checks and name.startswith("x-") and True in matching:
            return ignore_check
        checks += [shape.check(s) for s in matching if s is not True]
        if not checks:
            return of_the_rest
        found = checks[0] if len(checks) == 1 else _together(checks)
        if name in properties:
            known[name] = found
        return found

    return find


def _together(checks: list[Check]) -> Check:
    def check(node: Node, path: Path, walk: Walk) -> None:
        for one in checks:
            one(node, path, walk)

    return check


def _branches(shape: Shape, schema: Schema) -> tuple[Callable[[Node, Path, Walk], list[str]], ...]:
    """The conditional parts: each checks a node and answers which keys it misses."""
    parts = [schema] if "if" in schema else []
    parts += [shape.resolve(part) for part in schema.get("allOf", ())]
    return tuple(_branch(shape, part) for part in parts)


def _branch(shape: Shape, part: Schema) -> Callable[[Node, Path, Walk], list[str]]:
    whens = {True: part.get("then", True), False: part.get("else", True)} if "if" in part else {True: part}
    ready = {when: _part(shape, shape.resolve(schema)) for when, schema in whens.items()}
    probe = _marked(part["if"]) if "if" in part else None

    def check(node: Node, path: Path, walk: Walk) -> list[str]:
        holds = probe is None or fits(shape, probe, node, path, walk)
        required, rest = ready[holds]
        if rest is not None:
            # What stands in a conditional part narrows a value; the schema that describes it is the main one.
            main, walk.schemas = walk.schemas, {}
            rest(node, path, walk)
            walk.schemas = main
        return [name for name in required if node.get(name) is None]

    return check


def _part(shape: Shape, schema: Schema) -> tuple[tuple[str, ...], Check | None]:
    required = tuple(schema.get("required", ()))
    rest = {key: value for key, value in schema.items() if key != "required"}
    return required, map_check(shape, {**rest, "x-part": True}) if rest else None


def _marked(schema: Any) -> Any:
    return {**schema, "x-part": True} if isinstance(schema, Mapping) else schema
