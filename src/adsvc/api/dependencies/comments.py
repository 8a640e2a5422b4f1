"""The comment of the path, for whoever may read or change it."""

from typing import Annotated

from fastapi import Depends

from adsvc import policies
from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ads import ExistingAd, get_shown_ad
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.parameters import CommentIdPath
from adsvc.errors import CommentNotFoundError, ForbiddenError
from adsvc.models import Comment
from adsvc.repositories import CommentRepository


async def get_existing_comment(
    user: CurrentUser, ad: ExistingAd, state: AppStateDep, comment_id: CommentIdPath
) -> Comment:
    """The comment, if it belongs to the ad of the path. One's own stays, whoever sees the ad."""
    async with state.database.autocommit() as session:
        comment = await CommentRepository(session).get(ad.id, comment_id)
    if comment is None or comment.author_id != user.id:
        await get_shown_ad(user, ad)
    if comment is None:
        raise CommentNotFoundError
    return comment


ExistingComment = Annotated[Comment, Depends(get_existing_comment)]


async def get_owned_comment(user: CurrentUser, comment: ExistingComment) -> Comment:
    """The comment, if the caller is its author or an administrator."""
    if not policies.is_author_or_admin(user, comment):
        raise ForbiddenError
    return comment


OwnedComment = Annotated[Comment, Depends(get_owned_comment)]
