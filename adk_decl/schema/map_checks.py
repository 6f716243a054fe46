"""Turns what a schema says about maps into one closure: which keys there are, and what stands under them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from adk_decl.schema.evaluate import Walk, fits
from adk_decl.schema.free_checks import free_check, ignore_check, is_removal
from adk_decl.schema.scalar_tests import search_of, text_tests, value_tests
from adk_decl.syntax.document import Node, Path

if TYPE_CHECKING:
    from adk_decl.schema.load import Schema, Shape

Check = Callable[[Node, Path, Walk], None]


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
        empty: list[tuple[Node, Node, Check]] = []
        for key, value in node.entries:
            name = key.text
            child = known.get(name) or find(name, known)
            if name_check is not None:
                name_check(key, value, path, walk)
            if child is None:
                unknown.append((key, value))
            elif value.value is None and value.kind == "scalar":
                empty.append((key, value, child))
            elif not walk.partial or not is_removal(value):
                child(value, (*path, name), walk)
        missing = [name for name in required if node.get(name) is None]
        for branch in branches:
            missing += branch(node, path, walk)
        layer = walk.partial and not walk.secret
        if empty:
            _check_empty(shape, schema, node, path, walk, empty)
        if unknown or (missing and not layer):
            _report_keys(schema, node, path, walk, unknown, [] if layer else missing)
        if choose and not layer:
            _check_choice(schema, node, path, walk, choose, unknown)
        if not sizes[0] <= len(node.entries) <= sizes[1]:
            walk.fail("length", schema, node, path)

    return check


def _check_empty(
    shape: Shape, schema: Schema, node: Node, path: Path, walk: Walk, empty: list[tuple[Node, Node, Check]]
) -> None:
    """Check keys without a value, but for one whose lines stand right below it and lack their indentation."""
    below = {id(one): two for (one, _), (two, _) in zip(node.entries, node.entries[1:], strict=False)}
    for key, value, check in empty:
        follower = below.get(id(key))
        if follower is not None and belongs_below(shape, schema, key.text, follower.text):
            walk.failed = True
            walk.poisoned.add(id(value))
        else:
            check(value, (*path, key.text), walk)


def belongs_below(shape: Shape, schema: Schema, empty: str, name: str) -> bool:
    """Whether `name`, which no map of `schema` has, would be right below the key `empty` of such a map."""
    outer = shape.property(schema, empty)
    if outer is None or shape.property(schema, name) is not None:
        return False
    return name in outer.get("properties", {}) or isinstance(outer.get("additionalProperties"), Mapping)


def _check_choice(
    schema: Schema, node: Node, path: Path, walk: Walk, names: tuple[str, ...], unknown: list[tuple[Node, Node]]
) -> None:
    """Check that one of several keys is there, and no second one."""
    present = sum(node.get(name) is not None for name in names)
    if present > 1:
        walk.fail("exactly_one", schema, node, path)
    elif not present and not unknown:
        walk.lack(names, "exactly_one", schema, node, path)
    elif not present:
        walk.failed = True


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
    tests = (*value_tests(names), *text_tests(shape, names))

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
    patterns = [(search_of(shape, p), s) for p, s in schema.get("patternProperties", {}).items()]
    rest = schema.get("additionalProperties", True)
    if rest is True:
        of_the_rest: Check | None = ignore_check if schema.get("x-mask") or schema.get("x-part") else free_check
    else:
        of_the_rest = None if rest is False else shape.check(rest)
    inner = shape.resolve(rest).get("properties", {}) if isinstance(rest, Mapping) else {}

    def find(name: str, known: dict[str, Check | None]) -> Check | None:
        checks = [shape.check(properties[name])] if name in properties else []
        matching = [s for search, s in patterns if search(name)]
        if not checks and name.startswith("x-") and True in matching:
            return ignore_check
        checks += [shape.check(s) for s in matching if s is not True]
        if not checks:
            return _entry_check(shape, rest, name, of_the_rest) if name in inner else of_the_rest
        found = checks[0] if len(checks) == 1 else _together(checks)
        if name in properties:
            notice = shape.resolve(properties[name]).get("x-deprecated")
            if notice is not None:
                from adk_decl.schema.deprecated import warning_first

                found = warning_first(found, notice)
            known[name] = found
        return found

    return find


def _entry_check(shape: Shape, entry: Schema, name: str, check: Check | None) -> Check | None:
    """The check of an entry of a table whose name is also a key of such entries: it may have slipped out of one."""
    own = shape.resolve(entry)["properties"][name]

    def checked(node: Node, path: Path, walk: Walk) -> None:
        if fits(shape, entry, node, path, walk) or not _fits_rather(shape, own, entry, node, path, walk):
            if check is not None:
                check(node, path, walk)
        else:
            walk.fail("slipped", shape.resolve(entry), node, path)

    return checked


def _fits_rather(shape: Shape, own: Schema, entry: Schema, node: Node, path: Path, walk: Walk) -> bool:
    """Whether a value fits the key it is named like, or has keys of its own and is no whole entry."""
    if fits(shape, own, node, path, walk):
        return True
    inside, outside = (shape.resolve(schema).get("properties", {}) for schema in (own, entry))
    names = [key.text for key, _ in node.entries]
    ours = sum(name in inside for name in names)
    lacks = any(name not in names for name in shape.resolve(entry).get("required", ()))
    return ours > 0 and (lacks or ours >= sum(name in outside for name in names))


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
