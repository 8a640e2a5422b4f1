"""What has changed in the database, as this process learns of it.

A change is told twice: by the transaction of this process that made it, at once after the commit,
and by PostgreSQL's NOTIFY, which triggers send, to every process that listens. Both say the same
words, so that what is kept in memory has one rule for when to forget it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

# Memory that nobody has confirmed for so long counts for nothing: a connection that is gone
# without a word tells of no changes either.
CONFIDENCE_SECONDS = 3.0

CHANNEL = "adsvc"


class Kind(StrEnum):
    AD = "ad"
    USER = "user"
    SESSION = "session"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Invalidation:
    """A change of the thing of that kind and id; without an id, of any number of them."""

    kind: Kind
    id: str = ""

    @classmethod
    def parse(cls, payload: str) -> "Invalidation":
        kind, _, identifier = payload.partition(":")
        return cls(Kind(kind), identifier)


class InvalidationBus:
    """Counts changes and passes them on; says whether what is known can be relied on."""

    def __init__(self) -> None:
        self.generations = dict.fromkeys(Kind, 0)
        self._confirmed_at = float("-inf")
        self._followers: list[Callable[[Invalidation], None]] = []

    def follow(self, forget: Callable[[Invalidation], None]) -> None:
        """`forget` is called for every change, in the thread of the event loop."""
        self._followers.append(forget)

    def apply(self, change: Invalidation) -> None:
        self.generations[change.kind] += 1
        for forget in self._followers:
            forget(change)

    def apply_all(self) -> None:
        """Anything may have changed: nobody listened for a while."""
        self._confirmed_at = float("-inf")
        for kind in Kind:
            self.apply(Invalidation(kind))

    def confirm(self) -> None:
        """Everything committed by now is known."""
        self._confirmed_at = time.monotonic()

    @property
    def reliable(self) -> bool:
        return time.monotonic() - self._confirmed_at < CONFIDENCE_SECONDS
