"""Findings about the keys of a map: unknown ones and missing ones, where one misspelt key is often both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix
from adk_decl.diagnostics.suggest import nearest
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.schema.places import describe, key_span, node_at

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


def key_findings(
    walk: Walk,
    schema: Schema,
    node: Node,
    path: Path,
    unknown: list[tuple[Node, Node]],
    missing: list[str],
) -> Iterator[Diagnostic]:
    """One finding for each unknown key and each missing key; a likely rename settles both."""
    if schema.get("x-secret") and missing == ["secret"]:
        # `{env: NAME}` without its `secret:`: the keys are right and stand one level too high.
        yield _missing(walk, schema, node, path, "secret").replace(help="write `{secret: {env: NAME}}`")
        return
    renames = _renames(schema, node, unknown, missing)
    for key, _ in unknown:
        yield _unknown(walk, schema, node, path, key, renames.get(id(key)))
    settled = set(renames.values())
    for name in missing:
        if name not in settled:
            yield _missing(walk, schema, node, path, name)


def _renames(schema: Schema, node: Node, unknown: list[tuple[Node, Node]], missing: list[str]) -> dict[int, str]:
    present = set(node.keys())
    free = [name for name in schema.get("properties", {}) if name not in present]
    renames: dict[int, str] = {}
    for key, _ in unknown:
        candidate = _candidate(key.text, free)
        if candidate is not None and candidate not in renames.values():
            renames[id(key)] = candidate
    if len(unknown) == 1 and len(missing) == 1 and not renames:
        other = _OTHER_SPELLINGS.get(unknown[0][0].text)
        if other == missing[0]:
            renames[id(unknown[0][0])] = other
    return renames


def _candidate(word: str, names: list[str]) -> str | None:
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
    # `timeout` for `timeout_ms`: the unit was left out.
    with_unit = [name for name in names if name.startswith(word + "_") and name.count("_") == word.count("_") + 1]
    return with_unit[0] if len(with_unit) == 1 else None


def _letters(word: str) -> str:
    return word.replace("_", "").replace("-", "").lower()


def _unknown(walk: Walk, schema: Schema, node: Node, path: Path, key: Node, rename: str | None) -> Diagnostic:
    where = describe(walk, path)
    span = key.span(walk.file)
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
        notes += _elsewhere(walk, path, key.text)
        notes.append(f"keys here: {listed(names)}" if names else "no key may stand here")
    return Diagnostic(
        code="ADK110",
        severity="error",
        message=f"unknown key {quote(key.text)} in {where}",
        span=span,
        label=f"not a key of {_noun(schema)}",
        path=(*path, key.text),
        notes=tuple(notes),
        help=f"did you mean `{rename}`?" if rename is not None else None,
        fix=fix,
        mask_values=walk.masked,
    )


def _is_spelling(walk: Walk, word: str, name: str) -> bool:
    """Whether a key is a misspelling of the name, and neither another word for it nor a key of another map."""
    if word in walk.shape.property_names():
        return False
    return nearest(word, [name]) is not None or _letters(word) == _letters(name)


def _noun(schema: Schema) -> str:
    title = schema.get("title")
    if title is None:
        return "this map"
    return "a plugin descriptor" if title == "plugin" else f"{'an' if title[0] in 'aeiou' else 'a'} {title}"


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
