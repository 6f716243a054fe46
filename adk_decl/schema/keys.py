"""Findings about the keys of a map: unknown ones and missing ones, where one misspelt key is often both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix
from adk_decl.diagnostics.suggest import nearest
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.scalars import missing_space
from adk_decl.schema.deprecated import without_removed
from adk_decl.schema.evaluate import Missing, Stray
from adk_decl.schema.map_checks import belongs_below
from adk_decl.schema.places import describe, key_span, node_at
from adk_decl.schema.words import a_or_an

if TYPE_CHECKING:
    from adk_decl.schema.evaluate import Walk
    from adk_decl.schema.load import Schema
    from adk_decl.syntax.document import Node, Path

_OTHER_SPELLINGS = {
    "uses": "use",
    "type": "use",
    "module": "use",
    "class": "use",
    "provider": "use",
    "criterion": "use",
    "prompt": "instruction",
    "system_prompt": "instruction",
    "instructions": "instruction",
    "stateful": "state",
    "retry": "retries",
    "max_tokens": "max_output_tokens",
    "metrics": "criteria",
    "max_pass_rate_drop": "max_pass_drop",
}
"""Keys of other systems, with ours; used only where ours is a key of that map."""

_UNITS = ("_ms", "_mib", "_bytes")
_UNIT_WORDS = frozenset(
    (
        *(
            "ms",
            "msec",
            "msecs",
            "millis",
            "milliseconds",
            "s",
            "sec",
            "secs",
            "seconds",
            "m",
            "min",
            "mins",
            "minutes",
        ),
        *("h", "hours", "b", "bytes", "k", "kb", "kib", "mb", "mib", "gb", "gib", "size", "words"),
    )
)
"""How people end the names of times and sizes."""

_MOST_SUGGESTIONS = 50
"""Of so many unknown keys of one map it is looked up what was meant: looking is dear, and nobody reads more."""

_MILLISECONDS = frozenset(("ms", "msec", "msecs", "millis", "milliseconds"))


def key_findings(
    walk: Walk,
    schema: Schema,
    node: Node,
    path: Path,
    unknown: list[tuple[Node, Node]],
    missing: list[str],
) -> Iterator[Diagnostic]:
    """One finding for each unknown key and each missing key; a likely rename settles both."""
    if schema.get("x-secret") and missing == ["secret"] and all(key.text in ("env", "file") for key, _ in unknown):
        # `{env: NAME}` without its `secret:`: the keys are right and stand one level too high.
        yield _missing(walk, schema, node, path, "secret").replace(help="write `{secret: {env: NAME}}`")
        return
    if "x-removed" in schema:
        unknown, missing = yield from without_removed(walk, schema, node, path, unknown, missing)
    renames = _renames(schema, node, unknown, missing)
    settled = set(renames.values())
    for index, (key, value) in enumerate(unknown):
        rename = renames.get(id(key))
        if rename is None or rename not in missing:
            # Two headers of TOML may give one table, and one of them may be misspelt.
            meant = rename or (_near_neighbour(schema, node, key) if index < _MOST_SUGGESTIONS else None)
            walk.strays.append(Stray(key, value, (*path, meant or key.text)))
        yield _unknown(walk, schema, node, path, key, rename, alone=index >= _MOST_SUGGESTIONS)
    for name in missing:
        if name not in settled:
            slipped = _slipped_deeper(walk, node, path, name)
            if slipped is not None:
                yield slipped
            else:
                walk.missing.append(Missing(_missing(walk, schema, node, path, name), path, (name,)))


def _renames(schema: Schema, node: Node, unknown: list[tuple[Node, Node]], missing: list[str]) -> dict[int, str]:
    present = set(node.keys())
    free = [name for name in schema.get("properties", {}) if name not in present]
    renames: dict[int, str] = {}
    for key, _ in unknown[:_MOST_SUGGESTIONS]:
        candidate = _candidate(key.text, free)
        if candidate is not None and candidate not in renames.values():
            renames[id(key)] = candidate
    if len(unknown) == 1 and len(missing) == 1 and not renames:
        other = _OTHER_SPELLINGS.get(unknown[0][0].text)
        if other == missing[0]:
            renames[id(unknown[0][0])] = other
    return renames


def _candidate(word: str, names: list[str]) -> str | None:
    of_unit = _with_its_unit(word, names)
    if of_unit is not None:
        return of_unit
    found = nearest(word, names)
    if found is not None:
        return found
    plain = _letters(word)
    same = [name for name in names if _letters(name) == plain]
    if len(same) == 1:
        return same[0]
    other = _OTHER_SPELLINGS.get(word)
    if other in names:
        return other
    return None


def _with_its_unit(word: str, names: list[str]) -> str | None:
    """The only name that says the same with its unit: `timeout_ms` for `timeout` and `timeout_sec`."""
    stem = _without_unit(word)
    found = [name for name in names if name != word and name.endswith(_UNITS) and _without_unit(name) == stem]
    return found[0] if len(found) == 1 else None


def _is_other_unit(word: str, name: str) -> bool:
    """Whether a key differs from the name in nothing but its unit, so that the number may mean something else."""
    if not name.endswith(_UNITS) or _without_unit(word) != _without_unit(name):
        return False
    return not (name.endswith("_ms") and word.rpartition("_")[2].lower() in _MILLISECONDS)


def _without_unit(word: str) -> str:
    stem, _, unit = word.rpartition("_")
    return stem if stem and unit.lower() in _UNIT_WORDS else word


def _letters(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def _unknown(
    walk: Walk, schema: Schema, node: Node, path: Path, key: Node, rename: str | None, *, alone: bool
) -> Diagnostic:
    where = describe(walk, path)
    span = key.span(walk.file)
    if _lacks_space(schema, key):
        return _without_space(walk, path, key)
    names = tuple(schema.get("properties", {}))
    notes: list[str] = []
    fix = None
    if rename is not None:
        fix = Fix(
            title=f"rename to `{rename}`",
            applicability="safe" if _is_spelling(walk, key.text, rename) else "unsafe",
            edits=(Edit(span=span, text=rename),),
        )
    else:
        notes += [] if alone else _elsewhere(walk, path, key.text)
        notes.append(f"keys here: {listed(names)}" if names else "no key may stand here")
    return Diagnostic(
        code="ADK110",
        severity="error",
        message=f"unknown key {quote(key.text)} in {where}",
        span=span,
        label=f"not a key of {_noun(schema)}",
        path=(*path, key.text),
        notes=tuple(notes),
        help=None if alone else _unknown_help(walk, schema, node, key, rename),
        fix=fix,
        mask_values=walk.masked,
    )


def _unknown_help(walk: Walk, schema: Schema, node: Node, key: Node, rename: str | None) -> str | None:
    if rename is not None:
        if _is_other_unit(key.text, rename):
            return f"did you mean `{rename}`? The name states the unit of the number"
        return f"did you mean `{rename}`?"
    empty = _empty_above(walk, schema, node, key)
    if empty is not None:
        return f"`{empty}` above has no value: indent this line, so that it stands below it"
    there = _near_neighbour(schema, node, key)
    return f"did you mean `{there}`, which stands here already?" if there is not None else None


def _lacks_space(schema: Schema, key: Node) -> bool:
    """Whether a key of a flow map was written as `config:{instruction: x}`, which makes `config:{instruction` of it."""
    return key.plain and missing_space(key.text) and key.text.partition(":")[0] in schema.get("properties", {})


def _without_space(walk: Walk, path: Path, key: Node) -> Diagnostic:
    name, _, rest = key.text.partition(":")
    span = key.span(walk.file)
    return Diagnostic(
        code="ADK019",
        severity="error",
        message="a space is missing after the colon",
        span=span,
        label="`key: value` needs a space",
        path=(*path, name),
        help="write a space after the colon",
        fix=Fix(
            title="write a space after the colon",
            applicability="safe",
            edits=(Edit(span=span, text=f"{name}: {rest}"),),
        ),
        mask_values=walk.masked,
    )


def _near_neighbour(schema: Schema, node: Node, key: Node) -> str | None:
    """The key of this map that an unknown one was meant to be."""
    if _lacks_space(schema, key):
        return key.text.partition(":")[0]
    return nearest(key.text, [name for name in schema.get("properties", {}) if node.get(name) is not None])


def _empty_above(walk: Walk, schema: Schema, node: Node, key: Node) -> str | None:
    """The key right above whose value this one was meant to be a part of."""
    above = next((one for one, two in zip(node.entries, node.entries[1:], strict=False) if two[0] is key), None)
    if above is None or above[1].kind != "scalar" or above[1].value is not None:
        return None
    return above[0].text if belongs_below(walk.shape, schema, above[0].text, key.text) else None


def _slipped_deeper(walk: Walk, node: Node, path: Path, name: str) -> Diagnostic | None:
    """A missing key that stands in a map right below, which takes any key and would keep it silently."""
    for outer, inner in node.entries:
        key = inner.key_node(name) if inner.kind == "map" else None
        properties = walk.schemas.get(id(inner), {}).get("properties")
        if key is not None and not properties:
            return Diagnostic(
                code="ADK111",
                severity="error",
                message=f"{describe(walk, path)} has no `{name}`: it stands inside {quote(outer.text)}",
                span=key.span(walk.file),
                label=f"not in line with the keys of {describe(walk, path)}",
                path=path,
                help="line it up with the key above the map that it stands in",
                mask_values=walk.masked,
            )
    return None


def _is_spelling(walk: Walk, word: str, name: str) -> bool:
    """Whether a key is a misspelling of the name, and neither another word, nor in another unit, nor of another map."""
    if word in walk.shape.property_names() or _is_other_unit(word, name):
        return False
    return nearest(word, [name]) is not None or _letters(word) == _letters(name)


def _noun(schema: Schema) -> str:
    title = schema.get("title")
    if title is None:
        return "this map"
    return "a plugin descriptor" if title == "plugin" else a_or_an(title)


def _missing(walk: Walk, schema: Schema, node: Node, path: Path, name: str) -> Diagnostic:
    found = walk.shape.property(schema, name) or {}
    example = found.get("const", found.get("examples", [None])[0])
    note = found.get("description")
    return Diagnostic(
        code="ADK111",
        severity="error",
        message=f"{describe(walk, path)} has no `{name}`",
        span=key_span(walk, node, path),
        label=f"needs the key `{name}`",
        path=path,
        notes=(f"`{name}`: {note}",) if note else (),
        help=f"add `{name}: {example}`" if isinstance(example, str) else f"add `{name}`",
        mask_values=walk.masked,
    )


def _elsewhere(walk: Walk, path: Path, name: str) -> list[str]:
    """Where near by a key of this name would be right: in a map around this one, or in one directly below."""
    for end in range(len(path) - 1, len(walk.base) - 1, -1):
        around = walk.schemas.get(id(node_at(walk, path[:end])), {})
        if name in around.get("properties", {}):
            return [f"`{name}` is a key of {describe(walk, path[:end])}"]
    here = walk.schemas.get(id(node_at(walk, path)), {})
    below = [
        other
        for other, schema in here.get("properties", {}).items()
        if name in walk.shape.resolve(schema).get("properties", {})
    ]
    below += [
        other
        for other, schema in here.get("properties", {}).items()
        if (inner := walk.shape.property(schema, "")) is not None and name in inner.get("properties", {})
    ]
    return [f"`{name}` is a key inside `{other}`" for other in below[:1]]
