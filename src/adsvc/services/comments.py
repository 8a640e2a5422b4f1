"""Comments on ads: reading one, and changes. Each change is one statement."""

from dataclasses import dataclass

from adsvc import errors
from adsvc.enums import AuditKind
from adsvc.kit.db.database import Database, SingleStatement, Unit
from adsvc.kit.records import Expected, Written, version_of
from adsvc.repositories import comments as comment_rows
from adsvc.repositories.accounts.callers import Caller
from adsvc.repositories.comments import CommentOutcome, Missing
from adsvc.services import audit
from adsvc.services.ads import listing, writing


async def require_ad(database: Database, caller: Caller, ad_id: int) -> None:
    """Raises the refusals of access that `create` has."""
    writing.require_permitted(await comment_rows.check_access(database.reader, caller, ad_id))


async def create(statement: SingleStatement, caller: Caller, ad_id: int, text: str) -> Written:
    """The comment as `schemas.comments.Comment`."""
    made = await comment_rows.create(statement, caller, ad_id, text)
    match made:
        # Either may have been deleted a moment ago.
        case Missing.AD:
            raise errors.AdNotFoundError
        case Missing.AUTHOR:
            raise errors.UnauthenticatedError
    writing.require_permitted(made.access)
    if made.record is None:
        raise errors.AdNotFoundError
    return _written(made.record)


@dataclass(frozen=True, slots=True)
class CommentAccess:
    """A comment below an ad, as the caller may see and change it."""

    database: Database
    caller: Caller
    ad_id: int
    id: int

    async def read(self) -> str:
        """`schemas.comments.Comment` in JSON."""
        record = (await self._found()).record
        if record is None:
            raise errors.CommentNotFoundError
        return record

    async def is_own(self) -> bool:
        """Whether the caller has written it. Raises the refusals of `read`."""
        return (await self._found()).is_own

    async def _found(self) -> CommentOutcome:
        found = await comment_rows.read(self.database.reader, self.caller, self.ad_id, self.id)
        _require_found(found)
        return found

    async def require_owned(self) -> None:
        """Raises the refusals of access that `update` has."""
        _require_owned(await self._found())

    async def require_deletable(self) -> None:
        """Raises the refusals of access that `delete` has."""
        _require_deletable(await self._found())

    async def require_expected(self, expected: Expected) -> None:
        """As `update`, only checks the version."""
        if expected.versions is not None:
            expected.require(_written(await self.read()).version)

    async def update(self, statement: SingleStatement, text: str, expected: Expected) -> Written:
        """The comment as `schemas.comments.Comment`."""
        event, key = AuditKind.FOREIGN_COMMENT_CHANGED, (self.ad_id, self.id)
        trail = audit.trail(event)
        outcome = await comment_rows.update(statement, self.caller, key, text, trail, expected)
        _require_owned(outcome)
        return await self._changed(statement, outcome, event, expected)

    async def delete(self, statement: SingleStatement, expected: Expected) -> None:
        event, key = AuditKind.FOREIGN_COMMENT_DELETED, (self.ad_id, self.id)
        trail = audit.trail(event)
        outcome = await comment_rows.delete(statement, self.caller, key, trail, expected)
        _require_deletable(outcome)
        await self._changed(statement, outcome, event, expected)

    async def _changed(
        self, unit: Unit, changed: CommentOutcome, event: AuditKind, expected: Expected
    ) -> Written:
        if changed.record is None or changed.writer_id is None:
            if expected.versions is None:
                # Deleted a moment ago.
                raise errors.CommentNotFoundError
            raise errors.PreconditionFailedError(_written(await self.read()).version)
        actor_id, writer_id = self.caller.user_id, changed.writer_id
        audit.log_foreign(unit, event, actor_id, writer_id, ad_id=self.ad_id, target=self.id)
        return _written(changed.record)


def _written(record: str) -> Written:
    return Written(record, version_of(record.encode()))


def _require_found(outcome: CommentOutcome) -> None:
    """Raises the reason why the comment is hidden. Its author always finds it."""
    if not outcome.access.is_known:
        raise errors.UnauthenticatedError
    if not outcome.access.finds_ad:
        raise errors.AdNotFoundError
    if outcome.access.hidden is not None and not outcome.is_own:
        listing.raise_hidden(outcome.access.hidden)
    if outcome.writer_id is None:
        raise errors.CommentNotFoundError


def _require_owned(outcome: CommentOutcome) -> None:
    _require_found(outcome)
    if not outcome.access.may_change:
        raise errors.ForbiddenError
    if outcome.access.is_blocked:
        raise errors.BlockedError


def _require_deletable(outcome: CommentOutcome) -> None:
    _require_found(outcome)
    if not outcome.may_delete:
        raise errors.ForbiddenError
