"""Looks at everything that a run of one runner needs on this machine; a check that fails does not stop the others.

No prompt is sent, no session is touched, and no process is left behind. Every wait has an end: `doctor.*`,
`workers.start_timeout_ms` and `model.load_timeout_ms` of the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from adk_decl.doctor.check import Check
from adk_decl.doctor.code import check_code
from adk_decl.doctor.limits import check_limits
from adk_decl.doctor.machine import check_machine, check_settings
from adk_decl.doctor.model import check_model
from adk_decl.doctor.needs import check_needs
from adk_decl.doctor.places import check_places
from adk_decl.doctor.subject import Subject
from adk_decl.plan.model import Plan, RunnerPlan
from adk_decl.workers.spec import kind_of


def examine(
    plan: Plan, runner: RunnerPlan, environment: Mapping[str, str], *, offline: bool = False
) -> Iterator[Check]:
    """All checks, each as soon as it is done. With `offline` no endpoint is contacted.

    Not to be called inside a running event loop.
    """
    subject = Subject(plan, runner, environment, offline=offline)
    yield from _guarded("settings", lambda: check_settings(environment))
    yield from _guarded("machine", check_machine)
    looks: Mapping[str, Callable[[Subject], Iterable[Check]]] = {
        "limits": check_limits,
        "environment": check_needs,
        "code": check_code,
        "model": check_model,
        "sessions": check_places,
    }
    for group, look in looks.items():
        yield from _guarded(group, lambda look=look: look(subject))  # type: ignore[misc]


def _guarded(group: str, look: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """What a look finds; an error that it does not know becomes a check that failed, without its text."""
    try:
        yield from look()
    except Exception as error:  # noqa: BLE001 - a broken part must not hide what the others find
        yield Check(group=group, name="check", status="fail", summary=f"could not be looked at: {kind_of(error)}")
