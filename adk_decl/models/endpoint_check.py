"""Asks an OpenAI-compatible endpoint for its list of models: reached or not, and how fast. No prompt is sent."""

from __future__ import annotations

import time
from typing import Any

from adk_decl.models.openai_chat import Endpoint
from adk_decl.plan.limits import LIMITS
from adk_decl.transport.urls import check_url
from adk_decl.wire import Struct, WireError, decode

_MOST_BYTES = LIMITS["model.response_bytes"].default


class EndpointAnswer(Struct, frozen=True, kw_only=True):
    """The HTTP status, the time until the whole answer, and whether the model is in the list (None: no list)."""

    status: int
    latency_ms: int
    listed: bool | None


async def ask_for_models(endpoint: Endpoint, *, timeout_s: float) -> EndpointAnswer:
    """`GET /models`, once, without a retry. Raises `TransportError`."""
    from adk_decl.transport.http import HttpClient

    url = check_url(endpoint.base_url, insecure_http=endpoint.insecure_http) + "/models"
    client = HttpClient(max_connections=1, ca_bundle=endpoint.ca_bundle, plain_http=url.startswith("http:"))
    headers = {"accept": "application/json"}
    if endpoint.api_key:
        headers["authorization"] = f"Bearer {endpoint.api_key}"
    started = time.monotonic()
    try:
        response = await client.get(url, headers=headers, deadline=started + timeout_s, max_bytes=_MOST_BYTES)
    finally:
        await client.close()
    latency_ms = round((time.monotonic() - started) * 1000)
    listed = _is_listed(response.body, endpoint.model) if response.status == 200 else None
    return EndpointAnswer(status=response.status, latency_ms=latency_ms, listed=listed)


def _is_listed(body: bytes, model: str) -> bool | None:
    try:
        document: Any = decode(body)
    except WireError:
        return None
    rows = document.get("data") if isinstance(document, dict) else None
    ids = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return model in ids if ids else None
