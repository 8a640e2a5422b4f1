"""The invalidation bus: caches learn from it what has changed in the database.

A change is announced twice. The process that made it applies it right after the commit. Triggers
also note it, and the sequencer of the log of events announces what was noted to every process. Both
have the same form, so each cache needs one rule for what to drop.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

# Cached values are not used after so long without a sign of life of the sequencer: while there is
# none, changes are not announced, nor are they on a connection that broke silently.
CONFIDENCE_SECONDS = 3.0

# Where the sequencer announces batches of changes, and where it is woken after a commit.
CHANNEL = "adsvc_log"
WAKE_CHANNEL = "adsvc_changes"
# Where versions before 0.3 listen.
OLD_CHANNEL, OLD_OUTBOX_CHANNEL = "adsvc", "adsvc_outbox"


class InvalidationKind(StrEnum):
    AD = "ad"
    USER = "user"
    SESSION = "session"
    # An API key.
    KEY = "key"
    IMAGE = "image"
    # Always the whole tree.
    CATEGORY = "category"
    # There is an entry in the outbox.
    OUTBOX = "outbox"
    # An administrator has requested a run of a job.
    JOB = "job"
    # A webhook has begun.
    WEBHOOK = "webhook"
    # An account has a new notification, or has read some.
    NOTIFICATION = "notification"
    # An account has another number of unread messages, or another last message, in a conversation.
    MESSAGE = "message"


# No ad has this id: it invalidates only listings.
NO_AD = 0


class AdAspect(StrEnum):
    """What a notice says has changed of an ad, beside what only shows where the ad is shown."""

    # Its status or its times: the ad may have appeared or disappeared.
    STATUS = "s"
    WORDS = "w"
    PRICE = "p"
    # Its category or attributes.
    CLASSIFICATION = "a"
    # Its public location.
    LOCATION = "l"


@dataclass(frozen=True, slots=True)
class AdChange:
    """What is known of a changed ad. Its author never changes."""

    id: int
    author_id: int
    # Its categories after and before the change; 0 for none.
    category_id: int
    category_before: int
    # Nothing if no one but its author sees the ad, neither after the change nor before it.
    aspects: frozenset[AdAspect]

    @classmethod
    def presentation_only(cls, ad_id: int) -> "AdChange":
        """A change that shows only where the ad does, such as one of its pictures."""
        return cls(ad_id, 0, 0, 0, frozenset())

    @property
    def is_counted(self) -> bool:
        """Whether it may change the number of ads that are shown of a category or an author."""
        return AdAspect.STATUS in self.aspects or (
            self.category_id != self.category_before and AdAspect.CLASSIFICATION in self.aspects
        )


# An ad, its author, its category and the one before: what a notice of an ad names by ids.
AD_IDS = 4


@dataclass(frozen=True, slots=True)
class Invalidation:
    """A change of one thing, or of any number of that kind if there is no id.

    Without `ad`, a change of an ad may be of anything, and so affect every list.
    """

    kind: InvalidationKind
    id: str = ""
    ad: AdChange | None = None

    @classmethod
    def parse(cls, notice: str) -> "Invalidation":
        """From `KIND:ID`, or `ad:ID:AUTHOR:CATEGORY:CATEGORY BEFORE:ASPECTS`."""
        match notice.split(":"):
            case [InvalidationKind.AD, *ids, aspects] if len(ids) == AD_IDS:
                ad, author, after, before = map(int, ids)
                what = frozenset(map(AdAspect, aspects))
                return cls.of_ad(AdChange(ad, author, after, before, what))
            case [kind, identifier, *_]:
                return cls(InvalidationKind(kind), identifier)
        return cls(InvalidationKind(notice))

    @classmethod
    def of_ad(cls, ad: AdChange) -> "Invalidation":
        return cls(InvalidationKind.AD, str(ad.id), ad)


class InvalidationBus:
    """Counts changes, passes them on, and says whether caches can be relied on."""

    def __init__(self) -> None:
        self.generations = dict.fromkeys(InvalidationKind, 0)
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
        for kind in InvalidationKind:
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
