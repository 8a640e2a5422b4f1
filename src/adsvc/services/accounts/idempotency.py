"""Requests that happen once, however often they are sent (`Idempotency-Key`).

A request claims its key when it has been read and before it is carried out, by a statement of its
own: of many with one key one goes on. Its answer is written along with the change, in the same
transaction, and only while the claim is still its own. So there is an answer to give again if, and
only if, there is the change. A request that is refused changes nothing and gives its claim back.
The claim of a process that died lapses.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from asyncpg import PostgresError
from pydantic import JsonValue

from adsvc.db.database import Database, Transaction
from adsvc.db.engine import Statements
from adsvc.db.pools import FetchRow, FollowedWriter, Row
from adsvc.errors import (
    DatabaseUnavailableError,
    IdempotencyInProgressError,
    IdempotencyKeyReusedError,
)
from adsvc.process.offload import in_thread
from adsvc.repositories import IdempotencyKeyRepository
from adsvc.repositories.accounts.idempotency_keys import (
    DELETED_AT_ONCE,
    Claim,
    StoredAnswer,
    StoredRequest,
    store_answer,
)
from adsvc.settings import Settings

# From the claim to the end of the transaction, without pictures. Longer than waiting for a password
# to be hashed and for the database may take.
CLAIM_SECONDS = 30

TOKEN_BYTES = 16

# A text of the request stands in a kept answer as its number between controls, which JSON does not
# have as they are.
LONG_TEXT = 64
MARK = "\x01{}\x01"


class KeyedRequest:
    """A request with a key, whose owner is an account or, for registrations, a network.

    `operation` is its method and its path.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        key: str,
        *,
        owner: int | str,
        operation: Sequence[str],
    ) -> None:
        self._database = database
        self._picture_seconds = settings.image_seconds
        self._user_id = owner if isinstance(owner, int) else None
        self._operation = list(operation)
        secret = settings.required_jwt_secret().encode()
        whose = json.dumps(["adsvc idempotency key", owner, key]).encode()
        # The key itself is kept nowhere. A thief of the table and the secret who cannot guess the
        # key cannot try passwords on the fingerprint of a registration.
        what = json.dumps(["adsvc idempotency fingerprint", owner, key]).encode()
        self._fingerprint_key = hmac.digest(secret, what, hashlib.sha256)
        self._claim = Claim(
            hmac.digest(secret, whose, hashlib.sha256), secrets.token_bytes(TOKEN_BYTES)
        )
        self._is_claimed = False
        # The long texts of the request, as JSON has them.
        self._texts: list[str] = []

    @property
    def _keys(self) -> IdempotencyKeyRepository:
        return IdempotencyKeyRepository(self._database.reader, self._database.writer)

    async def is_answered(self) -> bool:
        """Before the request has been read. `IdempotencyInProgressError` if it is under way."""
        found = await self._keys.find(self._claim.id)
        if found is not None and found.answer is None:
            raise IdempotencyInProgressError
        return found is not None

    async def claim(self, parts: JsonValue, pictures: Sequence[Path] = ()) -> StoredAnswer | None:
        """The answer if there is one; None if the request is now to be carried out.

        `parts` are what was sent as it was understood, but for the pictures.
        `IdempotencyKeyReusedError` if that is not what was sent with the key before, and
        `IdempotencyInProgressError` if another request carries it out.
        """
        self._texts = list(_long_texts(parts))
        fingerprint = await self._fingerprint(parts, pictures)
        seconds = CLAIM_SECONDS + len(pictures) * self._picture_seconds
        # If the statement fails, it may have been committed all the same.
        self._is_claimed = True
        self._is_claimed = await self._keys.claim(
            self._claim, fingerprint, user_id=self._user_id, seconds=seconds
        )
        if self._is_claimed:
            return None
        found = await self._keys.find(self._claim.id)
        return self._whole(_answer_to(fingerprint, found))

    async def answer(self, parts: JsonValue, pictures: Sequence[Path]) -> StoredAnswer:
        """To a request that was answered before: as `claim`, but claims nothing."""
        self._texts = list(_long_texts(parts))
        found = await self._keys.find(self._claim.id)
        return self._whole(_answer_to(await self._fingerprint(parts, pictures), found))

    def writer(self, answer_of: Callable[[Row], StoredAnswer | None]) -> FollowedWriter:
        """Makes a change and keeps its answer, in one transaction. None changed nothing."""

        async def follow(row: Row, fetchrow: FetchRow) -> None:
            answer = answer_of(row)
            if answer is not None:
                await self._keep(fetchrow, answer)

        return self._database.writer.followed(follow)

    async def keep(
        self, transaction: Transaction, answer: StoredAnswer, *, user_id: int | None = None
    ) -> None:
        """As the last statement of the transaction; `user_id` is whose account was made in it.

        The deletion of an account locks that first, and its keys afterwards.
        """
        await self._keep(Statements(transaction.session).fetchrow, answer, user_id=user_id)

    async def _keep(
        self, fetchrow: FetchRow, answer: StoredAnswer, *, user_id: int | None = None
    ) -> None:
        if not await store_answer(fetchrow, self._claim, self._short(answer), user_id=user_id):
            # It took so long that another attempt has begun, which will have the answer.
            raise IdempotencyInProgressError

    async def release(self) -> None:
        """The next attempt need not wait, unless this one was answered.

        If the database is away, the claim lapses.
        """
        if self._is_claimed:
            with suppress(PostgresError, DatabaseUnavailableError):
                await self._keys.release(self._claim)

    def _short(self, answer: StoredAnswer) -> StoredAnswer:
        """Without the texts of the request, which the client has just sent again."""
        body = answer.body
        for number, text in enumerate(self._texts):
            body = body.replace(text, MARK.format(number))
        return answer._replace(body=body)

    def _whole(self, answer: StoredAnswer) -> StoredAnswer:
        body = answer.body
        for number, text in enumerate(self._texts):
            body = body.replace(MARK.format(number), text)
        return answer._replace(body=body)

    async def _fingerprint(self, parts: JsonValue, pictures: Sequence[Path]) -> bytes:
        digests = await in_thread(_digests, pictures) if pictures else []
        said = json.dumps([self._operation, parts, digests], sort_keys=True)
        return hmac.digest(self._fingerprint_key, said.encode(), hashlib.sha256)


def _long_texts(value: JsonValue) -> Iterator[str]:
    """In one order, as the strings of JSON."""
    if isinstance(value, str):
        if len(value) >= LONG_TEXT:
            yield json.dumps(value, ensure_ascii=False)
    elif isinstance(value, dict):
        for member in value.values():
            yield from _long_texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from _long_texts(item)


def _answer_to(fingerprint: bytes, found: StoredRequest | None) -> StoredAnswer:
    if found is not None and not hmac.compare_digest(found.fingerprint, fingerprint):
        raise IdempotencyKeyReusedError
    if found is None or found.answer is None:
        # Without one, it has just been given back, or has just expired.
        raise IdempotencyInProgressError
    return found.answer


def _digests(pictures: Sequence[Path]) -> list[str]:
    found = []
    for picture in pictures:
        with picture.open("rb") as file:
            found.append(hashlib.file_digest(file, "sha256").hexdigest())
    return found


async def forget_expired(database: Database) -> int:
    """How many there were."""
    keys = IdempotencyKeyRepository(database.reader, database.writer)
    total, deleted = 0, DELETED_AT_ONCE
    while deleted == DELETED_AT_ONCE:
        deleted = await keys.delete_expired()
        total += deleted
    return total
