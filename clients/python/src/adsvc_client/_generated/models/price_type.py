from typing import Literal

PriceType = Literal["fixed", "free", "negotiable", "onRequest"] | str


def check_price_type(value: str) -> PriceType:
    """As it came: a service that is newer than this client may know more values."""
    return value
