"""The site as its administrators see it: ads, audit trail, settings, jobs and outbox."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import Request
from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from adsvc import enums
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.calls import Call, Json, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.finding import searching
from adsvc.api.input.filters import LONGEST_SEARCH, Moment, UserId, moment_of, terms_of
from adsvc.api.input.parameters import (
    DECIMAL,
    LARGEST_ID,
    DeletionIdPath,
    EntryIdPath,
    PageQuery,
    PathParameter,
)
from adsvc.enums import AdStatus, AuditKind, KeyScope, Role
from adsvc.errors import (
    NotFoundError,
    OverloadedError,
    TooManyError,
    UndoNotPossibleError,
)
from adsvc.kit.faults import Fault
from adsvc.models.ads import SHOWN
from adsvc.repositories import audit_events as audit_rows
from adsvc.repositories import deletions as deletion_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.ads import listing as listing_rows
from adsvc.repositories.ads.criteria import EPOCH, MILLISECOND, AdFilter, Key, Sort
from adsvc.repositories.ads.listing import Administered, Listing
from adsvc.repositories.audit_events import AuditFilter
from adsvc.repositories.moderation.decisions import Reasons
from adsvc.repositories.operation import server
from adsvc.schemas.ads import Status
from adsvc.schemas.console import (
    AccessRuleList,
    AdministeredAds,
    AdvanceClock,
    AuditEvent,
    AuditEvents,
    ChangeAccessRule,
    ChangeMaintenance,
    DecideAds,
    DecidedAds,
    Deletion,
    Deletions,
    EntryStatus,
    JobList,
    Maintenance,
    OutboxEntries,
    OutboxEntry,
    Overview,
    Setting,
    SettingList,
    WrittenMails,
)
from adsvc.services import console, development, maintenance, rate_limits, retention
from adsvc.services.ads import listing
from adsvc.services.maintenance import Closure
from adsvc.services.moderation.decisions import Deciding, faults_of
from adsvc.services.picture_deletion import move_afterwards

router = Router("/admin", tag="admin", requires=KeyScope.ADMIN, role=Role.ADMIN)

read = partial(router.get, compressible=False)


@read(
    "/overview",
    summary="Get what waits and what grows",
)
async def get_overview(call: Call[None]) -> Overview:
    """Returns figures of the site: what is new, and what waits for somebody. Cases about what the
    caller wrote do not count: another person decides them. `days` may be ten seconds old.

    Administrators may.
    """
    days = await call.state.curves.get()
    async with call.database.autocommit() as session:
        return await console.overview(session, call.state.readiness, days, call.user)


class AdministeredQuery(PageQuery):
    q: Annotated[
        str | SkipJsonSchema[None],
        Field(examples=["oak table"], json_schema_extra={"maxLength": LONGEST_SEARCH}),
    ] = None
    """The id of an ad. Or words: of ads that everyone sees as in `GET /ads`, then of others in
    their titles."""
    status: Annotated[Status | SkipJsonSchema[None], Field(examples=["suspended"])] = None
    """Only ads with this status; all without it."""
    author: Annotated[UserId | SkipJsonSchema[None], Field(examples=[7])] = None
    """Only ads of the account with this id."""


@read(
    "/ads",
    summary="List ads of every status",
    query=AdministeredQuery,
    response_model=AdministeredAds,
    refused_with=(OverloadedError,),
)
async def list_all_ads(call: Call[None]) -> Page:
    """Returns a page of ads, whatever their status, the newest first. With words a page may be
    short and still have a next one; ads that everyone sees come first then.

    Administrators may.
    """
    query: AdministeredQuery = call.query
    page = call.page(f"administered {query.filters}")
    found = await _found(call.state, call.request, query, page.limit, page.start)
    while found.next_key and not found.records:
        found = await _found(call.state, call.request, query, page.limit, found.next_key)
    return Page(found.records, found.next_key or None)


# A key begins with the number of the step: ads by their words, or all others.
BY_WORDS, BY_TITLE = 0, 1


async def _found(
    state: AppState, request: Request, query: AdministeredQuery, limit: int, after: Key | None
) -> Listing:
    """Words of ads that everyone sees are in an index, those of others are not."""
    status = None if query.status is None else AdStatus(query.status)
    is_id = query.q is not None and DECIMAL.fullmatch(query.q) is not None
    by_words = query.q is not None and not is_id
    step, *key = after or [BY_WORDS]
    if query.q is not None and by_words and step == BY_WORDS and status in {None, *SHOWN}:
        ads = AdFilter(
            terms=terms_of(query.q, state.settings.search_words_max),
            author=query.author,
            statuses=SHOWN if status is None else (status,),
            is_administered=True,
        )
        async with state.searches.slot(searching(request.scope)):
            found = await listing.page(
                state.database.reader,
                ads,
                Sort.NEWEST,
                limit=limit,
                after=key or None,
                bound=state.settings.count_bound,
            )
        if found.next_key is not None:
            return replace(found, next_key=[BY_WORDS, *found.next_key])
        return replace(found, next_key=[BY_TITLE, LARGEST_ID] if status is None else None)
    sought = Administered(
        id=min(int(query.q), LARGEST_ID) if query.q is not None and is_id else None,
        author=query.author,
        status=status,
        words=query.q.split() if query.q is not None and by_words else (),
    )
    before = int(key[0]) if key else None
    found = await listing_rows.administered(state.database.reader, sought, limit, before)
    return replace(found, next_key=found.next_key and [BY_TITLE, *found.next_key])


def _faults_of(_: Call[DecideAds], sent: Mapping[str, Any]) -> Iterable[Fault]:
    return faults_of(sent) if sent.get("action") == enums.DecisionAction.SUSPEND_AD else ()


@router.post(
    "/ads/decisions",
    summary="Hide many ads, or show them again",
    body=Json(DecideAds, faults=_faults_of, adds_text=False),
    takes_key=True,
)
async def decide_ads(call: Call[DecideAds]) -> DecidedAds:
    """Makes the same decision about up to 100 ads, and returns what became of each. All that can be
    changed are changed together; the others stay as they are, with the reason. With `dryRun` it
    returns the same, and changes nothing.

    Each ad gets a decision of its own, as by `POST /moderation/cases/{id}/decisions`: its author
    receives the reasons and may appeal. Administrators may. However many ads, it counts once
    towards the account's limit on changes.
    """
    sent = call.content
    move_afterwards(call.transaction, call.state.store)
    results = await Deciding(call.transaction, call.user).decide_ads(
        sent.ads, Reasons.of(sent.action, sent), dry_run=sent.dry_run
    )
    skipped = sum(each.skipped is not None for each in results)
    return DecidedAds(changed=len(results) - skipped, skipped=skipped, results=list(results))


ACTOR = "^(?:operator|[1-9][0-9]{0,18})$"


class AuditQuery(PageQuery):
    actor: Annotated[
        Annotated[str, StringConstraints(pattern=ACTOR)] | SkipJsonSchema[None],
        Field(examples=["1"]),
    ] = None
    """Only what this account did, by its id; or `operator`, for commands."""
    kind: Annotated[AuditKind | SkipJsonSchema[None], Field(examples=["role_changed"])] = None
    """Only events of this kind."""
    ad: Annotated[UserId | SkipJsonSchema[None], Field(examples=[42])] = None
    """Only what is about the ad with this id."""
    user: Annotated[UserId | SkipJsonSchema[None], Field(examples=[7])] = None
    """Only what is about the account with this id."""
    before: Annotated[Moment | SkipJsonSchema[None], Field(examples=[1767225600000])] = None
    """Only events from before this moment, in milliseconds since 1970-01-01T00:00Z."""


@read(
    "/audit",
    summary="List the audit trail",
    query=AuditQuery,
    response_model=AuditEvents,
)
async def list_audit_events(call: Call[None]) -> Page:
    """Returns a page of events of interest to security, the newest first: who changed what of
    whom. With several filters a page may be short and still have a next one.

    Administrators may.
    """
    query: AuditQuery = call.query
    page = call.page(f"audit {query.filters}")
    start = page.start
    async with call.database.autocommit() as session:
        rows, last = await audit_rows.page(
            session,
            AuditFilter(query.ad, query.user, query.actor, query.kind),
            page.limit,
            before=moment_of(query.before),
            after=(EPOCH + int(start[0]) * MILLISECOND, int(start[1])) if start else None,
        )
    results = [AuditEvent.model_validate(row) for row in rows]
    return Page(results, last and [(last[0] - EPOCH) // MILLISECOND, last[1]])


@read(
    "/settings",
    summary="List the settings in force",
)
async def list_settings(call: Call[None]) -> SettingList:
    """Returns all settings of the process that answers, by name, and where each came from. The
    values of secrets are left out, and accounts in addresses.

    Administrators may. Settings are changed where the service is started.
    """
    results = [Setting.model_validate(each) for each in call.settings.listed()]
    return SettingList(results=results, next=None)


@read(
    "/maintenance",
    summary="Get whether there is maintenance",
)
async def get_maintenance(call: Call[None]) -> Maintenance:
    """Returns the mode of the process that answers.

    Administrators may.
    """
    closure = call.state.operator.closure
    return Maintenance(mode=closure.mode, text=closure.text, retry_after=closure.retry_after)


@router.put(
    "/maintenance",
    summary="Close the site, or all changes",
    body=Json(ChangeMaintenance, adds_text=False),
)
async def change_maintenance(call: Call[ChangeMaintenance]) -> None:
    """Closes the site for others than administrators, or only their changes, or opens it again. All
    processes follow within a second.

    Administrators may. Counts towards the account's limit on changes.
    """
    sent = call.content
    closure = Closure(enums.MaintenanceMode(sent.mode), sent.text, sent.retry_after)
    await maintenance.change(call.transaction, closure, actor=call.user.id)
    call.transaction.on_commit(call.state.operator.look)


@read(
    "/access-rules",
    summary="List the access rules",
)
async def list_access_rules(call: Call[None]) -> AccessRuleList:
    """Returns the access rules that are in effect in the process that answers.

    Administrators may.
    """
    return AccessRuleList(results=list(call.state.operator.rules.rules), next=None)


def _rule_faults(call: Call[ChangeAccessRule], sent: Mapping[str, Any]) -> Iterable[Fault]:
    if not sent.keys() >= {"subject", "factor"}:
        return
    fault = rate_limits.access_rule_fault(sent["subject"], sent["factor"], call.address)
    if fault is not None:
        yield fault


@router.put(
    "/access-rules",
    summary="Refuse a network, or raise its rate limits or an account's",
    body=Json(ChangeAccessRule, faults=_rule_faults, adds_text=False),
    refused_with=(TooManyError,),
)
async def change_access_rule(call: Call[ChangeAccessRule]) -> None:
    """Refuses all requests from a network for a time, or multiplies the rate limits of a network or
    an account, or ends that. All processes follow within a second. A network that contains the
    address of the request cannot be refused.

    A factor of a network multiplies the limits by address, but not those on guesses at one account.
    Administrators may. Counts towards the account's limit on changes.
    """
    await rate_limits.change_access_rule(call.transaction, call.content, actor=call.user.id)
    call.transaction.on_commit(call.state.operator.look)


@read(
    "/jobs",
    summary="List the regular jobs",
)
async def list_jobs(call: Call[None]) -> JobList:
    """Returns all regular jobs, and when each last succeeded and failed, in any process.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        return JobList(results=list(await console.jobs(session)), next=None)


