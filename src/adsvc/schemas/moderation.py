"""Reports, cases, decisions, and accounts as administrators see them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from adsvc import enums
from adsvc.schemas.ads import Status
from adsvc.schemas.base import (
    ANSWERED,
    AppealText,
    Explanation,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    Reference,
    ReportText,
    StoredPrice,
    absent,
    may_be_absent,
    moment,
)
from adsvc.schemas.users import AccountStatus, AccountSummary, Role, SessionRecord, ShownAds

# Not chosen, but made by undoing a decision.
RESTORE = enums.DecisionAction.RESTORE

Reason = Annotated[
    str,
    OneOf(*enums.ReportReason),
    Field(
        description="What is wrong. `category` means that the ad is in the wrong one.",
        examples=["scam"],
    ),
]

Kind = Annotated[
    str, OneOf(*enums.CaseKind), Field(description="What was reported.", examples=["ad"])
]

Target = Annotated[
    int,
    Field(
        validation_alias="target_id",
        description="The id of the reported ad, comment or message.",
        examples=[42],
    ),
]


class CreateReport(Record):
    """A report of an ad or a comment."""

    reason: Reason
    text: Annotated[ReportText, may_be_absent] = ""


class Report(Record):
    """A report as its reporter sees it."""

    id: Annotated[int, Field(description="The report's id.", examples=[11])]
    reason: Reason
    text: Annotated[
        str,
        Field(
            description="What the reporter wrote; may be empty.",
            examples=["Asks for money in advance."],
        ),
    ]
    at: Annotated[Milliseconds, moment("When it was reported")]


Ground = Annotated[
    str,
    OneOf(*enums.DecisionGround),
    Field(description="What was broken: the law, or the terms of the site.", examples=["terms"]),
]

Days = Annotated[
    int,
    Field(
        strict=True,
        ge=1,
        le=36_500,
        description="For how many days the account is suspended. Without it, until it is restored.",
        examples=[30],
        json_schema_extra={"format": "int32"},
    ),
]


class Statement(Record):
    """The reasons for suspending an account. Its owner receives them."""

    ground: Ground
    explanation: Explanation
    reference: Annotated[Reference, may_be_absent] = ""
    days: Annotated[Days, may_be_absent] = absent()


class MakeDecision(Record):
    """A decision about a case. Every action except `dismiss` needs `ground` and `explanation`."""

    action: Annotated[
        str,
        OneOf(*(action for action in enums.DecisionAction if action is not RESTORE)),
        Field(
            description="`dismiss`: nothing is done, and a hidden ad is shown again. `suspendAd`: "
            "the ad is hidden; a change by its author opens the case again. `removeAd`, "
            "`removeComment`: it is removed. `removeMessage`: its receiver no longer sees what it "
            "says. `suspendAccount`: the author's account is suspended.",
            examples=["suspendAd"],
        ),
    ]
    ground: Annotated[Ground, may_be_absent] = absent()
    explanation: Annotated[Explanation, may_be_absent] = absent()
    reference: Annotated[Reference, may_be_absent] = ""
    days: Annotated[
        Days,
        may_be_absent,
        Field(
            description="Only with `suspendAccount`: for how many days. Without it, until the "
            "decision is undone."
        ),
    ] = absent()


class CreateAppeal(Record):
    """An appeal against a decision."""

    text: AppealText


class Appeal(Record):
    """An appeal that was made against a decision."""

    at: Annotated[Milliseconds, moment("When the appeal was made")]
    text: Annotated[
        str,
        Field(description="Why the decision is wrong.", examples=["The photos are my own."]),
    ]


class Decision(Record):
    """A moderator's decision with its reasons (Regulation (EU) 2022/2065, Article 17)."""

    model_config = ANSWERED

    id: Annotated[int, Field(description="The decision's id.", examples=[5])]
    at: Annotated[Milliseconds, moment("When it was decided")]
    action: Annotated[
        str,
        OneOf(*enums.DecisionAction),
        Field(
            description="What was done. `restore` ends the decision that `undoes` names.",
            examples=["suspendAd"],
        ),
    ]
    kind: Annotated[
        Literal["ad", "comment", "message", "account"],
        Field(description="What the decision is about.", examples=["ad"]),
    ]
    target: Annotated[
        int,
        Field(
            validation_alias="target_id",
            description="The id of the ad, comment, message or account that it is about.",
            examples=[42],
        ),
    ]
    excerpt: Annotated[
        str | None,
        Field(
            description="The ad's title, or the beginning of the comment or message, as first "
            "reported. Null for an account.",
            examples=["Oak table, seats six"],
        ),
    ]
    ground: Annotated[
        Annotated[str, OneOf(*enums.DecisionGround)] | None,
        Field(
            description="What was broken: the law, or the terms of the site. Null if nothing was "
            "restricted.",
            examples=["terms"],
        ),
    ]
    reference: Annotated[
        str,
        Field(
            description="The paragraph of the law or of the terms; may be empty.",
            examples=["Terms, § 4"],
        ),
    ]
    explanation: Annotated[
        str,
        Field(
            description="The reasons; may be empty if nothing was restricted.",
            examples=["Offers of things that do not exist."],
        ),
    ]
    automated: Annotated[
        bool,
        Field(
            description="Whether a program decided. Always false: people decide.",
            examples=[False],
        ),
    ] = False
    scope: Annotated[
        str,
        Field(
            description="Where the decision is in force: always on the whole site.",
            examples=["everywhere"],
        ),
    ] = "everywhere"
    until: Annotated[
        Milliseconds | None,
        Field(
            description="When the decision ends, in milliseconds since 1970-01-01T00:00Z. Null if "
            "it has no end of its own.",
            examples=[None],
        ),
    ]
    holds: Annotated[
        bool,
        Field(
            description="Whether the decision is in force. False once it was undone, has ended or "
            "was replaced by another.",
            examples=[True],
        ),
    ]
    undoes: Annotated[
        int | None,
        Field(
            validation_alias="undoes_id",
            description="The id of the decision that this one ends. Null if it ends none.",
            examples=[None],
        ),
    ]
    redress: Annotated[
        list[Literal["appeal", "disputeSettlement", "court"]],
        Field(
            description="What the person concerned can do against it: appeal here (`appeal`), "
            "turn to a certified body (`disputeSettlement`), or go to court.",
            examples=[["appeal", "disputeSettlement", "court"]],
        ),
    ]
    appeal_until: Annotated[
        Milliseconds | None,
        Field(
            description="Until when an appeal is possible, in milliseconds since "
            "1970-01-01T00:00Z. Null if none is."
        ),
    ]
    appeal: Annotated[
        Appeal | None, Field(description="The appeal against it. Null if there is none.")
    ]


