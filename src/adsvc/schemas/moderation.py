"""Reports, cases, decisions, and accounts as administrators see them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from adsvc import enums
from adsvc.kit.records import (
    ANSWERED,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
)
from adsvc.schemas.ads import Status
from adsvc.schemas.base import AppealText, Explanation, Reference, ReportText, StoredPrice
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
        description="The id of the reported ad, comment, message or rating.",
        examples=[42],
    ),
]


class CreateReport(Record):
    """A report of an ad, a comment, a message or a rating."""

    reason: Reason
    text: Annotated[ReportText, may_be_absent] = ""


class Report(Record):
    """A report as its reporter sees it."""

    id: Annotated[int, Field(examples=[11])]
    """The report's id."""
    reason: Reason
    text: Annotated[str, Field(examples=["Asks for money in advance."])]
    """What the reporter wrote; may be empty."""
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


class Expulsion(Record):
    """The reasons for removing all that an account has published. Its owner receives them."""

    ground: Ground
    explanation: Explanation
    reference: Annotated[Reference, may_be_absent] = ""
    dry_run: Annotated[bool, Field(strict=True, examples=[True])] = False
    """Whether only to return what would be removed. Nothing is changed then."""


class ExpelledContent(Record):
    """What an account has published, and its removal removes."""

    ads: Annotated[int, Field(ge=0, examples=[12])]
    """Ads that everyone sees."""
    pictures: Annotated[int, Field(ge=0, examples=[40])]
    """Pictures of ads."""
    comments: Annotated[int, Field(ge=0, examples=[7])]
    """Comments."""
    messages: Annotated[int, Field(ge=0, examples=[300])]
    """Messages to other accounts."""
    ratings: Annotated[int, Field(ge=0, examples=[2])]
    """Ratings of other accounts that everyone sees."""


class MakeDecision(Record):
    """A decision about a case. Every action except `dismiss` needs `ground` and `explanation`."""

    action: Annotated[
        str,
        OneOf(*(action for action in enums.DecisionAction if action is not RESTORE)),
        Field(examples=["suspendAd"]),
    ]
    """`dismiss`: nothing is done, and a hidden ad is shown again. `suspendAd`: the ad is hidden; a
    change by its author opens the case again. `removeAd`, `removeComment`: it is removed.
    `removeMessage`: its receiver no longer sees what it says. `removeRating`: only its author sees
    it, and it no longer counts. `suspendAccount`: the author's account is suspended."""
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


DecisionToken = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="The part of the mailed link after `#token=`, or `appealToken` of the problem "
        "`suspended`. It is for one decision, and good for as long as that exists.",
        examples=["b1Zr0uGQn4yHh7C3mWkq2DQ6NQ"],
    ),
]


class ReadDecision(Record):
    """The token of a decision."""

    token: DecisionToken


class AppealByToken(Record):
    """An appeal by whoever has the token of the decision."""

    token: DecisionToken
    text: AppealText


class Appeal(Record):
    """An appeal that was made against a decision."""

    at: Annotated[Milliseconds, moment("When the appeal was made")]
    text: Annotated[str, Field(examples=["The photos are my own."])]
    """Why the decision is wrong."""


class Decision(Record):
    """A moderator's decision with its reasons (Regulation (EU) 2022/2065, Article 17)."""

    model_config = ANSWERED

    id: Annotated[int, Field(examples=[5])]
    """The decision's id."""
    at: Annotated[Milliseconds, moment("When it was decided")]
    action: Annotated[str, OneOf(*enums.DecisionAction), Field(examples=["suspendAd"])]
    """What was done. `restore` ends the decision that `undoes` names."""
    kind: Annotated[
        Literal["ad", "comment", "message", "rating", "account"], Field(examples=["ad"])
    ]
    """What the decision is about."""
    target: Annotated[int, Field(validation_alias="target_id", examples=[42])]
    """The id of the ad, comment, message, rating or account that it is about."""
    excerpt: Annotated[str | None, Field(examples=["Oak table, seats six"])]
    """The ad's title, or the beginning of the comment, message or rating, as first reported. Null
    for an account."""
    ground: Annotated[
        Annotated[str, OneOf(*enums.DecisionGround)] | None, Field(examples=["terms"])
    ]
    """What was broken: the law, or the terms of the site. Null if nothing was restricted."""
    reference: Annotated[str, Field(examples=["Terms, § 4"])]
    """The paragraph of the law or of the terms; may be empty."""
    explanation: Annotated[str, Field(examples=["Offers of things that do not exist."])]
    """The reasons; may be empty if nothing was restricted."""
    automated: Annotated[bool, Field(examples=[False])] = False
    """Whether a program decided. Always false: people decide."""
    scope: Annotated[str, Field(examples=["everywhere"])] = "everywhere"
    """Where the decision is in force: always on the whole site."""
    until: Annotated[Milliseconds | None, Field(examples=[None])]
    """When the decision ends, in milliseconds since 1970-01-01T00:00Z. Null if it has no end of its
    own."""
    holds: Annotated[bool, Field(examples=[True])]
    """Whether the decision is in force. False once it was undone, has ended or was replaced by
    another."""
    undoes: Annotated[int | None, Field(validation_alias="undoes_id", examples=[None])]
    """The id of the decision that this one ends. Null if it ends none."""
    redress: Annotated[
        list[Literal["appeal", "disputeSettlement", "court"]],
        Field(examples=[["appeal", "disputeSettlement", "court"]]),
    ]
    """What the person concerned can do against it: appeal here (`appeal`), turn to a certified body
    (`disputeSettlement`), or go to court."""
    appeal_until: Milliseconds | None
    """Until when an appeal is possible, in milliseconds since 1970-01-01T00:00Z. Null if none is.
    """
    appeal: Appeal | None
    """The appeal against it. Null if there is none."""


