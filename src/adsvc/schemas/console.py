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

    today: Annotated[Count, Field(examples=[12])]
    """Created since midnight (UTC); at most 10000."""
    total: Annotated[Count, Field(examples=[4711])]
    """All. More than 10000 are estimated."""


class WaitingCases(Record):
    """Cases that wait for a moderator; at most 10000 are counted."""

    open: Annotated[Count, Field(examples=[3])]
    """Reported, and not decided."""
    appealed: Annotated[Count, Field(examples=[1])]
    """With an appeal to decide."""


class OutboxFigures(Record):
    """What the outbox has; at most 10000 entries of each kind are counted."""

    waiting: Annotated[Count, Field(examples=[2])]
    """Entries that will be tried."""
    dead: Annotated[Count, Field(examples=[0])]
    """Dead letters."""
    oldest_at: Annotated[
        Milliseconds | None,
        _moment_or_none("When the oldest entry that waits was created", "Null if none waits."),
    ]


class Disk(Record):
    """The disk of a directory of the service."""

    name: Annotated[str, Field(examples=["image store"])]
    """What the directory is for."""
    free: Annotated[Bytes, Field(examples=[53_687_091_200])]
    """Free bytes."""
    reserve: Annotated[Bytes, Field(examples=[1_073_741_824])]
    """Below so many free bytes uploads are refused."""


class Versions(Record):
    """What runs."""

    service: Annotated[str, Field(examples=["0.3.0"])]
    """The version of the service."""
    schema_revision: Annotated[str, Field(examples=["0049"])]
    """The migration of the database."""
    database: Annotated[str, Field(examples=["15.8"])]
    """The version of PostgreSQL."""


JobName = Annotated[
    str, OneOf(*enums.JobName), Field(description="The job's name.", examples=["cleaning"])
]


class Overview(Record):
    """What waits, and what grows."""

    ads: Growth
    """Ads of every status."""
    accounts: Growth
    """Accounts."""
    cases: WaitingCases
    """Cases that wait."""
    outbox: OutboxFigures
    """Work that follows from changes."""
    failing_jobs: Annotated[list[JobName], Field(examples=[["picture-deletions"]])]
    """JobList whose last run failed."""
    backed_up_at: Annotated[
        Milliseconds | None,
        _moment_or_none("When the last complete backup ended", "Null if there was none."),
    ]
    disks: list[Disk]
    """The disks of the process that answers, with a reserve."""
    out_of_service: Annotated[list[str], Field(examples=[["pictures"]])]
    """Parts of the service that do not work now, as `GET /readyz` names them."""
    versions: Versions
    """The versions in use."""


class AdministeredAds(Record):
    """A page of ads of every status."""

    results: list[Ad]
    """The ads of this page, the newest first."""
    next: NextCursor


# The most ads of one decision.
MOST_DECIDED = 100


def _are_enough(ads: object) -> object:
    """Before each is validated: of a long list each could have a fault."""
    if isinstance(ads, list) and not 1 <= len(ads) <= MOST_DECIDED:
        raise refused(faults.wrong_count("ads", 1, MOST_DECIDED))
    return ads


def _each_once(ads: list[int]) -> list[int]:
    return sorted(set(ads))


class DecideAds(Record):
    """One decision about many ads. `suspendAd` needs `ground` and `explanation`."""

    action: Annotated[
        str,
        OneOf(enums.DecisionAction.SUSPEND_AD, enums.DecisionAction.RESTORE),
        Field(examples=["suspendAd"]),
    ]
    """`suspendAd`: the ads are hidden. `restore`: the decisions that hide them are undone, and they
    are shown again."""
    ads: Annotated[
        list[Annotated[int, Field(ge=1, le=2**53 - 1)]],
        BeforeValidator(are_ids),
        BeforeValidator(_are_enough),
        AfterValidator(_each_once),
        Field(examples=[[41, 42]], json_schema_extra={"minItems": 1, "maxItems": MOST_DECIDED}),
    ]
    """The ids of the ads."""
    ground: Annotated[Ground, may_be_absent] = absent()
    explanation: Annotated[Explanation, may_be_absent] = absent()
    reference: Annotated[Reference, may_be_absent] = ""
    dry_run: Annotated[bool, Field(strict=True, examples=[False])] = False
    """Whether only to return what would happen. Nothing is changed then."""


