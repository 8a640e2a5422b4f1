"""Reports, cases, decisions and statements of reasons."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching.responses import json_response
from adsvc.api.dependencies.ads import ShownAd
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import Authenticated, CurrentUser, Moderator
from adsvc.api.dependencies.idempotency import CallerAttempt
from adsvc.api.dependencies.writes import (
    Allowance,
    CountedWrite,
    ExpectedDep,
    ReadSession,
    RoomForText,
    TransactionDep,
)
from adsvc.api.input.parameters import (
    AdIdPath,
    CaseIdPath,
    CommentIdPath,
    DecisionIdPath,
    PageDep,
    PageQuery,
    Pairs,
)
from adsvc.api.openapi import answer_responses
from adsvc.api.openapi.responses import Responses
from adsvc.api.problems.documentation import KEYED_REFUSALS, refusals
from adsvc.db.pools import Row
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    AppealNotPossibleError,
    CaseDecidedError,
    CaseNotFoundError,
    CommentNotFoundError,
    ContentTooLargeError,
    DecisionEndedError,
    DecisionNotFoundError,
    ForbiddenError,
    InvalidRequestError,
    OwnCaseError,
    OwnThingError,
    PreconditionFailedError,
    QuotaExceededError,
    RateLimitedError,
    ThingGoneError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.http.responses import PRIVATE
from adsvc.models import Case as CaseRow
from adsvc.models import CaseKind, CaseStatus, Role
from adsvc.repositories.moderation.cases import CaseRepository
from adsvc.repositories.moderation.decisions import DecisionRepository
from adsvc.schemas.moderation import (
    Case,
    Cases,
    CaseSummary,
    CreateAppeal,
    CreateReport,
    Decision,
    Decisions,
    MadeDecision,
    MakeDecision,
    Report,
)
from adsvc.schemas.moderation import CaseStatus as Status
from adsvc.services.accounts import rate_limits
from adsvc.services.comments import OneComment
from adsvc.services.moderation import cases, reports
from adsvc.services.moderation.cases import Deciding, faults_of, reasons_of, require_competent

reports_router = APIRouter(prefix="/ads/{id:ad_id}", tags=["moderation"])

REFUSALS = (
    InvalidRequestError,
    UnauthenticatedError,
    ForbiddenError,
    AdNotFoundError,
    AdGoneError,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
    RateLimitedError,
    QuotaExceededError,
)
AGAIN: Responses = {
    200: {"description": "The caller has reported it before: the first report", "model": Report}
}

Counted = Annotated[None, Depends(Allowance(rate_limits.reports))]

Content = Annotated[CreateReport, Depends(JsonBody(CreateReport))]


async def get_reportable_ad(user: CurrentUser, ad: ShownAd) -> int:
    if ad.author_id == user.id:
        raise OwnThingError
    return ad.id


async def get_reportable_comment(
    caller: Authenticated, state: AppStateDep, ad_id: AdIdPath, comment_id: CommentIdPath
) -> int:
    """One that the caller sees, and has not written."""
    if await OneComment(state.database, caller, ad_id, comment_id).is_own():
        raise OwnThingError
    return comment_id


@reports_router.post(
    "/reports",
    operation_id="reportAd",
    summary="Report an ad",
    status_code=201,
    responses=AGAIN | refusals(*REFUSALS),
)
async def report_ad(
    user: CurrentUser,
    ad_id: Annotated[int, Depends(get_reportable_ad)],
    state: AppStateDep,
    response: Response,
    _counted: Counted,
    _room: RoomForText,
    transaction: TransactionDep,
    content: Content,
) -> Report:
    """Reports an ad to the moderators, and returns the report.

    Every account that sees the ad may, except its author. A second report by the same account
    changes nothing and returns the first with 200. Reports are limited by account.
    """
    reported = await reports.report(
        transaction, state.settings, user, content, kind=CaseKind.AD, target_id=ad_id
    )
    response.status_code = 201 if reported.is_new else 200
    return Report.model_validate(reported.report)


@reports_router.post(
    "/comments/{commentId}/reports",
    operation_id="reportComment",
    summary="Report a comment",
    status_code=201,
    responses=AGAIN | refusals(*REFUSALS, CommentNotFoundError),
)
async def report_comment(
    user: CurrentUser,
    comment_id: Annotated[int, Depends(get_reportable_comment)],
    state: AppStateDep,
    response: Response,
    _counted: Counted,
    _room: RoomForText,
    transaction: TransactionDep,
    content: Content,
) -> Report:
    """Reports a comment to the moderators, and returns the report.

    Every account that sees the comment may, except its author. A second report by the same account
    changes nothing and returns the first with 200. Reports are limited by account.
    """
    reported = await reports.report(
        transaction, state.settings, user, content, kind=CaseKind.COMMENT, target_id=comment_id
    )
    response.status_code = 201 if reported.is_new else 200
    return Report.model_validate(reported.report)


cases_router = APIRouter(prefix="/moderation", tags=["moderation"])

READ_REFUSALS = (InvalidRequestError, UnauthenticatedError, ForbiddenError)
WRITE_REFUSALS = (*READ_REFUSALS, RateLimitedError, *KEYED_REFUSALS)


class CasesQuery(PageQuery):
    status: Annotated[
        Status | SkipJsonSchema[None],
        Field(description="Only cases with this status; all without it."),
    ] = None


@cases_router.get(
    "/cases",
    operation_id="listCases",
    summary="List the cases of reported ads and comments",
    response_model=Cases,
    responses=answer_responses() | refusals(*READ_REFUSALS),
)
async def list_cases(
    request: Request,
    _: Moderator,
    state: AppStateDep,
    session: ReadSession,
    query: Annotated[CasesQuery, Query()],
) -> Response:
    """Returns a page of cases, one for each reported ad or comment: the most reported first, then
    the oldest.

    Moderators and administrators may.
    """
    size = query.size(state.settings)
    filters: Pairs = [("status", query.status)] if query.status else []
    page = query.page(request.url.path, filters, state, size)
    listing = f"cases {query.status}"
    start = page.start(listing)
    found = await CaseRepository(session).page(
        CaseStatus(query.status) if query.status else None,
        size + 1,
        after=(int(start[0]), int(start[1])) if start else None,
    )
    cursor = link = None
    if len(found) > size:
        last = found[size - 1]
        cursor, link = page.next(listing, [last["reports"], last["id"]])
    results = [CaseSummary.model_validate(row) for row in found[:size]]
    listed = Cases(results=results, next=cursor)
    body = listed.model_dump_json(by_alias=True).encode()
    return json_response(body, PRIVATE, link=link, compressible=False).to(request)


async def get_existing_case(actor: Moderator, state: AppStateDep, case_id: CaseIdPath) -> CaseRow:
    """One about somebody else: it tells who has reported the thing."""
    async with state.database.autocommit() as session:
        case = await CaseRepository(session).get(case_id)
    if case is None:
        raise CaseNotFoundError
    if case.author_id == actor.id:
        raise OwnCaseError
    return case


ExistingCase = Annotated[CaseRow, Depends(get_existing_case)]


@cases_router.get(
    "/cases/{id}",
    operation_id="getCase",
    summary="Get a case",
    response_model=Case,
    responses=answer_responses() | refusals(*READ_REFUSALS, CaseNotFoundError),
)
async def get_case(request: Request, case: ExistingCase, session: ReadSession) -> Response:
    """Returns a case: its reports, what the thing said when it was reported and says now, and its
    author's history.

    Moderators and administrators may, but not about their own things, as it names the reporters.
    """
    described = await cases.described(session, case)
    return json_response(described.record.encode(), PRIVATE).to(request)


async def get_case_to_decide(actor: Moderator, case: ExistingCase, state: AppStateDep) -> CaseRow:
    """The case, for whoever may decide it."""
    async with state.database.autocommit() as session:
        await require_competent(session, actor, case.author_id)
    return case


@cases_router.post(
    "/cases/{id}/decisions",
    operation_id="decideCase",
    summary="Decide a case",
    status_code=201,
    response_model=MadeDecision,
    responses=refusals(
        *WRITE_REFUSALS,
        *(CaseNotFoundError, CaseDecidedError, ThingGoneError, PreconditionFailedError),
        *(ContentTooLargeError, UnsupportedMediaTypeError),
    ),
)
async def decide_case(
    actor: Moderator,
    case: Annotated[CaseRow, Depends(get_case_to_decide)],
    _counted: CountedWrite,
    attempt: CallerAttempt,
    transaction: TransactionDep,
    decision: Annotated[
        MakeDecision, Depends(JsonBody(MakeDecision, validate=faults_of, adds_text=False))
    ],
    expected: ExpectedDep,
) -> Response:
    """Decides a case, carries the decision out, and returns it. The person concerned receives the
    reasons and may appeal.

    Moderators and administrators may, but not about their own things; only administrators about an
    administrator; and about an appeal somebody other than before. With `If-Match` a case that has
    changed since it was read is refused with 412. Counts towards the account's limit on changes.
    """
    await attempt.begin(decision)
    made = await Deciding(transaction, actor).decide(case, reasons_of(decision), expected)
    return await attempt.answered(transaction, made, 201)


async def get_decision_to_undo(
    actor: Moderator, state: AppStateDep, decision_id: DecisionIdPath
) -> Row:
    """One that the caller may undo, if it holds."""
    async with state.database.autocommit() as session:
        decision = await DecisionRepository(session).get(decision_id)
    if decision is None:
        raise DecisionNotFoundError
    if decision["actor_id"] == actor.id:
        raise OwnCaseError
    if decision["final"]:
        async with state.database.autocommit() as session:
            decisions = DecisionRepository(session)
            if await decisions.was_appealed(decision["case_id"], actor.id):
                # Nobody gets the better of an appeal against themselves.
                raise OwnCaseError
    if decision["case_id"] is None and actor.role is not Role.ADMIN:
        # Administrators alone suspend without a case, and end it.
        raise ForbiddenError
    async with state.database.autocommit() as session:
        await require_competent(session, actor, decision["user_id"])
    return decision


@cases_router.post(
    "/decisions/{id}/undo",
    operation_id="undoDecision",
    summary="Undo a decision",
    status_code=201,
    response_model=MadeDecision,
    responses=refusals(*WRITE_REFUSALS, DecisionNotFoundError, DecisionEndedError),
)
async def undo_decision(
    actor: Moderator,
    decision: Annotated[Row, Depends(get_decision_to_undo)],
    _counted: CountedWrite,
    attempt: CallerAttempt,
    transaction: TransactionDep,
) -> Response:
    """Ends a decision and restores what it changed; a dismissed case is open again. Returns the new
    decision.

    Moderators and administrators may, except who made the decision and whom it concerns. Counts
    towards the account's limit on changes.
    """
    await attempt.begin(None)
    made = await Deciding(transaction, actor).undo(decision)
    return await attempt.answered(transaction, made, 201)


statements_router = APIRouter(prefix="/users/me/decisions", tags=["moderation"])


@statements_router.get(
    "",
    operation_id="listMyDecisions",
    summary="List the decisions about the caller",
    response_model=Decisions,
    responses=answer_responses() | refusals(InvalidRequestError, UnauthenticatedError),
)
async def list_my_decisions(
    request: Request, user: CurrentUser, session: ReadSession, page: PageDep
) -> Response:
    """Returns a page of the decisions about the caller's account, ads and comments, the newest
    first.

    They do not say who decided or who reported.
    """
    listing = f"decisions {user.id}"
    start = page.start(listing)
    decisions = DecisionRepository(session)
    before = int(start[0]) if start else None
    found = await decisions.of_user(user.id, page.limit + 1, before=before)
    cursor = link = None
    if len(found) > page.limit:
        cursor, link = page.next(listing, [found[page.limit - 1]["id"]])
    listed = Decisions(results=cases.decisions(found[: page.limit]), next=cursor)
    body = listed.model_dump_json(by_alias=True).encode()
    return json_response(body, PRIVATE, link=link).to(request)


async def get_own_decision(
    user: CurrentUser, state: AppStateDep, decision_id: DecisionIdPath
) -> Row:
    async with state.database.autocommit() as session:
        decision = await DecisionRepository(session).get(decision_id)
    if decision is None or decision["user_id"] != user.id:
        raise DecisionNotFoundError
    return decision


@statements_router.post(
    "/{id}/appeal",
    operation_id="appealDecision",
    summary="Appeal against a decision",
    status_code=201,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        DecisionNotFoundError,
        AppealNotPossibleError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
    ),
)
async def appeal_decision(
    decision: Annotated[Row, Depends(get_own_decision)],
    _counted: CountedWrite,
    transaction: TransactionDep,
    content: Annotated[CreateAppeal, Depends(JsonBody(CreateAppeal))],
) -> Decision:
    """Appeals against a decision about the caller, and returns the decision. Somebody other than
    before decides about the appeal.

    One appeal is possible against a decision, within 180 days and while it is in force; otherwise
    it is refused with 409. Counts towards the account's limit on changes.
    """
    return await cases.appeal(transaction, decision, content.text)
