"""Token buckets in the memory of a process: the generic cell rate algorithm."""

import math
import time
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from adsvc.kit.errors import RateLimitedError
from adsvc.kit.invalidation import LruCache

MINUTE = 60
DAY = 24 * 60 * MINUTE
WEEK = 7 * DAY


class Policy(NamedTuple):
    """At most `limit` attempts in `window` seconds, replenished evenly."""

    name: str
    limit: int
    window: int


class Bucket(NamedTuple):
    """At most `limit` requests with this key in `window` seconds."""

    key: str
    limit: int
    window: int
    # How many are counted together.
    attempts: float = 1
    policy: str = ""

    @property
    def interval(self) -> float:
        return self.window / self.limit

    @property
    def step(self) -> float:
        return self.interval * self.attempts


# The capacity of the cache of clients. An entry takes about 300 bytes.
MOST_CLIENTS = 150_000

# Tolerates what rounding adds to a full window.
ROUNDING_SECONDS = 1e-6


class LocalBuckets:
    """Buckets in the memory of one process.

    The generic cell rate algorithm (ITU-T I.371): a client has one number, the time at which the
    next attempt would be due if they came evenly.
    """

    def __init__(self, capacity: int = MOST_CLIENTS) -> None:
        self._due: LruCache[Hashable, float] = LruCache(capacity)

    def take(self, policies: Mapping[Hashable, Policy]) -> None:
        """Counts an attempt of each key, or none and raises `RateLimitedError`."""
        for key, moment in self._due_with(policies).items():
            self._due.keep(key, moment)

    def require(self, policies: Mapping[Hashable, Policy]) -> None:
        """`RateLimitedError` if one more attempt would be one too many; it counts none."""
        self._due_with(policies)

    def _due_with(self, policies: Mapping[Hashable, Policy]) -> dict[Hashable, float]:
        now = time.monotonic()
        due: dict[Hashable, float] = {}
        for key, policy in policies.items():
            due[key] = max(self._due.get(key) or now, now) + policy.window / policy.limit
            beyond = due[key] - now - policy.window
            if beyond > ROUNDING_SECONDS:
                raise RateLimitedError(*policy, max(1, math.ceil(beyond)))
        return due


class Lease:
    """Attempts that a process grants by itself until `ends`, on the clock of `time.monotonic`."""

    __slots__ = ("ends", "left")

    def __init__(self, ends: float, left: int = 0) -> None:
        self.ends = ends
        self.left = left

    def spend(self) -> bool:
        """Whether one more was granted. The caller has compared `ends`."""
        if not self.left:
            return False
        self.left -= 1
        return True
