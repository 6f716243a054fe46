"""The words of each finding about a value: what was found, what is needed, how to mend it.

One function for each kind of failure. Values are named only where `walk.masked` is false, and then only numbers
and plain words, so that no message carries a credential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, Fix, Label
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.regex_safety import pattern_problem
from adk_decl.schema.hints import near_value, quote_fix, replace_fix, unit_hint, unquote_fix
from adk_decl.schema.places import describe, first_span, key_span
from adk_decl.schema.words import (
    a_or_an,
    actual_words,
    asked_types,
    bounds_words,
    count_words,
    expected_words,
    json_word,
)
from adk_decl.syntax.scalar_text import scalar_text

if TYPE_CHECKING:
    from adk_decl.schema.evaluate import Walk
    from adk_decl.schema.load import Schema
    from adk_decl.syntax.document import Node, Path

_WORD_CHARACTERS = 40


class Failure(NamedTuple):
    """What went wrong: the walk, the schema that was not met, the node and its path, and further facts."""

    walk: Walk
    schema: Schema
    node: Node
    path: Path
    facts: tuple[Any, ...]

    @property
    def subject(self) -> str:
        """What the finding is about, in the words of the manifest."""
        return describe(self.walk, self.path)

    def finding(self, code: str, message: str, **more: Any) -> Diagnostic:
        """A diagnostic at the first token of the node."""
        more.setdefault("span", first_span(self.walk, self.node))
        return Diagnostic(
            code=code,
            severity=CODES[code].severity,
            message=message,
            path=self.path,
            mask_values=more.pop("mask_values", self.walk.masked),
            **more,
        )


def _wrong_type(failure: Failure) -> Iterator[Diagnostic]:
    from adk_decl.schema.free_checks import is_secret_form

    node, schema, walk = failure.node, failure.schema, failure.walk
    if node.kind == "scalar" and node.value is None:
        yield _empty(failure)
    elif walk.secret and node.kind == "scalar":
        yield _inline_secret(failure)
    elif is_secret_form(node):
        yield from _secret(failure)
    else:
        expected = expected_words(schema)
        odd = _odd_text(failure, expected)
        if odd is not None:
            yield odd
            return
        help_text, fix = _mend(failure)
        yield failure.finding(
            "ADK101",
            f"{failure.subject} must be {expected}, not {actual_words(node)}",
            label=f"expected {expected}{bounds_words(schema)}",
            help=help_text,
            fix=fix,
        )


def _empty(failure: Failure) -> Diagnostic:
    types = asked_types(failure.schema)
    value = "{}" if types[0] == "object" else "[]" if types[0] == "array" else None
    return failure.finding(
        "ADK112",
        f"{failure.subject} has no value",
        span=key_span(failure.walk, failure.node, failure.path),
        label=f"expected {expected_words(failure.schema)}",
        help=f"write `{value}` for an empty one, or delete the key" if value else "give it a value, or delete the key",
    )


def _inline_secret(failure: Failure) -> Diagnostic:
    path = failure.path[:-1] if failure.path[-1:] == ("secret",) else failure.path
    names = [step for step in path if isinstance(step, str)][-2:]
    variable = "_".join(names).upper().replace("-", "_") or "NAME"
    advice = f"write `{{secret: {{env: {variable}}}}}` and set that variable, or `{{secret: {{file: PATH}}}}`"
    return failure.finding(
        "ADK301",
        f"{describe(failure.walk, path)} is a secret and may not be written into the manifest",
        label="expected a reference to the secret",
        help=advice,
        fix=Fix(title=f"refer to the variable {variable}", applicability="display"),
        mask_values=True,
    )


def _odd_text(failure: Failure, expected: str) -> Diagnostic | None:
    """A finding for plain text that some readers take for a number or a boolean, or that lacks a space."""
    from adk_decl.scalars import missing_space, suspicion

    node = failure.node
    if node.kind != "scalar" or not node.plain or not isinstance(node.value, str):
        return None
    types = asked_types(failure.schema)
    if types == ("object",) and missing_space(node.text):
        return failure.finding(
            "ADK019",
            f"{failure.subject} must be a map, and this is text: a space is missing after the colon",
            label="expected `key: value`",
            help="write a space after the colon",
        )
    found = suspicion(node.text)
    if found is None or types[0] in ("object", "array"):
        return None
    code, odd, advice = found
    if code == "ADK112" and "null" not in types:
        return _empty(failure)
    if code == "ADK009":
        if "boolean" not in types:
            return None
        word = "true" if "`true`" in advice else "false"
        fix = replace_fix(word, failure.node.span(failure.walk.file), safe=False)
        return failure.finding(
            "ADK101",
            f"{failure.subject} must be {expected}, not text",
            label=f"expected {expected}",
            notes=(odd,),
            help=advice,
            fix=fix,
        )
    return failure.finding(
        code, f"{failure.subject} must be {expected}: {odd}", label=f"expected {expected}", help=advice
    )


def _mend(failure: Failure) -> tuple[str | None, Fix | None]:
    """What to do about a wrong type, and the edit that does it."""
    node, types = failure.node, asked_types(failure.schema)
    field = failure.path[-1] if failure.path and isinstance(failure.path[-1], str) else ""
    if node.kind == "list" and types[0] == "object":
        return ("write a map: `name: ...` for each entry instead of `- ...`", None)
    if node.kind == "map" and types[0] == "array":
        return ("write a list: begin each entry with `- `", None)
    if node.kind != "scalar":
        return (None, None)
    span = node.span(failure.walk.file)
    if types == ("array",):
        return ("write a list, also for one item: `[...]`", None)
    if "string" in types and not isinstance(node.value, str):
        return ("quote it, so that it is text", quote_fix(node, span))
    if isinstance(node.value, str) and not node.plain and _would_fit(node.text, types):
        return ("write it without quotes", unquote_fix(node, span))
    if isinstance(node.value, str) and {"integer", "number"} & set(types):
        return unit_hint(field, node, span, masked=failure.walk.masked) or (None, None)
    if isinstance(node.value, float) and "integer" in types and node.value.is_integer() and abs(node.value) < 2**53:
        whole = str(int(node.value))
        if failure.walk.masked:
            return ("write it without a fraction", None)
        return (f"write `{whole}`", replace_fix(whole, span, safe=True))
    return (None, None)


def _would_fit(text: str, types: tuple[str, ...]) -> bool:
    from adk_decl.scalars import typed

    value = typed(text)
    if isinstance(value, bool):
        return "boolean" in types
    return ("integer" in types and isinstance(value, int)) or ("number" in types and isinstance(value, int | float))


def _choice(failure: Failure) -> Iterator[Diagnostic]:
    schema, node, walk = failure.schema, failure.node, failure.walk
    allowed = (schema["const"],) if "const" in schema else tuple(schema["enum"])
    words = tuple(json_word(value) for value in allowed)
    near = None
    if isinstance(node.value, str) and not walk.secret:
        near = _renamed_hook(schema, node.value) or near_value(node.value, tuple(w for w in allowed if type(w) is str))
    what = _shown(failure) or "another value"
    yield failure.finding(
        schema.get("x-enum-code", "ADK120"),
        _choice_message(failure, what),
        label=f"expected {words[0]}" if len(words) == 1 else f"expected one of: {listed(words)}",
        help=f"did you mean `{near[0]}`?" if near else None,
        fix=replace_fix(scalar_text(near[0], plain=node.plain), node.span(walk.file), safe=near[1]) if near else None,
    )


def _choice_message(failure: Failure, what: str) -> str:
    title = failure.schema.get("title")
    if title is not None:
        return f"{what} in {describe(failure.walk, failure.path[:-1])} is not a {title}"
    return f"{what} is not a value that {failure.subject} may have"


def _renamed_hook(schema: Schema, value: str) -> tuple[str, bool] | None:
    if schema.get("x-enum-code") != "ADK210":
        return None
    from adk_decl.plan.phases import RUST_HOOK_NAMES

    ours = RUST_HOOK_NAMES.get(value)
    return None if ours is None else (ours, True)


def _range(failure: Failure) -> Iterator[Diagnostic]:
    bounds = bounds_words(failure.schema).strip()
    shown = _shown(failure)
    yield failure.finding(
        "ADK121",
        f"{failure.subject} must be {bounds}" + (f", not {shown.strip('`')}" if shown else ""),
        label=f"expected {expected_words(failure.schema)} {bounds}",
    )


def _form(failure: Failure) -> Iterator[Diagnostic]:
    form = failure.schema.get("x-form")
    yield failure.finding(
        "ADK122",
        f"{failure.subject} does not have the form it needs",
        label=f"expected {form}" if form else f"expected text that matches {failure.schema['pattern']}",
    )


def _regex(failure: Failure) -> Iterator[Diagnostic]:
    problem = pattern_problem(str(failure.node.value))
    yield failure.finding(
        "ADK122",
        f"{failure.subject} is no regular expression that may be used here",
        label=problem or "",
    )


def _json_schema(failure: Failure) -> Iterator[Diagnostic]:
    problem = failure.facts[0]
    place = "/".join(str(part) for part in problem.path) or "its root"
    yield failure.finding(
        "ADK122",
        f"{failure.subject} can't be used as a JSON Schema: it {problem.message} at `{place}`",
        label="no usable schema",
    )


def _length(failure: Failure) -> Iterator[Diagnostic]:
    schema, node = failure.schema, failure.node
    if node.kind == "scalar":
        number, key, noun = len(str(node.value)), "Length", "character"
    elif node.kind == "list":
        number, key, noun = len(node.items), "Items", "item"
    else:
        number, key, noun = len(node.entries), "Properties", "key"
    wanted = count_words(schema.get(f"min{key}", 0), schema.get(f"max{key}"), noun)
    choices = tuple(schema.get("properties", {})) if node.kind == "map" and schema.get("maxProperties") == 1 else ()
    yield failure.finding(
        schema.get("x-length-code", "ADK123"),
        f"{failure.subject} must have {wanted}, and has {number}",
        span=first_span(failure.walk, node)
        if number or node.kind == "scalar"
        else key_span(failure.walk, node, failure.path),
        label=f"expected one of: {listed(choices)}" if choices else f"expected {wanted}",
    )


def _byte_length(failure: Failure) -> Iterator[Diagnostic]:
    most = failure.schema["x-max-bytes"]
    yield failure.finding(
        "ADK123",
        f"{failure.subject} must have at most {most} bytes in UTF-8",
        label=f"expected at most {most} bytes",
    )


def _exactly_one(failure: Failure) -> Iterator[Diagnostic]:
    names = failure.schema["x-exactly-one"]
    present = [name for name in names if failure.node.get(name) is not None]
    count = f"has {' and '.join(f'`{name}`' for name in present)}" if present else "has none of them"
    last = failure.node.key_node(present[-1]) if present else None
    yield failure.finding(
        "ADK123",
        f"{failure.subject} needs exactly one of {listed(names)}, and {count}",
        span=last.span(failure.walk.file) if last else key_span(failure.walk, failure.node, failure.path),
        label=f"expected exactly one of: {listed(names)}",
    )


def _repeated(failure: Failure) -> Iterator[Diagnostic]:
    first: Node = failure.facts[0]
    shown = _shown(failure)
    yield failure.finding(
        "ADK124",
        f"{shown or 'an item'} stands twice in {describe(failure.walk, failure.path[:-1])}",
        label="stands here again",
        labels=(Label(span=first_span(failure.walk, first), message="first here"),),
        help="delete one of the two",
    )


def _name(failure: Failure) -> Iterator[Diagnostic]:
    key, what = failure.facts
    form = failure.schema.get("description", "another name")
    yield failure.finding(
        "ADK120" if what == "choice" else "ADK122" if what == "form" else "ADK123",
        f"{quote(key.text)} can't be a name in {describe(failure.walk, failure.path[:-1])}",
        span=key.span(failure.walk.file),
        label=f"expected {form}",
        mask_values=failure.walk.masked,
    )


def _reference(failure: Failure) -> Iterator[Diagnostic]:
    if failure.walk.secret:
        advice = "write `{secret: {env: NAME}}`: a secret is read when the runner is built and never shown"
    else:
        advice = "write the value itself; `$$` stands for a dollar sign"
    yield failure.finding(
        "ADK303",
        f"{failure.subject} may not hold a reference to the environment",
        label="no `${env:...}` here",
        help=advice,
    )


def _part_reference(failure: Failure) -> Iterator[Diagnostic]:
    expected = expected_words(failure.schema)
    yield failure.finding(
        "ADK101",
        f"{failure.subject} must be {expected}: a reference can't be a part of it",
        label=f"expected {expected}, or one `${{env:NAME}}` alone",
        help="let the variable hold the whole value",
    )


def _secret(failure: Failure) -> Iterator[Diagnostic]:
    yield failure.finding(
        "ADK306",
        f"{failure.subject} may not be a secret",
        span=key_span(failure.walk, failure.node, failure.path),
        label="no `{secret: ...}` here",
        help="secrets may stand only in fields that are secret; others may take `${env:NAME}` where their help says so",
        mask_values=True,
    )


def _never(failure: Failure) -> Iterator[Diagnostic]:
    yield failure.finding(
        "ADK110",
        f"{failure.subject} may not stand here",
        span=key_span(failure.walk, failure.node, failure.path),
        label="not allowed beside the other keys",
    )


def _slipped(failure: Failure) -> Iterator[Diagnostic]:
    key, owner = str(failure.path[-1]), failure.schema.get("title", "entry")
    yield failure.finding(
        "ADK110",
        f"{quote(key)} is a key of {a_or_an(owner)}, and stands between the entries of {quote(str(failure.path[-2]))}",
        span=key_span(failure.walk, failure.node, failure.path),
        label=f"expected the name of {a_or_an(owner)}",
        help=f"move it into the {owner} that it belongs to: line it up with the other keys there",
    )


WORDING: Mapping[str, Callable[[Failure], Iterator[Diagnostic]]] = {
    "wrong_type": _wrong_type,
    "choice": _choice,
    "range": _range,
    "form": _form,
    "length": _length,
    "byte_length": _byte_length,
    "regex": _regex,
    "json_schema": _json_schema,
    "exactly_one": _exactly_one,
    "repeated": _repeated,
    "name": _name,
    "reference": _reference,
    "part_reference": _part_reference,
    "secret": _secret,
    "never": _never,
    "slipped": _slipped,
}
"""The wording of each kind of failure, by the name that checks use."""


def _shown(failure: Failure) -> str:
    """The value in backticks when it may be named, else an empty text."""
    node = failure.node
    if failure.walk.masked or node.kind != "scalar":
        return ""
    if not isinstance(node.value, str):
        return f"`{json_word(node.value)}`"
    word = node.value
    harmless = 0 < len(word) <= _WORD_CHARACTERS and word.replace("_", "").replace("-", "").replace(" ", "").isalpha()
    return quote(word) if harmless else ""
