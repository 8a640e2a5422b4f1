"""The invalidation bus: caches learn from it what has changed in the database.

A change is announced twice. The process that made it applies it right after the commit. Triggers
also note it, and the sequencer of the log of events announces what was noted to every process. Both
have the same form, so each cache needs one rule for what to drop.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

# Cached values are not used after so long without a sign of life of the sequencer: while there is
# none, changes are not announced, nor are they on a connection that broke silently.
CONFIDENCE_SECONDS = 3.0

# Where the sequencer announces batches of changes, and where it is woken after a commit.
CHANNEL = "adsvc_log"
WAKE_CHANNEL = "adsvc_changes"

# The kinds of changes that the kit itself follows: an account, a session, an API key, and an entry
# in the outbox.
USER, SESSION, KEY, OUTBOX = KINDS = ("user", "session", "key", "outbox")


@dataclass(frozen=True, slots=True)
class Invalidation:
    """A change of one thing, or of any number of that kind if there is no id.

    Without `details` a change may be of anything, and so affect every list.
    """

    kind: str
    id: str = ""
    # What the product knows of the change beside the id.
    details: object = None

    @classmethod
    def parse(cls, notice: str) -> "Invalidation":
        """From `KIND:ID`, or `KIND`."""
        kind, _, identifier = notice.partition(":")
        return cls(kind, identifier)


class InvalidationBus:
    """Counts changes, passes them on, and says whether caches can be relied on."""

    def __init__(
        self,
        kinds: Iterable[str] = KINDS,
        parse: Callable[[str], Invalidation] = Invalidation.parse,
    ) -> None:
        """`parse` reads a notice; it raises `ValueError` for one that says nothing known."""
        self.parse = parse
        # How many changes there were, by kind.
        self.generations = Counter(dict.fromkeys(kinds, 0))
        # The number of changes, of this process and of others.
        self.received = 0
        self._confirmed_at = float("-inf")
        self._followers: list[Callable[[Invalidation], None]] = []
        # The newest event of the log that was announced, and who wants to know.
        self.last_event_id = 0
        self.log_followers: list[Callable[[], None]] = []
        # Called after each commit of this process, so that the sequencer is woken.
        self.committed: Callable[[], None] = lambda: None

    def follow(self, forget: Callable[[Invalidation], None]) -> None:
        """`forget` is called for every change, in the thread of the event loop."""
        self._followers.append(forget)

    def unfollow(self, forget: Callable[[Invalidation], None]) -> None:
        self._followers.remove(forget)

    def apply(self, change: Invalidation) -> None:
        """A change that this process has committed."""
        self.receive(change)
        self.committed()

    def receive(self, change: Invalidation) -> None:
        """A change that any process has committed."""
        self.received += 1
        self._pass_on(change)

    def _pass_on(self, change: Invalidation) -> None:
        self.generations[change.kind] += 1
        for forget in self._followers:
            forget(change)

    def advance(self, last_event_id: int) -> None:
        """The log of events goes as far as that."""
        if last_event_id != self.last_event_id:
            self.last_event_id = last_event_id
            for follower in self.log_followers:
                follower()

    def apply_all(self) -> None:
        """Drops everything, because changes may have been missed."""
        self._confirmed_at = float("-inf")
        for kind in list(self.generations):
            self._pass_on(Invalidation(kind))

    def apply_unknown(self) -> None:
        """A change of an unknown kind."""
        self.received += 1
        self.apply_all()

    def confirm(self) -> None:
        """Called when all changes committed so far have arrived."""
        if not self.reliable:
            # Nobody may have announced some of them.
            self.apply_all()
        self._confirmed_at = time.monotonic()

    @property
    def reliable(self) -> bool:
        return time.monotonic() - self._confirmed_at < CONFIDENCE_SECONDS

    @property
    def confirmation_age(self) -> float:
        """Seconds since the last confirmation; infinite if there was none."""
        return time.monotonic() - self._confirmed_at
