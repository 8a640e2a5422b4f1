"""What administrators see of the site: its figures, audit trail, settings, jobs and outbox; and the
records of the development mode.
"""

import datetime as dt
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field

from adsvc import enums
from adsvc.kit import faults
from adsvc.kit.records import (
    CreatedAt,
    MergePatch,
    Milliseconds,
    NextCursor,
    OneOf,
    Record,
    absent,
    may_be_absent,
    moment,
    refused,
)
from adsvc.schemas.ads import Ad, are_ids
from adsvc.schemas.base import CurrentPassword, Explanation, Reference
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


class DayOfSite(Record):
    """What was new on a day. Null if it is beyond the newest 10000."""

    date: Annotated[dt.date, Field(examples=["2026-11-28"])]
    """The day, in UTC."""
    accounts: Annotated[Count | None, Field(examples=[3])]
    """Accounts that were registered."""
    ads: Annotated[Count | None, Field(examples=[12])]
    """Ads that were created, of every status."""
    messages: Annotated[Count | None, Field(examples=[40])]
    """Messages that were sent."""
    reports: Annotated[Count | None, Field(examples=[1])]
    """Reports of ads, comments, messages and ratings."""


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
    days: list[DayOfSite]
    """The last 30 days, the oldest first."""


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


class Deletion(Record):
    """A deletion of an ad or account that can be undone."""

    id: Annotated[int, Field(examples=[11])]
    """The deletion's id."""
    kind: Annotated[str, OneOf(*enums.DeletionKind), Field(examples=["ad"])]
    """What was deleted."""
    target_id: Annotated[int, Field(examples=[42])]
    """The id of the ad or account."""
    owner_id: Annotated[int, Field(examples=[7])]
    """The id of the ad's author, or of the account."""
    label: Annotated[str, Field(examples=["Oak table"])]
    """The title of the ad, or the user name."""
    actor: Annotated[str, Field(examples=["7"])]
    """The id of the account that deleted it; `operator` for a command."""
    created_at: CreatedAt
    ends_at: Annotated[Milliseconds, moment("When it is final")]


class Deletions(Record):
    """A page of deletions."""

    results: list[Deletion]
    """The newest first."""
    next: NextCursor


class MailAttempt(Record):
    """An attempt to send a mail to an account. What the mail says is not stored."""

    id: Annotated[int, Field(examples=[23])]
    """The attempt's id."""
    letter: Annotated[str, Field(examples=["reset-password"])]
    """What the mail is about: a letter, or the type of a notification."""
    outcome: Annotated[
        str,
        OneOf(*enums.MailOutcome),
        Field(
            description="`sent`: the server has taken it. `refused`: it has not, or gave no "
            "answer; there may be another attempt. `omitted`: `answer` says why nothing was sent.",
            examples=["sent"],
        ),
    ]
    answer: Annotated[str, Field(examples=["2.0.0 Ok: queued as 4XyZ"])]
    """The server's answer without addresses, or the reason."""
    attempt: Annotated[Count, Field(examples=[1])]
    """The number of the attempt at this mail."""
    message_id: Annotated[UUID, Field(examples=["0f8fad5b-d9cb-469f-a165-70867728950e"])]
    """What the `Message-ID` of the mail begins with."""
    created_at: CreatedAt


class MailAttempts(Record):
    """A page of the attempts to send mails to an account."""

    results: list[MailAttempt]
    """The newest first; of the last seven days."""
    next: NextCursor


MODES = (
    "`off`: the site is open. `read-only`: changes are refused with 503 `maintenance`. `on`: so is "
    "all else. Administrators, logins and health checks get through."
)
LONGEST_NOTICE, LONGEST_CLOSURE = 500, 86_400


class Maintenance(Record):
    """Whether the site, or only changes, are closed for a time."""

    mode: Annotated[
        str, OneOf(*enums.MaintenanceMode), Field(examples=["read-only"], description=MODES)
    ]
    text: Annotated[str, Field(examples=["Back at noon."])]
    """What users read. Empty for a text of the service."""
    retry_after: Annotated[int, Field(examples=[300])]
    """After so many seconds clients may try again."""


class ChangeMaintenance(Record):
    """Closes the site, or only changes, or opens it again."""

    mode: Annotated[str, OneOf(*enums.MaintenanceMode), Field(examples=["off"], description=MODES)]
    text: Annotated[str, Field(max_length=LONGEST_NOTICE, examples=["Back at noon."])] = ""
    """What users read. Empty for a text of the service."""
    retry_after: Annotated[int, Field(strict=True, ge=1, le=LONGEST_CLOSURE, examples=[300])] = 300
    """After so many seconds clients may try again."""


SUBJECT = Field(
    max_length=60,
    description="An address, a network, or `user:` and the id of an account.",
    examples=["203.0.113.0/24"],
)
FACTOR = (
    "What multiplies the rate limits of the network or the account. 0 refuses all requests from "
    "the network: 403 `network-refused`. Probes get through."
)
LARGEST_FACTOR, LONGEST_NOTE, LONGEST_RULE = 1000, 200, 3650


class AccessRule(Record):
    """For a time, a network is refused, or a network or an account has higher rate limits."""

    subject: Annotated[str, SUBJECT]
    factor: Annotated[int, Field(description=FACTOR, examples=[20])]
    until: Annotated[Milliseconds, moment("When it ends")]
    note: Annotated[str, Field(examples=["The office of a dealer."])]
    """Why; only administrators read it."""


class AccessRuleList(Record):
    """The access rules."""

    results: list[AccessRule]
    """All that are in effect. Of several networks with an address, the narrowest counts."""
    next: NextCursor


class ChangeAccessRule(Record):
    """Adds an access rule, replaces that of the same subject, or removes it."""

    subject: Annotated[str, SUBJECT]
    factor: Annotated[
        int,
        Field(
            strict=True,
            ge=0,
            le=LARGEST_FACTOR,
            description=f"{FACTOR} 1 removes the rule.",
            examples=[20],
        ),
    ]
    days: Annotated[int, Field(strict=True, ge=1, le=LONGEST_RULE, examples=[7])] = 7
    """For how many days."""
    note: Annotated[str, Field(max_length=LONGEST_NOTE, examples=["The office of a dealer."])] = ""
    """Why; only administrators read it."""


class ChangeRole(MergePatch):
    """Another role of an account, confirmed by the administrator's own password, or another plan:
    at least one of them.
    """

    role: Annotated[Role, may_be_absent, Field(examples=["MODERATOR"])] = absent()
    plan: Annotated[str, may_be_absent, Field(examples=["dealer"])] = absent()
    """One of the plans of `GET /site`."""
    current_password: Annotated[CurrentPassword, may_be_absent] = absent()
    """The administrator's password; required with `role`."""


# Ten years.
MOST_MILLISECONDS = 10 * 366 * 24 * 3600 * 1000


class AdvanceClock(Record):
    """How far the clock goes on."""

    milliseconds: Annotated[
        int, Field(ge=1, le=MOST_MILLISECONDS, examples=[172_800_000], strict=True)
    ]
    """Everything that is stored becomes older by so much."""


class WrittenMail(Record):
    """A mail that the service has written to a file instead of sending it."""

    at: Annotated[Milliseconds, moment("When it was written")]
    to: Annotated[str, Field(examples=["ann@example.com"])]
    """The receiver."""
    subject: Annotated[str, Field(examples=["Confirm your mail address"])]
    """Its subject."""
    text: Annotated[str, Field(examples=["Hello ..."])]
    """The text, with its links."""


class WrittenMails(Record):
    """Mails that were written."""

    results: list[WrittenMail]
    """The newest first, at most 100."""
