"""API keys."""

import time
from typing import Annotated

from pydantic import AfterValidator, Field

from adsvc import enums
from adsvc.kit import faults
from adsvc.kit.records import CreatedAt, Milliseconds, OneOf, Record, absent, may_be_absent, refused
from adsvc.schemas.base import CurrentPassword, KeyName

# The end of the year 9999, which is the last that clients' dates have.
LATEST = 253_402_300_799_999


def _lies_ahead(moment: int | None) -> int | None:
    now = int(time.time() * 1000)
    if moment is not None and not now < moment <= LATEST:
        raise refused(faults.out_of_range(now + 1, LATEST))
    return moment


def _each_once(scopes: list[str]) -> list[str]:
    """In the order in which they are declared."""
    return [scope for scope in enums.KeyScope if scope in scopes]


KeyScope = Annotated[
    str, OneOf(*enums.KeyScope), Field(description="What the key may be used for.")
]


class CreateKey(Record):
    """A new API key."""

    name: KeyName
    scopes: Annotated[
        list[KeyScope],
        # A longer list has repetitions, or a fault for each item.
        Field(min_length=1, max_length=len(enums.KeyScope), examples=[["ads:write"]]),
        AfterValidator(_each_once),
    ]
    """What the key may be used for, as far as its account may. A `write` contains its `read`."""
    expires_at: Annotated[
        int | None, Field(examples=[1924991999000], strict=True), AfterValidator(_lies_ahead)
    ] = None
    """When the key stops working, in milliseconds since 1970-01-01T00:00Z. Null if it does not."""
    current_password: Annotated[CurrentPassword, may_be_absent] = absent()
    """The account's password. It may be left out within five minutes of the login."""


class Key(Record):
    """An API key of the caller, without its secret."""

    id: Annotated[int, Field(examples=[4])]
    """The key's id."""
    name: Annotated[str, Field(examples=["Import of our stock"])]
    """Its name."""
    prefix: Annotated[str, Field(examples=["adsvc_7Xk2Pd"])]
    """The first characters of the secret, to recognise it by."""
    scopes: Annotated[list[KeyScope], Field(examples=[["ads:write"]])]
    """What it may be used for."""
    created_at: CreatedAt
    expires_at: Milliseconds | None
    """When it stops working, in milliseconds since 1970-01-01T00:00Z. Null if it does not."""
    last_used_at: Milliseconds | None
    """When it was last used, in milliseconds since 1970-01-01T00:00Z, give or take five minutes.
    Null before its first use."""


class CreatedKey(Key):
    """A new API key with its secret, which is returned only here."""

    secret: Annotated[str, Field(examples=["adsvc_7Xk2PdQm9Rt4Vw1Zb6Ny3Hs8Lf5Jc0T1nqrk"])]
    """Send it as `Authorization: Bearer <secret>`. It cannot be read again."""


class Keys(Record):
    """The API keys of the caller."""

    results: list[Key]
    """All keys, the newest first."""
