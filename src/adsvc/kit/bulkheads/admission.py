"""Admission control: a limited number at once, a limited queue, the rest refused.

No client can fill a bulkhead: accounts and networks have shares of it, a fair queue serves the
waiting ones in turn, and work of clients that have disconnected leaves the queue.
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple, Self

from adsvc.kit.addresses import client_network, wider_networks
from adsvc.kit.errors import (
    ClientGoneError,
    OverloadedError,
    RateLimitedError,
    RefusalError,
    TooManyAtOnceError,
)
from adsvc.kit.invalidation import LruCache


@dataclass(frozen=True, slots=True)
class Client:
    """An account and the networks that it uses. Each of these has a share of a bulkhead.

    `networks` begin with the client's own and go on with those around it, the widest last.
    """

    account: Hashable | None = None
    networks: tuple[str, ...] = ()

    @classmethod
    def of(cls, account: Hashable | None, address: str) -> Self:
        return cls(account, (client_network(address), *wider_networks(address)))

    @property
    def outermost(self) -> str | None:
        """The widest network: all addresses in it may belong to one person."""
        return self.networks[-1] if self.networks else None


UNKNOWN_CLIENT = Client()


class ClientConnection:
    """A client's connection: whether it is still open."""

    __slots__ = ("_watching", "is_gone")

    def __init__(self) -> None:
        self.is_gone = False
        self._watching: list[Callable[[], None]] = []

    @contextmanager
    def watched(self, on_leaving: Callable[[], None]) -> Iterator[None]:
        """Calls the function if the client leaves during the block."""
        self._watching.append(on_leaving)
        try:
            yield
        finally:
            self._watching.remove(on_leaving)

    def leave(self) -> None:
        self.is_gone = True
        for act in tuple(self._watching):
            act()


# The connection of the request that this task handles. None if it is not known.
current_connection: ContextVar[ClientConnection | None] = ContextVar(
    "current_connection", default=None
)

# The connection's key in the state of a scope.
CONNECTION = "current_connection"

# A context for waits during which a task causes no work for this process.
idle: ContextVar[Callable[[], AbstractContextManager[None]]] = ContextVar(
    "idle", default=nullcontext
)


# A second of work counts for this many seconds, so that it is forgotten after these.
FORGETTING = 10
# A key with more seconds of work than this that still count may not occupy all workers.
MUCH_SECONDS = 2
MOST_KEYS = 10_000

# How long a request waits for its share, and how many requests of one network may wait.
SHARE_SECONDS = 1.0
MAX_WAITING = 128


class Tally(Counter[Hashable]):
    """How much each key has. A key that has nothing is forgotten."""

    def add(self, key: Hashable, number: int = 1) -> None:
        self[key] += number
        if not self[key]:
            del self[key]


@dataclass(frozen=True, slots=True)
class Shares:
    """How many places one account, one network and each network around it have at once.

    None means no limit of its own. `policy` is the name that clients read.
    """

    policy: str
    account: int | None = None
    network: int | None = None
    wider: int | None = None

    def of(self, client: Client) -> list[tuple[Hashable, int]]:
        shares: list[tuple[Hashable, int]] = []
        if client.account is not None and self.account is not None:
            shares.append((client.account, self.account))
        if client.networks and self.network is not None:
            shares.append((client.networks[0], self.network))
        if self.wider is not None:
            shares += [(network, self.wider) for network in client.networks[1:]]
        return shares


