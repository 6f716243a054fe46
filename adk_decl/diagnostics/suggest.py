"""The one near name, when there is exactly one."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 64
_MOST_CANDIDATES = 1000


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The only candidate within `max(1, len(word) / 3)` edits of `word`, or None.

    An edit inserts, removes or replaces a character or swaps two neighbours; case and `-` against `_` count as
    nothing. When several candidates are equally near, none is suggested. Words beyond 64 characters get none,
    and none is looked for among more than 1,000 candidates.
    """
    if not word or len(word) > _LONGEST:
        return None
    limit = max(1, len(word) // 3)
    folded = _fold(word)
    best: str | None = None
    best_distance = limit + 1
    tied = False
    distinct = dict.fromkeys(candidates)
    for candidate in distinct if len(distinct) <= _MOST_CANDIDATES else ():
        if candidate == word or abs(len(candidate) - len(word)) > limit:
            continue
        distance = _distance(folded, _fold(candidate), limit)
        if distance < best_distance:
            best, best_distance, tied = candidate, distance, False
        elif distance == best_distance <= limit:
            tied = True
    return None if tied else best


def is_typo(word: str, name: str) -> bool:
    """Whether two words differ by one slip of the hand: case, `-` for `_`, or one edit that touches no digit.

    `v1` and `v2` differ by one edit too, and are two names.
    """
    left, right = _fold(word), _fold(name)
    if [c for c in left if c.isdigit()] != [c for c in right if c.isdigit()]:
        return False
    return abs(len(left) - len(right)) <= 1 and _distance(left, right, 1) <= 1


def _fold(word: str) -> str:
    return word.lower().replace("-", "_")


def _distance(left: str, right: str, limit: int) -> int:
    """The number of edits between two words, or `limit + 1` when there are more than `limit`."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        previous, row = row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and b == left[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before = previous
    return min(row[-1], limit + 1)
