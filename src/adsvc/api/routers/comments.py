from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching.responses import json_response
from adsvc.api.dependencies.ads import ShownAd
from adsvc.api.dependencies.caller import Authenticated, require_mail
from adsvc.api.dependencies.writes import BareWrite, JsonWrite, Write, write_route
from adsvc.api.input.parameters import AdIdPath, CommentIdPath, PageDep
from adsvc.api.openapi import answer_responses, written_responses
from adsvc.api.problems.documentation import KEYED_REFUSALS, refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    CommentNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    InvalidRequestError,
    MailNotVerifiedError,
    PreconditionFailedError,
    QuotaExceededError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.http.responses import PRIVATE
from adsvc.repositories import CommentPageRepository
from adsvc.schemas.comments import Comment as CommentRecord
from adsvc.schemas.comments import Comments, CreateOrUpdateComment
from adsvc.services.comments import NewComment, OneComment
from adsvc.settings import MailRequired

router = APIRouter(prefix="/ads/{id:ad_id}/comments", tags=["comments"])

READ_REFUSALS = (InvalidRequestError, UnauthenticatedError, AdNotFoundError, AdGoneError)
WRITE_REFUSALS = (
    *READ_REFUSALS,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
    RateLimitedError,
    QuotaExceededError,
)


@router.get(
    "",
    operation_id="listComments",
    summary="List an ad's comments",
    response_model=Comments,
    responses=answer_responses() | refusals(*READ_REFUSALS),
)
async def list_comments(
    request: Request, ad: ShownAd, state: AppStateDep, page: PageDep
) -> Response:
    """Returns a page of an ad's comments, the newest first.

    Every account that sees the ad may.
    """
    listing = f"comments {ad.id}"
    start = page.start(listing)
    before = int(start[0]) if start else None
    pages = CommentPageRepository(state.database.reader)
    found = await pages.page(ad.id, page.limit, before=before)
    link, following = None, "null"
    if found.last_id is not None:
        cursor, link = page.next(listing, [found.last_id])
        following = f'"{cursor}"'
    # As `schemas.comments.Comments` describes it; its parts are JSON already.
    results = ",".join(found.records)
    body = f'{{"count":{found.total},"results":[{results}],"next":{following}}}'
    # To compress a thousand long ones would hold up everybody.
    answer = json_response(body.encode(), PRIVATE, link=link, compressible=False)
    return answer.to(request)


@write_route(
    router,
    "POST",
    "",
    takes_key=True,
    operation_id="createComment",
    summary="Comment on an ad",
    response_model=CommentRecord,
    responses=written_responses()
    | refusals(*WRITE_REFUSALS, MailNotVerifiedError, *KEYED_REFUSALS),
)
async def create_comment(
    write: Annotated[
        Write[CreateOrUpdateComment], Depends(JsonWrite(CreateOrUpdateComment, validates=True))
    ],
    ad_id: AdIdPath,
) -> Response:
    """Adds a comment to an ad, and returns it. Every account that sees the ad sees it.

    Every account that sees the ad may; some sites require a confirmed mail address. Counts towards
    the account's limits on changes and on what its texts may use.
    """
    require_mail(write.state, write.caller, MailRequired.CONTACT)
    comment = NewComment(write.state.database, write.caller, ad_id, write.writer)
    return await write.answer(
        lambda content, _: comment.create(content), require=comment.require_ad
    )


@router.get(
    "/{commentId}",
    operation_id="getComment",
    summary="Get a comment",
    response_model=CommentRecord,
    responses=answer_responses() | refusals(*READ_REFUSALS, CommentNotFoundError),
)
async def get_comment(
    request: Request,
    caller: Authenticated,
    state: AppStateDep,
    ad_id: AdIdPath,
    comment_id: CommentIdPath,
) -> Response:
    """Returns a comment on the ad in the path.

    Every account that sees the ad may, and always the comment's author.
    """
    record = await OneComment(state.database, caller, ad_id, comment_id).read()
    return json_response(record.encode(), PRIVATE).to(request)


@write_route(
    router,
    "PATCH",
    "/{commentId}",
    operation_id="updateComment",
    summary="Change a comment",
    response_model=CommentRecord,
    responses=written_responses()
    | refusals(*WRITE_REFUSALS, CommentNotFoundError, ForbiddenError, PreconditionFailedError),
)
async def update_comment(
    write: Annotated[
        Write[CreateOrUpdateComment], Depends(JsonWrite(CreateOrUpdateComment, validates=True))
    ],
    ad_id: AdIdPath,
    comment_id: CommentIdPath,
) -> Response:
    """Replaces the text of a comment, and returns it.

    The comment's author and administrators may. Counts towards the account's limits on changes and
    on what its texts may use.
    """
    comment = OneComment(write.state.database, write.caller, ad_id, comment_id)
    return await write.answer(
        comment.update, require=comment.require_owned, compare=comment.require_expected
    )


@write_route(
    router,
    "DELETE",
    "/{commentId}",
    operation_id="deleteComment",
    summary="Delete a comment",
    status_code=204,
    responses=refusals(
        *READ_REFUSALS,
        CommentNotFoundError,
        ForbiddenError,
        PreconditionFailedError,
        RateLimitedError,
    ),
)
async def delete_comment(
    write: Annotated[Write[None], Depends(BareWrite())],
    ad_id: AdIdPath,
    comment_id: CommentIdPath,
) -> Response:
    """Deletes a comment for good.

    The comment's author and administrators may. Counts towards the account's limit on changes.
    """
    comment = OneComment(write.state.database, write.caller, ad_id, comment_id)
    return await write.answer(
        lambda _, expected: comment.delete(expected), require=comment.require_owned
    )