class Admission:
    """Counts admitted work, and refuses more than the capacity with `OverloadedError`.

    Work beyond the share of its client is refused with `TooManyAtOnceError`. A share is always less
    than a capacity above one.

    A caller that is refused at once can try again. One that waits for long only times out.
    """

    def __init__(self, capacity: int, shares: Shares | None = None) -> None:
        self.capacity = capacity
        self.admitted = 0
        # The number of rejections.
        self.refused = 0
        self._shares = shares
        self._held = Tally()
        # Clients that wait for a place within their share.
        self._waiting: dict[asyncio.Future[None], Client] = {}
        self._waiting_of = Tally()

    @property
    def is_full(self) -> bool:
        return self.admitted >= self.capacity

    def enter(self, client: Client = UNKNOWN_CLIENT) -> None:
        share = None if self.is_full else self.used_share(client)
        if self.is_full or share is not None:
            raise self.refusal(share)
        self.count(self.keys_of(client), 1)

    @asynccontextmanager
    async def share(self, client: Client) -> AsyncIterator[None]:
        """A place during the block, as by `enter_or_wait`."""
        await self.enter_or_wait(client)
        try:
            yield
        finally:
            self.leave(client)

    async def enter_or_wait(self, client: Client) -> None:
        """As `enter`, but a client beyond its share waits for a place, up to `SHARE_SECONDS`.

        So people behind one address are admitted one after the other, and a client that retries at
        once, in spite of rejections, takes no time of others.
        """
        share = None if self.is_full else self.used_share(client)
        if share is None or self._waiting_of[client.outermost] >= MAX_WAITING:
            self.enter(client)
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting[place] = client
        self._waiting_of.add(client.outermost)
        try:
            with idle.get()():
                async with asyncio.timeout(SHARE_SECONDS):
                    await while_connected(place, current_connection.get())
        except TimeoutError:
            if not _is_given(place):
                raise self.refusal(share) from None
        except BaseException:
            if _is_given(place):
                self.leave(client)
            raise
        finally:
            del self._waiting[place]
            self._waiting_of.add(client.outermost, -1)

    def leave(self, client: Client = UNKNOWN_CLIENT) -> None:
        self.count(self.keys_of(client), -1)
        for place, waiting in self._waiting.items():
            if not place.done() and self.used_share(waiting) is None:
                self.count(self.keys_of(waiting), 1)
                place.set_result(None)
                return

    def keys_of(self, client: Client) -> Sequence[Hashable]:
        return [key for key, _ in self._shares.of(client)] if self._shares else ()

    def count(self, keys: Sequence[Hashable], number: int) -> None:
        """Counts places of a client with these keys, even beyond its share."""
        self.admitted += number
        held = self._held
        for key in keys:
            # As `Tally.add`, which is called for each request several times.
            held[key] += number
            if not held[key]:
                del held[key]

    def used_share(self, client: Client) -> int | None:
        """The share that the client has used up, if it has."""
        for key, share in self._shares.of(client) if self._shares else ():
            most = min(share, max(1, self.capacity - 1))
            if self._held[key] >= most:
                return most
        return None

    def refusal(self, share: int | None = None) -> RefusalError:
        """Counts the refusal of a client that has used up its share; None if there is no place."""
        self.refused += 1
        if share is None or self._shares is None:
            return OverloadedError()
        return TooManyAtOnceError(self._shares.policy, share)


