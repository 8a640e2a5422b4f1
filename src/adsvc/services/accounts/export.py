import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from adsvc.db.database import Database
from adsvc.repositories import CommentRepository, ListingRepository, SessionRepository
from adsvc.repositories.accounts.callers import Account
from adsvc.repositories.moderation.decisions import DecisionRepository
from adsvc.repositories.moderation.reports import ReportRepository
from adsvc.schemas.export import ExportedComment, ExportedReport, ExportedSession, ExportedUser
from adsvc.services.moderation import statements

BATCH = 500


# The next records with an id above that one: each as its id and its JSON.
NextRecords = Callable[[int], Awaitable[Sequence[tuple[int, str]]]]


async def export(database: Database, user: Account) -> AsyncIterator[bytes]:
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

    async def ads(after: int) -> Sequence[tuple[int, str]]:
        return await ListingRepository(database.reader).exported(user.id, BATCH, after=after)

    async def comments(after: int) -> Sequence[tuple[int, str]]:
        async with database.autocommit() as session:
            rows = await CommentRepository(session).written_by(user.id, BATCH, after=after)
        told = [ExportedComment.model_validate(row) for row in rows]
        return [(record.id, record.model_dump_json(by_alias=True)) for record in told]

    async def decisions(after: int) -> Sequence[tuple[int, str]]:
        async with database.autocommit() as session:
            made = DecisionRepository(session)
            rows = await made.of_user_after(user.id, BATCH, after=after)
        told = statements.decisions(rows)
        return [(record.id, record.model_dump_json(by_alias=True)) for record in told]

    async def reports(after: int) -> Sequence[tuple[int, str]]:
        async with database.autocommit() as session:
            rows = await ReportRepository(session).by_account(user.id, BATCH, after=after)
        told = [ExportedReport.model_validate(row) for row in rows]
        return [(record.id, record.model_dump_json(by_alias=True)) for record in told]

    arrays = {"ads": ads, "comments": comments, "decisions": decisions, "reports": reports}
    for name, next_records in arrays.items():
        async for piece in _array(name, next_records):
            yield piece
    yield b"}"


async def _array(name: str, next_records: NextRecords) -> AsyncIterator[bytes]:
    separator = f', "{name}": ['
    last = 0
    while records := await next_records(last):
        yield (separator + ",".join(record for _, record in records)).encode()
        separator, last = ",", records[-1][0]
    yield b"]" if separator == "," else f"{separator}]".encode()
