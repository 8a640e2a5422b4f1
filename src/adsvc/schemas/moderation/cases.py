from typing import Annotated, Any, Literal

from pydantic import Field

from adsvc.schemas.ads.ad import Status
from adsvc.schemas.base import ANSWERED, Milliseconds, Record
from adsvc.schemas.fields import StoredPrice
from adsvc.schemas.moderation.decisions import MadeDecision
from adsvc.schemas.moderation.reports import Report

# As `models.CaseStatus`.
CaseStatus = Annotated[
    Literal["open", "decided", "appealed"],
    Field(description="What is open or appealed is to be decided.", examples=["open"]),
]


class ReportedPicture(Record):
    image: Annotated[
        str,
        Field(
            description="Server-relative path; there is nothing when the picture was deleted.",
            examples=["/images/0f8fad5bd9cb469fa16570867728950e.jpg"],
        ),
    ]
    digest: Annotated[
        str | None,
        Field(
            description="SHA-256 of the picture, in hexadecimal digits; null of older ones.",
            examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        ),
    ]


class Snapshot(Record):
    """What an ad said, or a comment: the members of the other kind are null."""

    model_config = ANSWERED

    title: Annotated[str | None, Field(examples=["Oak table, seats six"])] = None
    description: Annotated[
        str | None, Field(examples=["Solid oak, oiled, 180 by 90 cm, one scratch."])
    ] = None
    price: StoredPrice | None = None
    price_type: Annotated[str | None, Field(examples=["negotiable"])] = None
    category: Annotated[str | None, Field(examples=["furniture"])] = None
    attributes: Annotated[
        dict[str, Any] | None, Field(examples=[{"material": "wood", "width": 180}])
    ] = None
    place: Annotated[str | None, Field(examples=["Berlin-Kreuzberg"])] = None
    images: Annotated[
        list[ReportedPicture],
        Field(default_factory=list, description="Of a comment there are none."),
    ]
    text: Annotated[
        str | None, Field(description="Of a comment.", examples=["Pay me in advance."])
    ] = None


class CurrentThing(Snapshot):
    status: Annotated[
        Status | None, Field(description="Of an ad; null of a comment.", examples=["active"])
    ] = None


class CaseReport(Report):
    """What moderators are told of a report."""

    reporter: Annotated[
        int | None,
        Field(
            validation_alias="reporter_id",
            description="Who reported: an account's id; null if it was deleted.",
            examples=[12],
        ),
    ]
    counts: Annotated[
        bool,
        Field(
            description="False of accounts that were younger than a day, or are suspended.",
            examples=[True],
        ),
    ]
    snapshot: Annotated[
        Snapshot | None,
        Field(description="The thing as it was then; null if as it was first reported."),
    ]


class CaseSummary(Record):
    id: Annotated[int, Field(examples=[2])]
    status: CaseStatus
    kind: Annotated[
        Literal["ad", "comment"], Field(description="What was reported.", examples=["ad"])
    ]
    target: Annotated[
        int,
        Field(
            validation_alias="target_id",
            description="The id of the ad, or of the comment.",
            examples=[42],
        ),
    ]
    ad: Annotated[
        int,
        Field(
            validation_alias="ad_id",
            description="The id of the ad itself, or of that below which the comment is.",
            examples=[42],
        ),
    ]
    author: Annotated[
        int,
        Field(validation_alias="author_id", description="Whose it is: an account's id."),
        Field(examples=[7]),
    ]
    reports: Annotated[
        int,
        Field(
            description="How many accounts have reported it, but for those that do not count.",
            examples=[3],
        ),
    ]
    snapshot: Annotated[Snapshot, Field(description="The thing when it was first reported.")]
    created_at: Milliseconds
    appeal: Annotated[
        str | None,
        Field(
            description="What was said against the decision, if there is an appeal.",
            examples=[None],
        ),
    ]


class Cases(Record):
    results: list[CaseSummary]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]


class CaseAuthor(Record):
    """Whoever wrote what was reported, with their history."""

    id: Annotated[int, Field(examples=[7])]
    email: Annotated[
        str,
        Field(
            validation_alias="username", description="The user name.", examples=["anna@example.com"]
        ),
    ]
    first_name: Annotated[str, Field(examples=["Anna"])]
    role: Annotated[Literal["USER", "MODERATOR", "ADMIN"], Field(examples=["USER"])]
    status: Annotated[Literal["active", "suspended"], Field(examples=["active"])]
    created_at: Milliseconds
    ads: Annotated[int, Field(description="How many everybody sees.", examples=[3])]
    cases: Annotated[
        int, Field(description="How many things of theirs were ever reported.", examples=[1])
    ]
    decisions: Annotated[
        list[MadeDecision], Field(description="Those that concern them, the newest first.")
    ]


class Case(CaseSummary):
    reports: Annotated[  # type: ignore[assignment] # the interface has it so
        list[CaseReport], Field(description="The first thousand.")
    ]
    current: Annotated[
        CurrentThing | None, Field(description="The thing as it is; null if it is gone.")
    ]
    author: CaseAuthor  # type: ignore[assignment] # as above
    decisions: Annotated[list[MadeDecision], Field(description="In this case, the newest first.")]
