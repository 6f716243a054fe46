"""Checks each `config` against the schema of its component and freezes it, the component's defaults included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from adk_decl.compiler.components import Owner, owners
from adk_decl.compiler.context import Context
from adk_decl.compiler.finding import finding
from adk_decl.compiler.graph import Graph
from adk_decl.compiler.paths import data_path
from adk_decl.compiler.tree import Path, Tree
from adk_decl.compiler.values import read_config_references
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.plan.frozen_json import FrozenJson, freeze, thaw
from adk_decl.plan.model import EnvText
from adk_decl.plan.record import EMPTY_MAP, FrozenMap
from adk_decl.schema.config import check_config
from adk_decl.schema.load import Shape, shape_from
from adk_decl.syntax.document import Node

if TYPE_CHECKING:
    from adk_decl.compiler.code import Code
    from adk_decl.components.descriptor import ComponentDescriptor


def check_configs(
    tree: Tree,
    graph: Graph,
    components: Mapping[int, ComponentDescriptor],
    code: Code | None,
    context: Context,
    bag: DiagnosticBag,
) -> tuple[Tree, dict[int, FrozenMap[FrozenJson]]]:
    """The tree with the configurations read, and each of them frozen, by `id` of the node that holds it."""
    checker = _Checker(tree, context, bag)
    checked: list[tuple[Node, Node | None, Mapping[str, Any]]] = []
    for owner in owners(tree, graph):
        schema = _schema(owner, components, code)
        config = tree.child(owner.node, "config")
        if schema is not None and (config is not None or not tree.lost(owner.node, "config")):
            checker.check(owner, config, schema)
            checked.append((owner.node, config, schema))
    for entry in graph.tools.values():
        config = tree.child(entry.node, "config")
        if config is not None:
            checker.read(config, (*entry.path, "config"), {}, set())
    tree = tree.extended(checker.schemas, frozenset(checker.muted), checker.texts, frozenset(checker.strays))
    return tree, {id(node): _frozen(tree, config, schema) for node, config, schema in checked}


def _schema(owner: Owner, components: Mapping[int, ComponentDescriptor], code: Code | None) -> Mapping[str, Any] | None:
    """The schema of a configuration, empty when it is free; None when its component was not found."""
    key = id(owner.node)
    if key in components:
        return components[key].config_schema
    if code is not None and key in code.plugins:
        return code.plugins[key].facts.config_schema or EMPTY_MAP
    return None


class _Checker:
    """Checks one configuration after the other and collects what becomes known of their nodes."""

    def __init__(self, tree: Tree, context: Context, bag: DiagnosticBag) -> None:
        self.tree = tree
        self.context = context
        self.bag = bag
        self.schemas: dict[int, Mapping[str, Any]] = {}
        self.muted: set[int] = set()
        self.texts: dict[int, str | EnvText] = {}
        self.strays: set[str] = set()

    def check(self, owner: Owner, config: Node | None, schema: Mapping[str, Any]) -> None:
        path = (*owner.path, "config")
        schemas: Mapping[int, Mapping[str, Any]] = {}
        poisoned: set[int] = set()
        if schema:
            node = config if config is not None else _absent(self.tree, owner)
            file, strays = self.tree.document.file, self.tree.strays
            result = check_config(schema, node, file=file, path=path, bag=self.bag, elsewhere=strays)
            schemas, poisoned = result.schemas, result.poisoned
            self.strays |= result.strays
        if config is not None:
            self.read(config, path, schemas, poisoned)
            self._settle(config, path, schemas)

    def read(self, config: Node, path: Path, schemas: Mapping[int, Mapping[str, Any]], poisoned: set[int]) -> None:
        """Read the references of one configuration, whose schemas are known by now."""
        found = read_config_references(self.tree.document, schemas, frozenset(poisoned), config, path, self.bag)
        self.schemas.update(schemas)
        self.muted |= poisoned | found.muted
        self.texts.update(found.texts)

    def _settle(self, config: Node, path: Path, schemas: Mapping[int, Mapping[str, Any]]) -> None:
        """Paths of data from the project root; a secret, which no component of this version can be given, refused."""
        waiting: list[tuple[Node, Path]] = [(config, path)]
        while waiting:
            node, where = waiting.pop()
            schema = schemas.get(id(node), {})
            value = self.texts.get(id(node), node.value)
            if id(node) in self.muted:
                continue
            if schema.get("x-secret") and node.kind == "map":
                message = "a secret in a configuration is not available in this version"
                label = "not available in this version"
                span = self.tree.span(node)
                self.bag.add(finding("ADK209", message, span, path=where, label=label, mask=True))
            elif schema.get("x-path") == "data" and isinstance(value, str):
                self.texts[id(node)] = data_path(self.context, value, node)
            waiting += [(child, (*where, key.text)) for key, child in node.entries]
            waiting += [(item, (*where, index)) for index, item in enumerate(node.items)]


def _absent(tree: Tree, owner: Owner) -> Node:
    """An empty map in the place of `use`, for a component that needs a configuration and was given none."""
    use = tree.child(owner.node, "use") or owner.node
    absent = Node("map", use.line, use.column, use.end_line, use.end_column)
    absent.file = use.file
    return absent


def _frozen(tree: Tree, config: Node | None, schema: Mapping[str, Any]) -> FrozenMap[FrozenJson]:
    plain = tree.plain(config) if config is not None else {}
    if schema:
        shape = shape_from(schema)
        plain = _with_defaults(shape, shape.resolve(schema), plain)
    return cast("FrozenMap[FrozenJson]", freeze(plain))


def _with_defaults(shape: Shape, schema: Mapping[str, Any], value: Any) -> Any:
    """The value with each `default` of its schema where nothing is stated."""
    if isinstance(value, EnvText):
        return value
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        items = shape.resolve(schema["items"])
        return [_with_defaults(shape, items, item) for item in value]
    if not isinstance(value, dict):
        return value
    filled = dict(value)
    for name, part in schema.get("properties", {}).items():
        resolved = shape.resolve(part)
        if name in filled:
            filled[name] = _with_defaults(shape, resolved, filled[name])
        elif "default" in resolved:
            filled[name] = _with_defaults(shape, resolved, thaw(resolved["default"]))
    return filled
