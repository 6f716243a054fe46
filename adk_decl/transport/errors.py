"""Why an HTTP exchange failed, as a symbol and never as text of the other side."""

from __future__ import annotations

from typing import Literal

TransportReason = Literal[
    "timeout",
    "connection_failed",
    "connection_lost",
    "invalid_response",
    "response_too_large",
    "redirect_refused",
    "request_refused",
]


class TransportError(Exception):
    """An exchange that gave no usable response.

    `reason` is one of `TransportReason`. `retryable` says that nothing of the request can have been acted upon,
    so that another attempt is safe: only a connection that was never made is.
    """

    def __init__(self, reason: TransportReason, *, retryable: bool = False) -> None:
        self.reason: TransportReason = reason
        self.retryable = retryable
        super().__init__(reason)
