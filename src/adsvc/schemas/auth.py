"""Login, tokens, and recovery by mail."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from adsvc.enums import StarterTree
from adsvc.kit.records import ANSWERED, TRIMMED, OneOf, Record, absent, may_be_absent
from adsvc.schemas import base
from adsvc.schemas.base import (
    ExistingPassword,
    FirstName,
    LastName,
    Password,
    Phone,
    UpTo,
    Username,
)
from adsvc.schemas.factors import Code
from adsvc.schemas.site import UpdateSite

ExistingUsername = Annotated[
    str,
    TRIMMED,
    UpTo("username", 1),
    Field(
        description="The account's user name, in upper or lower case. Spaces and invisible "
        "characters around it do not count.",
        examples=["anna@example.com"],
    ),
]


class Login(Record):
    """Credentials of an account.

    The lower limits on lengths do not apply: imported accounts may have shorter ones.
    """

    username: ExistingUsername
    password: Annotated[ExistingPassword, Field(examples=["correct horse battery"])]
    """The account's password."""


class Register(Record):
    """A new account."""

    username: Username
    password: Password
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    role: Literal["USER"] = "USER"
    """May be left out. Registration makes ordinary accounts only; any other value is refused."""
    invitation: Annotated[str, Field(max_length=100, examples=["kZ3vQ9sX2bTn7YwR"])] = ""
    """The code of an invitation, where `registration` of `GET /site` is `invitation`."""


class SetUp(Register):
    """The first administrator and the site."""

    token: Annotated[
        str, Field(max_length=100, examples=["sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA"])
    ]
    """That of the link."""
    site: UpdateSite | None = None
    """Members of the site that are to differ from the defaults."""
    categories: Annotated[str, OneOf(*StarterTree), Field(examples=["animals"])] = "general"
    """The tree of categories to begin with; `empty` for none."""


class TokenPair(BaseModel):
    """The tokens of a session, with the member names of RFC 6749 §5.1."""

    model_config = ANSWERED

    access_token: Annotated[str, Field(examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.x"])]
    """Send it as `Authorization: Bearer <access_token>`."""
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - a scheme
    """The scheme of the access token."""
    refresh_token: Annotated[
        str, Field(examples=["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
    ]
    """Renews the tokens once, at `POST /token`. A second use within ten seconds gets the same pair;
    a later one ends the session."""
    expires_in: Annotated[int, Field(examples=[900])]
    """Seconds until the access token expires."""


class TokenError(BaseModel):
    """A refusal in the format of OAuth 2.0 (RFC 6749 §5.2)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    error: Literal["invalid_request", "invalid_grant", "unsupported_grant_type"]
    """`invalid_grant`: the password or the refresh token is wrong, expired or used.
    `invalid_request`: the form is not valid."""
    error_description: Annotated[str, Field(examples=["The user name or the password is wrong."])]
    """The reason, for the client's developer."""


# Longer ones were never sent.
TOKEN_MAX_LENGTH = 200

LinkToken = Annotated[
    str,
    Field(
        min_length=1,
        max_length=TOKEN_MAX_LENGTH,
        description="The part of the mailed link after `#token=`. It works once, for a limited "
        "time.",
        examples=["sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA"],
    ),
]


class VerifyMail(Record):
    """The token that confirms a mail address."""

    token: LinkToken


EndKeys = Annotated[
    bool,
    Field(
        examples=[True],
        description="Whether all keys of the account are deleted, too. They outlive its sessions "
        "and passwords.",
        strict=True,
    ),
]


class ReportLogin(Record):
    """The token of a mail about a login."""

    token: LinkToken
    end_keys: EndKeys = False


class ForgotPassword(Record):
    """The account whose password was forgotten."""

    username: ExistingUsername


class ResetPassword(Record):
    """A new password in the place of a forgotten one."""

    token: LinkToken
    new_password: base.NewPassword
    end_keys: EndKeys = False
    code: Annotated[
        Code,
        may_be_absent,
        Field(
            description="Required of an account with an authenticator app: a code of it, or a "
            "recovery code."
        ),
    ] = absent()