def _job(text: str) -> enums.JobName:
    try:
        return enums.JobName(text)
    except ValueError:
        raise NotFoundError("There is no job of this name.") from None


JobNamePath = Annotated[
    enums.JobName,
    # Otherwise FastAPI would make a schema of the enumeration.
    BeforeValidator(_job),
    WithJsonSchema(
        {"type": "string", "enum": [name.value for name in enums.JobName], "examples": ["cleaning"]}
    ),
    PathParameter(_job, alias="name", description="The job's name.", examples=["cleaning"]),
]


@router.post(
    "/jobs/{name}/run",
    summary="Run a job now",
    status=202,
    refused_with=(NotFoundError,),
)
async def run_job(call: Call[None], name: JobNamePath) -> None:
    """Requests a run of a regular job. A process that runs jobs begins it at once, unless it is
    running; then that run is followed by another one. `GET /admin/jobs` has what becomes of it.

    Administrators may. Counts towards the account's limit on changes.
    """
    await console.run_job(call.transaction, call.user, name)


class OutboxQuery(PageQuery):
    status: EntryStatus | SkipJsonSchema[None] = None
    """Only entries with this status; all without it."""


@read(
    "/outbox",
    summary="List the outbox",
    query=OutboxQuery,
    response_model=OutboxEntries,
)
async def list_outbox(call: Call[None]) -> Page:
    """Returns a page of the work that follows from changes, such as mails: what is to be done yet,
    and what was given up. The newest first.

    Administrators may.
    """
    status = call.query.status
    page = call.page(f"outbox {status}")
    async with call.database.autocommit() as session:
        rows, last = await outbox_rows.page(
            session,
            None if status is None else enums.EntryStatus(status),
            page.limit,
            before=page.before,
        )
    results = [OutboxEntry.model_validate(row) for row in rows]
    return Page(results, None if last is None else last.id)


