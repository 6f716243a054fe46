"""Which plugins live in which trust domain, in the order that host and workers share."""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.isolation.trip import HANDLER, DomainSetup, HookSetup
from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.model import PluginDescriptor
from adk_decl.wire import encode
from adk_decl.workers.spec import HandlerSpec


def by_domain(descriptors: Sequence[PluginDescriptor]) -> dict[str, tuple[PluginDescriptor, ...]]:
    """The plugins that run in workers, each once, by domain."""
    found: dict[str, dict[PluginDescriptor, None]] = {}
    for descriptor in descriptors:
        if descriptor.isolation == "worker":
            found.setdefault(descriptor.domain, {})[descriptor] = None
    return {domain: tuple(plugins) for domain, plugins in found.items()}


def handler_specs(descriptors: Sequence[PluginDescriptor], *, debug: bool = False) -> dict[str, HandlerSpec]:
    """For each domain what its workers are told about its plugins."""
    return {
        domain: HandlerSpec(
            name=HANDLER,
            module="adk_decl.isolation.worker_side",
            setup=encode(DomainSetup(plugins=tuple(map(hook_setup, plugins)), debug=debug)),
            preload=tuple(dict.fromkeys(plugin.code.module for plugin in plugins)),
        )
        for domain, plugins in by_domain(descriptors).items()
    }


def hook_setup(descriptor: PluginDescriptor) -> HookSetup:
    """A descriptor as its workers know it."""
    return HookSetup(
        id=descriptor.id,
        kind=descriptor.kind,
        module=descriptor.code.module,
        attribute=descriptor.code.attribute,
        mode=descriptor.mode,
        failure_policy=descriptor.failure_policy,
        timeout_ms=descriptor.timeout_ms,
        max_heap_mib=descriptor.max_heap_mib,
        max_result_bytes=descriptor.max_result_bytes,
        hooks=descriptor.hooks,
        config=thaw(descriptor.config),
    )
