from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.base import ImagePath, Record


class User(Record):
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
    role: Literal["USER", "ADMIN"]
    image: ImagePath | None