class MadeDecision(Decision):
    """A decision as moderators and administrators see it."""

    by: Annotated[
        int | None,
        Field(
            validation_alias="actor_id",
            description="The id of the account that decided. Null if it was deleted since.",
            examples=[3],
        ),
    ]
    user: Annotated[
        int,
        Field(
            validation_alias="user_id",
            description="The id of the account concerned.",
            examples=[7],
        ),
    ]
    case: Annotated[
        int | None,
        Field(
            validation_alias="case_id",
            description="The id of the case. Null if an account was suspended or restored without "
            "a case.",
            examples=[2],
        ),
    ]


class Decisions(Record):
    """A page of decisions about the caller, the newest first."""

    results: Annotated[list[Decision], Field(description="The decisions of this page.")]
    next: NextCursor


# As `models.CaseStatus`.
CaseStatus = Annotated[
    str,
    OneOf(*enums.CaseStatus),
    Field(
        description="Where the case stands. `open` and `appealed` cases wait for a decision.",
        examples=["open"],
    ),
]


class ReportedPicture(Record):
    """A picture of a reported ad, as it was at the report."""

    image: Annotated[
        str,
        Field(
            description="Path of the picture on this server. 404 once the picture is deleted.",
            examples=["/images/0f8fad5bd9cb469fa16570867728950e.jpg"],
        ),
    ]
    digest: Annotated[
        str | None,
        Field(
            description="SHA-256 of the stored file, in hexadecimal. Null for an old picture.",
            examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        ),
    ]


