"""Reports, cases, decisions, and accounts as administrators see them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from adsvc.schemas.ads import Status
from adsvc.schemas.base import ANSWERED, Milliseconds, Record, absent, may_be_absent
from adsvc.schemas.fields import AppealText, Explanation, Reference, ReportText, StoredPrice
from adsvc.schemas.users import Profile

# As `models.Reason`.
Reason = Annotated[
    Literal["scam", "prohibited", "duplicate", "category", "offensive", "personalData", "other"],
    Field(description="What is wrong with the thing.", examples=["scam"]),
]


class CreateReport(Record):
    reason: Reason
    text: Annotated[ReportText, may_be_absent] = ""


class Report(Record):
    id: Annotated[int, Field(examples=[11])]
    reason: Reason
    text: Annotated[str, Field(examples=["Asks for money in advance."])]
    at: Milliseconds


Ground = Annotated[
    Literal["law", "terms"],
    Field(description="What it breaks: the law, or the terms of the site.", examples=["terms"]),
]

Days = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=36_500,
        description="For how many days an account is suspended; absent for ever.",
        examples=[30],
        json_schema_extra={"format": "int32"},
    ),
]


class Statement(Record):
    """Why somebody is restricted."""

    ground: Ground
    explanation: Explanation
    reference: Annotated[
        Reference,
        may_be_absent,
        Field(description="The paragraph of the law or the terms that it rests on."),
    ] = ""
    days: Annotated[Days, may_be_absent] = absent()


class MakeDecision(Record):
    """All but `dismiss` need `ground` and `explanation`."""

    action: Annotated[
        Literal["dismiss", "suspendAd", "removeAd", "removeComment", "suspendAccount"],
        Field(
            description="What is done: nothing, or the thing is hidden until its author has "
            "changed it and somebody has looked again, or it is removed, or the account of its "
            "author is suspended.",
            examples=["suspendAd"],
        ),
    ]
    ground: Annotated[Ground, may_be_absent] = absent()
    explanation: Annotated[Explanation, may_be_absent] = absent()
    reference: Annotated[
        Reference,
        may_be_absent,
        Field(description="The paragraph of the law or the terms that it rests on."),
    ] = ""
    days: Annotated[
        Days,
        may_be_absent,
        Field(description="With `suspendAccount`: for how many days; absent for ever."),
    ] = absent()


class CreateAppeal(Record):
    text: AppealText


class Appeal(Record):
    at: Milliseconds
    text: Annotated[str, Field(examples=["The photos are my own."])]


class Decision(Record):
    """A statement of reasons (Regulation (EU) 2022/2065, Article 17)."""

    model_config = ANSWERED

    id: Annotated[int, Field(examples=[5])]
    at: Milliseconds
    action: Annotated[
        Literal["dismiss", "suspendAd", "removeAd", "removeComment", "suspendAccount", "restore"],
        Field(
            description="What was done; `restore` ends what `undoes` names.",
            examples=["suspendAd"],
        ),
    ]
    kind: Annotated[
        Literal["ad", "comment", "account"],
        Field(description="What it is about.", examples=["ad"]),
    ]
    target: Annotated[
        int, Field(validation_alias="target_id", description="The id of that.", examples=[42])
    ]
    excerpt: Annotated[
        str | None,
        Field(
            description="The title of the ad, or how the comment began, when it was reported.",
            examples=["Oak table, seats six"],
        ),
    ]
    ground: Annotated[
        Literal["law", "terms"] | None,
        Field(
            description="What the thing breaks; null where nothing is restricted.",
            examples=["terms"],
        ),
    ]
    reference: Annotated[
        str, Field(description="The paragraph that it rests on.", examples=["Terms, § 4"])
    ]
    explanation: Annotated[str, Field(examples=["Offers of things that do not exist."])]
    automated: Annotated[
        bool,
        Field(description="Whether no person decided; always false.", examples=[False]),
    ] = False
    scope: Annotated[
        str,
        Field(description="Where it holds: on the whole site.", examples=["everywhere"]),
    ] = "everywhere"
    until: Annotated[
        Milliseconds | None,
        Field(description="Until when it holds; null until it is undone.", examples=[None]),
    ]
    holds: Annotated[
        bool,
        Field(
            description="False when it was undone, is over, or another came in its place.",
            examples=[True],
        ),
    ]
    undoes: Annotated[
        int | None,
        Field(
            validation_alias="undoes_id",
            description="The decision that this one ends.",
            examples=[None],
        ),
    ]
    redress: Annotated[
        list[Literal["appeal", "disputeSettlement", "court"]],
        Field(
            description="What can be done against it: `appeal` here, a body for the settlement "
            "of disputes, a court.",
            examples=[["appeal", "disputeSettlement", "court"]],
        ),
    ]
    appeal_until: Annotated[
        Milliseconds | None,
        Field(description="Until when there is an appeal; null if there is none."),
    ]
    appeal: Annotated[Appeal | None, Field(description="What was said against it.")]


class MadeDecision(Decision):
    """What moderators are told besides."""

    by: Annotated[
        int | None,
        Field(
            validation_alias="actor_id",
            description="Who decided: an account's id; null if it was deleted.",
            examples=[3],
        ),
    ]
    user: Annotated[
        int,
        Field(validation_alias="user_id", description="The one concerned.", examples=[7]),
    ]
    case: Annotated[
        int | None,
        Field(
            validation_alias="case_id",
            description="Null for what was decided about an account without a report.",
            examples=[2],
        ),
    ]


class Decisions(Record):
    results: list[Decision]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]


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


AccountStatus = Annotated[
    Literal["active", "suspended"],
    Field(description="Nobody logs in to a suspended account.", examples=["active"]),
]


class AccountSummary(Profile):
    """An account as administrators see it."""

    status: AccountStatus
    suspended_until: Annotated[
        Milliseconds | None,
        Field(description="Null if it is not suspended, or for ever.", examples=[None]),
    ]
    created_at: Milliseconds
    ads: Annotated[int, Field(description="How many everybody sees.", examples=[3])]


class Accounts(Record):
    results: list[AccountSummary]
    next: Annotated[
        str | None,
        Field(description="The `cursor` of the next page; null on the last.", examples=[None]),
    ]


class Account(AccountSummary):
    decisions: Annotated[
        list[MadeDecision], Field(description="Those that concern it, the newest first.")
    ]
