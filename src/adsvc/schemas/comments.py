from typing import Annotated

from pydantic import AliasPath, Field

from adsvc.schemas.base import CommentText, CreatedAt, ImagePath, NextCursor, Record


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

    pk: Annotated[int, Field(validation_alias="id", description="The comment's id.", examples=[9])]
    author: Annotated[
        int,
        Field(
            validation_alias="author_id",
            description="The id of the author's account.",
            examples=[7],
        ),
    ]
    author_first_name: Annotated[
        str,
        Field(
            validation_alias=AliasPath("author", "first_name"),
            description="The author's first name; may be empty.",
            examples=["Anna"],
        ),
    ]
    author_image: Annotated[
        ImagePath | None,
        Field(
            validation_alias=AliasPath("author", "image"),
            description="Path of the author's avatar. Null if there is none.",
        ),
    ]
    created_at: CreatedAt
    text: StoredComment


class Comments(Record):
    """A page of an ad's comments, the newest first."""

    count: Annotated[
        int,
        Field(description="How many comments the ad has, on all pages together.", examples=[1]),
    ]
    results: Annotated[list[Comment], Field(description="The comments of this page.")]
    next: NextCursor
