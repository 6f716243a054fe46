"""Lays the tree of one layer over that of another. Every node of the result keeps its own place and file.

Maps merge deeply, so named things merge by name. A scalar, and whatever changes its kind, takes the place of what lies
below. A reference to a secret counts as one value, and so does what stands under an `x-` key. A list met twice needs a
directive.
"""

from __future__ import annotations

from adk_decl.compiler.directives import DELETE, ITEMS, Directive, DirectiveError, directive_key, read_directive
from adk_decl.compiler.finding import Path, finding, suggestion
from adk_decl.compiler.kinds import DIRECTIVES
from adk_decl.compiler.tree import is_secret_reference
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Label
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import MergedNode, Node
from adk_decl.syntax.masking import PRIVATE_KEYS

HOW_LISTS_MERGE = "write `{$merge: append, items: [...]}` or `{$merge: replace, items: [...]}`"


class Merger:
    """Merges one layer after the other into a tree, and notes which node took the place of which.

    `file` is the shown name of the manifest, in which nodes without a file of their own lie. With `alone` a layer is
    read by itself: what its directives meet is not known, and removals stay for the check of their keys.
    """

    def __init__(self, file: str, bag: DiagnosticBag, *, alone: bool = False) -> None:
        self.file = file
        self.bag = bag
        self.alone = alone
        self.replaced: dict[int, Node] = {}
        self.misplaced = 0

    def merge(self, lower: Node, upper: Node, path: Path = ()) -> Node:
        """The map `lower` with the map `upper` over it. Both stay as they are."""
        above = {key.text: (key, value) for key, value in upper.entries}
        merged = MergedNode("map", lower.line, lower.column, lower.end_line, lower.end_column)
        merged.file = lower.file
        for key, value in lower.entries:
            over = above.pop(key.text, None)
            if over is None or _is_free(path, key):
                merged.entries.append(over or (key, value))
            else:
                self._over(merged, (key, value), over, (*path, key.text))
        for key, value in above.values():
            found = value if _is_free(path, key) else self._fresh(value, (*path, key.text), beside=lower)
            if found is not None:
                merged.entries.append((key, found))
        return merged

    def without_directives(self, node: Node, path: Path = (), *, where: str) -> Node:
        """A tree that lies over nothing: ADK505 for each directive in it, and the tree without them."""
        before = self.misplaced
        self._refuse_directives(node, path, where)
        return node if self.misplaced == before else _stripped(node)

    def _refuse_directives(self, node: Node, path: Path, where: str) -> None:
        for index, item in enumerate(node.items):
            self._refuse_directives(item, (*path, index), where)
        key = directive_key(node)
        if key is not None:
            self.misplaced += 1
            message = f"{quote(key.text)} has no meaning {where}"
            label = "lies over nothing"
            help_text = "directives belong into overlays, and into manifests that extend another one"
            span = key.span(self.file)
            self.bag.add(
                finding(
                    "ADK505", message, span, path=(*path, key.text), label=label, help=help_text, mask=_is_private(path)
                )
            )
        for name, value in node.entries:
            if not _is_free(path, name):
                self._refuse_directives(value, (*path, name.text), where)

    def _over(self, merged: Node, below: tuple[Node, Node], above: tuple[Node, Node], path: Path) -> None:
        """Add to `merged` what becomes of a key that both layers state."""
        lower, upper = below[1], above[1]
        try:
            directive = read_directive(upper)
        except DirectiveError as error:
            self._misformed(error, path)
            merged.entries.append(below)
            return
        if directive is not None:
            value = self._directed(directive, lower, path)
            if value is not None:
                key = below[0] if directive.way == "append" and lower.kind == "list" else above[0]
                merged.entries.append((key, value))
        elif lower.kind == "map" and upper.kind == "map" and not _is_one_value(lower, upper):
            merged.entries.append((below[0], self.merge(lower, upper, path)))
        elif lower.kind == "list" and upper.kind == "list":
            self._met_twice(below[0], above[0], path)
            merged.entries.append((above[0], _either(lower, upper)))
        else:
            merged.entries.append((above[0], self._instead(lower, upper, path)))

    def _directed(
        self, directive: Directive, lower: Node | None, path: Path, *, beside: Node | None = None
    ) -> Node | None:
        if directive.value is None:
            if lower is None:
                self._delete_of_nothing(directive.key, path, beside)
            return None
        if directive.way == "append" and lower is not None:
            if lower.kind == "list":
                return _appended(lower, self._plain(directive.value, path).items, directive.value)
            error = DirectiveError(directive.key, "`append` meets no list", "expected a list in the layer below")
            self._misformed(error, path, below=lower)
            return lower
        return self._instead(lower, directive.value, path)

    def _instead(self, lower: Node | None, upper: Node, path: Path) -> Node:
        """`upper` in the place of `lower`, its own directives carried out over nothing."""
        found = self._plain(upper, path)
        if lower is not None:
            self._note(found, lower)
        return found

    def _fresh(self, node: Node, path: Path, *, beside: Node | None = None) -> Node | None:
        """A value that no lower layer states; None when it says that it goes. `beside` is the map it would stand in."""
        try:
            directive = read_directive(node)
        except DirectiveError as error:
            self._misformed(error, path)
            return None
        if self.alone and directive is not None and directive.way == "delete":
            return node
        return self._plain(node, path) if directive is None else self._directed(directive, None, path, beside=beside)

    def _plain(self, node: Node, path: Path) -> Node:
        if node.kind == "list":
            return self.without_directives(node, path, where="inside a list")
        if node.kind != "map":
            return node
        entries = [
            (key, value if _is_free(path, key) else self._fresh(value, (*path, key.text)))
            for key, value in node.entries
        ]
        kept = [(key, value) for key, value in entries if value is not None]
        if len(kept) == len(entries) and all(new is old for (_, new), (_, old) in zip(kept, node.entries, strict=True)):
            return node
        rest = Node("map", node.line, node.column, node.end_line, node.end_column)
        rest.file = node.file
        rest.entries = kept
        return rest

    def _note(self, new: Node, old: Node) -> None:
        if new.kind == "map" and old.kind == "map" and not _is_one_value(old, new):
            for key, value in new.entries:
                below = old.get(key.text)
                if below is not None:
                    self._note(value, below)
        else:
            self.replaced[id(new)] = old

    def _met_twice(self, lower_key: Node, upper_key: Node, path: Path) -> None:
        self.bag.add(
            finding(
                "ADK503",
                f"the list {quote(upper_key.text)} stands in two layers, and nothing says how they meet",
                upper_key.span(self.file),
                path=path,
                label="a list over a list",
                labels=(Label(span=lower_key.span(self.file), message="the list below"),),
                help=HOW_LISTS_MERGE,
                mask=_is_private(path),
            )
        )

    def _delete_of_nothing(self, key: Node, path: Path, beside: Node | None) -> None:
        name = str(path[-1])
        near = suggestion(name, beside.keys()) if beside is not None else None
        self.bag.add(
            finding(
                "ADK504",
                f"`$delete` removes {quote(name)}, which no lower layer states",
                key.span(self.file),
                path=path,
                label="removes nothing",
                help=near or "correct the name, or take the line out",
                mask=_is_private(path),
            )
        )

    def _misformed(self, error: DirectiveError, path: Path, *, below: Node | None = None) -> None:
        labels = (Label(span=below.span(self.file), message="lies below"),) if below is not None else ()
        span, mask = error.place.span(self.file), _is_private(path)
        self.bag.add(
            finding(
                "ADK506",
                error.message,
                span,
                path=path,
                label=error.label,
                labels=labels,
                help=error.help,
                mask=mask,
            )
        )


