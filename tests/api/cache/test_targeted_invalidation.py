"""A model: random changes of all kinds, and random lists that are always as new ones would be."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import cast

import httpx2
import pytest
from sqlalchemy import text

from adsvc.api.pipeline.app import Service
from adsvc.invalidation import AdAspect, AdChange, InvalidationKind, parse
from adsvc.kit.invalidation import Invalidation, InvalidationBus
from adsvc.services.ads import lifecycle
from conftest import ApiFactory
from support.scene.api import Api, image_form
from support.scene.categories import plant
from support.scene.market import Market
from support.scene.warmth import reads, settle
from support.trouble.notifications import unnotified

Application = tuple[Api, httpx2.AsyncClient]


@asynccontextmanager
async def applications(start_api: ApiFactory, count: int) -> AsyncIterator[list[Application]]:
    """Of one database. The last one has no responses in memory."""
    async with AsyncExitStack() as stack:
        found = []
        for number in range(1, count + 1):
            without = {"answers_max_bytes": 0} if number == count else {}
            api = await stack.enter_async_context(start_api(**without))
            # Without a check against the document, which takes longer than the rest.
            transport = httpx2.ASGITransport(api.app, raise_app_exceptions=False)
            client = httpx2.AsyncClient(transport=transport, base_url="http://testserver")
            found.append((api, await stack.enter_async_context(client)))
        yield found


async def market_of(api: Api, seed: int) -> Market:
    authors = [await api.person() for _ in range(4)]
    market = Market(Random(seed), authors, await api.admin())
    await market.open(10)
    return market


def require_hits(api: Api) -> None:
    """Without them there was nothing that could be stale."""
    hits = sum(cast("Service", api.app).fast_path.cache.hits.values())
    misses = sum(api.state.responses.misses.values())
    assert hits > misses / 4, (hits, misses)


@pytest.mark.heavy
async def test_who_changes_something_sees_it_at_once(start_api: ApiFactory) -> None:
    await change_and_read(start_api, seed=1, changes=15)


@pytest.mark.heavy
async def test_another_process_drops_all_that_a_change_affects(start_api: ApiFactory) -> None:
    await change_and_read_elsewhere(start_api, seed=1, changes=15)


@pytest.mark.heavy
async def test_a_process_drops_at_least_what_the_notices_say(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    own: list[Invalidation] = []
    noticed: list[Invalidation] = []
    # The job that brings the words of categories to ads makes changes of its own.
    async with start_api(jobs="off") as api:
        market = await market_of(api, seed=1)
        await settle(api)
        changes = api.state.database.changes

        def apply(change: Invalidation) -> None:
            own.append(change)
            InvalidationBus.receive(changes, change)
            changes.committed()

        def receive(change: Invalidation) -> None:
            noticed.append(change)
            InvalidationBus.receive(changes, change)

        monkeypatch.setattr(changes, "apply", apply)
        monkeypatch.setattr(changes, "receive", receive)
        for _ in range(40):
            done = await market.change(api.client)
            await settle(api, InvalidationKind.SESSION)
            for notice in [each for each in noticed if each.kind is InvalidationKind.AD]:
                assert any(_covers(each, notice) for each in own), (done, notice, own)
            own.clear()
            noticed.clear()


def _covers(own: Invalidation, notice: Invalidation) -> bool:
    if own.kind is not InvalidationKind.AD:
        return False
    mine, theirs = own.details, notice.details
    if not isinstance(mine, AdChange) or not isinstance(theirs, AdChange):
        return mine is None
    if not theirs.aspects:
        return own.id == notice.id
    aspects = AdAspect.STATUS in mine.aspects or mine.aspects >= theirs.aspects
    categories = {mine.category_id, mine.category_before}
    return (
        aspects
        and (mine.id, mine.author_id) == (theirs.id, theirs.author_id)
        and categories >= {theirs.category_id, theirs.category_before} - {0}
    )


@pytest.mark.long
@pytest.mark.heavy
@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.large)])
async def test_many_changes_leave_nothing_stale(start_api: ApiFactory, seed: int) -> None:
    await change_and_read(start_api, seed=seed, changes=40)
    await change_and_read_elsewhere(start_api, seed=seed, changes=40)


async def change_and_read(start_api: ApiFactory, *, seed: int, changes: int) -> None:
    """Nothing is announced, so that no notice hides what the process has not dropped by itself."""
    async with applications(start_api, 2) as [(api, client), (other, fresh)]:
        market = await market_of(api, seed)
        await settle(api)
        async with unnotified(api):
            for number in range(changes):
                done = await market.change(client)
                # It has no responses in memory, but the categories.
                other.state.database.changes.apply_all()
                found = await market.stale(market.paths(14, 2), client, fresh)
                assert not found, f"seed {seed}, after {number}, {done}: {found[0]}"
        require_hits(api)


async def change_and_read_elsewhere(start_api: ApiFactory, *, seed: int, changes: int) -> None:
    """Lists are read while the change is made, too."""
    async with applications(start_api, 3) as [(api, client), (elsewhere, reader), (_, fresh)]:
        market = await market_of(api, seed)
        for number in range(changes):
            paths = market.paths(14, 2)
            meanwhile = [reader.get(path) for path in paths[:4]]
            done, *_ = await asyncio.gather(change(api, market, client), *meanwhile)
            for each in (api, elsewhere):
                await settle(each, InvalidationKind.SESSION)
            found = await market.stale(paths, reader, fresh)
            assert not found, f"seed {seed}, after {number}, {done}: {found[0]}"
        require_hits(elsewhere)


@pytest.mark.guard
async def test_a_change_leaves_lists_that_it_cannot_affect(api: Api) -> None:
    await plant(api)
    author, reader = await api.person(), await api.person()
    table = await author.post_ad(title="Oak table", category="home")
    boat = await author.post_ad(title="Kayak", category="boats")
    path, about_homes, others = f"/ads/{boat['pk']}", "/ads?category=home", "/ads?q=table"
    paths = (about_homes, others, "/categories", f"/ads/{table['pk']}/details")
    changes: list[Callable[[], Awaitable[httpx2.Response]]] = [
        lambda: author.patch(path, json={"price": 9}),
        lambda: author.patch(path, json={"location": {"latitude": 1, "longitude": 1}}),
        lambda: author.post(f"{path}/images", files=image_form()),
        lambda: reader.post(f"{path}/comments", json={"text": "Still there?"}),
        lambda: reader.request("PUT", f"/users/me/favorites/{boat['pk']}"),
    ]
    for change_it in changes:
        await settle(api, InvalidationKind.SESSION)
        for _ in range(2):
            for each in paths:
                assert (await api.client.get(each)).status_code == 200
        assert (await change_it()).is_success
        await settle(api, InvalidationKind.SESSION)
        with reads(api) as counted:
            for each in paths:
                await api.client.get(each)
        assert counted.total() == 0


# What no process announces to itself.
STATEMENTS = (
    "UPDATE ads SET expires_at = now() WHERE id = (SELECT max(id) FROM ads)",
    "UPDATE ads SET price = price + 1, category_id = NULL WHERE id % 5 = 0",
    "UPDATE ads SET status = 'active', expires_at = NULL WHERE status = 'expired'",
    "DELETE FROM ads WHERE id = (SELECT min(id) FROM ads)",
)


async def change(api: Api, market: Market, client: httpx2.AsyncClient) -> str:
    if market.random.random() > 0.2:
        return await market.change(client)
    statement = market.random.choice(STATEMENTS)
    async with api.state.database.autocommit() as session:
        await session.execute(text(statement))
        while (await session.execute(text(DUE))).scalar():
            await lifecycle.mark_expired(api.state.database)
    return statement


DUE = "SELECT count(*) FROM ads WHERE status IN ('active', 'reserved') AND expires_at <= now()"


# A change of an ad, and what its notice says besides the ids of the ad and its author: the category
# after and before, and the aspects.
NOTICES = {
    "UPDATE ads SET price = price + 1": "{home}:{home}:p",
    "UPDATE ads SET title = 'Ash table'": "{home}:{home}:w",
    "UPDATE ads SET latitude = 1, longitude = 1, public_latitude = 1, public_longitude = 1": (
        "{home}:{home}:l"
    ),
    "UPDATE ads SET latitude = NULL, longitude = NULL,"
    " public_latitude = NULL, public_longitude = NULL": "{home}:{home}:l",
    "UPDATE ads SET category_id = {boats}": "{boats}:{home}:a",
    "UPDATE ads SET category_id = NULL": "0:{boats}:a",
    "UPDATE ads SET category_id = {home}": "{home}:0:a",
    "UPDATE ads SET expires_at = now() + interval '1 day'": "{home}:{home}:s",
    "UPDATE ads SET status = 'reserved'": "{home}:{home}:s",
    "UPDATE ads SET status = 'withdrawn'": "{home}:{home}:s",
    # Others see nothing of it.
    "UPDATE ads SET price = price + 2": "{home}:{home}:",
    "UPDATE ads SET status = 'active'": "{home}:{home}:s",
    "DELETE FROM ads": "{home}:0:s",
}


@pytest.mark.guard
async def test_a_notice_says_what_a_change_may_affect(api: Api) -> None:
    await plant(api)
    author = await api.person()
    ad = (await author.post_ad(category="home"))["pk"]
    home, boats = [
        (await api.sql("SELECT id FROM categories WHERE slug = :slug", slug=slug))[0]
        for slug in ("home", "boats")
    ]
    await settle(api)
    heard: list[Invalidation] = []

    def receive(change: Invalidation) -> None:
        if change.kind is InvalidationKind.AD:
            heard.append(change)

    api.state.database.changes.follow(receive)
    for statement, what in NOTICES.items():
        async with api.state.database.autocommit() as session:
            await session.execute(text(statement.format(home=home, boats=boats)))
        await settle(api, InvalidationKind.SESSION)
        notice = f"ad:{ad}:{author.id}:{what.format(home=home, boats=boats)}"
        assert heard == [parse(notice)], statement
        heard.clear()
    api.state.database.changes.unfollow(receive)
