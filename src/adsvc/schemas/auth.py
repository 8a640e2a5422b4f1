"""Login, tokens, and recovery by mail."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from adsvc.schemas import fields
from adsvc.schemas.base import ANSWERED, Record
from adsvc.schemas.fields import Credential, FirstName, LastName, Password, Phone, Username


class Login(Record):
    """Lower bounds do not apply here: accounts may have been brought along from elsewhere."""

    username: Annotated[str, Credential("username"), Field(examples=["anna@example.com"])]
    password: Annotated[str, Credential("password"), Field(examples=["correct horse battery"])]


class Register(Record):
    username: Username
    password: Password
    first_name: FirstName = ""
    last_name: LastName = ""
    phone: Phone = ""
    role: Annotated[
        Literal["USER"],
        Field(description="Nobody becomes an administrator by registering."),
    ] = "USER"


class TokenPair(BaseModel):
    """A token response with the member names of RFC 6749 §5.1."""

    model_config = ANSWERED

    access_token: Annotated[str, Field(examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.x"])]
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - a scheme, not a password
    refresh_token: Annotated[
        str,
        Field(
            description="Good for one use at `/token`, which gives the next one.",
            examples=["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
        ),
    ]
    expires_in: Annotated[int, Field(description="In seconds.", examples=[900])]


class TokenError(BaseModel):
    """RFC 6749 §5.2."""

    error: Literal["invalid_request", "invalid_grant", "unsupported_grant_type"]
    error_description: Annotated[str, Field(examples=["The user name or the password is wrong."])]


# Longer ones were never sent.
TOKEN_MAX_LENGTH = 200

LinkToken = Annotated[
    str,
    Field(
        min_length=1,
        max_length=TOKEN_MAX_LENGTH,
        description="What the link in the mail carries after `#token=`.",
        examples=["sD1cFW0Fhcp8Zb5gq2mVt7K4bQ0mXyWn1uJ9oRk3eTA"],
    ),
]


class VerifyMail(Record):
    token: LinkToken


class ForgotPassword(Record):
    """Lower bounds do not apply here: accounts may have been brought along from elsewhere."""

    username: Annotated[str, Credential("username"), Field(examples=["anna@example.com"])]


class ResetPassword(Record):
    token: LinkToken
    new_password: fields.NewPassword
