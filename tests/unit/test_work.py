import asyncio
import threading
from collections.abc import Iterator

import pytest

from adsvc.bulkheads import pools
from adsvc.bulkheads.pools import ProcessPool, ThreadPool
from adsvc.errors import OverloadedError

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


async def test_an_error_reaches_whoever_waits(pool: ThreadPool) -> None:
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


async def test_work_that_nobody_waits_for_still_occupies_its_place(pool: ThreadPool) -> None:
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
    monkeypatch.setattr(pools, "KEPT_SECONDS", 0)
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
