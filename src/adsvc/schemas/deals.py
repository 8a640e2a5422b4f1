"""Deals and ratings."""

from typing import Annotated

from pydantic import Field

from adsvc import enums
from adsvc.kit.records import (
    TEXT,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    may_be_absent,
    moment,
)
from adsvc.schemas.ads import Ad
from adsvc.schemas.base import Bounds, ImagePath, StoredPrice, UpTo

Stars = Annotated[int, Field(ge=1, le=5, strict=True, examples=[5])]


class CreateRating(Record):
    """What a party of a deal says of the other one."""

    stars: Stars
    """From 1 (bad) to 5 (very good)."""
    text: Annotated[
        str, TEXT, Bounds("rating"), may_be_absent, Field(examples=["As described, on time."])
    ] = ""
    """In words. Line breaks are kept."""


class AnswerRating(Record):
    """The answer of the account that a rating is about."""

    text: Annotated[str, TEXT, UpTo("rating", 1), Field(examples=["Thank you, gladly again."])]
    """Text of the answer. Line breaks are kept."""


class DealParty(Record):
    """What one sees of an account that was party of a deal."""

    id: Annotated[int, Field(examples=[7])]
    """The id of the account."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """Its first name; may be empty."""
    image: ImagePath | None
    """Path of its avatar. Null if there is none."""


class RatingAnswer(Record):
    """The answer to a rating."""

    text: Annotated[str, Field(examples=["Thank you, gladly again."])]
    """Its text, with its line breaks."""
    at: Annotated[Milliseconds, moment("When it was written")]


class Rating(Record):
    """What a party of a deal says of the other one."""

    id: Annotated[int, Field(examples=[14])]
    """The rating's id."""
    deal: Annotated[int, Field(examples=[12])]
    """The id of the deal."""
    stars: Stars
    """From 1 (bad) to 5 (very good)."""
    text: Annotated[str, Field(examples=["As described, on time."])]
    """In words, with their line breaks; may be empty."""
    at: Annotated[Milliseconds, moment("When it was written")]
    by: DealParty | None
    """Who wrote it. Null if the account was deleted or is suspended."""
    role: Annotated[str, OneOf(*enums.Party), Field(examples=["buyer"])]
    """What its author was in the deal."""
    answer: RatingAnswer | None
    """The answer of the account that it is about. Null if there is none."""


class Ratings(Record):
    """A page of the ratings of a seller."""

    results: list[Rating]
    """The newest first."""
    next: NextCursor


class Deal(Record):
    """A deal, as one of its two parties sees it."""

    id: Annotated[int, Field(examples=[12])]
    """The deal's id."""
    ad: Ad | None
    """The ad that was sold. Null if it was deleted or removed."""
    title: Annotated[str, Field(examples=["Oak table, seats six"])]
    """Headline of the ad when it was sold."""
    role: Annotated[str, OneOf(*enums.Party), Field(examples=["seller"])]
    """Which party the caller is."""
    other: DealParty | None
    """The other party. Null if that account was deleted or is suspended."""
    price: Annotated[StoredPrice, Field(description="For what it was sold.", examples=[1350])]
    at: Annotated[Milliseconds, moment("When it was sold")]
    mine: Rating | None
    """The caller's rating of the other party. Null if there is none."""
    theirs: Rating | None
    """The other party's rating of the caller. Null if there is none, or before both have rated or
    the time for it is over."""
    until: Annotated[Milliseconds, moment("Until when the two may rate each other")]


class Deals(Record):
    """A page of the caller's deals."""

    results: list[Deal]
    """The newest first."""
    next: NextCursor