@router.post(
    "/outbox/{id}/retry",
    summary="Try a dead letter again",
    status=202,
    refused_with=(NotFoundError,),
)
async def retry_outbox_entry(call: Call[None], entry_id: EntryIdPath) -> None:
    """Tries an entry that was given up again, at once and with all its attempts. One that waits
    stays as it is: it is tried at its time.

    Administrators may. Counts towards the account's limit on changes.
    """
    await console.retry_entry(call.transaction, call.user, entry_id)


@router.delete(
    "/outbox/{id}",
    summary="Delete an entry of the outbox",
    refused_with=(NotFoundError,),
)
async def delete_outbox_entry(call: Call[None], entry_id: EntryIdPath) -> None:
    """Deletes an entry, so that its work is not done. An attempt that has begun goes on.

    Administrators may. Counts towards the account's limit on changes.
    """
    await console.delete_entry(call.transaction, call.user, entry_id)


@read(
    "/deletions",
    summary="List deletions that can be undone",
    query=PageQuery,
    response_model=Deletions,
)
async def list_deletions(call: Call[None]) -> Page:
    """Returns a page of deletions of ads and accounts that are not final yet, the newest first.

    Administrators may.
    """
    page = call.page("deletions")
    async with call.database.autocommit() as session:
        rows, last = await deletion_rows.page(session, page.limit, before=page.before)
    results = [Deletion.model_validate(row) for row in rows]
    return Page(results, None if last is None else last.id)


