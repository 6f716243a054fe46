"""adk-decl: declare how LLM agents run, compile it to a frozen plan, and run agents under exactly that plan.

    plan = adk_decl.load("manifests/quickstart.adk.yaml")
    async with adk_decl.Runner(plan) as runner:
        async for event in runner.run("Where is order 1042?", session_id="s1"):
            ...

Names are loaded when first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_decl.errors import (
        AdkDeclError,
        LimitReached,
        ManifestError,
        ModelError,
        OutputInvalid,
        PluginFailed,
        PluginHalted,
        RunError,
        RunTimeout,
        SessionBusy,
        SessionStoreError,
        StartError,
        UsageError,
    )
    from adk_decl.loading import compile, load  # noqa: A004
    from adk_decl.plan.model import Plan
    from adk_decl.runtime.result import RunResult
    from adk_decl.runtime.run import Run
    from adk_decl.runtime.runner import Runner, prompt, run_sync

    __version__: str

_HOMES = {
    "AdkDeclError": "adk_decl.errors",
    "LimitReached": "adk_decl.errors",
    "ManifestError": "adk_decl.errors",
    "ModelError": "adk_decl.errors",
    "OutputInvalid": "adk_decl.errors",
    "Plan": "adk_decl.plan.model",
    "PluginFailed": "adk_decl.errors",
    "PluginHalted": "adk_decl.errors",
    "Run": "adk_decl.runtime.run",
    "RunError": "adk_decl.errors",
    "RunResult": "adk_decl.runtime.result",
    "RunTimeout": "adk_decl.errors",
    "Runner": "adk_decl.runtime.runner",
    "SessionBusy": "adk_decl.errors",
    "SessionStoreError": "adk_decl.errors",
    "StartError": "adk_decl.errors",
    "UsageError": "adk_decl.errors",
    "compile": "adk_decl.loading",
    "load": "adk_decl.loading",
    "prompt": "adk_decl.runtime.runner",
    "run_sync": "adk_decl.runtime.runner",
}

__all__ = [
    "AdkDeclError",
    "LimitReached",
    "ManifestError",
    "ModelError",
    "OutputInvalid",
    "Plan",
    "PluginFailed",
    "PluginHalted",
    "Run",
    "RunError",
    "RunResult",
    "RunTimeout",
    "Runner",
    "SessionBusy",
    "SessionStoreError",
    "StartError",
    "UsageError",
    "__version__",
    "compile",
    "load",
    "prompt",
    "run_sync",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from adk_decl.version import VERSION

        return VERSION
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'adk_decl' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
