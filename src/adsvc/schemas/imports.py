"""Imports of ads from an account's own system."""

from typing import Annotated, Any

from pydantic import FailFast, Field, StringConstraints

from adsvc import enums
from adsvc.kit.records import Milliseconds, NextCursor, OneOf, Record, absent, may_be_absent, moment
from adsvc.schemas.ads import CreateAd
from adsvc.schemas.base import ExternalId
from adsvc.schemas.problem import FaultDetail

MOST_IMAGES = 12
ImageUrl = Annotated[str, StringConstraints(min_length=1, max_length=2048)]


class ImportRow(CreateAd):
    """A row of a feed: an ad as it is to be."""

    external_id: ExternalId
    images: Annotated[
        list[ImageUrl],
        FailFast(),
        may_be_absent,
        Field(max_length=MOST_IMAGES, examples=[["https://dealer.example/photos/1047.jpg"]]),
    ] = absent()
    """Addresses of the ad's pictures, in their order: `https`, and public. They replace all
    pictures of the ad. Without it they stay; a new ad needs some, unless it is a draft."""


Number = Annotated[int, Field(examples=[0])]


class Import(Record):
    """A feed of an account's ads, and how far it has come."""

    id: Annotated[int, Field(examples=[12])]
    """The import's id."""
    mode: Annotated[str, OneOf(*enums.ImportMode), Field(examples=["full"])]
    """`full`: the ads that the feed does not have are withdrawn. `partial`: they stay."""
    dry_run: Annotated[bool, Field(examples=[False])]
    """Whether nothing is changed: the counts say what would be."""
    status: Annotated[str, OneOf(*enums.ImportStatus), Field(examples=["done"])]
    """`waiting`: it would withdraw more than half of the ads, and waits for `POST
    /imports/{id}/confirm`. `replaced`: another one was sent instead of confirming it."""
    created_at: Annotated[Milliseconds, moment("When it was sent")]
    ended_at: Annotated[Milliseconds | None, Field(examples=[None])]
    """When it ended, in milliseconds since 1970-01-01T00:00Z. Null before."""
    rows: Annotated[int, Field(examples=[500])]
    """The rows of the feed."""
    unchanged: Number
    """Rows whose ads were as the feed has them: nothing is written."""
    pending: Number
    """Rows that are not done, and ads that are to be withdrawn."""
    created: Number
    """Rows that have made an ad."""
    updated: Number
    """Rows that have changed an ad."""
    withdrawn: Number
    """Ads that were withdrawn, because the feed does not have them."""
    failed: Number
    """Rows that were refused: `GET /imports/{id}/rows?status=failed` says why."""


class Imports(Record):
    """The imports of the caller."""

    results: list[Import]
    """The ten newest, the newest first."""


class ImportedRow(Record):
    """What became of a row of a feed, or of an ad that the feed does not have."""

    row: Annotated[int, Field(validation_alias="number", examples=[3])]
    """The row's number, from 1, without the header of CSV. What the feed does not have is numbered
    after it."""
    external_id: Annotated[str | None, Field(examples=["SKU-1047"])]
    """The ad's id in its author's own system. Null if it could not be read."""
    status: Annotated[str, OneOf(*enums.ImportRowStatus), Field(examples=["failed"])]
    """What became of it."""
    ad: Annotated[int | None, Field(validation_alias="ad_id", examples=[42])]
    """The ad's id, if there is one."""
    errors: Annotated[list[FaultDetail], Field(validation_alias="faults")]
    """Why it failed: pointers into the row as JSON."""


class ImportedRows(Record):
    """A page of rows."""

    results: list[ImportedRow]
    """The rows of this page, in their order. Rows that changed nothing are not among them."""
    next: NextCursor


def counted(row: Any) -> Import:  # noqa: ANN401 - a row with `counts`
    """From a row of the table, and how many of its rows have each status."""
    statuses = {name: row["counts"].get(name, 0) for name in enums.ImportRowStatus}
    return Import.model_validate({**row, **statuses})
