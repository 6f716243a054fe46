"""The model of the runner: opened, and an HTTP endpoint asked which models it has. No prompt is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.doctor.check import Check, Status
from adk_decl.doctor.subject import Subject, is_open
from adk_decl.errors import StartError
from adk_decl.models.build import build_model, chat_endpoint
from adk_decl.models.endpoint_check import EndpointAnswer, ask_for_models
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import ModelPlan
from adk_decl.plan.record import FrozenMap
from adk_decl.transport.errors import TransportError

_OPEN_SECONDS = (LIMITS["model.load_timeout_ms"].default + 5000) / 1000
_ANSWER_SECONDS = LIMITS["doctor.check_timeout_ms"].default / 1000

_TRANSPORT = {
    "timeout": f"did not answer within {_ANSWER_SECONDS:g} s",
    "connection_failed": "can't be reached: no connection",
    "connection_lost": "broke the connection",
    "invalid_response": "answered with something that is not understood",
    "response_too_large": "answered with more than is accepted",
    "redirect_refused": "answered with a redirect, which is not followed",
    "request_refused": "can't be asked: check base_url and ca_bundle",
}


def check_model(subject: Subject) -> Iterator[Check]:
    """One check: the model opens, and where it is remote it is reached."""
    plan = subject.reached.model
    if is_open(plan) or (plan.api_key is not None and subject.api_key is None):
        yield _check(plan, "skipped", "needs a value that is missing")
        return
    if plan.use == "openai_chat" and subject.offline:
        yield _check(plan, "skipped", "--offline: the endpoint is not contacted")
        return
    try:
        yield asyncio.run(_endpoint(subject, plan) if plan.use == "openai_chat" else _open(subject, plan))
    except StartError as error:
        yield _check(plan, "fail", "; ".join(error.problems))


async def _open(subject: Subject, plan: ModelPlan) -> Check:
    model = build_model(plan, api_key=subject.api_key, project_root=subject.plan.project_root)
    try:
        async with asyncio.timeout(_OPEN_SECONDS):
            await model.open()
    except TimeoutError:
        return _check(plan, "fail", "could not be opened in time")
    finally:
        await model.close()
    return _check(plan, "ok", f"{plan.use} opens")


async def _endpoint(subject: Subject, plan: ModelPlan) -> Check:
    endpoint = chat_endpoint(plan, subject.api_key, subject.plan.project_root)
    try:
        answer = await ask_for_models(endpoint, timeout_s=_ANSWER_SECONDS)
    except TransportError as error:
        summary = f"the endpoint {_TRANSPORT[error.reason]}"
        return _check(plan, "fail", summary, {"reason": error.reason}, mend="check base_url and the network")
    facts: dict[str, Any] = {"status": answer.status, "latency_ms": answer.latency_ms, "listed": answer.listed}
    status, summary, mend = _verdict(plan, answer)
    return _check(plan, status, f"{summary} ({answer.latency_ms} ms)", facts, mend=mend)


def _verdict(plan: ModelPlan, answer: EndpointAnswer) -> tuple[Status, str, str | None]:
    code = answer.status
    if code in (401, 403):
        return "fail", f"the endpoint refuses the key (HTTP {code})", "check api_key"
    if 200 <= code < 300:
        if answer.listed is False:
            return "warn", f"reached, and it does not list `{plan.model}`", "check `model`"
        return "ok", "reached" if answer.listed is None else "reached, and it has the model", None
    if code in (404, 405, 501):
        return "ok", f"reached; it has no list of models (HTTP {code})", None
    if code == 429:
        return "warn", "reached, and it accepts no more calls now (HTTP 429)", "check the quota"
    return "fail" if code >= 500 else "warn", f"the endpoint answers with HTTP {code}", None


def _check(
    plan: ModelPlan, status: Status, summary: str, facts: Mapping[str, Any] | None = None, *, mend: str | None = None
) -> Check:
    known = FrozenMap({"use": plan.use, **(facts or {})})
    return Check(group="model", name=plan.name, status=status, summary=summary, facts=known, mend=mend)
