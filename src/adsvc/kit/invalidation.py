"""Caches, and the bus from which they learn what has changed in the database.

A change is announced twice. The process that made it applies it right after the commit. Triggers
also note it, and the sequencer of the log of events announces what was noted to every process. Both
have the same form, so each cache needs one rule for what to drop.
"""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

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


Key = TypeVar("Key", bound=Hashable)

Value = TypeVar("Value")


# What takes so long that more changes came meanwhile is not stored.
REMEMBERED_CHANGES = 250


class LruCache(Generic[Key, Value]):
    """A cache bounded by the sum of its values' sizes. It drops the least recently used first."""

    def __init__(self, capacity: int, size_of: Callable[[Value], int] = lambda _: 1) -> None:
        self._capacity = capacity
        self._size_of = size_of
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        return self._size

    def get(self, key: Key) -> Value | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def peek(self, key: Key) -> Value | None:
        """As `get`, but does not count as a use. If a cache is only peeked at, age decides."""
        return self._values.get(key)

    def keep(self, key: Key, value: Value) -> None:
        """A value larger than the capacity is not stored."""
        self.drop(key)
        if self._size_of(value) > self._capacity:
            return
        self._values[key] = value
        self._size += self._size_of(value)
        while self._size > self._capacity:
            self.drop(next(iter(self._values)))

    def drop(self, key: Key) -> None:
        value = self._values.pop(key, None)
        if value is not None:
            self._size -= self._size_of(value)

    def drop_first_while(self, condition: Callable[[Value], bool]) -> None:
        """Drops the least recently used values, up to the first that fails the condition."""
        while self._values:
            key, value = next(iter(self._values.items()))
            if not condition(value):
                return
            self.drop(key)

    def items(self) -> list[tuple[Key, Value]]:
        """The least recently used first."""
        return list(self._values.items())

    def clear(self) -> None:
        self._values.clear()
        self._size = 0


class SubjectCache(LruCache[Key, Value]):
    """A cache whose values are about subjects. A change of a subject drops all that are about it.

    Each value is about its key too. Changes are remembered for a while, so that what was begun
    before one is not stored after it.
    """

    def __init__(self, capacity: int, size_of: Callable[[Value], int] = lambda _: 1) -> None:
        super().__init__(capacity, size_of)
        self._about: dict[Key, Sequence[Hashable]] = {}
        # The keys of the values about each subject. A set for each of a page's twenty ads, of which
        # most are on no other page, would be a tenth of the time of a page.
        self.subjects: dict[Hashable, Key | set[Key]] = {}
        # How many changes there were, and the subjects of the last ones; None means everything.
        self.changes = 0
        self._recent: deque[frozenset[Hashable] | None] = deque(maxlen=REMEMBERED_CHANGES)

    def keep_about(self, key: Key, value: Value, subjects: Sequence[Hashable]) -> None:
        self.keep(key, value)
        if key in self._values:
            self._about[key] = subjects
            index = self.subjects
            shared = [(subject, index[subject]) for subject in subjects if subject in index]
            index.update(dict.fromkeys(subjects, key))
            for subject, others in shared:
                several: set[Key] = others if isinstance(others, set) else {others}
                several.add(key)
                index[subject] = several

    def keep_since(
        self, begun: int, key: Key, value: Value, subjects: Sequence[Hashable] = ()
    ) -> None:
        """Stores a value that was begun at so many `changes`, unless it has changed since."""
        if self.is_current((key, *subjects), begun):
            self.keep_about(key, value, subjects)

    def keys_about(self, subject: Hashable) -> Collection[Key]:
        keys = self.subjects.get(subject)
        if keys is None:
            return ()
        return keys if isinstance(keys, set) else (keys,)

    def drop(self, key: Key) -> None:
        subjects = self._about.pop(key, ())
        dropped = [self.subjects.pop(subject, None) for subject in subjects]
        for subject, keys in zip(subjects, dropped, strict=True):
            if isinstance(keys, set):
                keys.discard(key)
                if keys:
                    self.subjects[subject] = keys
        super().drop(key)

    def drop_about(self, subjects: frozenset[Hashable]) -> None:
        self._note(subjects)
        for key in self._values.keys() & subjects:
            self.drop(key)
        for key in set().union(*map(self.keys_about, subjects)):
            self.drop(key)

    def forget(self, subject: Hashable) -> None:
        """A change of one subject, or of everything: that is the empty text."""
        self.clear() if subject == "" else self.drop_about(frozenset({subject}))

    def clear(self) -> None:
        self._note(None)
        self._about.clear()
        self.subjects.clear()
        super().clear()

    def _note(self, subjects: frozenset[Hashable] | None) -> None:
        self.changes += 1
        self._recent.append(subjects)

    def changed_since(self, since: int) -> frozenset[Hashable] | None:
        """What has changed since there were so many `changes`; None if it may be anything."""
        missed = self.changes - since
        if missed > len(self._recent):
            return None
        found: set[Hashable] = set()
        for changed in islice(reversed(self._recent), missed):
            if changed is None:
                return None
            found |= changed
        return frozenset(found)

    def is_current(self, subjects: Sequence[Hashable], since: int) -> bool:
        """Whether no subject has changed since there were so many `changes`."""
        changed = self.changed_since(since)
        return changed is not None and changed.isdisjoint(subjects)


class SharedValue(Generic[Value]):
    """A value that is cached for as long as `seconds` of it says.

    Concurrent callers share one call of `look`.
    """

    def __init__(
        self, look: Callable[[], Awaitable[Value]], seconds: Callable[[Value], float]
    ) -> None:
        self._look = look
        self._seconds = seconds
        self._looking: asyncio.Task[Value] | None = None
        self._good_until = float("-inf")

    @property
    def looking(self) -> bool:
        return self._looking is not None and not self._looking.done()

    async def get(self) -> Value:
        """Raises the errors of `look`, which are not cached."""
        if self._looking is None or (self._looking.done() and time.monotonic() >= self._good_until):
            self._good_until = float("-inf")
            # A task of its own, because the caller that starts it may be cancelled before others.
            self._looking = asyncio.create_task(self._found())
        return await asyncio.shield(self._looking)

    async def _found(self) -> Value:
        value = await self._look()
        self._good_until = time.monotonic() + self._seconds(value)
        return value
