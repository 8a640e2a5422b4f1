"""Rate limits that one process counts in memory.

They are for operations too frequent for a database statement each time. Several processes do not
count together.
"""

import math
import time
from collections.abc import Sequence

from adsvc.cache import LruCache
from adsvc.errors import RateLimitedError

# The capacity of the cache of clients. An entry takes about 200 bytes.
MOST_CLIENTS = 50_000

# Tolerates what rounding adds to a full window.
ROUNDING_SECONDS = 1e-6


class Allowance:
    """At most `limit` in `window` seconds for each client, replenished evenly.

    Wider networks have `factor` times as much room for all clients in them together.

    The generic cell rate algorithm (ITU-T I.371): a client has one number, the time at which the
    next attempt would be due if they came evenly.
    """

    def __init__(
        self, name: str, *, limit: int, window: int, factor: int, clients: int = MOST_CLIENTS
    ) -> None:
        self._name = name
        self._limit = limit
        self._factor = factor
        self._window = window
        self._due: LruCache[str, float] = LruCache(clients, lambda _: 1)

    def take(self, client: str, around: Sequence[str]) -> None:
        """Counts one attempt of the client and of the networks around it.

        `RateLimitedError`, which counts for none, if it is one too many for one of them.
        """
        now = time.monotonic()
        wider = f"{self._name}-network", self._limit * self._factor
        limits = {client: (self._name, self._limit), **dict.fromkeys(around, wider)}
        due = {}
        for key, (name, limit) in limits.items():
            due[key] = max(self._due.get(key) or now, now) + self._window / limit
            beyond = due[key] - now - self._window
            if beyond > ROUNDING_SECONDS:
                raise RateLimitedError(name, limit, self._window, max(1, math.ceil(beyond)))
        for key, moment in due.items():
            self._due.keep(key, moment)
