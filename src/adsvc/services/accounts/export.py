"""Exports everything stored about an account, in pieces, so that an export costs others little."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from types import GenericAlias
from typing import Any, TypeVar

from pydantic import Field, create_model

from adsvc.kit.bulkheads.admission import Admission, Client, FairQueue, Permit, Shares
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.records import Record
from adsvc.repositories import comments as comment_rows
from adsvc.repositories import conversations as conversation_rows
from adsvc.repositories import deals as deal_rows
from adsvc.repositories import following
from adsvc.repositories import notifications as notification_rows
from adsvc.repositories import push as push_rows
from adsvc.repositories import webhooks as webhook_rows
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.accounts import identities as identity_rows
from adsvc.repositories.accounts import keys as key_rows
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads import listing as listing_rows
from adsvc.repositories.moderation import cases as reported
from adsvc.repositories.moderation import decisions
from adsvc.schemas.auth import Passkey
from adsvc.schemas.conversations import (
    Deal,
    ExportedBlock,
    ExportedContact,
    ExportedConversation,
    ExportedMessage,
)
from adsvc.schemas.events import Webhook
from adsvc.schemas.export import (
    ExportedComment,
    ExportedLife,
    ExportedReport,
    ExportedSession,
    ExportedSignIn,
    ExportedTerms,
    ExportedUser,
)
from adsvc.schemas.following import ExportedFavorite, SavedSearch
from adsvc.schemas.identities import Identity
from adsvc.schemas.moderation import Decision
from adsvc.schemas.notifications import ExportedPush, Notification, Preferences
from adsvc.schemas.users import Key
from adsvc.services import notifications
from adsvc.services.feed_columns import csv_of, feed_columns, feed_row
from adsvc.services.moderation.decisions import statements_of

# A batch is about this large. The length of records decides how many it has: FIRST_RECORDS at
# first, and at most MOST_RECORDS.
BATCH_BYTES = 256 * 1024
FIRST_RECORDS = 8
MOST_RECORDS = 100

# The most exports of a process. Most of them wait for their clients, and each keeps a batch.
MOST_EXPORTS = 64
SHARES = Shares("export", account=1, network=MOST_EXPORTS // 4, wider=MOST_EXPORTS // 2)
# Batches that a process reads at once; exports take turns.
READERS = 2
# Seconds before each further attempt to read a batch.
PAUSES: Sequence[float] = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)

T = TypeVar("T")

# Records, each as its id and its JSON.
Records = Sequence[tuple[int, str]]
ReadRecords = Callable[[Database, int, int, int], Awaitable[Records]]


@dataclass(frozen=True, slots=True)
class Array:
    """A list of the export."""

    name: str
    record: type[Record]
    description: str
    # The next records of an account: its id, how many at most, and the last record's id.
    read: ReadRecords


def _records(records: Iterable[Any]) -> Records:
    return [(record.id, record.model_dump_json(by_alias=True)) for record in records]


def _few(
    name: str, record: type[Record], description: str, rows: Callable[..., Awaitable[Iterable[Any]]]
) -> Array:
    """`rows` reads all at once."""

    async def read(database: Database, user_id: int, limit: int, after: int) -> Records:
        async with database.autocommit() as session:
            records = _records(map(record.model_validate, await rows(session, user_id)))
        return sorted(found for found in records if found[0] > after)[:limit]

    return Array(name, record, description, read)


def _many(
    name: str, record: type[Record], description: str, rows: Callable[..., Awaitable[Iterable[Any]]]
) -> Array:
    """`rows` reads a batch."""

    async def read(database: Database, user_id: int, limit: int, after: int) -> Records:
        async with database.autocommit() as session:
            found = await rows(session, user_id, limit, after=after)
        return _records(map(record.model_validate, found))

    return Array(name, record, description, read)


def _written(name: str, record: type[Record], description: str, sql: str) -> Array:
    """`sql` has the account, the last record's id and the limit as parameters, and makes JSON."""

    async def read(database: Database, user_id: int, limit: int, after: int) -> Records:
        rows = await database.reader.fetch(sql, user_id, after, limit, keep_plan=True)
        return [(row["id"], row["record"]) for row in rows]

    return Array(name, record, description, read)


async def _decisions(database: Database, user_id: int, limit: int, after: int) -> Records:
    async with database.autocommit() as session:
        rows = await decisions.of_user_after(session, user_id, limit, after=after)
    return _records(statements_of(rows))


# Messages are ordered by conversation. One number has both ids.
IDS = 2**63


async def _messages(database: Database, user_id: int, limit: int, after: int) -> Records:
    found = await conversation_rows.exported_messages(
        database.reader, user_id, limit, after=divmod(after, IDS)
    )
    return [(conversation * IDS + message, record) for conversation, message, record in found]


