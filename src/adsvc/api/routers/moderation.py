"""Reports, cases, decisions and statements of reasons."""

from functools import partial

from pydantic.json_schema import SkipJsonSchema

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.access import (
    case_to_decide,
    decision_to_undo,
    existing_case,
    own_decision,
    refuses,
    reportable_ad,
    reportable_comment,
)
from adsvc.api.dependencies.calls import Call, CallerWithAccount, Json, Page
from adsvc.api.dependencies.endpoints import Endpoint, Router
from adsvc.api.input.parameters import (
    ConversationIdPath,
    MessageIdPath,
    PageQuery,
    RatingIdPath,
)
from adsvc.api.openapi.responses import Responses
from adsvc.enums import CaseKind, CaseStatus, KeyScope, Role
from adsvc.kit.db.statements import Row
from adsvc.repositories.deals import shown_rating
from adsvc.repositories.moderation import cases, decisions
from adsvc.repositories.moderation.decisions import Reasons
from adsvc.schemas.moderation import (
    AppealByToken,
    Case,
    Cases,
    CaseSummary,
    CreateAppeal,
    CreateReport,
    Decision,
    Decisions,
    MadeDecision,
    MakeDecision,
    ReadDecision,
    Report,
)
from adsvc.schemas.moderation import CaseStatus as Status
from adsvc.services import conversations, recovery
from adsvc.services.moderation import reports
from adsvc.services.moderation.decisions import Deciding, described_case, faults_of, statements_of
from adsvc.services.picture_deletion import move_afterwards
from adsvc.services.rate_limits import Limit

reports_router = Router("/ads/{id:ad_id}", tag="moderation", requires=KeyScope.ADS_WRITE)

AGAIN: Responses = {
    200: {"description": "The caller has reported it before: the first report", "model": Report}
}

report = partial(
    Endpoint,
    method="POST",
    requires=KeyScope.ADS_WRITE,
    status=201,
    response_model=Report,
    responses=AGAIN,
    body=Json(CreateReport, in_quota=True),
    limit=Limit.REPORTS,
)


async def _report(call: Call[CreateReport], kind: CaseKind, target_id: int) -> Report:
    reported = await reports.report(
        call.transaction,
        call.state.settings,
        call.user,
        call.content,
        kind=kind,
        target_id=target_id,
    )
    move_afterwards(call.transaction, call.state.store)
    call.status = 201 if reported.is_new else 200
    return Report.model_validate(reported.report)


@report(
    reports_router,
    path="/reports",
    summary="Report an ad",
    access=reportable_ad,
)
async def report_ad(call: Call[CreateReport], ad_id: int) -> Report:
    """Reports an ad to the moderators, and returns the report.

    Every account that sees the ad may, except its author. A second report by the same account
    changes nothing and returns the first with 200. Reports are limited by account.
    """
    return await _report(call, CaseKind.AD, ad_id)


@report(
    reports_router,
    path="/comments/{commentId}/reports",
    summary="Report a comment",
    access=reportable_comment,
)
async def report_comment(call: Call[CreateReport], comment_id: int) -> Report:
    """Reports a comment to the moderators, and returns the report.

    Every account that sees the comment may, except its author. A second report by the same account
    changes nothing and returns the first with 200. Reports are limited by account.
    """
    return await _report(call, CaseKind.COMMENT, comment_id)


@refuses(errors.ConversationNotFoundError, errors.MessageNotFoundError, errors.OwnThingError)
async def reportable_message(
    caller: CallerWithAccount,
    state: AppState,
    conversation_id: ConversationIdPath,
    message_id: MessageIdPath,
) -> int:
    """The id of a message that the caller has received."""
    await conversations.require_received(state.database, caller, conversation_id, message_id)
    return message_id


messages_router = Router("/conversations/{id}/messages", tag="moderation")


@report(
    messages_router,
    path="/{messageId}/reports",
    summary="Report a message",
    access=reportable_message,
)
async def report_message(call: Call[CreateReport], message_id: int) -> Report:
    """Reports a message to the moderators, and returns the report. They can then read it and the
    ten messages before it, and nothing else of the conversation.

    The party that received it may. A second report by the same account changes nothing and returns
    the first with 200. Reports are limited by account.
    """
    return await _report(call, CaseKind.MESSAGE, message_id)


@refuses(errors.RatingNotFoundError, errors.OwnThingError)
async def reportable_rating(
    caller: CallerWithAccount, state: AppState, rating_id: RatingIdPath
) -> int:
    """The id of a rating that everyone sees, and that another account has written."""
    found = await shown_rating(state.database.reader, rating_id)
    if found is None:
        raise errors.RatingNotFoundError
    if found["author_id"] == caller.user.id:
        raise errors.OwnThingError
    return rating_id


ratings_router = Router("/ratings/{id}", tag="moderation")


@report(
    ratings_router,
    path="/reports",
    summary="Report a rating",
    access=reportable_rating,
)
async def report_rating(call: Call[CreateReport], rating_id: int) -> Report:
    """Reports a rating to the moderators, and returns the report.

    Every account may, except its author. A second report by the same account changes nothing and
    returns the first with 200. Reports are limited by account.
    """
    return await _report(call, CaseKind.RATING, rating_id)


cases_router = Router(
    "/moderation", tag="moderation", requires=KeyScope.MODERATION, role=Role.MODERATOR
)


class CasesQuery(PageQuery):
    status: Status | SkipJsonSchema[None] = None
    """Only cases with this status; all without it."""


