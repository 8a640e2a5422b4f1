"""Requests that happen once, however often they are sent (`Idempotency-Key`).

A request claims its key after it has been read and before it is carried out, by its own statement.
Of several requests with one key only one gets the claim. Its answer is stored in the transaction of
the change, and only while the claim is still valid. So there is a stored answer if, and only if,
there is the change. A request that is refused changes nothing and releases its claim. The claim of
a process that died expires.
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

from adsvc import errors
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Follow, Row, Statements
from adsvc.kit.process.offload import in_thread
from adsvc.repositories.accounts import idempotency_keys as idempotency_rows
from adsvc.repositories.accounts.idempotency_keys import (
    Claim,
    StoredAnswer,
    StoredRequest,
    store_answer,
)
from adsvc.settings import Settings

# How long a claim is valid without pictures. Waiting for a password's hash and for the database
# takes less.
CLAIM_SECONDS = 30

TOKEN_BYTES = 16

# In a stored answer a number between control characters stands for a long text of the request. JSON
# never has bare control characters.
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
        identity = json.dumps(["adsvc idempotency key", owner, key]).encode()
        # The key itself is not stored. A thief of the table and of the secret who cannot guess the
        # key cannot try passwords on the fingerprint of a registration.
        what = json.dumps(["adsvc idempotency fingerprint", owner, key]).encode()
        # By each secret the id and the key of the fingerprint, that in force first.
        self._names = [
            (
                _digest(secret.encode(), identity),
                _digest(secret.encode(), what),
            )
            for secret in settings.jwt_secrets()
        ]
        self._claim = Claim(self._names[0][0], secrets.token_bytes(TOKEN_BYTES))
        self._is_claimed = False
        # The long texts of the request, as JSON strings.
        self._texts: list[str] = []

    async def is_answered(self) -> bool:
        """Whether an answer is stored. `IdempotencyInProgressError` if the request is under way."""
        found, _ = await self._stored(self._names)
        if found is not None and found.answer is None:
            raise errors.IdempotencyInProgressError
        return found is not None

    async def claim(self, parts: JsonValue, pictures: Sequence[Path] = ()) -> StoredAnswer | None:
        """The stored answer; None if this request is now to be carried out.

        `parts` are the members that were sent, after parsing. `IdempotencyKeyReusedError` if the
        key came with another request, and `IdempotencyInProgressError` if that request is under
        way.
        """
        self._texts = list(_long_texts(parts))
        said = await self._said(parts, pictures)
        # By a secret before this one, if the request was sent then.
        found, fingerprint_key = await self._stored(self._names[1:])
        if found is not None:
            return self._whole(_answer_to(_digest(fingerprint_key, said), found))
        fingerprint = _digest(fingerprint_key, said)
        seconds = CLAIM_SECONDS + len(pictures) * self._picture_seconds
        # The statement may have been committed even if it fails.
        self._is_claimed = True
        self._is_claimed = await idempotency_rows.claim(
            self._database.writer, self._claim, fingerprint, user_id=self._user_id, seconds=seconds
        )
        if self._is_claimed:
            return None
        found, _ = await self._stored(self._names[:1])
        return self._whole(_answer_to(fingerprint, found))

    async def answer(self, parts: JsonValue, pictures: Sequence[Path]) -> StoredAnswer:
        """The stored answer: as `claim`, but claims nothing."""
        self._texts = list(_long_texts(parts))
        found, fingerprint_key = await self._stored(self._names)
        said = await self._said(parts, pictures)
        return self._whole(_answer_to(_digest(fingerprint_key, said), found))

    def follow(self, answer_of: Callable[[Row], StoredAnswer | None]) -> Follow:
        """Stores the answer in the transaction of the change.

        `answer_of` returns None if nothing was changed: then nothing is stored.
        """

        async def follow(row: Row, db: Statements) -> None:
            answer = answer_of(row)
            if answer is not None:
                await self._keep(db, answer)

        return follow

    async def keep(
        self, transaction: Transaction, answer: StoredAnswer, *, user_id: int | None = None
    ) -> None:
        """Stores the answer, as the last statement of the transaction.

        `user_id` is the account that the transaction made. The deletion of an account locks the
        account first, and its keys afterwards.
        """
        await self._keep(transaction, answer, user_id=user_id)

    async def _keep(
        self, db: Statements, answer: StoredAnswer, *, user_id: int | None = None
    ) -> None:
        if not await store_answer(db, self._claim, self._short(answer), user_id=user_id):
            # The claim has expired, and another attempt has begun, which will store the answer.
            raise errors.IdempotencyInProgressError

    async def release(self) -> None:
        """Releases the claim, so that the next attempt need not wait. A stored answer stays.

        If the database is away, the claim expires.
        """
        if self._is_claimed:
            with suppress(PostgresError, errors.DatabaseUnavailableError):
                await idempotency_rows.release(self._database.writer, self._claim)

    def _short(self, answer: StoredAnswer) -> StoredAnswer:
        """The answer without the request's long texts, which the client sends again."""
        body = answer.body
        for number, text in enumerate(self._texts):
            body = body.replace(text, MARK.format(number))
        return answer._replace(body=body)

    def _whole(self, answer: StoredAnswer) -> StoredAnswer:
        body = answer.body
        for number, text in enumerate(self._texts):
            body = body.replace(MARK.format(number), text)
        return answer._replace(body=body)

    async def _stored(
        self, names: Sequence[tuple[bytes, bytes]]
    ) -> tuple[StoredRequest | None, bytes]:
        """The request that is stored by one of the names, and the key of its fingerprint."""
        for key_id, fingerprint_key in names:
            found = await idempotency_rows.find(self._database.reader, key_id)
            if found is not None:
                return found, fingerprint_key
        return None, self._names[0][1]

    async def _said(self, parts: JsonValue, pictures: Sequence[Path]) -> bytes:
        digests = await in_thread(_digests, pictures) if pictures else []
        return json.dumps([self._operation, parts, digests], sort_keys=True).encode()


def _digest(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, hashlib.sha256)


def _long_texts(value: JsonValue) -> Iterator[str]:
    """The long texts as JSON strings, always in the same order."""
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
        raise errors.IdempotencyKeyReusedError
    if found is None or found.answer is None:
        # No row: the claim has just been released, or has expired.
        raise errors.IdempotencyInProgressError
    return found.answer


def _digests(pictures: Sequence[Path]) -> list[str]:
    found = []
    for picture in pictures:
        with picture.open("rb") as file:
            found.append(hashlib.file_digest(file, "sha256").hexdigest())
    return found
