"""Mistakes of structure: what stands at the wrong place, twice, not at all, or is not written as it has to be."""

from __future__ import annotations

from random import Random

from tests.quality.mistakes import Mutant, is_word, pick, replaced, with_value
from tests.quality.spots import Source, Spot


def missing_key(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.key is not None and s.path[-1] in _required(s))
    if spot is None:
        return None
    # What a plugin lacks may be said of the component that needs it.
    use = spot.parent.get("use") if spot.path[-1] == "mode" else None
    return _without(source, spot, frozenset({_owner_line(source, spot), *([use.line] if use is not None else [])}))


def dangling_reference(source: Source, random: Random) -> Mutant | None:
    """A definition is deleted that is used once: the finding belongs where it is used."""
    spot = pick(source, random, lambda s: len(s.path) == 2 and s.path[0] in ("models", "tools", "agents", "plugins"))
    if spot is None or not source.owns_lines(spot):
        return None
    table = spot.path[0]
    uses = [s for s in source.spots if s.schema.get("x-name-of") == table and s.value.value == spot.path[1]]
    if len(uses) != 1:
        return None
    gone = spot.value.end_line - _line(spot) + 1
    line = uses[0].value.line
    # The only definition of a table leaves its empty key behind, which is where the mistake was made.
    table_key = {key.line for key, value in source.root.entries if value is spot.parent and len(value.entries) == 1}
    return _without(source, spot, frozenset({line - gone if line > _line(spot) else line}) | table_key)


def duplicate_key(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, source.owns_lines)
    if spot is None:
        return None
    first, last = source.line_start(_line(spot)), source.line_start(spot.value.end_line + 1)
    if source.base.format == "toml" and spot.value.kind == "map":
        return None
    lines = source.text[first:last]
    mutant = replaced(source, last, last, lines if lines.endswith("\n") else f"\n{lines}")
    return mutant._replace(lines=frozenset({min(mutant.lines)}))


def wrong_indent(source: Source, random: Random) -> Mutant | None:
    spot = _block(source, random)
    if spot is None or spot.key is None:
        return None
    start, column = source.line_start(spot.key.line), spot.key.column - 1
    new = max(0, column + random.choice((-3, -2, -1, 1, 2, 4)))
    return None if new == column else replaced(source, start, start + column, " " * new)


def block_too_shallow(source: Source, random: Random) -> Mutant | None:
    """A whole block, one level further out than it belongs."""
    spot = pick(source, random, lambda s: source.owns_lines(s) and len(s.path) > 1 and s.value.kind == "map")
    if spot is None or source.base.format == "toml" or spot.value.line == _line(spot):
        return None
    first, last = source.line_start(_line(spot)), source.line_start(spot.value.end_line + 1)
    lines = source.text[first:last].split("\n")
    return replaced(source, first, last, "\n".join(line[2:] for line in lines))


