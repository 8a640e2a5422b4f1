from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.accounts.users import Profile
from adsvc.schemas.base import Milliseconds, Record
from adsvc.schemas.moderation.decisions import MadeDecision

AccountStatus = Annotated[
    Literal["active", "suspended"],
    Field(description="Nobody logs in to a suspended account.", examples=["active"]),
]


class AccountSummary(Profile):
    """An account as administrators see it."""

    status: AccountStatus
    suspended_until: Annotated[
        Milliseconds | None,
        Field(description="Null if it is not suspended, or for ever.", examples=[None]),
    ]
    created_at: Milliseconds
    ads: Annotated[int, Field(description="How many everybody sees.", examples=[3])]


class Accounts(Record):
    results: list[AccountSummary]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]


class Account(AccountSummary):
    decisions: Annotated[
        list[MadeDecision], Field(description="Those that concern it, the newest first.")
    ]