@router.post(
    "/deletions/{id}/undo",
    summary="Undo a deletion",
    refused_with=(NotFoundError, UndoNotPossibleError),
)
async def undo_deletion(call: Call[None], deletion_id: DeletionIdPath) -> None:
    """Brings an ad or account back with what went with it: pictures, comments, history; of an
    account also its ads, favorites, searches and second factors. Its sessions, keys and webhooks do
    not come back, nor do rows of accounts that are gone by now. Nobody gets a mail.

    Administrators may. Counts towards the account's limit on changes.
    """
    await retention.undo_deletion(
        call.transaction, call.state.store, deletion_id, actor=call.user.id
    )


@router.delete(
    "/deletions/{id}",
    summary="Make a deletion final",
    refused_with=(NotFoundError,),
)
async def purge_deletion(call: Call[None], deletion_id: DeletionIdPath) -> None:
    """Removes at once what is stored to undo a deletion; of an account, all that is stored of it.
    The regular jobs delete the pictures.

    Administrators may. Counts towards the account's limit on changes.
    """
    await retention.purge_deletion(call.transaction, deletion_id, actor=call.user.id)


# Without the development mode there are none of these operations, and the document has none.
development_router = Router("/dev", tag="site")


@development_router.post(
    "/clock",
    summary="Advance the clock",
    anonymous=True,
    body=Json(AdvanceClock, adds_text=False),
)
async def advance_clock(call: Call[AdvanceClock]) -> None:
    """Makes everything that is stored older, as if so much time had passed: ads expire, alerts and
    offers become due, sessions end.

    Moments in answers are earlier afterwards. Access tokens and the log of events stay as they are.
    """
    await server.advance_clock(call.transaction, call.content.milliseconds)


@development_router.get(
    "/mails",
    summary="List the mails that were not sent",
    anonymous=True,
    caching=None,
)
async def list_written_mails(call: Call[None]) -> WrittenMails:
    """Returns the mails that the service has written to files instead of sending them."""
    found = await asyncio.to_thread(development.written_mails, call.settings.mail_dir)
    return WrittenMails(results=found)
