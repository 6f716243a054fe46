"""Writes random trees in random layouts: every indentation, space, break and comment that the formats allow."""

from __future__ import annotations

import json
from random import Random
from typing import Any

_KEYS = ("a", "bc", "x-1", "Über", "on", "k_k", "two words", "010", "1.5a")
_TEXTS = (
    *("x", "some words", "NO", "010", "22:22", "2024-01-02", "~", "a#b", "a: b", "# no comment", "- x", "é😀", ""),
    *(
        "{a}",
        "it's",
        'say "x"',
        "back\\slash",
        " led",
        "trailed ",
        "two\nlines\n",
        "three\n\n  lines\nhere",
        "nan",
        "y",
    ),
    *("one\n\n\n", "\nbegins", "long words that go on and on over lines", "end: ", "1_000", "true", "12"),
)
_NUMBERS = (0, 1, -5, 1.5, 2**40, True, False, None)


def random_tree(source: Random, depth: int = 4) -> dict[str, Any]:
    """A map with maps, lists and scalars in it, at most `depth` levels below it."""
    return {key: _value(source, depth) for key in source.sample(_KEYS, source.randint(1, 5))}


def _value(source: Random, depth: int) -> Any:
    kind = source.random()
    if depth == 0 or kind < 0.45:
        return source.choice(_TEXTS) if source.random() < 0.75 else source.choice(_NUMBERS)
    if kind < 0.7:
        return random_tree(source, depth - 1) if source.random() < 0.93 else {}
    return [_value(source, depth - 1) for _ in range(source.randint(0, 4))]


