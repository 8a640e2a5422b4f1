from adsvc import errors
from adsvc.api.dependencies.access import (
    may_change_comment,
    may_comment,
    may_delete_comment,
    shown_ad,
)
from adsvc.api.dependencies.calls import Call, Json, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import AdIdPath, CommentIdPath, PageQuery
from adsvc.enums import Feature, KeyScope
from adsvc.kit.records import Written
from adsvc.models.ads import Ad
from adsvc.repositories import comments as comment_rows
from adsvc.schemas.comments import Comment as CommentRecord
from adsvc.schemas.comments import Comments, CreateOrUpdateComment
from adsvc.services import comments
from adsvc.services.comments import CommentAccess
from adsvc.settings import MailRequired

router = Router(
    "/ads/{id:ad_id}/comments", tag="comments", requires=KeyScope.ADS_WRITE, reads=KeyScope.ADS_READ
)

CONTENT = Json(CreateOrUpdateComment, validates=True, in_quota=True)


@router.get(
    "",
    summary="List an ad's comments",
    features=(Feature.COMMENTS,),
    query=PageQuery,
    compressible=False,
    access=shown_ad,
    response_model=Comments,
)
async def list_comments(call: Call[None], ad: Ad) -> Page:
    """Returns a page of an ad's comments, the newest first.

    Every account that sees the ad may.
    """
    page = call.page(f"comments {ad.id}")
    found = await comment_rows.page(call.database.reader, ad.id, page.limit, before=page.before)
    return Page(found.records, found.last_id, {"count": found.total})


@router.post(
    "",
    summary="Comment on an ad",
    features=(Feature.COMMENTS,),
    response_model=CommentRecord,
    body=CONTENT,
    needs_mail=MailRequired.CONTACT,
    access=may_comment,
    takes_key=True,
    one_statement=True,
)
async def create_comment(call: Call[CreateOrUpdateComment], ad_id: int) -> Written:
    """Adds a comment to an ad, and returns it. Every account that sees the ad sees it.

    Every account that sees the ad may, unless it or the ad's author has blocked the other; some
    sites require a confirmed mail address. Counts towards the account's limits on changes and on
    what its texts may use.
    """
    return await comments.create(call.statement, call.caller, ad_id, call.content.text)


@router.get(
    "/{commentId}",
    summary="Get a comment",
    features=(Feature.COMMENTS,),
    refused_with=(errors.AdNotFoundError, errors.AdGoneError, errors.CommentNotFoundError),
    response_model=CommentRecord,
)
async def get_comment(call: Call[None], ad_id: AdIdPath, comment_id: CommentIdPath) -> str:
    """Returns a comment on the ad in the path.

    Every account that sees the ad may, and always the comment's author.
    """
    return await CommentAccess(call.database, call.caller, ad_id, comment_id).read()


async def check_version(call: Call[CreateOrUpdateComment], ad_id: int, comment_id: int) -> None:
    comment = CommentAccess(call.database, call.caller, ad_id, comment_id)
    await comment.require_expected(call.expected)


@router.patch(
    "/{commentId}",
    summary="Change a comment",
    features=(Feature.COMMENTS,),
    response_model=CommentRecord,
    body=CONTENT,
    access=may_change_comment,
    version=True,
    one_statement=True,
    dry_run=check_version,
)
async def update_comment(call: Call[CreateOrUpdateComment], ad_id: int, comment_id: int) -> Written:
    """Replaces the text of a comment, and returns it.

    The comment's author and administrators may. Counts towards the account's limits on changes and
    on what its texts may use.
    """
    comment = CommentAccess(call.database, call.caller, ad_id, comment_id)
    return await comment.update(call.statement, call.content.text, call.expected)


@router.delete(
    "/{commentId}",
    summary="Delete a comment",
    access=may_delete_comment,
    version=True,
    one_statement=True,
)
async def delete_comment(call: Call[None], ad_id: int, comment_id: int) -> None:
    """Deletes a comment permanently.

    The comment's author, the author of the ad, and administrators may. Counts towards the account's
    limit on changes.
    """
    comment = CommentAccess(call.database, call.caller, ad_id, comment_id)
    await comment.delete(call.statement, call.expected)
