from dataclasses import dataclass

from adsvc.db.database import Database, Transaction
from adsvc.db.read_pool import RowWriter
from adsvc.errors import AdNotFoundError, CommentNotFoundError, UnauthenticatedError
from adsvc.models import Comment
from adsvc.repositories import CommentChangeRepository, CommentRepository, Missing
from adsvc.repositories.accounts.callers import Account
from adsvc.repositories.accounts.rights import Caller
from adsvc.repositories.comments.changes import NewComment
from adsvc.schemas.comments import CreateOrUpdateComment
from adsvc.services import audit
from adsvc.services.ads import viewing
from adsvc.services.rights import require


@dataclass(frozen=True, slots=True)
class CommentWrite:
    """A comment that somebody wants to write on an ad, if there is one."""

    database: Database
    caller: Caller
    ad_id: int
    writer: RowWriter

    @property
    def _changes(self) -> CommentChangeRepository:
        return CommentChangeRepository(self.database.reader, self.writer)

    async def require_ad(self) -> None:
        """Raises what `create` would refuse the caller with, whatever the comment."""
        _require(await self._changes.standing(self.caller, self.ad_id))

    async def create(self, content: CreateOrUpdateComment) -> str:
        """The comment as `schemas.comments.Comment` in JSON."""
        made = await self._changes.create(self.caller, self.ad_id, content.text)
        match made:
            # Either may have been deleted a moment ago.
            case Missing.AD:
                raise AdNotFoundError
            case Missing.AUTHOR:
                raise UnauthenticatedError
        _require(made)
        if made.record is None:
            raise AdNotFoundError
        return made.record


def _require(made: NewComment) -> None:
    require(made.standing)
    if made.hidden is not None:
        viewing.refuse(made.hidden)


async def update(
    transaction: Transaction, comment: Comment, content: CreateOrUpdateComment, *, actor: Account
) -> Comment:
    comments = CommentRepository(transaction.session)
    if not await comments.update(comment.id, content.text):
        raise CommentNotFoundError
    event = audit.Event.FOREIGN_COMMENT_CHANGED
    audit.record_foreign(transaction, event, actor, comment, ad_id=comment.ad_id)
    return await _reload(comments, comment.ad_id, comment.id)


async def delete(transaction: Transaction, comment: Comment, *, actor: Account) -> None:
    if not await CommentRepository(transaction.session).delete(comment.id):
        raise CommentNotFoundError
    event = audit.Event.FOREIGN_COMMENT_DELETED
    audit.record_foreign(transaction, event, actor, comment, ad_id=comment.ad_id)


async def _reload(comments: CommentRepository, ad_id: int, comment_id: int) -> Comment:
    comment = await comments.get(ad_id, comment_id)
    if comment is None:
        raise CommentNotFoundError
    return comment