class MessyYaml:
    """One writing of a tree; `comments` are those that it holds, in order."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._lines: list[str] = []
        self._in_block = False
        self._keeps_end = False
        self.comments: list[str] = []

    def write(self, tree: dict[str, Any]) -> str:
        self._block(tree, self._source.choice((0, 0, 1, 3)))
        if self._chance(0.3):
            self._own_line(0)
        ending = "\r\n" if self._chance(0.1) else "\n"
        return ending.join(self._lines) + ("" if self._chance(0.1) and not self._in_block else ending)

    def _block(self, value: Any, indent: int, lead: str = "") -> None:
        """A map or list that is not empty; `lead` stands before its first line instead of the indentation."""
        rows = list(value.items()) if isinstance(value, dict) else [(None, item) for item in value]
        for key, item in rows:
            if not lead:
                self._between(indent)
            head = lead or " " * indent
            lead, self._in_block, self._keeps_end = "", False, False
            if key is None:
                self._item(item, indent, head)
            else:
                self._entry(key, item, indent, head)

    def _item(self, item: Any, indent: int, head: str) -> None:
        head += "-"
        if isinstance(item, dict | list) and item and self._chance(0.75):
            spaces = self._source.randint(1, 4)
            if self._chance(0.75):
                self._block(item, indent + 1 + spaces, head + " " * spaces)
            else:
                self._lines.append(head + self._trail())
                self._block(item, indent + self._source.randint(1, 4))
        else:
            self._inline(item, indent, head)

    def _entry(self, key: str, item: Any, indent: int, head: str) -> None:
        if self._chance(0.04):
            head += "?" + " " * self._source.randint(1, 3) + self._key(key)
            self._lines.append(head + self._trail())
            head = " " * indent + ":"
        else:
            head += self._key(key) + " " * self._source.choice((0, 0, 0, 1, 2)) + ":"
        if isinstance(item, dict | list) and item and self._chance(0.75):
            self._lines.append(head + self._trail())
            least = 0 if isinstance(item, list) else 1
            self._block(item, indent + self._source.randint(least, 4))
        else:
            self._inline(item, indent, head)

    def _inline(self, value: Any, indent: int, head: str) -> None:
        if isinstance(value, str) and "\n" in value and value.strip() and self._chance(0.8):
            self._block_scalar(value, indent, head)
            return
        if self._chance(0.1):
            self._lines.append(head + self._trail())
            self._between(indent + 1)
            head = " " * (indent + self._source.randint(1, 3))
        else:
            head += " " * self._source.choice((1, 1, 2, 5))
        text = self._flow(value, indent, 0) if isinstance(value, dict | list) else self._scalar(value, indent)
        self._lines += (head + text + self._trail()).split("\n")

    def _block_scalar(self, value: str, indent: int, head: str) -> None:
        step = self._source.randint(1, 5)
        explicit = value.lstrip("\n").startswith(" ") or self._chance(0.2)
        ends = len(value) - len(value.rstrip("\n"))
        chomp = "-" if ends == 0 else "+" if ends > 1 or self._chance(0.2) else ""
        self._lines.append(f"{head} |{step if explicit else ''}{chomp}" + self._trail())
        pad = " " * (indent + step)
        lines = value.removesuffix("\n").split("\n")
        self._in_block, self._keeps_end = True, chomp == "+"
        self._lines += [pad + line if line else " " * self._source.randint(0, indent + step) for line in lines]

    def _scalar(self, value: Any, indent: int) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        if _plain(value) and self._chance(0.7):
            return self._broken(value, indent)
        if "'" not in value and "\n" not in value and self._chance(0.5):
            return f"'{self._broken(value, indent)}'"
        return json.dumps(value, ensure_ascii=False)

    def _broken(self, value: str, indent: int) -> str:
        """The text over several lines, which are read as one."""
        words = value.split(" ")
        if len(words) < 2 or "" in words or not all(w[0].isalnum() for w in words) or self._chance(0.5):
            return value
        return "".join(w + self._fold(indent) for w in words[:-1]) + words[-1]

    def _fold(self, indent: int) -> str:
        if self._chance(0.6):
            return " "
        return " " * self._source.randint(0, 2) + "\n" + " " * (indent + self._source.randint(1, 5))

    def _key(self, key: str) -> str:
        return key if self._chance(0.7) else json.dumps(key, ensure_ascii=False)

    def _flow(self, value: Any, indent: int, depth: int) -> str:
        if isinstance(value, dict) and value:
            parts = [
                self._key(k)
                + " " * self._source.choice((0, 0, 1, 2))
                + ":"
                + self._space(1, indent)
                + self._flow(v, indent, depth + 1)
                for k, v in value.items()
            ]
        elif isinstance(value, list) and value:
            parts = [self._flow(v, indent, depth + 1) for v in value]
        elif isinstance(value, dict | list):
            parts = []
        else:
            risky = isinstance(value, str) and set(value) & set("[]{},")
            return json.dumps(value, ensure_ascii=False) if risky else self._scalar(value, indent)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        inner = "".join(self._space(0, indent) + part + self._space(0, indent) + "," for part in parts)
        return opening + (inner if parts and self._chance(0.15) else inner[:-1]) + self._space(0, indent) + closing

    def _space(self, least: int, indent: int) -> str:
        kind = self._source.random()
        if kind < 0.75:
            return " " * (least + self._source.choice((0, 0, 1, 3)))
        comment = self._comment() if kind > 0.92 else ""
        return (" " + comment if comment else "") + "\n" + " " * (indent + self._source.randint(1, 6))

    def _trail(self) -> str:
        kind = self._source.random()
        if kind < 0.75:
            return ""
        return " " * self._source.randint(0, 4) if kind < 0.85 else " " * self._source.randint(1, 6) + self._comment()

    def _between(self, indent: int) -> None:
        while self._chance(0.15):
            if self._chance(0.5) and not self._keeps_end:
                self._lines.append(" " * self._source.randint(0, 3))
            else:
                # Deeper, it would be text of a block scalar right above.
                self._own_line(0 if self._in_block else self._source.randint(0, indent + 3))

    def _own_line(self, indent: int) -> None:
        self._lines.append(" " * indent + self._comment())

    def _comment(self) -> str:
        comment = (
            self._source.choice(("# ", "#", "#  "))
            + f"c{len(self.comments)} it's: {{x"
            + " " * self._source.randint(0, 1)
        )
        self.comments.append(comment)
        return comment

    def _chance(self, share: float) -> bool:
        return self._source.random() < share


def _plain(text: str) -> bool:
    if not text or text != text.strip() or "\n" in text or ": " in text or " #" in text or text.endswith(":"):
        return False
    return text[0].isalnum() and text not in ("true", "false", "null") and not text.isdecimal()