class Permit:
    """A client's place in a bulkhead, for as long as it has a use.

    Uses are counted: work outlives a cancelled caller, and a response waits for its client twice at
    once, to send more and for the client to disconnect.
    """

    __slots__ = ("_admission", "_client", "_uses")

    def __init__(self, admission: Admission, client: Client, *, uses: int = 0) -> None:
        self._admission = admission
        self._client = client
        self._uses = uses

    def use(self) -> None:
        if not self._uses:
            self._enter()
        self._uses += 1

    def end(self) -> None:
        self._uses -= 1
        if not self._uses:
            self._leave()

    def _enter(self) -> None:
        self._admission.enter(self._client)

    def _leave(self) -> None:
        self._admission.leave(self._client)

    @contextmanager
    def used(self) -> Iterator[None]:
        self.use()
        try:
            yield
        finally:
            self.end()

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Ends one use during the block."""
        self.end()
        try:
            yield
        finally:
            self.use()


async def while_connected(turn: asyncio.Future[None], connection: ClientConnection | None) -> None:
    """Waits for the turn. Raises `ClientGoneError` if the client disconnects before that."""

    def give_up() -> None:
        if not turn.done():
            turn.set_exception(ClientGoneError())

    if connection is not None and connection.is_gone:
        give_up()
    with nullcontext() if connection is None else connection.watched(give_up):
        await turn


def _is_given(turn: asyncio.Future[None]) -> bool:
    """Whether the turn was given, even if a cancellation came at the same time."""
    return turn.done() and not turn.cancelled() and turn.exception() is None


class FairQueue:
    """A fair queue for `workers` pieces of work at once: waiting keys are served in turn.

    With `per_key`, one key has at most so many at once. A key that has used much time lately leaves
    one worker to the others, if there are several, because running work cannot be interrupted.
    """

    def __init__(self, workers: int, per_key: int | None = None) -> None:
        self.workers = workers
        self._per_key = per_key
        self.running = 0
        self._running_of = Tally()
        # The key whose turn is next comes first.
        self._lines: dict[Hashable, deque[asyncio.Future[None]]] = {}
        # When the past work of a key no longer counts.
        self._due: LruCache[Hashable, float] = LruCache(MOST_KEYS)

    @asynccontextmanager
    async def turn(
        self, key: Hashable, connection: ClientConnection | None = None
    ) -> AsyncIterator[None]:
        """Waits for a worker. Raises `ClientGoneError` if the client leaves before that."""
        await self.begin(key, connection)
        began = time.monotonic()
        try:
            yield
        finally:
            self.end(key, time.monotonic() - began)

    async def begin(self, key: Hashable, connection: ClientConnection | None = None) -> None:
        """As `turn`, for work whose end is announced by `end`."""
        if connection is not None and connection.is_gone:
            raise ClientGoneError
        if key not in self._lines and self._may_begin(key):
            self._count(key)
            return
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(key, deque()).append(turn)
        try:
            await while_connected(turn, connection)
        except BaseException:
            if _is_given(turn):
                self.end(key)
            else:
                self._drop(key, turn)
            raise

    def end(self, key: Hashable, seconds: float = 0) -> None:
        self.running -= 1
        if key is not None:
            self._running_of.add(key, -1)
            if self._per_key is not None:
                now = time.monotonic()
                due = max(self._due.get(key) or now, now) + seconds * FORGETTING
                self._due.keep(key, due)
        while self._serve():
            pass

    def _serve(self) -> bool:
        """Starts the work of the next key. False if no waiting work may start."""
        waiting = [key for key in self._lines if self._may_begin(key)]
        if not waiting:
            return False
        key = waiting[0]
        line = self._lines.pop(key)
        turn = line.popleft()
        if line:
            # The key goes behind the others.
            self._lines[key] = line
        if not turn.done():
            self._count(key)
            turn.set_result(None)
        return True

    def _count(self, key: Hashable) -> None:
        self.running += 1
        if key is not None:
            self._running_of.add(key)

    def _drop(self, key: Hashable, turn: asyncio.Future[None]) -> None:
        line = self._lines.get(key)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._lines[key]

    def _may_begin(self, key: Hashable) -> bool:
        if self.running >= self.workers:
            return False
        if self._per_key is None or key is None:
            return True
        if self._running_of[key] >= self._per_key:
            return False
        if self.workers == 1 or not self._has_much(key):
            return True
        busy = sum(number for other, number in self._running_of.items() if self._has_much(other))
        return busy < self.workers - 1

    def _has_much(self, key: Hashable) -> bool:
        due = self._due.get(key)
        return due is not None and due - time.monotonic() > MUCH_SECONDS * FORGETTING


class Usage(NamedTuple):
    """How full a pool or bulkhead is. `refused` counts rejections since it was made."""

    capacity: int
    running: int
    waiting: int
    refused: int


class LimitedWork:
    """A limited number runs at once, and a limited number waits. The rest is refused."""

    def __init__(self, workers: int, queue: int, shares: Shares | None) -> None:
        self.admission = Admission(workers + queue, shares)
        self._turns = FairQueue(workers)

    @property
    def is_full(self) -> bool:
        """Whether `slot` would raise `OverloadedError`."""
        return self.admission.is_full

    @property
    def usage(self) -> Usage:
        places = self.admission
        running = min(places.admitted, self._turns.workers)
        return Usage(places.capacity, running, places.admitted - running, places.refused)


class Bulkhead(LimitedWork):
    """Limits work that another server does: so many at once, so many waiting, the rest refused."""

    def __init__(
        self, *, workers: int, queue: int, queue_timeout: float, shares: Shares | None = None
    ) -> None:
        super().__init__(workers, queue, shares)
        self._queue_timeout = queue_timeout

    @asynccontextmanager
    async def slot(self, client: Client = UNKNOWN_CLIENT) -> AsyncIterator[None]:
        """Raises `OverloadedError` at once, or when no slot is free within `queue_timeout`.

        `TooManyAtOnceError` if the client has its share already.
        """
        with Permit(self.admission, client).used():
            try:
                async with asyncio.timeout(self._queue_timeout):
                    await self._turns.begin(client.outermost)
            except TimeoutError:
                raise self.admission.refusal() from None
            try:
                yield
            finally:
                self._turns.end(client.outermost)


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
