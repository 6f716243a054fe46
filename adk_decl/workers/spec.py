"""What a pool of workers is told to run. Workers know handlers, not plugins or tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adk_decl.wire import Struct


class HandlerSpec(Struct, frozen=True, kw_only=True):
    """One kind of call that a domain serves.

    `module` is imported in the zygote and must define `prepare(setup: bytes) -> Handler`; `prepare` imports the
    code that is called and runs once per worker, after the fork. `preload` are modules that the zygote imports before
    forking, so that workers share them; when one fails there, `prepare` meets the same failure.
    """

    name: str
    module: str
    setup: bytes
    preload: tuple[str, ...] = ()


class DomainSpec(Struct, frozen=True, kw_only=True):
    """One trust domain: calls of one domain may share a process, calls of different domains never do.

    `import_paths` are put in front of the host's `sys.path` in its processes. `workers` is the least number of calls
    that run at once, where the pool's own number is smaller.
    """

    name: str
    import_paths: tuple[str, ...]
    handlers: tuple[HandlerSpec, ...]
    workers: int = 1


class Problem(Struct, frozen=True, kw_only=True):
    """Why something can't be served, without the text of an exception.

    `subject` says what it is for (`plugin 'audit'`, `tool 'lookup'`), `module` where its code is, `kind` the class
    name of the exception or a symbolic code such as `not_found`.
    """

    subject: str
    module: str
    kind: str


class PrepareFailed(Exception):
    """Raised by `prepare` to name every problem at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems")


def kind_of(error: BaseException) -> str:
    """The class name of an exception as a symbol: at most 64 characters, an identifier, never its text."""
    name = type(error).__name__
    return name if name.isidentifier() and name.isascii() and len(name) <= 64 else "exception"


class StepControl(Protocol):
    """What a handler tells the host while it works, without a system call."""

    @property
    def start(self) -> int:
        """Index of the first step to run: above 0 when a call is resumed after a killed step."""
        ...

    @property
    def deadline_ns(self) -> int:
        """End of the whole call on CLOCK_MONOTONIC, or 0 when it has none."""
        ...

    def begin(self, index: int, *, heap_mib: int, now_ns: int = 0) -> None:
        """Step `index` starts now: publish it with the time, and give it `heap_mib` above what is in use.

        The memory in use is measured when the budget differs from that of the step before. `now_ns` saves reading
        the clock.
        """
        ...

    def mark(self, index: int, outcome: int, duration_us: int = 0) -> None:
        """Step `index` ended with this outcome (0 to 255), readable by the host even if a later step is killed."""
        ...

    def marks(self, start: int, end: int) -> list[int]:
        """The marks of steps of this call, each `duration_us << 8 | outcome`."""
        ...

    def checkpoint(self, index: int, data: bytes) -> bool:
        """Keep `data` as the state after step `index`; a kill in the middle leaves the one before valid.

        False when `data` is larger than `workers.checkpoint_bytes`: then the handler should answer now.
        """
        ...

    def retire(self) -> None:
        """Something was left behind that the next call should not meet: use this worker no more."""
        ...

    def end(self) -> None:
        """No step is running: lift the memory budget. Call it before anything large is made of the results."""
        ...


class Handler(Protocol):
    """What `prepare` returns: answers one call. Exceptions that leave it end the worker."""

    def __call__(self, body: bytes, steps: StepControl) -> bytes:
        """Run the call whose request is `body` and return the reply."""
        ...

    def close(self) -> None:
        """The worker ends in good order."""
        ...
