from adsvc.db.database import Transaction
from adsvc.errors import AdNotFoundError, CommentNotFoundError, UnauthenticatedError
from adsvc.models import Ad, Comment, User
from adsvc.repositories import CommentRepository, Missing
from adsvc.schemas.comments import CreateOrUpdateComment
from adsvc.services import audit


async def create(
    transaction: Transaction, ad: Ad, author: User, content: CreateOrUpdateComment
) -> Comment:
    comments = CommentRepository(transaction.session)
    match await comments.add(ad.id, author.id, content.text):
        # Either may have been deleted a moment ago.
        case Missing.AD:
            raise AdNotFoundError
        case Missing.AUTHOR:
            raise UnauthenticatedError
        case int(comment_id):
            return await _reload(comments, ad.id, comment_id)


async def update(
    transaction: Transaction, comment: Comment, content: CreateOrUpdateComment, *, actor: User
) -> Comment:
    comments = CommentRepository(transaction.session)
    if not await comments.update(comment.id, content.text):
        raise CommentNotFoundError
    event = audit.Event.FOREIGN_COMMENT_CHANGED
    audit.record_foreign(transaction, event, actor, comment, ad_id=comment.ad_id)
    return await _reload(comments, comment.ad_id, comment.id)


async def delete(transaction: Transaction, comment: Comment, *, actor: User) -> None:
    if not await CommentRepository(transaction.session).delete(comment.id):
        raise CommentNotFoundError
    event = audit.Event.FOREIGN_COMMENT_DELETED
    audit.record_foreign(transaction, event, actor, comment, ad_id=comment.ad_id)


async def _reload(comments: CommentRepository, ad_id: int, comment_id: int) -> Comment:
    comment = await comments.get(ad_id, comment_id)
    if comment is None:
        raise CommentNotFoundError
    return comment
