from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.base import ANSWERED, Milliseconds, Record, absent, may_be_absent
from adsvc.schemas.fields import AppealText, Explanation, Reference

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
