from fastapi import APIRouter, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import json_response
from adsvc.api.dependencies.access import ShownAd, may_change_comment, may_comment
from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.caller import Authenticated, requires
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import AdIdPath, CommentIdPath, PageDep
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    CommentNotFoundError,
    InvalidRequestError,
    UnauthenticatedError,
)
from adsvc.http.responses import PRIVATE
from adsvc.models import KeyScope
from adsvc.repositories import CommentPageRepository
from adsvc.schemas.comments import Comment as CommentRecord
from adsvc.schemas.comments import Comments, CreateOrUpdateComment
from adsvc.services import comments
from adsvc.settings import MailRequired
from adsvc.versions import Written

router = APIRouter(prefix="/ads/{id:ad_id}/comments", tags=["comments"])

READ_REFUSALS = (InvalidRequestError, UnauthenticatedError, AdNotFoundError, AdGoneError)
CONTENT = Json(CreateOrUpdateComment, validates=True, in_quota=True)


@router.get(
    "",
    operation_id="listComments",
    summary="List an ad's comments",
    dependencies=[requires(KeyScope.ADS_READ)],
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
    # The JSON of `schemas.comments.Comments`; its parts are JSON already.
    results = ",".join(found.records)
    body = f'{{"count":{found.total},"results":[{results}],"next":{following}}}'
    # To compress a thousand long comments would block the event loop.
    answer = json_response(body.encode(), PRIVATE, link=link, compressible=False)
    return answer.to(request)


@Operation(
    router,
    "POST",
    "",
    operation_id="createComment",
    summary="Comment on an ad",
    requires=KeyScope.ADS_WRITE,
    response_model=CommentRecord,
    body=CONTENT,
    needs_mail=MailRequired.CONTACT,
    access=may_comment,
    takes_key=True,
    one_statement=True,
)
async def create_comment(write: Write[CreateOrUpdateComment], ad_id: int) -> Written:
    """Adds a comment to an ad, and returns it. Every account that sees the ad sees it.

    Every account that sees the ad may; some sites require a confirmed mail address. Counts towards
    the account's limits on changes and on what its texts may use.
    """
    return await comments.create(write.statement, write.caller, ad_id, write.content.text)


@router.get(
    "/{commentId}",
    operation_id="getComment",
    summary="Get a comment",
    dependencies=[requires(KeyScope.ADS_READ)],
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
    record = await comments.read(state.database, caller, ad_id, comment_id)
    return json_response(record.encode(), PRIVATE).to(request)


async def check_version(write: Write[CreateOrUpdateComment], ad_id: int, comment_id: int) -> None:
    await comments.require_expected(
        write.state.database, write.caller, ad_id, comment_id, write.expected
    )


@Operation(
    router,
    "PATCH",
    "/{commentId}",
    operation_id="updateComment",
    summary="Change a comment",
    requires=KeyScope.ADS_WRITE,
    response_model=CommentRecord,
    body=CONTENT,
    access=may_change_comment,
    version=True,
    one_statement=True,
    dry_run=check_version,
)
async def update_comment(
    write: Write[CreateOrUpdateComment], ad_id: int, comment_id: int
) -> Written:
    """Replaces the text of a comment, and returns it.

    The comment's author and administrators may. Counts towards the account's limits on changes and
    on what its texts may use.
    """
    return await comments.update(
        write.statement, write.caller, ad_id, comment_id, write.content.text, write.expected
    )


@Operation(
    router,
    "DELETE",
    "/{commentId}",
    operation_id="deleteComment",
    summary="Delete a comment",
    requires=KeyScope.ADS_WRITE,
    status=204,
    access=may_change_comment,
    version=True,
    one_statement=True,
)
async def delete_comment(write: Write[None], ad_id: int, comment_id: int) -> None:
    """Deletes a comment permanently.

    The comment's author and administrators may. Counts towards the account's limit on changes.
    """
    await comments.delete(write.statement, write.caller, ad_id, comment_id, write.expected)
