import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.database import Database
from adsvc.models import User
from adsvc.repositories import AdRepository, CommentRepository, SessionRepository
from adsvc.schemas.base import Record
from adsvc.schemas.export import ExportedAd, ExportedComment, ExportedSession, ExportedUser

BATCH = 500


class Row(Protocol):
    @property
    def id(self) -> int: ...


NextRows = Callable[[AsyncSession, int], Awaitable[Sequence[Row]]]


async def export(database: Database, user: User) -> AsyncIterator[bytes]:
    """Everything held about the user as one JSON document, in pieces of bounded size."""
    async with database.autocommit() as session:
        sessions = await SessionRepository(session).list_of_user(user.id)
    head = {
        "user": ExportedUser.model_validate(user).model_dump(mode="json", by_alias=True),
        "sessions": [
            ExportedSession.model_validate(item).model_dump(mode="json", by_alias=True)
            for item in sessions
        ],
    }
    yield json.dumps(head, ensure_ascii=False).removesuffix("}").encode()

    async def ads(session: AsyncSession, after: int) -> Sequence[Row]:
        return await AdRepository(session).list_by_author(user.id, BATCH, after=after)

    async def comments(session: AsyncSession, after: int) -> Sequence[Row]:
        return await CommentRepository(session).list_by_author(user.id, BATCH, after=after)

    async for piece in _array(database, "ads", ExportedAd, ads):
        yield piece
    async for piece in _array(database, "comments", ExportedComment, comments):
        yield piece
    yield b"}"


async def _array(
    database: Database, name: str, record: type[Record], next_rows: NextRows
) -> AsyncIterator[bytes]:
    separator = f', "{name}": ['
    last = 0
    while True:
        async with database.autocommit() as session:
            rows = await next_rows(session, last)
        if not rows:
            break
        items = (record.model_validate(row).model_dump_json(by_alias=True) for row in rows)
        yield (separator + ",".join(items)).encode()
        separator, last = ",", rows[-1].id
    yield b"]" if separator == "," else f"{separator}]".encode()