class MadeDecision(Decision):
    """A decision as moderators and administrators see it."""

    by: Annotated[int | None, Field(validation_alias="actor_id", examples=[3])]
    """The id of the account that decided. Null if it was deleted since."""
    user: Annotated[int | None, Field(validation_alias="user_id", examples=[7])]
    """The id of the account concerned. Null if it was deleted before the report."""
    case: Annotated[int | None, Field(validation_alias="case_id", examples=[2])]
    """The id of the case. Null if an account was suspended or restored without a case."""


class Decisions(Record):
    """A page of decisions about the caller, the newest first."""

    results: list[Decision]
    """The decisions of this page."""
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

    image: Annotated[str, Field(examples=["/images/0f8fad5bd9cb469fa16570867728950e.jpg"])]
    """Path of the picture on this server. 404 once the picture is deleted."""
    digest: Annotated[
        str | None,
        Field(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]),
    ]
    """SHA-256 of the stored file, in hexadecimal. Null for an old picture."""


class ReportedMessage(Record):
    """A message before the one that was reported."""

    id: Annotated[int, Field(examples=[509])]
    """The message's id."""
    by: Annotated[str, OneOf(*enums.Party), Field(examples=["seller"])]
    """Who wrote it."""
    kind: Annotated[str, OneOf(*enums.MessageKind), Field(examples=["text"])]
    """What it is, as in `Message`."""
    text: Annotated[str, Field(examples=["Is it still there?"])]
    """Its text."""
    at: Annotated[Milliseconds, moment("When it was written")]


class Snapshot(Record):
    """What an ad, a comment, a message or a rating said at a moment. Of comments, messages and
    ratings only `text` is set, of ratings `stars`, and of reported messages `messages`; a list of
    cases has neither of a message.
    """

    model_config = ANSWERED

    title: Annotated[str | None, Field(examples=["Oak table, seats six"])] = None
    """Headline of the ad. Null for a comment."""
    description: Annotated[
        str | None, Field(examples=["Solid oak, oiled, 180 by 90 cm, one scratch."])
    ] = None
    """Text of the ad. Null for a comment."""
    price: StoredPrice | None = None
    """Price in the smallest unit of the site. Null for a comment."""
    price_type: Annotated[str | None, Field(examples=["negotiable"])] = None
    """What the price means, as in `Ad`. Null for a comment."""
    category: Annotated[str | None, Field(examples=["furniture"])] = None
    """The slug of the ad's category. Null if it has none, and for a comment."""
    attributes: Annotated[
        dict[str, Any] | None, Field(examples=[{"material": "wood", "width": 180}])
    ] = None
    """The ad's attributes by name. Null for a comment."""
    place: Annotated[str | None, Field(examples=["Berlin-Kreuzberg"])] = None
    """Where the thing is, in words. Null if not given, and for a comment."""
    images: Annotated[list[ReportedPicture], Field(default_factory=list)]
    """The ad's pictures, in their order. Empty for a comment."""
    text: Annotated[str | None, Field(examples=["Pay me in advance."])] = None
    """Text of the comment, of the message or of the rating. Null for an ad, and for a message in a
    list of cases."""
    stars: Annotated[int | None, Field(examples=[None])] = None
    """Stars of the rating. Null for anything else."""
    messages: Annotated[list[ReportedMessage], Field(default_factory=list)]
    """Up to ten messages before the reported one, the oldest first. Empty for ads and comments, and
    in a list of cases."""