class AdDecision(Record):
    """What a decision about many ads does to one of them."""

    ad: Annotated[int, Field(examples=[42])]
    """The id of the ad."""
    skipped: Annotated[Annotated[str, OneOf(*enums.AdSkip)] | None, Field(examples=[None])]
    """Why it stays as it is. `missing`: there is no such ad. `own`: it is the caller's. `status`:
    only `active` and `reserved` ads are hidden, and only `suspended` ones shown again. `appealed`:
    its case has an appeal, to be decided by itself. `undecided`: it is hidden, but by no decision;
    decide its case. `ownDecision`: the caller decided it, so another moderator has to undo it. Null
    if it is changed."""
    decision: Annotated[int | None, Field(examples=[5])]
    """The id of the decision. Null if there is none."""


class DecidedAds(Record):
    """What a decision about many ads does, or with `dryRun` would do."""

    changed: Annotated[Count, Field(examples=[1])]
    """How many ads are changed."""
    skipped: Annotated[Count, Field(examples=[1])]
    """How many stay as they are."""
    results: list[AdDecision]
    """Each ad, by id."""


class AuditEvent(Record):
    """An event of interest to security."""

    id: Annotated[int, Field(examples=[815])]
    """The event's id."""
    at: Annotated[Milliseconds, moment("When it happened")]
    kind: Annotated[str, Field(validation_alias="event", examples=["role_changed"])]
    """What happened. Later versions have more kinds."""
    actor: Annotated[str | None, Field(examples=["1"])]
    """Who did it: the id of an account, or `operator` for a command. Null if that is not known."""
    target: Annotated[str | None, Field(examples=["7"])]
    """What it was done to, mostly an id."""
    ad: Annotated[int | None, Field(validation_alias="ad_id", examples=[None])]
    """The id of the ad that it is about. Null if it is about none."""
    user: Annotated[int | None, Field(validation_alias="owner_id", examples=[7])]
    """The id of the account whose thing it is, or that it is about. Null if there is none."""


class AuditEvents(Record):
    """A page of the audit trail."""

    results: list[AuditEvent]
    """The newest first. With several filters a page may have fewer, and still a next one."""
    next: NextCursor


class Setting(Record):
    """A setting of the service, as text."""

    name: Annotated[str, Field(examples=["ADSVC_SITE_NAME"])]
    """The name of its variable."""
    value: Annotated[str | None, Field(examples=["Flea market"])]
    """The value in force. Null if there is none, and for secrets."""
    default: Annotated[str | None, Field(examples=["adsvc"])]
    """The value without it. Null if there is none."""
    source: Annotated[str, OneOf(*enums.SettingSource), Field(examples=["environment"])]
    """`environment`: a variable. `file`: the file `.env`. `command`: an option of the command, or
    what it has made. `default`: it is not set."""


class SettingList(Record):
    """The settings of the process that answers."""

    results: list[Setting]
    """All settings, by name."""
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
    running: Annotated[bool, Field(examples=[False])]
    """Whether it runs now, or a run is requested. JobList that take milliseconds are not seen
    running."""


class JobList(Record):
    """The regular jobs."""

    results: list[Job]
    """All regular jobs."""
    next: NextCursor


EntryStatus = Annotated[
    str,
    OneOf(*enums.EntryStatus),
    Field(description="`waiting`: it will be tried. `dead`: it was given up.", examples=["dead"]),
]


class OutboxEntry(Record):
    """Work that follows from a change, such as a mail. What it says is not returned."""

    id: Annotated[int, Field(examples=[23])]
    """The entry's id."""
    kind: Annotated[str, Field(examples=["letter"])]
    """What is to be done."""
    status: EntryStatus
    attempts: Annotated[Count, Field(examples=[8])]
    """Attempts so far."""
    created_at: CreatedAt
    not_before: Annotated[Milliseconds, moment("When the next attempt may begin, if it waits")]
    error: Annotated[str | None, Field(examples=["SMTPRecipientsRefused: 550"])]
    """Why the last attempt failed. Null if none did."""


class OutboxEntries(Record):
    """A page of the outbox."""

    results: list[OutboxEntry]
    """The newest first."""
    next: NextCursor


class ChangeRole(Record):
    """Another role of an account, confirmed by the administrator's own password."""

    role: Annotated[Role, Field(examples=["MODERATOR"])]
    current_password: CurrentPassword
