"""What was decided about the caller, and what they say to it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching.representation import json_response
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.dependencies.throttles import CountedWrite
from adsvc.api.dependencies.transactions import ReadSession, TransactionDep
from adsvc.api.input.paging import PageDep
from adsvc.api.input.parameters import DecisionIdPath
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    AppealNotPossibleError,
    ContentTooLargeError,
    DecisionNotFoundError,
    InvalidRequestError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.http.headers import PRIVATE
from adsvc.repositories.moderation.decisions import DecisionRepository, Row
from adsvc.schemas.moderation.decisions import CreateAppeal, Decision, Decisions
from adsvc.services.moderation import appeals, statements

router = APIRouter(prefix="/users/me/decisions", tags=["moderation"])


@router.get(
    "",
    operation_id="listMyDecisions",
    summary="What was decided about the caller, and why",
    response_model=Decisions,
    responses=answer_responses() | refusals(InvalidRequestError, UnauthenticatedError),
)
async def list_my_decisions(
    request: Request, user: CurrentUser, session: ReadSession, page: PageDep
) -> Response:
    """The newest first. Who decided is not told."""
    listing = f"decisions {user.id}"
    start = page.start(listing)
    decisions = DecisionRepository(session)
    before = int(start[0]) if start else None
    found = await decisions.of_user(user.id, page.limit + 1, before=before)
    cursor = link = None
    if len(found) > page.limit:
        cursor, link = page.next(listing, [found[page.limit - 1]["id"]])
    listed = Decisions(results=statements.decisions(found[: page.limit]), next=cursor)
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


@router.post(
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
    """Once, within 180 days; somebody else than before decides about it."""
    return await appeals.appeal(transaction, decision, content.text)
