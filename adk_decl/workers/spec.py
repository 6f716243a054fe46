"""What a pool of workers is told to run. Workers know handlers, not plugins or tools."""

from __future__ import annotations

from typing import Protocol

from adk_decl.wire import Struct


class HandlerSpec(Struct, frozen=True, kw_only=True):
    """One kind of call that a domain serves.

    `module` is imported in the zygote and must define `prepare(setup: bytes) -> Handler`; `prepare` imports the
    code that is called and runs once per worker, after the fork. `preload` are modules that the zygote imports before forking, so that
    workers share them.
    """

    name: str
    module: str
    setup: bytes
    preload: tuple[str, ...] = ()


class DomainSpec(Struct, frozen=True, kw_only=True):
    """One trust domain: calls of one domain may share a process, calls of different domains never do.

    `import_paths` are put in front of the host's `sys.path` in its processes.
    """

    name: str
    import_paths: tuple[str, ...]
    handlers: tuple[HandlerSpec, ...]


class StepControl(Protocol):
    """What a handler tells the host while it works, without a system call."""

    @property
    def start(self) -> int:
        """Index of the first step to run: above 0 when a call is resumed after a killed step."""
        ...

    def begin(self, index: int, *, heap_mib: int) -> None:
        """Step `index` starts now: publish it with the time, and give it `heap_mib` above what is in use."""
        ...

    def mark(self, index: int, outcome: int) -> None:
        """Step `index` ended with this outcome (0 to 255), readable by the host even if a later step is killed."""
        ...

    def checkpoint(self, index: int, data: bytes) -> None:
        """Keep `data` as the state after step `index`; a kill in the middle leaves the one before valid."""
        ...

    def end(self) -> None:
        """No step is running: lift the memory budget."""
        ...


class Handler(Protocol):
    """What `prepare` returns: answers one call. Exceptions that leave it end the worker."""

    def __call__(self, body: memoryview, steps: StepControl) -> bytes:
        """Run the call whose request is `body` and return the reply."""
        ...

    def close(self) -> None:
        """The worker ends in good order."""
        ...
