"""API keys."""

import time
from typing import Annotated

from pydantic import AfterValidator, Field

from adsvc import enums
from adsvc.errors import faults
from adsvc.schemas.base import CreatedAt, KeyName, Milliseconds, OneOf, Record, refused

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
        Field(
            min_length=1,
            description="What the key may be used for, as far as its account may. A `write` "
            "contains its `read`.",
            examples=[["ads:write"]],
        ),
        AfterValidator(_each_once),
    ]
    expires_at: Annotated[
        int | None,
        Field(
            description="When the key stops working, in milliseconds since 1970-01-01T00:00Z. Null "
            "if it does not.",
            examples=[1924991999000],
            strict=True,
        ),
        AfterValidator(_lies_ahead),
    ] = None


class Key(Record):
    """An API key of the caller, without its secret."""

    id: Annotated[int, Field(description="The key's id.", examples=[4])]
    name: Annotated[str, Field(description="Its name.", examples=["Import of our stock"])]
    prefix: Annotated[
        str,
        Field(
            description="The first characters of the secret, to recognise it by.",
            examples=["adsvc_7Xk2Pd"],
        ),
    ]
    scopes: Annotated[
        list[KeyScope],
        Field(description="What it may be used for.", examples=[["ads:write"]]),
    ]
    created_at: CreatedAt
    expires_at: Annotated[
        Milliseconds | None,
        Field(
            description="When it stops working, in milliseconds since 1970-01-01T00:00Z. Null if "
            "it does not."
        ),
    ]
    last_used_at: Annotated[
        Milliseconds | None,
        Field(
            description="When it was last used, in milliseconds since 1970-01-01T00:00Z, give or "
            "take five minutes. Null before its first use."
        ),
    ]


class CreatedKey(Key):
    """A new API key with its secret, which is returned only here."""

    secret: Annotated[
        str,
        Field(
            description="Send it as `Authorization: Bearer <secret>`. It cannot be read again.",
            examples=["adsvc_7Xk2PdQm9Rt4Vw1Zb6Ny3Hs8Lf5Jc0T1nqrk"],
        ),
    ]


class Keys(Record):
    """The API keys of the caller."""

    results: Annotated[list[Key], Field(description="All keys, the newest first.")]
