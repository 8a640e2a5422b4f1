"""User names and passwords that were verified a moment ago."""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass

REMEMBERED_SECONDS = 60
CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class Remembered:
    user_id: int
    # Compared with the stored hash at each use: a changed password is a forgotten one.
    password_hash: str
    expires: float


class RememberedCredentials:
    """Spares clients of HTTP Basic the hashing on every request; nothing is kept as plain text.

    Entries are found by a keyed digest of name and password, whose key lives and dies with the
    process.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._entries: OrderedDict[bytes, Remembered] = OrderedDict()

    def recall(self, username: str, password: str) -> Remembered | None:
        entry = self._entries.get(self._digest(username, password))
        return entry if entry is not None and entry.expires > time.monotonic() else None

    def remember(self, username: str, password: str, *, user_id: int, password_hash: str) -> None:
        digest = self._digest(username, password)
        self._entries.pop(digest, None)
        self._entries[digest] = Remembered(
            user_id, password_hash, time.monotonic() + REMEMBERED_SECONDS
        )
        while len(self._entries) > CAPACITY:
            self._entries.popitem(last=False)

    def _digest(self, username: str, password: str) -> bytes:
        message = f"{username}\0{password}".encode()
        return hmac.digest(self._key, message, hashlib.sha256)