class ReportedMessage(Record):
    """A message before the one that was reported."""

    id: Annotated[int, Field(description="The message's id.", examples=[509])]
    by: Annotated[str, OneOf(*enums.Party), Field(description="Who wrote it.", examples=["seller"])]
    kind: Annotated[
        str,
        OneOf(*enums.MessageKind),
        Field(description="What it is, as in `Message`.", examples=["text"]),
    ]
    text: Annotated[str, Field(description="Its text.", examples=["Is it still there?"])]
    at: Annotated[Milliseconds, moment("When it was written")]


class Snapshot(Record):
    """What an ad, a comment or a message said at a moment. Of comments and messages only `text` is
    set, and of reported messages `messages`; a list of cases has neither of a message.
    """

    model_config = ANSWERED

    title: Annotated[
        str | None,
        Field(
            description="Headline of the ad. Null for a comment.",
            examples=["Oak table, seats six"],
        ),
    ] = None
    description: Annotated[
        str | None,
        Field(
            description="Text of the ad. Null for a comment.",
            examples=["Solid oak, oiled, 180 by 90 cm, one scratch."],
        ),
    ] = None
    price: Annotated[
        StoredPrice | None,
        Field(description="Price in whole units of the site's currency. Null for a comment."),
    ] = None
    price_type: Annotated[
        str | None,
        Field(
            description="What the price means, as in `Ad`. Null for a comment.",
            examples=["negotiable"],
        ),
    ] = None
    category: Annotated[
        str | None,
        Field(
            description="The slug of the ad's category. Null if it has none, and for a comment.",
            examples=["furniture"],
        ),
    ] = None
    attributes: Annotated[
        dict[str, Any] | None,
        Field(
            description="The ad's attributes by name. Null for a comment.",
            examples=[{"material": "wood", "width": 180}],
        ),
    ] = None
    place: Annotated[
        str | None,
        Field(
            description="Where the thing is, in words. Null if not given, and for a comment.",
            examples=["Berlin-Kreuzberg"],
        ),
    ] = None
    images: Annotated[
        list[ReportedPicture],
        Field(
            default_factory=list,
            description="The ad's pictures, in their order. Empty for a comment.",
        ),
    ]
    text: Annotated[
        str | None,
        Field(
            description="Text of the comment or of the message. Null for an ad, and for a message "
            "in a list of cases.",
            examples=["Pay me in advance."],
        ),
    ] = None
    messages: Annotated[
        list[ReportedMessage],
        Field(
            default_factory=list,
            description="Up to ten messages before the reported one, the oldest first. Empty for "
            "ads and comments, and in a list of cases.",
        ),
    ]


class CurrentThing(Snapshot):
    """What a reported ad or comment says now."""

    status: Annotated[
        Status | None,
        Field(description="The ad's status. Null for a comment.", examples=["active"]),
    ] = None


class CaseReport(Report):
    """A report as moderators see it."""

    reporter: Annotated[
        int | None,
        Field(
            validation_alias="reporter_id",
            description="The id of the account that reported. Null if it was deleted since.",
            examples=[12],
        ),
    ]
    counts: Annotated[
        bool,
        Field(
            description="Whether the report counts. Reports of accounts that were younger than a "
            "day, or are suspended, do not.",
            examples=[True],
        ),
    ]
    snapshot: Annotated[
        Snapshot | None,
        Field(
            description="What the thing said at this report. Null if it was unchanged since the "
            "first report."
        ),
    ]


