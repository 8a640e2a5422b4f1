from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ads import ShownAd
from adsvc.api.dependencies.bodies import JsonBody, ValidatesOnly
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.dependencies.comments import ExistingComment, OwnedComment
from adsvc.api.dependencies.throttles import CountedWrite
from adsvc.api.dependencies.transactions import TransactionDep
from adsvc.api.dependencies.writes import JsonWrite, Write, write_route
from adsvc.api.input.paging import PageDep
from adsvc.api.input.parameters import AdIdPath
from adsvc.api.problems.documentation import KEYED_REFUSALS, refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    CommentNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    InvalidRequestError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.models import Comment
from adsvc.repositories import CommentPageRepository
from adsvc.schemas.comments import Comment as CommentRecord
from adsvc.schemas.comments import Comments, CreateOrUpdateComment
from adsvc.services import comments

router = APIRouter(prefix="/ads/{id:ad_id}/comments", tags=["comments"])

READ_REFUSALS = (InvalidRequestError, UnauthenticatedError, AdNotFoundError, AdGoneError)
WRITE_REFUSALS = (
    *READ_REFUSALS,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
    RateLimitedError,
)

CommentBody = Annotated[
    CreateOrUpdateComment, Depends(JsonBody(CreateOrUpdateComment, validates=True))
]


@router.get(
    "",
    operation_id="listComments",
    summary="An ad's comments, newest first",
    response_model=Comments,
    responses=refusals(*READ_REFUSALS),
)
async def list_comments(ad: ShownAd, state: AppStateDep, page: PageDep) -> Response:
    """Page by page, for whoever may see the ad."""
    listing = f"comments {ad.id}"
    start = page.start(listing)
    before = int(start[0]) if start else None
    pages = CommentPageRepository(state.database.reader)
    found = await pages.page(ad.id, page.limit, before=before)
    headers, following = {}, "null"
    if found.last_id is not None:
        cursor, headers["Link"] = page.next(listing, [found.last_id])
        following = f'"{cursor}"'
    # As `schemas.comments.Comments` describes it; its parts are JSON already.
    results = ",".join(found.records)
    body = f'{{"count":{found.total},"results":[{results}],"next":{following}}}'
    return Response(body, headers=headers, media_type="application/json")


@write_route(
    router,
    "POST",
    "",
    takes_key=True,
    operation_id="createComment",
    summary="Comment on an ad",
    response_model=CommentRecord,
    responses=refusals(*WRITE_REFUSALS, *KEYED_REFUSALS),
)
async def create_comment(
    write: Annotated[
        Write[CreateOrUpdateComment], Depends(JsonWrite(CreateOrUpdateComment, validates=True))
    ],
    ad_id: AdIdPath,
) -> Response:
    """Everybody who sees the ad sees it."""
    comment = comments.CommentWrite(write.state.database, write.caller, ad_id, write.writer)
    return await write.answer(comment.create, require=comment.require_ad)


@router.get(
    "/{commentId}",
    operation_id="getComment",
    summary="One comment",
    response_model=CommentRecord,
    responses=refusals(*READ_REFUSALS, CommentNotFoundError),
)
async def get_comment(comment: ExistingComment) -> Comment:
    """It has to belong to the ad of the path."""
    return comment


@router.patch(
    "/{commentId}",
    operation_id="updateComment",
    summary="Change a comment",
    response_model=CommentRecord,
    responses=refusals(*WRITE_REFUSALS, CommentNotFoundError, ForbiddenError),
)
async def update_comment(
    user: CurrentUser,
    comment: OwnedComment,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedWrite,
    validates_only: ValidatesOnly,
    content: CommentBody,
) -> Comment | Response:
    """For its author or an administrator."""
    if validates_only:
        return Response(status_code=204, headers=dict(response.headers))
    return await comments.update(transaction, comment, content, actor=user)


@router.delete(
    "/{commentId}",
    operation_id="deleteComment",
    summary="Delete a comment",
    status_code=204,
    responses=refusals(*READ_REFUSALS, CommentNotFoundError, ForbiddenError, RateLimitedError),
)
async def delete_comment(
    user: CurrentUser,
    comment: OwnedComment,
    transaction: TransactionDep,
    _counted: CountedWrite,
) -> None:
    """For its author or an administrator."""
    await comments.delete(transaction, comment, actor=user)
