"""Policy checks of models: plain HTTP beyond this machine, delays that are the wrong way round."""

from __future__ import annotations

from adk_decl.compiler.finding import Path, finding
from adk_decl.compiler.graph import Graph
from adk_decl.compiler.tree import Tree
from adk_decl.compiler.values import default_text
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Label
from adk_decl.diagnostics.wording import quote
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import EnvText
from adk_decl.scalars import Scalar, convert
from adk_decl.syntax.document import Node


def check_models(tree: Tree, graph: Graph, bag: DiagnosticBag) -> None:
    """Reports ADK412 and ADK414."""
    for entry in graph.models.values():
        if entry.node is not None:
            _check_http(tree, entry.node, entry.name, entry.path, bag)
            _check_delays(tree, entry.node, entry.path, bag)


def number(value: Scalar | EnvText, default: int | None) -> int | None:
    """A whole number as policy sees it: that of the default of a reference, None when it has none."""
    if isinstance(value, EnvText):
        text = default_text(value)
        if text is None:
            return None
        try:
            found = convert(text, "integer", minimum=value.minimum, maximum=value.maximum)
        except ValueError:
            return None
        return found if isinstance(found, int) else None
    return default if value is None else value if isinstance(value, int) else None


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host == "localhost" or host.endswith(".localhost") or host in ("::1", "[::1]"):
        return True
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdecimal() and len(part) <= 3 for part in parts)


def plain_http_host(url: str) -> str | None:
    """The host of an `http://` address, without user and port; None for every other text."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() != "http":
        return None
    for mark in "/?#\\":
        rest = rest.partition(mark)[0]
    host = rest.rpartition("@")[2].lower()
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _check_http(tree: Tree, model: Node, name: str, path: Path, bag: DiagnosticBag) -> None:
    node = tree.child(model, "base_url")
    value = tree.value(node)
    text = default_text(value) if isinstance(value, EnvText) else value
    if node is None or not isinstance(text, str):
        return
    host = plain_http_host(text)
    if host is None or is_loopback(host) or tree.truth(tree.child(model, "config"), "insecure_http"):
        return
    bag.add(
        finding(
            "ADK412",
            f"model {quote(name)} talks plain HTTP to another machine",
            tree.span(node),
            path=(*path, "base_url"),
            label="anyone on the way can read and change it",
            help="write `https://`, or `insecure_http: true` in the `config` of the model",
        )
    )


def _check_delays(tree: Tree, model: Node, path: Path, bag: DiagnosticBag) -> None:
    retries = tree.child(model, "retries")
    first, last = tree.child(retries, "base_delay_ms"), tree.child(retries, "max_delay_ms")
    place = first if first is not None else last
    if place is None or any(tree.stated(retries, k) and tree.child(retries, k) is None for k in _DELAYS):
        return
    base = number(tree.value(first), LIMITS["model.base_delay_ms"].default) or 0
    most = number(tree.value(last), LIMITS["model.max_delay_ms"].default) or 0
    if base <= most:
        return
    other = last if last is not place else None
    bag.add(
        finding(
            "ADK414",
            f"the first delay of {base} ms is longer than the longest of {most} ms",
            tree.span(place),
            path=(*path, "retries", "base_delay_ms" if first is not None else "max_delay_ms"),
            label="the wrong way round",
            labels=(Label(span=tree.span(other), message="the longest delay"),) if other is not None else (),
            help="`base_delay_ms` may be at most `max_delay_ms`",
        )
    )


_DELAYS = ("base_delay_ms", "max_delay_ms")