def _is_free(path: Path, key: Node) -> bool:
    """Whether a key is one of those that are kept and not looked at: its upper value counts, whatever it is."""
    return key.text.startswith("x-") and not _is_private(path)


def _is_private(path: Path) -> bool:
    """Whether no snippet may show values of this place: the schema, which says so, has not been asked yet."""
    return not PRIVATE_KEYS.isdisjoint(path)


def _is_one_value(lower: Node, upper: Node) -> bool:
    """Whether two maps are no maps to people: a reference to a secret is replaced as a whole."""
    return is_secret_reference(lower) or is_secret_reference(upper)


def _appended(lower: Node, items: list[Node], place: Node) -> Node:
    merged = MergedNode("list", place.line, place.column, place.end_line, place.end_column)
    merged.file = place.file
    merged.items = [*lower.items, *items]
    return merged


def _either(lower: Node, upper: Node) -> Node:
    """What both lists have, once: after the error that they met, names in them shall make no second one."""
    known = [_identity(item) for item in lower.items]
    return _appended(lower, [item for item in upper.items if _identity(item) not in known], upper)


def _identity(item: Node) -> object:
    named = item.get("id") if item.kind == "map" else None
    return item.to_plain() if named is None else named.value


def _stripped(node: Node) -> Node:
    """A copy without directives: a list in the place of one that is to be merged, the rest of what stands beside."""
    if node.kind == "scalar":
        return node
    items = node.get(ITEMS) if directive_key(node) is not None else None
    if items is not None and items.kind == "list" and len(node.entries) == 2:
        return _stripped(items)
    copy = Node(node.kind, node.line, node.column, node.end_line, node.end_column)
    copy.file = node.file
    if node.kind == "list":
        copy.items = [_stripped(item) for item in node.items if not _is_delete(item)]
        return copy
    kept = [(k, v) for k, v in node.entries if k.text not in DIRECTIVES and not _is_delete(v)]
    copy.entries = [(key, _stripped(value)) for key, value in kept]
    return copy


def _is_delete(node: Node) -> bool:
    return node.kind == "map" and len(node.entries) == 1 and node.entries[0][0].text == DELETE
