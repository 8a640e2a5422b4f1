from typing import Annotated

from pydantic import AliasPath, Field

from adsvc.schemas.base import Changes, ImagePath, Record, absent, may_be_absent
from adsvc.schemas.members import Description, Price, Title

AdId = Annotated[int, Field(validation_alias="id", description="The ad's id.", examples=[42])]


class CreateOrUpdateAd(Changes):
    title: Annotated[Title, may_be_absent] = absent()
    price: Annotated[Price, may_be_absent] = absent()
    description: Annotated[Description, may_be_absent] = absent()


class NewAd(CreateOrUpdateAd):
    """`CreateOrUpdateAd` with every member there, as creation needs it."""

    title: Title
    price: Price
    description: Description


class Ad(Record):
    pk: AdId
    author: Annotated[
        int,
        Field(validation_alias="author_id", description="The author's user id.", examples=[7]),
    ]
    image: ImagePath
    price: Annotated[int, Field(examples=[1500])]
    title: Annotated[str, Field(examples=["Oak table, seats six"])]


class Ads(Record):
    count: Annotated[
        int, Field(description="How many ads match in all, not on this page.", examples=[1])
    ]
    results: list[Ad]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]


class ExtendedAd(Record):
    pk: AdId
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    price: Annotated[int, Field(examples=[1500])]
    description: Annotated[str, Field(examples=["Solid oak, oiled, 180 by 90 cm, one scratch."])]
    image: ImagePath
    author_first_name: Annotated[
        str, Field(validation_alias=AliasPath("author", "first_name"), examples=["Anna"])
    ]
    author_last_name: Annotated[
        str, Field(validation_alias=AliasPath("author", "last_name"), examples=["Berg"])
    ]
    email: Annotated[
        str,
        Field(
            validation_alias=AliasPath("author", "username"),
            description="The author's user name.",
            examples=["anna@example.com"],
        ),
    ]
    phone: Annotated[
        str, Field(validation_alias=AliasPath("author", "phone"), examples=["+49 30 1234567"])
    ]
