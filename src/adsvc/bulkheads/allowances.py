"""Rate limits that one process counts in memory.

They are for operations too frequent for a database statement each time. Several processes do not
count together.
"""

import math
import time

from adsvc.cache import LruCache
from adsvc.errors import RateLimitedError

# The capacity of the cache of clients. An entry takes about 200 bytes.
MOST_CLIENTS = 50_000

# Tolerates what rounding adds to a full window.
ROUNDING_SECONDS = 1e-6


class Allowance:
    """At most `limit` in `window` seconds for each client, replenished evenly.

    The generic cell rate algorithm (ITU-T I.371): a client has one number, the time at which the
    next attempt would be due if they came evenly.
    """

    def __init__(self, name: str, *, limit: int, window: int, clients: int = MOST_CLIENTS) -> None:
        self._name = name
        self._limit = limit
        self._window = window
        self._due: LruCache[str, float] = LruCache(clients, lambda _: 1)

    def take(self, client: str) -> None:
        """Counts one attempt; `RateLimitedError`, which does not count, if it is one too many."""
        now = time.monotonic()
        due = max(self._due.get(client) or now, now) + self._window / self._limit
        beyond = due - now - self._window
        if beyond > ROUNDING_SECONDS:
            wait = max(1, math.ceil(beyond))
            raise RateLimitedError(self._name, self._limit, self._window, wait)
        self._due.keep(client, due)
