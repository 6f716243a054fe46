"""Errors that adk-decl raises at a caller.

    AdkDeclError
    ├── ManifestError           a manifest does not compile; carries every diagnostic
    ├── UsageError              a name that does not exist, a value out of bounds
    ├── StartError              a runner can't be built: carries every problem with its place
    └── RunError                a run that started and could not finish
        ├── PluginFailed        a plugin failed under `failure_policy: closed`
        ├── PluginHalted        a plugin stopped the run
        ├── ModelError          the model could not answer
        ├── LimitReached        a limit of the run was reached
        ├── RunTimeout          the run took longer than `run_timeout_ms`
        ├── SessionBusy         another run holds the session
        ├── SessionStoreError   the session store could not read or write
        └── OutputInvalid       the answer does not fit `output_schema`

`code` is stable and symbolic. No text holds a prompt, a response, an argument, a result, a value of a plugin's
configuration, a credential, or the text of another exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_decl.diagnostics.diagnostic import Diagnostic
    from adk_decl.runtime.result import RunResult


class AdkDeclError(Exception):
    """Base of all errors of adk-decl."""

    code = "error"

    def to_dict(self) -> dict[str, Any]:
        """The error as JSON: `code` and its facts, at most 1 KiB."""
        return {"code": self.code}


class ManifestError(AdkDeclError):
    """A manifest does not compile. `diagnostics` holds every finding; `str()` is the concise rendering."""

    code = "invalid_manifest"

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = diagnostics
        errors = sum(d.severity == "error" for d in diagnostics)
        lines = [
            f"{d.span.file}:{d.span.line}:{d.span.column}: {d.code} {d.message}"
            for d in diagnostics
            if d.severity == "error"
        ]
        super().__init__("\n".join([f"{errors} error{'s' if errors != 1 else ''}", *lines]))

    def to_dict(self) -> dict[str, Any]:
        """Code and number of findings."""
        return {"code": self.code, "findings": len(self.diagnostics)}


class UsageError(AdkDeclError):
    """A caller named something that does not exist or gave a value out of bounds."""

    code = "usage"


class StartError(AdkDeclError):
    """A runner can't be built. `problems` are complete sentences with place, cause and mend."""

    code = "start_failed"

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class RunError(AdkDeclError):
    """A run that started and could not finish."""

    code = "run_failed"

    result: RunResult | None = None
    """What the run left behind, once it has ended."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class PluginFailed(RunError):
    """A plugin failed under `failure_policy: closed`. `failure` is the failure tag, such as `timeout`."""

    code = "plugin_failed"

    def __init__(self, plugin_id: str, hook: str, failure: str) -> None:
        self.plugin_id = plugin_id
        self.hook = hook
        self.failure = failure
        super().__init__(f"plugin {plugin_id!r} failed in {hook}: {failure}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PluginFailed) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.plugin_id, self.hook, self.failure))

    def to_dict(self) -> dict[str, Any]:
        """Code, plugin, hook and failure tag."""
        return {"code": self.code, "plugin_id": self.plugin_id, "hook": self.hook, "failure": self.failure}


class PluginHalted(RunError):
    """A plugin stopped the run. `reason` is JSON, redacted, at most 1024 bytes."""

    code = "plugin_halted"

    def __init__(self, plugin_id: str, hook: str, reason: Any) -> None:
        self.plugin_id = plugin_id
        self.hook = hook
        self.reason = reason
        super().__init__(f"plugin {plugin_id!r} halted the run in {hook}")

    def to_dict(self) -> dict[str, Any]:
        """Code, plugin, hook and the redacted reason."""
        return {"code": self.code, "plugin_id": self.plugin_id, "hook": self.hook, "reason": self.reason}


class ModelError(RunError):
    """The model could not answer.

    `reason` is one of the registered codes of `adk_decl.models.protocol`; `status` the HTTP status when there was
    one; `retryable` whether another attempt before the first byte could help; `retry_after_ms` what the server
    asked for. No text of the provider is kept.
    """

    code = "model_failed"

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after_ms: int | None = None,
        detail: str | None = None,
    ) -> None:
        self.reason = reason
        self.status = status
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        text = f"the model failed: {reason}"
        if status is not None:
            text += f" (HTTP {status})"
        if detail:
            text += f": {detail}"
        super().__init__(text)

    def to_dict(self) -> dict[str, Any]:
        """Code, reason and HTTP status."""
        return {"code": self.code, "reason": self.reason, "status": self.status}


class LimitReached(RunError):
    """A limit of the run was reached. `limit` is its key under `limits`, `value` its number."""

    code = "limit_reached"

    def __init__(self, limit: str, value: int) -> None:
        self.limit = limit
        self.value = value
        super().__init__(f"the run reached {limit} ({value})")

    def to_dict(self) -> dict[str, Any]:
        """Code, limit and its number."""
        return {"code": self.code, "limit": self.limit, "value": self.value}


class RunTimeout(RunError):
    """The run took longer than `run_timeout_ms`."""

    code = "run_timeout"

    def __init__(self, run_timeout_ms: int) -> None:
        self.run_timeout_ms = run_timeout_ms
        super().__init__(f"the run took longer than run_timeout_ms ({run_timeout_ms})")


class SessionBusy(RunError):
    """Another run holds the session."""

    code = "session_busy"

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(f"session {session_id!r} is busy: another run holds it")


class SessionStoreError(RunError):
    """The session store could not read or write."""

    code = "session_store_failed"


class OutputInvalid(RunError):
    """The answer does not fit `output_schema`. `path` is where it first differs; names that a model made up are `*`."""

    code = "output_schema_failed"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"the answer does not fit output_schema at {path or 'its root'}")