ADS = _written("ads", ExportedLife, "Its ads, whatever their status.", listing_rows.SELECT_EXPORT)
ARRAYS = (
    _few("keys", Key, "Its keys for programs, without their secrets.", key_rows.list_of_user),
    _few("webhooks", Webhook, "Its webhooks, without their secrets.", webhook_rows.webhooks_of),
    _few("passkeys", Passkey, "Its passkeys, without their public keys.", factor_rows.passkeys),
    _few("identities", Identity, "How it signs in with others.", identity_rows.of_user),
    _many(
        "signIns",
        ExportedSignIn,
        "From where it has logged in.",
        session_rows.exported_sign_ins,
    ),
    _many(
        "terms",
        ExportedTerms,
        "The versions of the terms that it has accepted.",
        user_rows.exported_terms,
    ),
    ADS,
    _many("comments", ExportedComment, "The comments it wrote.", comment_rows.written_by),
    Array(
        "decisions",
        Decision,
        "Moderators' decisions about the account, its ads and its comments.",
        _decisions,
    ),
    _written("favorites", ExportedFavorite, "The ads that it keeps.", following.EXPORT_FAVORITES),
    _few("searches", SavedSearch, "Its saved searches.", following.list_of_user),
    _written("notifications", Notification, "Its notifications.", notification_rows.SELECT_EXPORT),
    _written(
        "push", ExportedPush, "The browsers that it gets notifications in.", push_rows.SELECT_EXPORT
    ),
    _many("reports", ExportedReport, "The reports it made.", reported.reports_by),
    _written(
        "conversations", ExportedConversation, "Its conversations.", conversation_rows.SELECT_EXPORT
    ),
    _written(
        "blocks",
        ExportedBlock,
        "The accounts that it has blocked.",
        conversation_rows.EXPORTED_BLOCKS,
    ),
    _written(
        "contacts",
        ExportedContact,
        "The ads whose phone number it has read.",
        conversation_rows.EXPORTED_CONTACTS,
    ),
    _written("deals", Deal, "Its deals, with the ratings.", deal_rows.SELECT_EXPORT),
    Array("messages", ExportedMessage, "The messages of its conversations.", _messages),
)

_arrays: dict[str, Any] = {
    array.name: (GenericAlias(list, array.record), Field(description=array.description))
    for array in ARRAYS
}
# For the document alone: an export is sent in pieces.
AccountExport = create_model(
    "AccountExport",
    __base__=Record,
    __doc__="Everything that is stored about an account, except the password's hash.",
    user=(ExportedUser, Field(description="The account's own data.")),
    sessions=(list[ExportedSession], Field(description="Where the account is logged in.")),
    preferences=(Preferences, Field(description="In which ways it wants notifications.")),
    **_arrays,
)


class Exports:
    """The exports of one process: one at a time for an account, few of them reading at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._admission = Admission(MOST_EXPORTS, SHARES)
        self._turns = FairQueue(READERS)

    def place(self, user_id: int, address: str) -> AbstractContextManager[None]:
        """Raises `TooManyAtOnceError` for a second export of the account, or `OverloadedError`.

        `TooManyAtOnceError` is also for one more than a network may have.
        """
        return Permit(self._admission, Client.of(user_id, address)).used()

    async def pieces(self, user: CallerAccount) -> AsyncGenerator[bytes, None]:
        """One JSON document. A failure before the first piece is raised at once.

        Later the client already has a part, so a batch is tried again for some seconds.
        """
        yield await self._read(user.id, partial(self._head, user), pauses=())
        for array in ARRAYS:
            async for piece in self._array(user.id, array):
                yield piece
        yield b"}"

    async def _read(
        self, user_id: int, read: Callable[[], Awaitable[T]], *, pauses: Sequence[float] = PAUSES
    ) -> T:
        for pause in (*pauses, None):
            try:
                async with self._turns.turn(user_id):
                    return await read()
            except Exception as error:
                if pause is None or not is_database_fault(error):
                    raise
            await asyncio.sleep(pause)
        raise AssertionError

    async def feed(self, user_id: int, base: str) -> AsyncGenerator[bytes, None]:
        """The account's drafts and the ads that it shows, as `POST /imports` takes them as CSV.

        Pictures are below the address `base`.
        """
        names = partial(listing_rows.attribute_names, self._database.reader, user_id)
        columns = feed_columns(await self._read(user_id, names, pauses=()))
        yield csv_of([columns])
        async for records in self._batches(user_id, ADS.read):
            rows = [feed_row(json.loads(record), columns, base) for _, record in records]
            yield csv_of(filter(None, rows))

    async def _array(self, user_id: int, array: Array) -> AsyncGenerator[bytes, None]:
        separator = f', "{array.name}": ['
        async for records in self._batches(user_id, array.read):
            yield (separator + ",".join(record for _, record in records)).encode()
            separator = ","
        yield b"]" if separator == "," else f"{separator}]".encode()

    async def _batches(self, user_id: int, read: ReadRecords) -> AsyncGenerator[Records, None]:
        last, limit = 0, FIRST_RECORDS
        while True:
            reading = partial(read, self._database, user_id, limit, last)
            records = await self._read(user_id, reading)
            if not records:
                return
            last = records[-1][0]
            size = sum(len(record.encode()) for _, record in records)
            fitting = BATCH_BYTES * len(records) // size
            limit = max(1, min(fitting, 2 * limit, MOST_RECORDS))
            yield records

    async def _head(self, user: CallerAccount) -> bytes:
        async with self._database.autocommit() as session:
            sessions = await session_rows.list_of_user(session, user.id)
            preferences = await notifications.preferences(session, user)
        head = {
            "user": ExportedUser.model_validate(user).model_dump(mode="json", by_alias=True),
            "sessions": [
                ExportedSession.model_validate(item).model_dump(mode="json", by_alias=True)
                for item in sessions
            ],
            "preferences": preferences.model_dump(mode="json", by_alias=True),
        }
        return json.dumps(head, ensure_ascii=False).removesuffix("}").encode()
