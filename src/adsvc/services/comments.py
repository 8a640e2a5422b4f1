from collections.abc import Awaitable
from dataclasses import dataclass

from adsvc.db.database import Database
from adsvc.db.pools import RowWriter
from adsvc.errors import (
    AdNotFoundError,
    CommentNotFoundError,
    ForbiddenError,
    PreconditionFailedError,
    UnauthenticatedError,
)
from adsvc.repositories import CommentChangeRepository, Missing
from adsvc.repositories.accounts.callers import Caller
from adsvc.repositories.comments import CommentOutcome
from adsvc.schemas.comments import CreateOrUpdateComment
from adsvc.services import audit
from adsvc.services.ads import listing
from adsvc.versions import Expected, Written, version_of


@dataclass(frozen=True, slots=True)
class NewComment:
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
        listing.require(await self._changes.check_access(self.caller, self.ad_id))

    async def create(self, content: CreateOrUpdateComment) -> Written:
        """The comment as `schemas.comments.Comment`."""
        made = await self._changes.create(self.caller, self.ad_id, content.text)
        match made:
            # Either may have been deleted a moment ago.
            case Missing.AD:
                raise AdNotFoundError
            case Missing.AUTHOR:
                raise UnauthenticatedError
        listing.require(made.access)
        if made.record is None:
            raise AdNotFoundError
        return _written(made.record)


@dataclass(frozen=True, slots=True)
class OneComment:
    """A comment that somebody wants to read or change, if it is there and they may."""

    database: Database
    caller: Caller
    ad_id: int
    comment_id: int

    @property
    def _changes(self) -> CommentChangeRepository:
        return CommentChangeRepository(self.database.reader, self.database.writer)

    async def read(self) -> str:
        """`schemas.comments.Comment` in JSON."""
        found = await self._changes.read(self.caller, self.ad_id, self.comment_id)
        _require_found(found)
        if found.record is None:
            raise CommentNotFoundError
        return found.record

    async def is_own(self) -> bool:
        """Whether the caller has written it; raises what `read` would refuse them with."""
        found = await self._changes.read(self.caller, self.ad_id, self.comment_id)
        _require_found(found)
        return found.is_own

    async def require_owned(self) -> None:
        """Raises what a change would refuse the caller with, whatever it is."""
        _require_owned(await self._changes.read(self.caller, self.ad_id, self.comment_id))

    async def require_expected(self, expected: Expected) -> None:
        """Raises what `update` would refuse the client of another version with."""
        if expected.versions is not None:
            expected.require(_written(await self.read()).version)

    async def update(self, content: CreateOrUpdateComment, expected: Expected) -> Written:
        """The comment as `schemas.comments.Comment`."""
        event = audit.Event.FOREIGN_COMMENT_CHANGED
        changed = self._changes.update(
            self.caller, self.ad_id, self.comment_id, content.text, audit.trail(event),
            expected=expected,
        )  # fmt: skip
        return await self._changed(changed, event, expected)

    async def delete(self, expected: Expected) -> None:
        event = audit.Event.FOREIGN_COMMENT_DELETED
        deleted = self._changes.delete(
            self.caller, self.ad_id, self.comment_id, audit.trail(event), expected=expected
        )
        await self._changed(deleted, event, expected)

    async def _changed(
        self, changing: Awaitable[CommentOutcome], event: audit.Event, expected: Expected
    ) -> Written:
        changed = await changing
        _require_owned(changed)
        if changed.record is None or changed.writer_id is None:
            if expected.versions is None:
                # Deleted a moment ago.
                raise CommentNotFoundError
            raise PreconditionFailedError(_written(await self.read()).version)
        audit.tell_foreign(
            event, actor=self.caller.user_id, target=self.comment_id, ad_id=self.ad_id,
            owner_id=changed.writer_id,
        )  # fmt: skip
        return _written(changed.record)


def _written(record: str) -> Written:
    return Written(record, version_of(record.encode()))


def _require_found(outcome: CommentOutcome) -> None:
    """Raises what hides the comment. Its author finds it whoever else sees the ad."""
    if not outcome.access.is_known:
        raise UnauthenticatedError
    if not outcome.access.finds_ad:
        raise AdNotFoundError
    if outcome.access.hidden is not None and not outcome.is_own:
        listing.refuse(outcome.access.hidden)
    if outcome.writer_id is None:
        raise CommentNotFoundError


def _require_owned(outcome: CommentOutcome) -> None:
    _require_found(outcome)
    if not outcome.access.may_change:
        raise ForbiddenError
