"""Lowers models, and the values that models and agents share."""

from __future__ import annotations

from typing import Any, Literal, cast

from adk_decl.compiler.bound import Configs
from adk_decl.compiler.context import Context
from adk_decl.compiler.graph import Entry
from adk_decl.compiler.paths import data_path
from adk_decl.compiler.tree import Tree
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import EnvText, Generation, ModelPlan, Price, RetryPlan, SecretRef
from adk_decl.plan.record import EMPTY_MAP
from adk_decl.syntax.document import Node

MODELS_BY_PATH = ("llama_cpp",)
"""Model components whose `model` is a file."""


def lower_model(tree: Tree, entry: Entry, configs: Configs, context: Context) -> ModelPlan:
    """One model with every value stated."""
    node = entry.node
    assert node is not None
    use = tree.text(node, "use") or ""
    model = text_or_reference(tree, node, "model")
    by_path = use in MODELS_BY_PATH and isinstance(model, str)
    return ModelPlan(
        name=entry.name,
        use=use,
        model=data_path(context, cast(str, model), tree.child(node, "model") or node) if by_path else model,
        base_url=text_or_reference(tree, node, "base_url"),
        api_key=_secret(tree, tree.child(node, "api_key"), context),
        timeout_ms=number(tree, node, "timeout_ms", "model.timeout_ms"),
        retries=_retries(tree, tree.child(node, "retries")),
        max_concurrency=number(tree, node, "max_concurrency", "model.max_concurrency"),
        requests_per_minute=number(tree, node, "requests_per_minute", "model.requests_per_minute"),
        generation=generation(tree, node),
        tool_calling=cast(Literal["native", "json_schema"], tree.text(node, "tool_calling") or "native"),
        price=_price(tree, tree.child(node, "price")),
        config=configs.get(id(node), EMPTY_MAP),
    )


def generation(tree: Tree, node: Node | None) -> Generation:
    """Sampling settings; what is not stated is None."""
    block = tree.child(node, "generation")
    return Generation(
        temperature=_optional(tree, block, "temperature"),
        top_p=_optional(tree, block, "top_p"),
        max_output_tokens=_optional(tree, block, "max_output_tokens"),
        stop=tuple(str(tree.value(item)) for item in tree.items(tree.child(block, "stop"))),
        seed=_optional(tree, block, "seed"),
    )


def limit(tree: Tree, node: Node | None, key: str, name: str) -> int:
    """A whole number that takes no reference, or the default of its limit."""
    value = tree.integer(node, key)
    return LIMITS[name].default if value is None else value


def number(tree: Tree, node: Node | None, key: str, name: str) -> int | EnvText:
    """A whole number or a reference, or the default of its limit."""
    value = tree.value(tree.child(node, key))
    return value if isinstance(value, EnvText | int) else LIMITS[name].default


def text_or_reference(tree: Tree, node: Node | None, key: str) -> str | EnvText | None:
    """A text, a reference, or None."""
    value = tree.value(tree.child(node, key))
    return value if isinstance(value, EnvText | str) else None


def _optional(tree: Tree, node: Node | None, key: str) -> Any:
    return tree.value(tree.child(node, key))


def _secret(tree: Tree, node: Node | None, context: Context) -> SecretRef | None:
    source = tree.child(node, "secret")
    variable, file = tree.text(source, "env"), tree.text(source, "file")
    if variable is not None:
        return SecretRef(source="env", name=variable)
    place = tree.child(source, "file")
    if place is None or file is None:
        return None
    return SecretRef(source="file", name=data_path(context, file, place))


def _retries(tree: Tree, node: Node | None) -> RetryPlan:
    return RetryPlan(
        max_attempts=limit(tree, node, "max_attempts", "model.max_attempts"),
        base_delay_ms=limit(tree, node, "base_delay_ms", "model.base_delay_ms"),
        max_delay_ms=limit(tree, node, "max_delay_ms", "model.max_delay_ms"),
    )


def _price(tree: Tree, node: Node | None) -> Price | None:
    if node is None:
        return None
    values = {key: float(cast(float, tree.value(tree.child(node, key)) or 0)) for key in ("input", "output")}
    cached = tree.value(tree.child(node, "cached"))
    return Price(
        **values,
        cached=values["input"] if cached is None else float(cast(float, cached)),
        currency=tree.text(node, "currency") or "USD",
    )
