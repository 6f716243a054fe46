"""Tools: plain functions. Their annotations and docstrings are what the model is told of them."""

from __future__ import annotations

from typing import TypedDict

from support.orders import find_order


class OrderStatus(TypedDict):
    """What the model learns about an order."""

    order_id: str
    status: str
    place: str
    arrives: str
    customer_email: str


class OrderNotFound(LookupError):
    """There is no such order. The model is told the name of this class and nothing else."""


def lookup_order(order_id: str) -> OrderStatus:
    """Look up one order: where it is and when it arrives.

    Args:
        order_id: Number of the order, such as 1042.
    """
    order = find_order(order_id)
    if order is None:
        raise OrderNotFound
    return OrderStatus(
        order_id=order.order_id,
        status=order.status,
        place=order.place,
        arrives=order.arrives,
        customer_email=order.customer_email,
    )