class CaseSummary(Record):
    """A case in a list: all reports of one ad or comment."""

    id: Annotated[int, Field(description="The case's id.", examples=[2])]
    status: CaseStatus
    kind: Kind
    target: Target
    ad: Annotated[
        int,
        Field(
            validation_alias="ad_id",
            description="The id of the reported ad, or of the ad that the comment or the "
            "conversation is about.",
            examples=[42],
        ),
    ]
    author: Annotated[
        int,
        Field(
            validation_alias="author_id",
            description="The id of the account that wrote the reported thing.",
        ),
        Field(examples=[7]),
    ]
    reports: Annotated[
        int,
        Field(
            description="How many reports count.",
            examples=[3],
        ),
    ]
    reasons: Annotated[
        list[Reason],
        Field(
            description="What is wrong by the reports, the most frequent reason first. Empty if "
            "there are none.",
            examples=[["scam"]],
        ),
    ]
    snapshot: Annotated[Snapshot, Field(description="What it said when it was first reported.")]
    created_at: Annotated[Milliseconds, moment("When it was first reported")]
    appeal: Annotated[
        str | None,
        Field(
            description="The text of the appeal against the decision. Null if there is none.",
            examples=[None],
        ),
    ]


class Cases(Record):
    """A page of cases, the most reported first."""

    results: Annotated[list[CaseSummary], Field(description="The cases of this page.")]
    next: NextCursor


class CaseAuthor(Record):
    """The author of a reported thing, with their history."""

    id: Annotated[int, Field(description="The id of the author's account.", examples=[7])]
    email: Annotated[
        str,
        Field(
            validation_alias="username",
            description="The author's user name.",
            examples=["anna@example.com"],
        ),
    ]
    first_name: Annotated[
        str, Field(description="The author's first name; may be empty.", examples=["Anna"])
    ]
    role: Annotated[Role, Field(examples=["USER"])]
    status: AccountStatus
    created_at: Annotated[Milliseconds, moment("When the account was created")]
    ads: ShownAds
    cases: Annotated[
        int,
        Field(
            description="How many ads and comments of the author were ever reported.",
            examples=[1],
        ),
    ]
    decisions: Annotated[
        list[MadeDecision],
        Field(
            description="The newest 50 decisions about the author, the newest first, without "
            "dismissed reports."
        ),
    ]


class Case(CaseSummary):
    """A case with its reports and the history of the author."""

    reports: Annotated[  # type: ignore[assignment] # a number in the list
        list[CaseReport],
        Field(description="The reports, the earliest first; at most a thousand."),
    ]
    current: Annotated[
        CurrentThing | None,
        Field(
            description="What the thing says now. Null if it was deleted, or is a comment or a "
            "message that was removed."
        ),
    ]
    author: Annotated[  # type: ignore[assignment] # an id in the list
        CaseAuthor, Field(description="Who wrote the reported thing.")
    ]
    decisions: Annotated[
        list[MadeDecision], Field(description="The decisions in this case, the newest first.")
    ]


class Account(AccountSummary):
    """An account with its sessions, and the cases and decisions about it."""

    mail: Annotated[
        str | None,
        Field(
            description="The account's mail address. Null if there is none.",
            examples=["anna.berg@example.com"],
        ),
    ]
    mail_verified: Annotated[
        bool, Field(description="Whether that address was confirmed.", examples=[True])
    ]
    totp: Annotated[
        bool,
        Field(
            validation_alias="has_totp",
            description="Whether an authenticator app is set up.",
            examples=[False],
        ),
    ]
    passkeys: Annotated[int, Field(description="How many passkeys there are.", examples=[1])]
    sessions: Annotated[
        list[SessionRecord],
        Field(description="Where the account is logged in, the most recently used first."),
    ]
    cases: Annotated[
        list[CaseSummary],
        Field(description="The newest 50 cases about what the account wrote, the newest first."),
    ]
    decisions: Annotated[
        list[MadeDecision],
        Field(
            description="The newest 50 decisions about the account, the newest first, without "
            "dismissed reports."
        ),
    ]
