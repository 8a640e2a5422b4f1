"""What administrators see of the site: its figures, audit trail, settings, jobs and outbox."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from adsvc import enums
from adsvc.errors import faults
from adsvc.schemas.ads import Ad, are_ids
from adsvc.schemas.base import (
    CreatedAt,
    CurrentPassword,
    Explanation,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    Reference,
    absent,
    may_be_absent,
    moment,
    refused,
)
from adsvc.schemas.moderation import Ground
from adsvc.schemas.users import Role

Count = Annotated[int, Field(ge=0)]


def _moment_or_none(what: str, none: str) -> Any:  # noqa: ANN401 - as pydantic's own Field
    return Field(description=f"{what}, in milliseconds since 1970-01-01T00:00Z. {none}")


Bytes = Annotated[int, Field(ge=0, json_schema_extra={"format": "int64"})]


class Growth(Record):
    """How many there are, and how many are new."""

    today: Annotated[
        Count, Field(description="Created since midnight (UTC); at most 10000.", examples=[12])
    ]
    total: Annotated[
        Count, Field(description="All. More than 10000 are estimated.", examples=[4711])
    ]


class WaitingCases(Record):
    """Cases that wait for a moderator; at most 10000 are counted."""

    open: Annotated[Count, Field(description="Reported, and not decided.", examples=[3])]
    appealed: Annotated[Count, Field(description="With an appeal to decide.", examples=[1])]


class OutboxFigures(Record):
    """What the outbox has; at most 10000 entries of each kind are counted."""

    waiting: Annotated[Count, Field(description="Entries that will be tried.", examples=[2])]
    dead: Annotated[Count, Field(description="Dead letters.", examples=[0])]
    oldest_at: Annotated[
        Milliseconds | None,
        _moment_or_none("When the oldest entry that waits was created", "Null if none waits."),
    ]


class Disk(Record):
    """The disk of a directory of the service."""

    name: Annotated[str, Field(description="What the directory is for.", examples=["image store"])]
    free: Annotated[Bytes, Field(description="Free bytes.", examples=[53_687_091_200])]
    reserve: Annotated[
        Bytes,
        Field(
            description="Below so many free bytes uploads are refused.", examples=[1_073_741_824]
        ),
    ]


class Versions(Record):
    """What runs."""

    service: Annotated[str, Field(description="The version of the service.", examples=["0.3.0"])]
    schema_revision: Annotated[
        str, Field(description="The migration of the database.", examples=["0049"])
    ]
    database: Annotated[str, Field(description="The version of PostgreSQL.", examples=["15.8"])]


JobName = Annotated[
    str, OneOf(*enums.JobName), Field(description="The job's name.", examples=["cleaning"])
]


class Overview(Record):
    """What waits, and what grows."""

    ads: Annotated[Growth, Field(description="Ads of every status.")]
    accounts: Annotated[Growth, Field(description="Accounts.")]
    cases: Annotated[WaitingCases, Field(description="Cases that wait.")]
    outbox: Annotated[OutboxFigures, Field(description="Work that follows from changes.")]
    failing_jobs: Annotated[
        list[JobName],
        Field(description="JobList whose last run failed.", examples=[["picture-deletions"]]),
    ]
    backed_up_at: Annotated[
        Milliseconds | None,
        _moment_or_none("When the last complete backup ended", "Null if there was none."),
    ]
    disks: Annotated[
        list[Disk], Field(description="The disks of the process that answers, with a reserve.")
    ]
    out_of_service: Annotated[
        list[str],
        Field(
            description="Parts of the service that do not work now, as `GET /readyz` names them.",
            examples=[["pictures"]],
        ),
    ]
    versions: Annotated[Versions, Field(description="The versions in use.")]


class AdministeredAds(Record):
    """A page of ads of every status."""

    results: Annotated[list[Ad], Field(description="The ads of this page, the newest first.")]
    next: NextCursor


# The most ads of one decision.
MOST_DECIDED = 100


def _are_enough(ads: list[int]) -> list[int]:
    if not 1 <= len(set(ads)) <= MOST_DECIDED:
        raise refused(faults.wrong_count("ads", 1, MOST_DECIDED))
    return sorted(set(ads))


class DecideAds(Record):
    """One decision about many ads. `suspendAd` needs `ground` and `explanation`."""

    action: Annotated[
        str,
        OneOf(enums.DecisionAction.SUSPEND_AD, enums.DecisionAction.RESTORE),
        Field(
            description="`suspendAd`: the ads are hidden. `restore`: the decisions that hide them "
            "are undone, and they are shown again.",
            examples=["suspendAd"],
        ),
    ]
    ads: Annotated[
        list[Annotated[int, Field(ge=1, le=2**53 - 1)]],
        BeforeValidator(are_ids),
        AfterValidator(_are_enough),
        Field(
            description="The ids of the ads.",
            examples=[[41, 42]],
            json_schema_extra={"minItems": 1, "maxItems": MOST_DECIDED},
        ),
    ]
    ground: Annotated[Ground, may_be_absent] = absent()
    explanation: Annotated[Explanation, may_be_absent] = absent()
    reference: Annotated[Reference, may_be_absent] = ""
    dry_run: Annotated[
        bool,
        Field(
            strict=True,
            description="Whether only to return what would happen. Nothing is changed then.",
            examples=[False],
        ),
    ] = False


class AdDecision(Record):
    """What a decision about many ads does to one of them."""

    ad: Annotated[int, Field(description="The id of the ad.", examples=[42])]
    skipped: Annotated[
        Annotated[str, OneOf(*enums.AdSkip)] | None,
        Field(
            description="Why it stays as it is. `missing`: there is no such ad. `own`: it is the "
            "caller's. `status`: only `active` and `reserved` ads are hidden, and only `suspended` "
            "ones shown again. `appealed`: its case has an appeal, to be decided by itself. "
            "`undecided`: it is hidden, but by no decision; decide its case. `ownDecision`: the "
            "caller decided it, so another moderator has to undo it. Null if it is changed.",
            examples=[None],
        ),
    ]
    decision: Annotated[
        int | None,
        Field(description="The id of the decision. Null if there is none.", examples=[5]),
    ]


class DecidedAds(Record):
    """What a decision about many ads does, or with `dryRun` would do."""

    changed: Annotated[Count, Field(description="How many ads are changed.", examples=[1])]
    skipped: Annotated[Count, Field(description="How many stay as they are.", examples=[1])]
    results: Annotated[list[AdDecision], Field(description="Each ad, by id.")]


class AuditEvent(Record):
    """An event of interest to security."""

    id: Annotated[int, Field(description="The event's id.", examples=[815])]
    at: Annotated[Milliseconds, moment("When it happened")]
    kind: Annotated[
        str,
        Field(
            validation_alias="event",
            description="What happened. Later versions have more kinds.",
            examples=["role_changed"],
        ),
    ]
    actor: Annotated[
        str | None,
        Field(
            description="Who did it: the id of an account, or `operator` for a command. Null if "
            "that is not known.",
            examples=["1"],
        ),
    ]
    target: Annotated[
        str | None,
        Field(description="What it was done to, mostly an id.", examples=["7"]),
    ]
    ad: Annotated[
        int | None,
        Field(
            validation_alias="ad_id",
            description="The id of the ad that it is about. Null if it is about none.",
            examples=[None],
        ),
    ]
    user: Annotated[
        int | None,
        Field(
            validation_alias="owner_id",
            description="The id of the account whose thing it is, or that it is about. Null if "
            "there is none.",
            examples=[7],
        ),
    ]


class AuditEvents(Record):
    """A page of the audit trail."""

    results: Annotated[
        list[AuditEvent],
        Field(description="The newest first. With several filters a page may have fewer, or none."),
    ]
    next: NextCursor


class Setting(Record):
    """A setting of the service, as text."""

    name: Annotated[
        str,
        Field(description="The name of its variable.", examples=["ADSVC_SITE_NAME"]),
    ]
    value: Annotated[
        str | None,
        Field(
            description="The value in force. Null if there is none, and for secrets.",
            examples=["Flea market"],
        ),
    ]
    default: Annotated[
        str | None,
        Field(description="The value without it. Null if there is none.", examples=["adsvc"]),
    ]
    source: Annotated[
        str,
        OneOf(*enums.SettingSource),
        Field(
            description="`environment`: a variable. `file`: the file `.env`. `command`: an option "
            "of the command, or what it has made. `default`: it is not set.",
            examples=["environment"],
        ),
    ]


class SettingList(Record):
    """The settings of the process that answers."""

    results: Annotated[list[Setting], Field(description="All settings, by name.")]
    next: NextCursor


class Job(Record):
    """A regular job."""

    name: JobName
    last_success: Annotated[
        Milliseconds | None, _moment_or_none("When it last succeeded", "Null if it never did.")
    ]
    last_failure: Annotated[
        Milliseconds | None, _moment_or_none("When it last failed", "Null if it never did.")
    ]
    running: Annotated[
        bool,
        Field(
            description="Whether it runs now, or a run is requested. JobList that take "
            "milliseconds are not seen running.",
            examples=[False],
        ),
    ]


class JobList(Record):
    """The regular jobs."""

    results: Annotated[list[Job], Field(description="All regular jobs.")]
    next: NextCursor


EntryStatus = Annotated[
    str,
    OneOf(*enums.EntryStatus),
    Field(description="`waiting`: it will be tried. `dead`: it was given up.", examples=["dead"]),
]


class OutboxEntry(Record):
    """Work that follows from a change, such as a mail. What it says is not returned."""

    id: Annotated[int, Field(description="The entry's id.", examples=[23])]
    kind: Annotated[str, Field(description="What is to be done.", examples=["letter"])]
    status: EntryStatus
    attempts: Annotated[Count, Field(description="Attempts so far.", examples=[8])]
    created_at: CreatedAt
    not_before: Annotated[Milliseconds, moment("When the next attempt may begin, if it waits")]
    error: Annotated[
        str | None,
        Field(
            description="Why the last attempt failed. Null if none did.",
            examples=["SMTPRecipientsRefused: 550"],
        ),
    ]


class OutboxEntries(Record):
    """A page of the outbox."""

    results: Annotated[list[OutboxEntry], Field(description="The newest first.")]
    next: NextCursor


class ChangeRole(Record):
    """Another role of an account, confirmed by the administrator's own password."""

    role: Annotated[Role, Field(examples=["MODERATOR"])]
    current_password: CurrentPassword
