from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from adsvc.errors import faults
from adsvc.schemas import fields
from adsvc.schemas.base import (
    ANSWERED,
    NOTHING_TO_CHANGE,
    ImagePath,
    MergePatch,
    Milliseconds,
    Record,
    absent,
    may_be_absent,
    refused,
)
from adsvc.schemas.fields import CurrentPassword, FirstName, LastName, MailAddress, Phone


class Profile(Record):
    id: Annotated[int, Field(examples=[7])]
    email: Annotated[
        str,
        Field(
            validation_alias="username",
            description="The user name, as typed at registration.",
            examples=["anna@example.com"],
        ),
    ]
    first_name: Annotated[str, Field(examples=["Anna"])]
    last_name: Annotated[str, Field(examples=["Berg"])]
    phone: Annotated[str, Field(examples=["+49 30 1234567"])]
    role: Literal["USER", "MODERATOR", "ADMIN"]
    image: ImagePath | None


class OwnProfile(Profile):
    """What is told to nobody else."""

    mail: Annotated[
        str | None,
        Field(
            description="The mail address of the account; null if there is none.",
            examples=["anna.berg@example.com"],
        ),
    ]
    mail_verified: Annotated[
        bool,
        Field(description="Whether somebody who reads its mail has confirmed it.", examples=[True]),
    ]


class User(OwnProfile):
    storage_used: Annotated[
        int,
        Field(
            description="Bytes that the pictures of the caller's ads and the avatar take.",
            ge=0,
            examples=[1_048_576],
        ),
    ]
    storage_quota: Annotated[
        int | None,
        Field(
            description="What they may take; null if there is no limit.",
            examples=[1_073_741_824],
        ),
    ]


class UpdateUser(MergePatch):
    first_name: Annotated[FirstName, may_be_absent] = absent()
    last_name: Annotated[LastName, may_be_absent] = absent()
    phone: Annotated[Phone, may_be_absent] = absent()
    mail: Annotated[MailAddress, may_be_absent] = absent()
    current_password: Annotated[
        CurrentPassword,
        may_be_absent,
        Field(description="Needed with `mail`, and otherwise ignored."),
    ] = absent()

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.model_fields_set == {"current_password"}:
            raise refused(faults.wrong_count("members", 1, detail=NOTHING_TO_CHANGE))
        return self


class NewPassword(Record):
    current_password: CurrentPassword
    new_password: fields.NewPassword


class DeleteUser(Record):
    current_password: CurrentPassword


class Session(Record):
    model_config = ANSWERED

    id: Annotated[int, Field(examples=[3])]
    client: Annotated[
        str, Field(description="What the client called itself.", examples=["Mozilla/5.0"])
    ]
    began_at: Milliseconds
    last_used_at: Annotated[Milliseconds, Field(description="When tokens were last issued to it.")]
    expires_at: Milliseconds
    current: Annotated[
        bool, Field(description="Whether this request belongs to it.", examples=[True])
    ] = False


class Sessions(Record):
    count: Annotated[int, Field(examples=[1])]
    results: list[Session]
