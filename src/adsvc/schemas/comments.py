from typing import Annotated

from pydantic import AliasPath, Field

from adsvc.kit.records import CreatedAt, NextCursor, Record
from adsvc.schemas.base import CommentText, ImagePath


class CreateOrUpdateComment(Record):
    """The text of a new comment, or the new text of one."""

    text: CommentText


StoredComment = Annotated[
    str,
    Field(
        description="Text of the comment, with its line breaks.", examples=["Is it still there?"]
    ),
]


class Comment(Record):
    """A comment on an ad."""

    pk: Annotated[int, Field(validation_alias="id", examples=[9])]
    """The comment's id."""
    author: Annotated[int, Field(validation_alias="author_id", examples=[7])]
    """The id of the author's account."""
    author_first_name: Annotated[
        str, Field(validation_alias=AliasPath("author", "first_name"), examples=["Anna"])
    ]
    """The author's first name; may be empty."""
    author_image: Annotated[ImagePath | None, Field(validation_alias=AliasPath("author", "image"))]
    """Path of the author's avatar. Null if there is none."""
    created_at: CreatedAt
    text: StoredComment


class Comments(Record):
    """A page of an ad's comments, the newest first."""

    count: Annotated[int, Field(examples=[1])]
    """How many comments the ad has, on all pages together."""
    results: list[Comment]
    """The comments of this page."""
    next: NextCursor