def tab_for_spaces(source: Source, random: Random) -> Mutant | None:
    spot = _block(source, random, indented=True)
    if spot is None or spot.key is None:
        return None
    start = source.line_start(spot.key.line)
    return replaced(source, start, start + spot.key.column - 1, "\t" * ((spot.key.column - 1) // 2))


def key_too_deep(source: Source, random: Random) -> Mutant | None:
    """A line that slipped into the map of its neighbour."""
    spot = _movable(source, random)
    if spot is None:
        return None
    beside = [
        s
        for s in source.spots
        if s.path[:-1] == spot.path[:-1] and s.value.kind == "map" and s.value.entries and _is_block(source, s)
    ]
    if not beside:
        return None
    child = random.choice(beside).value.entries[0][0]
    return _moved(source, spot, child.line, child.column)


def key_too_shallow(source: Source, random: Random) -> Mutant | None:
    """A line that stands beside the map it belongs into."""
    spot = _movable(source, random)
    if spot is None or source.base.format == "toml":
        return None
    owner = next((s for s in source.spots if s.value is spot.parent and s.key is not None), None)
    if owner is None or owner.key is None or not _is_block(source, owner):
        return None
    if not random.randrange(2):
        return _moved(source, spot, owner.key.line, owner.key.column)
    return _moved(source, spot, owner.value.end_line + 1, owner.key.column)


def key_in_other_block(source: Source, random: Random) -> Mutant | None:
    """A line in the map of something else."""
    spot = _movable(source, random)
    if spot is None:
        return None
    others = [
        s.value.entries[0][0]
        for s in source.spots
        if s.value.kind == "map"
        and s.value.entries
        and s.schema is not spot.around
        and s.value.get(str(spot.path[-1])) is None
        if _is_block(source, s) and s.schema.get("properties")
    ]
    child = random.choice(others) if others else None
    return None if child is None else _moved(source, spot, child.line, child.column)


def no_space_after_colon(source: Source, random: Random) -> Mutant | None:
    return _after_key(source, random, ":", 1)


def no_colon(source: Source, random: Random) -> Mutant | None:
    return _after_key(source, random, " " if source.base.format == "yaml" else "", 1)


def no_space_after_dash(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.key is None and _dash(source, s) >= 0)
    if spot is None:
        return None
    dash = source.line_start(spot.value.line) + _dash(source, spot)
    return replaced(source, dash, dash + 2, "-")


def unclosed_quote(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: source.written(s.value)[:1] in ("'", '"') and source.owns_lines(s))
    if spot is None:
        return None
    end = source.range(spot.value)[1]
    return replaced(source, end - 1, end, "")


def unclosed_bracket(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: source.written(s.value)[:1] in ("[", "{") and source.written(s.value)[1:2])
    if spot is None:
        return None
    end = source.range(spot.value)[1]
    return replaced(source, end - 1, end, "")


def no_comma(source: Source, random: Random) -> Mutant | None:
    spots = [s for s in source.spots if source.written(s.value)[:1] in ("[", "{")]
    flows = [s for s in spots if len(s.value.items) + len(s.value.entries) > 1]
    if not flows:
        return None
    node = random.choice(flows).value
    children = node.items or [value for _, value in node.entries]
    at = source.range(children[random.randrange(len(children) - 1)])[1]
    comma = source.text.index(",", at)
    return replaced(source, comma, comma + 1, "")


def list_for_map(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.value.kind == "map" and len(s.value.entries) > 0 and _is_block(source, s))
    if spot is None or source.base.format == "toml":
        return None
    first = spot.value.entries[0][0]
    start, end = source.line_start(first.line), source.line_start(spot.value.end_line + 1)
    lines = source.text[start:end].rstrip("\n").split("\n")
    column = first.column - 1
    changed = [
        line[:column] + ("- " if line[column : column + 1] not in ("", " ", "#") else "  ") + line[column:]
        if line[:column].strip() == ""
        else line
        for line in lines
    ]
    mutant = replaced(source, start, end, "\n".join(changed) + "\n")
    return mutant._replace(lines=mutant.lines | {_line(spot)})


def map_for_list(source: Source, random: Random) -> Mutant | None:
    spot = pick(source, random, lambda s: s.value.kind == "list" and s.value.items and is_word_list(s))
    if spot is None:
        return None
    entries = ("{}: {}" if source.base.format == "yaml" else "{} = {}").format
    names = [entries(item.text, source.text_of(True)) for item in spot.value.items]
    mutant = with_value(source, spot, "{" + ", ".join(names) + "}")
    return mutant if spot.value.line == spot.value.end_line else None


def is_word_list(spot: Spot) -> bool:
    """Whether a list holds only words."""
    return all(is_word(spot._replace(value=item)) and " " not in item.text for item in spot.value.items)


def _required(spot: Spot) -> tuple[str, ...]:
    needed = tuple(spot.around.get("required", ()))
    return (*needed, "model") if spot.around.get("title") == "agent" else (*needed, "mode")


def _line(spot: Spot) -> int:
    return (spot.key or spot.value).line


def _owner_line(source: Source, spot: Spot) -> int:
    owner = next((s for s in source.spots if s.value is spot.parent), None)
    if owner is None:
        return source.root.entries[0][0].line
    return _line(owner)


def _without(source: Source, spot: Spot, lines: frozenset[int]) -> Mutant | None:
    if source.owns_lines(spot):
        start, end = source.line_start(_line(spot)), source.line_start(spot.value.end_line + 1)
        if spot.path[:-1] == () and spot.parent.entries[0][0] is spot.key:
            lines = frozenset({_line(spot), spot.parent.entries[1][0].line - 1})
        return replaced(source, start, end, "")._replace(lines=lines)
    written = source.text
    assert spot.key is not None
    start, end = source.range(spot.key)[0], source.range(spot.value)[1]
    if written[end : end + 2] == ", ":
        end += 2
    elif written[start - 2 : start] == ", ":
        start -= 2
    else:
        return None
    return replaced(source, start, end, "")._replace(lines=lines | {_line(spot)})


def _block(source: Source, random: Random, *, indented: bool = False) -> Spot | None:
    if source.base.format == "toml":
        return None
    return pick(
        source,
        random,
        lambda s: source.owns_lines(s) and s.value.line == s.value.end_line and (not indented or s.key.column > 1),  # type: ignore[union-attr]
    )


def _movable(source: Source, random: Random) -> Spot | None:
    """An entry of one line that its map may lack."""
    return pick(
        source,
        random,
        lambda s: (
            source.owns_lines(s)
            and len(s.path) > 1
            and s.value.line == s.value.end_line == _line(s)
            and s.path[-1] in s.around.get("properties", {})
            and len(s.parent.entries) > 1
        ),
    )


def _is_block(source: Source, spot: Spot) -> bool:
    child = spot.value.entries[0][0] if spot.value.entries else None
    return (
        child is not None
        and child.line > _line(spot)
        and source.lines[child.line - 1][: child.column - 1].strip() == ""
    )


def _moved(source: Source, spot: Spot, before: int, column: int) -> Mutant:
    """An entry cut from its line and put before another line, at a column."""
    number = _line(spot)
    lines = source.text.split("\n")
    line = " " * (column - 1) + lines[number - 1].strip()
    del lines[number - 1]
    at = before if before <= number else before - 1
    lines.insert(at - 1, line)
    return Mutant("\n".join(lines), frozenset({at}))


def _after_key(source: Source, random: Random, new: str, _: int) -> Mutant | None:
    spot = pick(source, random, source.owns_lines)
    if spot is None or spot.key is None:
        return None
    start, end = source.range(spot.key)[1], source.range(spot.value)[0]
    between = source.text[start:end]
    if source.base.format == "toml":
        return replaced(source, start, end, f" {new}") if between.strip() == "=" and ":" not in new else None
    if between != ": ":
        return replaced(source, start, start + 1, "") if new == " " and between.startswith(":") else None
    return replaced(source, start, end, new)


def _dash(source: Source, spot: Spot) -> int:
    line = source.lines[spot.value.line - 1]
    before = line[: spot.value.column - 1]
    return before.index("-") if before.strip() == "-" and before.endswith("- ") else -1
