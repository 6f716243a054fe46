def lookup(order_id: str:
    return order_id