class CurrentThing(Snapshot):
    """What a reported thing says now."""

    status: Annotated[Status | None, Field(examples=["active"])] = None
    """The ad's status. Null for a comment."""


class CaseReport(Report):
    """A report as moderators see it."""

    reporter: Annotated[int | None, Field(validation_alias="reporter_id", examples=[12])]
    """The id of the account that reported. Null if it was deleted since."""
    counts: Annotated[bool, Field(examples=[True])]
    """Whether the report counts. Reports of accounts that were younger than a day, or are
    suspended, do not."""
    decided: Annotated[int, Field(ge=0, examples=[8])]
    """How many other cases that the account has reported are decided, of its newest 50."""
    upheld: Annotated[int, Field(ge=0, examples=[7])]
    """Of these, in how many cases something was restricted."""
    snapshot: Snapshot | None
    """What the thing said at this report. Null if it was unchanged since the first report."""


class CaseSummary(Record):
    """A case in a list: all reports of one ad or comment."""

    id: Annotated[int, Field(examples=[2])]
    """The case's id."""
    status: CaseStatus
    kind: Kind
    target: Target
    ad: Annotated[int, Field(validation_alias="ad_id", examples=[42])]
    """The id of the reported ad, or of the ad that the comment or the conversation is about."""
    author: Annotated[
        int | None,
        Field(
            validation_alias="author_id",
            description="The id of the account that wrote the reported thing. Null for a rating"
            " whose author was deleted before it was reported.",
        ),
        Field(examples=[7]),
    ]
    reports: Annotated[int, Field(examples=[3])]
    """How many reports count."""
    reasons: Annotated[list[Reason], Field(examples=[["scam"]])]
    """What is wrong by the reports, the most frequent reason first. Empty if there are none."""
    snapshot: Snapshot
    """What it said when it was first reported."""
    created_at: Annotated[Milliseconds, moment("When it was first reported")]
    appeal: Annotated[str | None, Field(examples=[None])]
    """The text of the appeal against the decision. Null if there is none."""


class Cases(Record):
    """A page of cases, the most reported first."""

    results: list[CaseSummary]
    """The cases of this page."""
    next: NextCursor


class CaseAuthor(Record):
    """The author of a reported thing, with their history."""

    id: Annotated[int, Field(examples=[7])]
    """The id of the author's account."""
    email: Annotated[str, Field(validation_alias="username", examples=["anna@example.com"])]
    """The author's user name."""
    first_name: Annotated[str, Field(examples=["Anna"])]
    """The author's first name; may be empty."""
    role: Annotated[Role, Field(examples=["USER"])]
    status: AccountStatus
    created_at: Annotated[Milliseconds, moment("When the account was created")]
    ads: ShownAds
    cases: Annotated[int, Field(examples=[1])]
    """How many ads and comments of the author were ever reported."""
    decisions: list[MadeDecision]
    """The newest 50 decisions about the author, the newest first, without dismissed reports."""


class Case(CaseSummary):
    """A case with its reports and the history of the author."""

    reports: list[CaseReport]  # type: ignore[assignment]  # a record here, a number in lists
    """The reports, the earliest first; at most a thousand."""
    current: CurrentThing | None
    """What the thing says now. Null if it was deleted, or is a comment or a message that was
    removed."""
    author: CaseAuthor | None  # type: ignore[assignment]  # a record here, a number in lists
    """Who wrote the reported thing. Null for a rating whose author was deleted before it was
    reported."""
    decisions: list[MadeDecision]
    """The decisions in this case, the newest first."""


class Account(AccountSummary):
    """An account with its sessions, and the cases and decisions about it."""

    mail: Annotated[str | None, Field(examples=["anna.berg@example.com"])]
    """The account's mail address. Null if there is none."""
    mail_verified: Annotated[bool, Field(examples=[True])]
    """Whether that address was confirmed."""
    totp: Annotated[bool, Field(validation_alias="has_totp", examples=[False])]
    """Whether an authenticator app is set up."""
    passkeys: Annotated[int, Field(examples=[1])]
    """How many passkeys there are."""
    sessions: list[SessionRecord]
    """Where the account is logged in, the most recently used first."""
    cases: list[CaseSummary]
    """The newest 50 cases about what the account wrote, the newest first."""
    decisions: list[MadeDecision]
    """The newest 50 decisions about the account, the newest first, without dismissed reports."""
