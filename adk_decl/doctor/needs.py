"""What the runner takes from its environment: variables and secrets, by name and origin, never by value."""

from __future__ import annotations

from collections.abc import Iterator

from adk_decl.doctor.check import Check
from adk_decl.doctor.subject import Subject
from adk_decl.plan.model import SecretRef
from adk_decl.plan.needs import needs_of
from adk_decl.plan.record import FrozenMap
from adk_decl.secret import SecretProblem, read_secret


def check_needs(subject: Subject) -> Iterator[Check]:
    """Every variable and secret that the runner reaches, and values that do not fit."""
    needs = needs_of(subject.plan, subject.runner)
    missing = [name for name in needs.required if name not in subject.environment]
    for name in (*needs.required, *needs.defaulted):
        yield _variable(name, subject, required=name in needs.required)
    for sentence in subject.problems:
        if not any(f"variable {name} is not set" in sentence for name in missing) and "secret" not in sentence:
            yield Check(group="environment", name="value", status="fail", summary=sentence)
    for secret in needs.secrets:
        yield _secret(secret, subject)


def _variable(name: str, subject: Subject, *, required: bool) -> Check:
    if subject.environment.get(name) or (required and name in subject.environment):
        return _fact(name, "ok", "set", "environment")
    if not required:
        return _fact(name, "ok", "not set, the default of the manifest counts", "default")
    return _fact(name, "fail", "not set", "missing").replace(mend=f"set {name}, or give its reference a default")


def _fact(name: str, status: str, summary: str, origin: str) -> Check:
    return Check(
        group="environment",
        name=name,
        status="fail" if status == "fail" else "ok",
        summary=summary,
        facts=FrozenMap({"origin": origin}),
    )


def _secret(ref: SecretRef, subject: Subject) -> Check:
    name = f"{ref.source}:{ref.name}"
    try:
        read_secret(ref, subject.environment, subject.plan.project_root)
    except SecretProblem as problem:
        mend = f"set {ref.name}" if ref.source == "env" else f"put the secret into {ref.name}, readable by this user"
        facts = FrozenMap({"reason": problem.reason})
        return Check(group="secrets", name=name, status="fail", summary=str(problem), facts=facts, mend=mend)
    return Check(group="secrets", name=name, status="ok", summary="there")
