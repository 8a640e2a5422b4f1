"""What the caches of an application do, made visible."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
from sqlalchemy import text

from adsvc.invalidation import InvalidationKind
from adsvc.kit.invalidation import WAKE_CHANNEL, Invalidation
from adsvc.repositories.following import COUNT_INTEREST
from adsvc.services import audit
from support.scene.api import Api

# As a worker that is busy may take; a heartbeat comes every second.
WAIT_SECONDS = 20


async def settle(api: Api, kind: InvalidationKind = InvalidationKind.AD) -> None:
    """Waits until the application has heard of all that was committed, and relies on it.

    It drops what it has cached of that kind: with `AD`, all lists.
    """
    changes = api.state.database.changes
    mark, arrived = secrets.token_hex(8), asyncio.Event()

    def listen(change: Invalidation) -> None:
        if change.id == mark:
            arrived.set()

    changes.follow(listen)
    async with asyncio.timeout(WAIT_SECONDS):
        await rely(api)
        async with api.state.database.autocommit() as session:
            await session.execute(
                text("INSERT INTO changes (notice) VALUES (:notice)"), {"notice": f"{kind}:{mark}"}
            )
            await session.execute(text(f"NOTIFY {WAKE_CHANNEL}"))
        await arrived.wait()
        await rely(api)
    changes.unfollow(listen)


async def rely(api: Api) -> None:
    # There is no event; it takes a heartbeat.
    while not api.state.database.changes.reliable:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


@contextmanager
def reads(api: Api) -> Iterator[Counter[str]]:
    """Counts what is fetched meanwhile from the database for answers, and from the image store.

    But for the numbers beside an ad that its author and administrators see, which are not kept.
    Jobs of the same application read too; only a request has an origin.
    """
    counted: Counter[str] = Counter()
    reader, store = api.state.database.reader, api.state.store
    wrapped: list[tuple[Any, str]] = [(reader, "fetch"), (store, "open")]

    def counting(function: Any, kind: str) -> Any:
        async def call(*arguments: Any, **options: Any) -> Any:
            if arguments[0] != COUNT_INTEREST and audit.origin.get() is not None:
                counted[kind] += 1
            return await function(*arguments, **options)

        return call

    for owner, name in wrapped:
        setattr(owner, name, counting(getattr(owner, name), name))
    try:
        yield counted
    finally:
        for owner, name in wrapped:
            delattr(owner, name)


async def warmed(
    api: Api, path: str, headers: Mapping[str, str] | None = None
) -> tuple[httpx2.Response, httpx2.Response]:
    """The answer that was made, and the one that was kept of it."""
    await settle(api)
    with reads(api) as counted:
        cold = await api.client.get(path, headers=headers)
        assert counted.total() > 0
        counted.clear()
        hot = await api.client.get(path, headers=headers)
        assert counted.total() == 0
    return cold, hot
