"""What links in mails prove, and how a forgotten password is replaced."""

from typing import Annotated

from pydantic import Field

from adsvc.schemas import fields
from adsvc.schemas.base import Record
from adsvc.schemas.fields import Credential

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
