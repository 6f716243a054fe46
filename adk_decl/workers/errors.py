"""How a call to a worker can fail. None holds text of foreign code.

CallFailed
├── StepFailed              the call ended inside a step; says which, and what the earlier ones left
│   ├── StepTimeout         the step took longer than its time; the worker was killed
│   └── WorkerDown          the worker ended: exit, signal, killed zygote, broken frame
│       ├── HeapExceeded    memory ran out where the handler could not catch it
│       ├── ReplyTooLarge   the answer was announced larger than allowed, and refused unread
│       └── ProtocolFailure the worker sent something that is not an answer
├── QueueFull               too many calls wait, or none of the workers became free in time
└── PoolClosed              the pool is closed or was never started
"""

from __future__ import annotations

from collections.abc import Sequence


class CallFailed(Exception):
    """Base of all failures of a call."""


class StepFailed(CallFailed):
    """The call ended inside a step.

    `step` is the index of that step. `checkpoint` is the newest state that an earlier step left, as
    `(step, data)`, or None. `marks` has for each finished step, from the start of the call on, its outcome and the
    microseconds it took as `us << 8 | outcome`. `begun` is False when the worker never took up the call.
    """

    def __init__(
        self,
        step: int,
        checkpoint: tuple[int, bytes] | None = None,
        marks: Sequence[int] = (),
        *,
        begun: bool = True,
    ) -> None:
        self.step = step
        self.checkpoint = checkpoint
        self.marks = marks
        self.begun = begun
        super().__init__(f"step {step}")


class StepTimeout(StepFailed):
    """The step took longer than its time, or the whole call than its deadline. The worker was killed."""


class WorkerDown(StepFailed):
    """The worker ended before it answered."""


class HeapExceeded(WorkerDown):
    """Memory ran out in a place where the handler could not turn it into an answer."""


class ReplyTooLarge(WorkerDown):
    """The answer was announced as larger than `max_reply_bytes`. It was not read, and the worker was killed."""


class ProtocolFailure(WorkerDown):
    """The worker sent bytes that are not an answer to this call. It was killed."""


class QueueFull(CallFailed):
    """No worker became free: too many calls wait already, or the wait ended."""


class PoolClosed(CallFailed):
    """The pool is closed or was never started."""


_TAGS: tuple[tuple[type[CallFailed], str], ...] = (
    (StepTimeout, "timeout"),
    (HeapExceeded, "heap_exceeded"),
    (ReplyTooLarge, "result_too_large"),
    (ProtocolFailure, "protocol_error"),
    (QueueFull, "queue_full"),
    (CallFailed, "worker_down"),
)
"""The first row that fits counts."""


def failure_tag(failure: CallFailed) -> str:
    """The symbol by which a failed call is told in traces and tool results."""
    return next(tag for kind, tag in _TAGS if isinstance(failure, kind))
