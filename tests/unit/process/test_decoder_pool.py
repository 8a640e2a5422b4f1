import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from adsvc.errors import ClientGoneError, OverloadedError, TooManyAtOnceError
from adsvc.kit.bulkheads import admission, pools
from adsvc.kit.bulkheads.admission import (
    Admission,
    Client,
    ClientConnection,
    FairQueue,
    Shares,
    Usage,
    current_connection,
)
from adsvc.kit.bulkheads.pools import ProcessPool, ThreadPool
from support.trouble.clocks import Clock

FOREVER = 20


@pytest.fixture
def pool() -> Iterator[ThreadPool]:
    """One at work, two waiting."""
    pool = ThreadPool("test", workers=1, queue=2)
    yield pool
    pool.close()


async def test_work_is_done_in_a_thread_of_the_pool(pool: ThreadPool) -> None:
    name = await pool.run(lambda: threading.current_thread().name)
    assert name.startswith("test")
    assert await pool.run(divmod, 7, 2) == (3, 1)


async def test_an_error_reaches_the_caller_that_waits(pool: ThreadPool) -> None:
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            await pool.run(divmod, 7, 0)


async def test_what_exceeds_workers_and_queue_is_refused_at_once(pool: ThreadPool) -> None:
    done = threading.Event()
    admitted = [asyncio.create_task(pool.run(done.wait)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(OverloadedError):
        # Were it admitted, it would wait for what ends only afterwards.
        await asyncio.wait_for(pool.run(int), FOREVER)
    done.set()
    assert await asyncio.gather(*admitted) == [True] * 3
    assert await pool.run(int) == 0


async def test_of_many_at_once_just_the_capacity_is_admitted(pool: ThreadPool) -> None:
    done = threading.Event()
    tasks = [asyncio.create_task(pool.run(done.wait)) for _ in range(20)]
    await asyncio.sleep(0)
    done.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results.count(True) == 3
    assert sum(isinstance(result, OverloadedError) for result in results) == 17


async def test_abandoned_work_still_occupies_its_place(pool: ThreadPool) -> None:
    started, done = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        done.wait()

    tasks = [asyncio.create_task(pool.run(work)) for _ in range(3)]
    await asyncio.to_thread(started.wait)
    # The second and third have not begun, so that giving them up frees their places.
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    others = [asyncio.create_task(pool.run(int)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(OverloadedError):
        # Were it admitted, it would wait for what ends only afterwards.
        await asyncio.wait_for(pool.run(int), FOREVER)
    done.set()
    assert await asyncio.gather(*others) == [0, 0]


async def test_what_waits_for_a_thread_is_dropped_with_its_client(pool: ThreadPool) -> None:
    done, client = threading.Event(), ClientConnection()
    first = asyncio.create_task(pool.run(done.wait))
    await asyncio.sleep(0)
    current_connection.set(client)
    waiting = [asyncio.create_task(pool.run(int)) for _ in range(2)]
    await asyncio.sleep(0)
    assert pool.is_full
    client.leave()
    for result in await asyncio.gather(*waiting, return_exceptions=True):
        assert isinstance(result, ClientGoneError)
    assert pool.usage == Usage(3, running=1, waiting=0, refused=0)
    with pytest.raises(ClientGoneError):
        await pool.run(int)
    current_connection.set(None)
    done.set()
    assert await first
    assert await pool.run(int) == 0


async def in_turns(turns: FairQueue, keys: str) -> tuple[list[asyncio.Task[None]], list[str]]:
    """Tasks that wait in this order for what is taken now, and the order of their turns."""
    served: list[str] = []

    async def take(key: str) -> None:
        async with turns.turn(key):
            served.append(key)

    tasks = [asyncio.create_task(take(key)) for key in keys]
    await asyncio.sleep(0)
    return tasks, served


async def test_keys_take_turns_however_many_wait_of_one() -> None:
    turns = FairQueue(1)
    async with turns.turn("x"):
        tasks, served = await in_turns(turns, "aaaaabbc")
    await asyncio.gather(*tasks)
    assert "".join(served) == "abcabaaa"
    assert not turns.running


async def test_who_gives_up_takes_no_turn() -> None:
    turns = FairQueue(1)
    async with turns.turn("x"):
        tasks, served = await in_turns(turns, "abc")
        tasks[1].cancel()
        await asyncio.wait([tasks[1]])
    # It has had its turn, and does not know it yet.
    tasks[0].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert served == ["c"]
    async with turns.turn("x"):
        assert turns.running == 1


async def test_one_key_has_its_part_of_the_workers() -> None:
    turns = FairQueue(4, per_key=2)
    async with turns.turn("a"), turns.turn("a"):
        tasks, served = await in_turns(turns, "aab")
        await tasks[2]
        assert served == ["b"]
    await asyncio.gather(*tasks)
    assert served == ["b", "a", "a"]


async def test_keys_with_much_work_behind_them_leave_a_worker_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock.of(admission, monkeypatch)
    turns = FairQueue(2, per_key=1)
    for key in "ab":
        async with turns.turn(key):
            clock.now += 5
    async with turns.turn("a"):
        tasks, served = await in_turns(turns, "bc")
        await tasks[1]
        assert served == ["c"]
    await tasks[0]
    # After a while that is forgotten.
    clock.now += 50
    async with turns.turn("a"), turns.turn("b"):
        assert turns.running == 2


def test_an_account_and_a_network_have_shares() -> None:
    shares = Shares("test", account=2, network=3, wider=4)
    places = Admission(8, shares)
    anna = Client("anna", ("192.0.2.1", "192.0.2.0/24"))
    berta = Client("berta", ("192.0.2.1", "192.0.2.0/24"))
    neighbour = Client("carla", ("192.0.2.2", "192.0.2.0/24"))
    stranger = Client("dora", ("198.51.100.1", "198.51.100.0/24"))

    def refused(party: Client) -> int:
        with pytest.raises(TooManyAtOnceError) as caught:
            places.enter(party)
        return caught.value.limit

    places.enter(anna)
    places.enter(anna)
    assert refused(anna) == 2
    places.enter(berta)
    assert refused(berta) == 3
    places.enter(neighbour)
    assert refused(neighbour) == 4
    places.enter(stranger)
    assert (places.admitted, places.refused) == (5, 3)
    for party in (anna, anna, berta, neighbour, stranger):
        places.leave(party)
    assert places.admitted == 0
    # All is forgotten, and a share is never the whole.
    small = Admission(2, shares)
    small.enter(anna)
    with pytest.raises(TooManyAtOnceError):
        small.enter(anna)
    small.enter(stranger)
    with pytest.raises(OverloadedError):
        small.enter(stranger)


async def test_who_has_its_share_waits_a_moment_before_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anna, berta = Client("anna", ("192.0.2.1",)), Client("berta", ("192.0.2.1",))
    places = Admission(8, Shares("test", account=1, network=2))
    places.enter(anna)
    client = ClientConnection()
    current_connection.set(client)
    leaving = asyncio.create_task(places.enter_or_wait(anna))
    current_connection.set(None)
    waiting, cancelled = (asyncio.create_task(places.enter_or_wait(anna)) for _ in range(2))
    await asyncio.sleep(0)
    await places.enter_or_wait(berta)
    assert places.admitted == 2
    client.leave()
    with pytest.raises(ClientGoneError):
        await leaving
    places.leave(anna)
    await waiting
    assert places.admitted == 2
    places.leave(anna)
    # Its place has come, and it does not know that yet.
    cancelled.cancel()
    await asyncio.wait([cancelled])
    assert places.admitted == 1
    monkeypatch.setattr(admission, "SHARE_SECONDS", 0)
    with pytest.raises(TooManyAtOnceError):
        await places.enter_or_wait(berta)
    places.leave(berta)
    assert (places.admitted, places.refused) == (0, 1)
    assert not places._held
    assert not places._waiting_of


def test_what_an_account_uploads_beyond_its_share_takes_no_place() -> None:
    pool = ProcessPool(workers=2, queue=3, seconds=FOREVER, shares=Shares("test", network=4))

    async def upload() -> None:
        with ExitStack() as stack:
            for _ in range(8):
                stack.enter_context(pool.slot(Client(1)))
            assert pool.admission.admitted == 3
            for account in (2, 3):
                stack.enter_context(pool.slot(Client(account)))
            assert pool.is_full
            # Nor would another one of it.
            stack.enter_context(pool.slot(Client(1)))
            with pytest.raises(OverloadedError):
                stack.enter_context(pool.slot(Client(4)))
        assert pool.admission.admitted == 0

    asyncio.run(upload())


@pytest.mark.parametrize("order", [1, -1])
def test_an_account_that_calls_from_two_networks_keeps_no_place_of_either(order: int) -> None:
    pool = ProcessPool(workers=2, queue=8, seconds=FOREVER, shares=Shares("test", network=8))
    places, networks = pool.admission, ["here"] * 3 + ["there"] * 3

    for _ in range(3):
        for name in networks:
            places.enter(Client(1, (name,)))
        assert places.admitted == 3
        for name in networks[::order]:
            places.leave(Client(1, (name,)))

    # Nothing is left of either, neither taken nor to the good.
    assert places.admitted == 0
    assert not places._held


def test_work_that_outlives_its_event_loop_does_no_harm() -> None:
    pool = ThreadPool("test", workers=1, queue=1)
    started, done = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        done.wait()

    async def give_up() -> None:
        task = asyncio.create_task(pool.run(work))
        await asyncio.to_thread(started.wait)
        task.cancel()

    asyncio.run(give_up())
    done.set()
    pool._threads.shutdown(wait=True)


async def test_a_slot_lasts_as_long_as_the_work_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "RESERVED_SECONDS", 0)
    pool = ProcessPool(workers=1, queue=0, seconds=FOREVER)
    with pool.slot() as slot:
        result = asyncio.create_task(slot.run(bytes.upper))
        while not result.done():
            assert pool.is_full
            await asyncio.sleep(0)
        assert await result == b""
        # What is done with the result occupies nothing.
        assert not pool.is_full
    assert not pool.is_full
    await pool.close()
