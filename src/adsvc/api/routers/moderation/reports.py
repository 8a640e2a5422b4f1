"""What anybody who has an account may report."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ads import ShownAd
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import Authenticated, CurrentUser
from adsvc.api.dependencies.throttles import Allowance, RoomForText
from adsvc.api.dependencies.transactions import TransactionDep
from adsvc.api.input.parameters import AdIdPath, CommentIdPath
from adsvc.api.openapi.responses import Responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    CommentNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    InvalidRequestError,
    OwnThingError,
    QuotaExceededError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.models import CaseKind
from adsvc.schemas.moderation.reports import CreateReport, Report
from adsvc.services.accounts import rate_limits
from adsvc.services.comments import OneComment
from adsvc.services.moderation import reports

router = APIRouter(prefix="/ads/{id:ad_id}", tags=["moderation"])

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
AGAIN: Responses = {200: {"description": "The caller's first report of it", "model": Report}}

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


@router.post(
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
    """An account reports an ad once; a second report is answered with the first."""
    reported = await reports.report(
        transaction, state.settings, user, content, kind=CaseKind.AD, target_id=ad_id
    )
    response.status_code = 201 if reported.is_new else 200
    return Report.model_validate(reported.report)


@router.post(
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
    """As an ad, for whoever sees it."""
    reported = await reports.report(
        transaction, state.settings, user, content, kind=CaseKind.COMMENT, target_id=comment_id
    )
    response.status_code = 201 if reported.is_new else 200
    return Report.model_validate(reported.report)
