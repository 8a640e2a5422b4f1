import time
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from adsvc import enums
from adsvc.kit import faults
from adsvc.kit.records import (
    ANSWERED,
    NOTHING_TO_CHANGE,
    CreatedAt,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
    refused,
)
from adsvc.schemas import base
from adsvc.schemas.base import (
    CurrentPassword,
    FirstName,
    ImagePath,
    KeyName,
    LastName,
    MailAddress,
    Phone,
)

Role = Annotated[
    str,
    OneOf(*enums.Role),
    Field(
        description="What the account may do. Moderators decide cases; administrators may also "
        "change what others posted, categories and accounts."
    ),
]


class Profile(Record):
    """What an account's owner and administrators see of it."""

    id: Annotated[int, Field(examples=[7])]
    """The account's id."""
    email: Annotated[str, Field(validation_alias="username", examples=["anna@example.com"])]
    """The user name as typed at registration, which need not be a mail address."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """First name; may be empty."""
    last_name: Annotated[str, Field(examples=["Berg"])]
    """Last name; may be empty."""
    phone: Annotated[str, Field(examples=["+49 30 1234567"])]
    """Phone number; may be empty."""
    role: Role
    image: ImagePath | None
    """Path of the avatar. Null if there is none."""


class OwnProfile(Profile):
    """What only the owner sees of an account."""

    mail: Annotated[str | None, Field(examples=["anna.berg@example.com"])]
    """The account's mail address. Null if there is none. A new address appears here once it is
    confirmed, or at once if the one before was not."""
    mail_verified: Annotated[bool, Field(examples=[True])]
    """Whether `mail` was confirmed by the link sent to it."""

    totp: Annotated[bool, Field(validation_alias="has_totp", examples=[False])]
    """Whether an authenticator app is set up, so that a login needs a code."""


class User(OwnProfile):
    """The caller's own account."""

    recovery_codes_left: Annotated[int, Field(ge=0, le=10, examples=[0])]
    """How many recovery codes are unused."""

    storage_used: Annotated[int, Field(ge=0, examples=[1_048_576])]
    """Bytes used by the pictures of the account's ads and by its avatar."""
    storage_quota: Annotated[int | None, Field(examples=[1_073_741_824])]
    """Bytes that these pictures may use. Null if there is no limit."""


class UpdateUser(MergePatch):
    """Changes of the caller's account: at least one member. What is left out stays as it is."""

    first_name: Annotated[FirstName, may_be_absent] = absent()
    last_name: Annotated[LastName, may_be_absent] = absent()
    phone: Annotated[Phone, may_be_absent] = absent()
    mail: Annotated[MailAddress, may_be_absent] = absent()
    current_password: Annotated[
        CurrentPassword,
        may_be_absent,
        Field(description="The account's password. Required with `mail`; ignored without it."),
    ] = absent()

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.model_fields_set == {"current_password"}:
            raise refused(faults.wrong_count("members", 1, detail=NOTHING_TO_CHANGE))
        return self


class NewPassword(Record):
    """A new password, confirmed by the current one."""

    current_password: CurrentPassword
    new_password: base.NewPassword


class DeleteUser(Record):
    """The confirmation that an account is to be deleted."""

    current_password: base.ConfirmingPassword = absent()


class SessionRecord(Record):
    """A login of an account on one device."""

    id: Annotated[int, Field(examples=[3])]
    """The session's id."""
    client: Annotated[str, Field(examples=["Mozilla/5.0"])]
    """The beginning of the `User-Agent` that logged in."""
    began_at: Annotated[Milliseconds, moment("When the session began")]
    last_used_at: Annotated[Milliseconds, moment("When it last received tokens")]
    expires_at: Annotated[Milliseconds, moment("When it ends unless its tokens are renewed")]


class Session(SessionRecord):
    """A place where the caller is logged in."""

    model_config = ANSWERED

    current: Annotated[bool, Field(examples=[True])] = False
    """Whether this request belongs to the session."""


class Sessions(Record):
    """Where the caller is logged in."""

    count: Annotated[int, Field(examples=[1])]
    """How many sessions there are."""
    results: list[Session]
    """All sessions, the most recently used first."""


AccountStatus = Annotated[
    str,
    OneOf(*enums.AccountStatus),
    Field(
        description="Whether the account is suspended; then it cannot log in.", examples=["active"]
    ),
]

ShownAds = Annotated[
    int, Field(description="How many ads of the account are active or reserved.", examples=[3])
]


Plan = Annotated[
    str,
    Field(
        description="The plan of the account, which decides its limits: one of `GET /site`.",
        examples=["standard"],
    ),
]


class AccountSummary(Profile):
    """An account as administrators see it."""

    status: AccountStatus
    suspended_until: Annotated[Milliseconds | None, Field(examples=[None])]
    """When the suspension ends, in milliseconds since 1970-01-01T00:00Z. Null if the account is not
    suspended, or without an end."""
    created_at: Annotated[Milliseconds, moment("When the account was created")]
    ads: ShownAds
    plan: Plan


class LimitLeft(Record):
    """A limit of the caller's account."""

    name: Annotated[
        Literal["uploads", "writes", "ads", "searches", "streams"], Field(examples=["uploads"])
    ]
    """`uploads` are pictures that are sent, `writes` changes, each in a window; `ads` are shown,
    `searches` saved, `streams` open at the process that answers."""
    limit: Annotated[int | None, Field(examples=[200])]
    """The most. Null if there is no limit."""
    remaining: Annotated[int | None, Field(examples=[180])]
    """How many are left now. Null if there is no limit."""
    window: Annotated[int | None, Field(examples=[3600])]
    """The seconds in which all of `limit` are replenished, evenly. Null if the limit is on how many
    there are."""


class AccountLimits(Record):
    """The limits of the caller's plan, and what is left of them."""

    plan: Plan
    results: list[LimitLeft]
    """The limits."""


class Accounts(Record):
    """A page of accounts."""

    results: list[AccountSummary]
    """The accounts of this page."""
    next: NextCursor


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
