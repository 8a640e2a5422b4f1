from typing import Literal, cast

OfferStatus = Literal["accepted", "declined", "expired", "open", "withdrawn"]


def check_offer_status(value: str) -> OfferStatus:
    """As it came: a service that is newer than this client may know more values."""
    return cast(OfferStatus, value)
