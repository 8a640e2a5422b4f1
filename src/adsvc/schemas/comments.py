from typing import Annotated

from pydantic import AliasPath, Field

from adsvc.schemas.base import ImagePath, Milliseconds, Record
from adsvc.schemas.fields import CommentText


class CreateOrUpdateComment(Record):
    text: CommentText


class Comment(Record):
    pk: Annotated[int, Field(validation_alias="id", examples=[9])]
    author: Annotated[
        int,
        Field(validation_alias="author_id", description="The author's user id.", examples=[7]),
    ]
    author_first_name: Annotated[
        str, Field(validation_alias=AliasPath("author", "first_name"), examples=["Anna"])
    ]
    author_image: Annotated[ImagePath | None, Field(validation_alias=AliasPath("author", "image"))]
    created_at: Milliseconds
    text: Annotated[str, Field(examples=["Is it still there?"])]


class Comments(Record):
    count: Annotated[int, Field(description="How many comments the ad has in all.", examples=[1])]
    results: list[Comment]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]
