"""In-memory caches of one process."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection, Hashable, Sequence
from itertools import islice
from typing import Generic, TypeVar

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
