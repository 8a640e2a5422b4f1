from typing import Literal

OfferStatus = Literal["accepted", "declined", "done", "expired", "open", "withdrawn"] | str


def check_offer_status(value: str) -> OfferStatus:
    """As it came: a service that is newer than this client may know more values."""
    return value
