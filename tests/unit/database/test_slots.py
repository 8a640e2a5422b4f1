"""Turns of a pool's connections: never more than there are, in order, and none is lost."""

import asyncio
from contextlib import suppress

import pytest

from adsvc.kit.db.statements import Slots


async def test_turns_come_in_order_and_no_more_than_there_are() -> None:
    slots, served = Slots(2), list[int]()
    most = using = 0

    async def work(number: int) -> None:
        nonlocal most, using
        await slots.acquire(10)
        using += 1
        most = max(most, using)
        served.append(number)
        await asyncio.sleep(0)
        using -= 1
        slots.release()

    await asyncio.gather(*(work(number) for number in range(50)))
    assert served == list(range(50))
    assert (most, slots.free) == (2, 2)


async def test_who_waits_too_long_gives_up_and_leaves_its_turn_to_the_next() -> None:
    slots = Slots(1)
    await slots.acquire(1)
    with pytest.raises(TimeoutError):
        await slots.acquire(0)
    next_one = asyncio.create_task(slots.acquire(10))
    await asyncio.sleep(0)
    slots.release()
    await next_one
    assert slots.free == 0
    slots.release()
    assert slots.free == 1


@pytest.mark.parametrize("its_turn_had_come", [False, True])
async def test_a_cancelled_one_takes_no_turn(*, its_turn_had_come: bool) -> None:
    slots = Slots(1)
    await slots.acquire(1)
    first, second = (asyncio.create_task(slots.acquire(10)) for _ in range(2))
    await asyncio.sleep(0)
    if its_turn_had_come:
        slots.release()
    first.cancel()
    with suppress(asyncio.CancelledError):
        await first
    if not its_turn_had_come:
        slots.release()
    await second
    slots.release()
    assert slots.free == 1
