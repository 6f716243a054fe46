"""Tools that the manifests of this folder name, some of them wrongly. Read by the compiler, never run."""

from __future__ import annotations

from datetime import date

LIMIT = 3


def lookup_order(order_id: str) -> str:
    """Look up an order.

    Args:
        order_id: number of the order
    """
    return order_id


def refund(order_id, until: date, *reasons: str) -> None:
    """Refund an order: nothing here can be described."""


def cancel(order_id: str) -> None:
    """Cancel an order."""