@cases_router.get(
    "/cases",
    summary="List the cases of reported ads and comments",
    query=CasesQuery,
    compressible=False,
    response_model=Cases,
)
async def list_cases(call: Call[None]) -> Page:
    """Returns a page of cases, one for each reported ad or comment: the most reported first, then
    the oldest.

    Moderators and administrators may. Cases about what the caller wrote are left out: another
    person decides them.
    """
    status = call.query.status
    page = call.page(f"cases {status}")
    start = page.start
    async with call.database.autocommit() as session:
        found, last = await cases.page(
            session,
            CaseStatus(status) if status else None,
            page.limit,
            reader_id=call.user.id,
            after=(int(start[0]), int(start[1])) if start else None,
        )
    results = [CaseSummary.model_validate(row) for row in found]
    return Page(results, None if last is None else [last["reports"], last["id"]])


@cases_router.get(
    "/cases/{id}",
    summary="Get a case",
    access=existing_case,
    response_model=Case,
)
async def get_case(call: Call[None], case: Row) -> str:
    """Returns a case: its reports, what the thing said when it was reported and says now, and its
    author's history.

    Of a conversation it has the reported message and the ten before it, and each look is written
    into the audit trail.

    Moderators and administrators may, but not about their own things, as it names the reporters.
    """
    await reports.record_look(call.database, call.user, case)
    async with call.database.autocommit() as session:
        described = await described_case(session, case)
    return described.record


decide = partial(
    cases_router.post,
    status=201,
    response_model=MadeDecision,
    takes_key=True,
)


@decide(
    "/cases/{id}/decisions",
    summary="Decide a case",
    body=Json(MakeDecision, faults=lambda _, sent: faults_of(sent), adds_text=False),
    access=case_to_decide,
    version=True,
    refused_with=(errors.CaseDecidedError, errors.ThingGoneError),
)
async def decide_case(call: Call[MakeDecision], case: Row) -> MadeDecision:
    """Decides a case, carries the decision out, and returns it. The person concerned receives the
    reasons and may appeal.

    Moderators and administrators may, but not about their own things. Only administrators may about
    an administrator. An appeal is decided by another person than before. With `If-Match` a case
    that has changed since it was read is refused with 412. For `suspendAccount` that is checked
    before the account's ads are hidden; a report or an edit that arrives meanwhile is not noticed.
    Counts towards the account's limit on changes.
    """
    move_afterwards(call.transaction, call.state.store)
    reasons = Reasons.of(call.content.action, call.content, call.content.days)
    return await Deciding(call.transaction, call.user).decide(case, reasons, call.expected)


@decide(
    "/decisions/{id}/undo",
    summary="Undo a decision",
    access=decision_to_undo,
    refused_with=(errors.DecisionEndedError,),
)
async def undo_decision(call: Call[None], decision: Row) -> MadeDecision:
    """Ends a decision and restores what it changed; a dismissed case is open again. Returns the new
    decision.

    Moderators and administrators may, except who made the decision and whom it concerns. Counts
    towards the account's limit on changes.
    """
    move_afterwards(call.transaction, call.state.store)
    return await Deciding(call.transaction, call.user).undo(decision)


statements_router = Router(
    "/users/me/decisions",
    tag="moderation",
    requires=KeyScope.ACCOUNT_WRITE,
    reads=KeyScope.ACCOUNT_READ,
)


@statements_router.get(
    "",
    summary="List the decisions about the caller",
    own_list=True,
    query=PageQuery,
    response_model=Decisions,
)
async def list_my_decisions(call: Call[None]) -> Page:
    """Returns a page of the decisions about the caller's account, ads and comments, the newest
    first.

    They do not say who decided or who reported.
    """
    user_id = call.caller.user_id
    page = call.page(f"decisions {user_id}")
    async with call.database.autocommit() as session:
        found, last = await decisions.of_user(session, user_id, page.limit, before=page.before)
    return Page(statements_of(found), None if last is None else last["id"])


@statements_router.post(
    "/{id}/appeal",
    summary="Appeal against a decision",
    status=201,
    access=own_decision,
    refused_with=(errors.AppealNotPossibleError,),
)
async def appeal_decision(call: Call[CreateAppeal], decision: Row) -> Decision:
    """Appeals against a decision about the caller, and returns the decision. Another
    person than before decides about the appeal.

    One appeal is possible against a decision, within 180 days and while it is in force; otherwise
    it is refused with 409. Counts towards the account's limit on changes.
    """
    return await reports.appeal(call.transaction, decision, call.content.text)


links_router = Router("/decisions", tag="moderation")

by_token = partial(links_router.post, response_model=Decision, anonymous=True)


@by_token(
    "/read",
    summary="Read a decision by its token",
    body=Json(ReadDecision, adds_text=False),
    refused_with=(errors.InvalidTokenError, errors.RateLimitedError),
)
async def read_decision(call: Call[ReadDecision]) -> Decision:
    """Returns the decision that a token is for, as `GET /users/me/decisions` has it: suspended
    accounts cannot log in. It changes nothing.

    Anyone who has the token may call it. Attempts are limited by address.
    """
    decision = await recovery.decision_of(call, call.content.token)
    [record] = statements_of([decision])
    return record


@by_token(
    "/appeal",
    summary="Appeal against a decision by its token",
    status=201,
    refused_with=(errors.AppealNotPossibleError, errors.InvalidTokenError, errors.RateLimitedError),
)
async def appeal_by_token(call: Call[AppealByToken]) -> Decision:
    """Appeals against the decision that a token is for, as `POST /users/me/decisions/{id}/appeal`,
    and returns the decision.

    Anyone who has the token may call it. Attempts are limited by address.
    """
    decision = await recovery.decision_of(call, call.content.token)
    return await reports.appeal(call.transaction, decision, call.content.text)
