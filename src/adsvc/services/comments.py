from adsvc.db import Transaction
from adsvc.errors import AdNotFoundError, CommentNotFoundError
from adsvc.models import Ad, Comment, User
from adsvc.repositories import CommentRepository
from adsvc.schemas.comments import CreateOrUpdateComment


async def create(
    transaction: Transaction, ad: Ad, author: User, content: CreateOrUpdateComment
) -> Comment:
    comments = CommentRepository(transaction.session)
    comment_id = await comments.add(ad.id, author.id, content.text)
    if comment_id is None:
        # The ad was deleted a moment ago.
        raise AdNotFoundError
    return await _reload(comments, ad.id, comment_id)


async def update(
    transaction: Transaction, comment: Comment, content: CreateOrUpdateComment
) -> Comment:
    comments = CommentRepository(transaction.session)
    if not await comments.update(comment.id, content.text):
        raise CommentNotFoundError
    return await _reload(comments, comment.ad_id, comment.id)


async def delete(transaction: Transaction, comment: Comment) -> None:
    if not await CommentRepository(transaction.session).delete(comment.id):
        raise CommentNotFoundError


async def _reload(comments: CommentRepository, ad_id: int, comment_id: int) -> Comment:
    comment = await comments.get(ad_id, comment_id)
    if comment is None:
        raise CommentNotFoundError
    return comment
