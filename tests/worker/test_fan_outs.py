"""What happens to an ad reaches those who keep it: once, and as they want it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2
import pytest

from adsvc.enums import NotificationType
from adsvc.repositories import notifications as notification_rows
from adsvc.repositories import push as push_rows
from adsvc.repositories.notices import send_batch
from adsvc.services import following
from adsvc.worker.push import SHARES
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.fan_outs import queue, work

FAVORITES = "/users/me/favorites"


async def noticed(person: Person) -> list[dict[str, Any]]:
    """The oldest first."""
    found = (await person.get("/users/me/notifications")).json()["results"]
    return list(reversed(found))


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """Nothing else follows the log of its database."""
    async with start_own_api(jobs="off") as started:
        yield started


async def kept(api: Api, *watchers: Person, **properties: Any) -> tuple[Person, str]:
    """An ad of a new author that the accounts keep: its author and path."""
    author = await api.person()
    ad = await author.post_ad(**properties)
    for watcher in watchers:
        assert (await watcher.put(f"{FAVORITES}/{ad['pk']}")).status_code == 204
    return author, f"/ads/{ad['pk']}"


@pytest.mark.heavy
async def test_those_who_keep_an_ad_hear_of_its_life(api: Api) -> None:
    watcher, other = await api.person(), await api.person()
    author, path = await kept(api, watcher, price=1000)
    for step in ("reserve", "release", "withdraw", "publish", "renew", "sell"):
        await author.post(f"{path}/{step}")
        await work(api)
    found = await noticed(watcher)
    assert [notice["type"] for notice in found] == [
        "favoriteReserved", "favoriteBack", "favoriteBack", "favoriteSold",
    ]  # fmt: skip
    assert {notice["ad"]["status"] for notice in found} == {"sold"}
    assert await noticed(other) == await noticed(author) == []


@pytest.mark.heavy
async def test_a_price_has_dropped_by_a_twentieth_below_all_of_a_month(api: Api) -> None:
    watcher = await api.person()
    author, path = await kept(api, watcher, price=1000)

    async def changed(price: int) -> list[tuple[int, int]]:
        await author.patch(path, json={"price": price})
        await work(api)
        before = [(notice["price"]["before"], notice["price"]["after"])
                  for notice in await noticed(watcher)]  # fmt: skip
        await api.sql("UPDATE favorites SET price_noticed_at = NULL")
        await api.sql("DELETE FROM notifications")
        return before

    assert await changed(951) == []
    assert await changed(1000) == []
    # Below 95 %, but not below the lowest price of 30 days.
    assert await changed(949) == [(1000, 949)]
    assert await changed(2000) == []
    assert await changed(949) == []
    assert await changed(1900) == []
    assert await changed(948) == [(1900, 948)]
    assert await changed(2000) == []
    await api.sql("UPDATE price_changes SET at = at - interval '30 days'")
    assert await changed(1900) == [(2000, 1900)]
    assert await changed(0) == [(1900, 0)]


@pytest.mark.heavy
async def test_a_price_on_request_has_not_dropped_and_is_no_price_before(api: Api) -> None:
    watcher = await api.person()
    author, path = await kept(api, watcher, price=1000)

    async def changed(**members: object) -> tuple[list[tuple[int, int]], object]:
        assert (await author.patch(path, json=members)).status_code == 200
        await work(api)
        notices = [(notice["price"]["before"], notice["price"]["after"])
                   for notice in await noticed(watcher)]  # fmt: skip
        await api.sql("UPDATE favorites SET price_noticed_at = NULL")
        await api.sql("DELETE FROM notifications")
        return notices, (await api.client.get(f"{path}/details")).json().get("priceBefore")

    assert await changed(priceType="onRequest", price=0) == ([], None)
    assert await changed(price=5000) == ([], None)
    # No one has seen 5000, and 0 was no price: it fell from 1000.
    assert await changed(priceType="fixed", price=4000) == ([], None)
    assert await changed(price=900) == ([(4000, 900)], 1000)
    assert await changed(priceType="onRequest") == ([], None)
    # Raised behind it: the lowest price of 30 days counts.
    assert await changed(price=2000, priceType="negotiable") == ([], None)
    assert await changed(price=950) == ([], None)
    assert await changed(price=800) == ([(950, 800)], 900)
    await author.patch(path, json={"price": 700})
    assert await changed(priceType="onRequest") == ([], None)


@pytest.mark.heavy
async def test_a_price_on_request_is_null_in_the_log_and_one_that_is_back_is_an_update(
    api: Api,
) -> None:
    author = await api.person()
    path = f"/ads/{(await author.post_ad(price=1000))['pk']}"
    logged = (
        "SELECT type || coalesce(data::text, '') FROM changes WHERE type LIKE 'ad.%' ORDER BY id"
    )
    for members, events in (
        ({"priceType": "onRequest"}, ['ad.priceChanged{"to": null, "from": 1000}', "ad.updated{}"]),
        ({"price": 5}, ["ad.updated{}"]),
        ({"priceType": "free", "price": 0}, ["ad.updated{}"]),
        ({"price": 7}, ['ad.priceChanged{"to": 7, "from": 0}']),
    ):
        await work(api)
        await api.sql("DELETE FROM changes")
        await author.patch(path, json=members)
        assert await api.sql(logged) == events, members


@pytest.mark.heavy
async def test_one_lower_price_a_day_is_a_notice(api: Api) -> None:
    watcher = await api.person()
    author, path = await kept(api, watcher, price=1000)
    for price in (900, 800):
        await author.patch(path, json={"price": price})
        await work(api)
    assert [notice["price"]["after"] for notice in await noticed(watcher)] == [900]
    await api.sql("UPDATE favorites SET price_noticed_at = now() - interval '24 hours'")
    await author.patch(path, json={"price": 700})
    await work(api)
    assert [notice["price"]["after"] for notice in await noticed(watcher)] == [900, 700]


@pytest.mark.heavy
async def test_only_what_happens_while_it_is_a_favorite_counts(api: Api) -> None:
    early, late, left = await api.person(), await api.person(), await api.person()
    author, path = await kept(api, early, left, price=1000)
    await author.patch(path, json={"price": 100})
    for watcher, method in ((late, "PUT"), (left, "DELETE")):
        await watcher.request(method, f"{FAVORITES}/{path.rpartition('/')[2]}")
    await work(api)
    assert len(await noticed(early)) == 1
    assert await noticed(late) == await noticed(left) == []


@pytest.mark.heavy
async def test_what_is_over_when_it_would_be_sent_is_not_sent(api: Api) -> None:
    watcher, suspended, blocking = [await api.person() for _ in range(3)]
    author, path = await kept(api, watcher, suspended, blocking, price=1000)
    assert (await blocking.put(f"/users/me/blocks/{author.id}")).status_code == 204
    await api.sql("UPDATE users SET suspended_until = 'infinity' WHERE id = :id", id=suspended.id)
    await author.patch(path, json={"price": 100})
    await author.post(f"{path}/reserve")
    await author.post(f"{path}/withdraw")
    await work(api)
    assert await noticed(watcher) == []
    await author.post(f"{path}/publish")
    await work(api)
    assert [notice["type"] for notice in await noticed(watcher)] == ["favoriteBack"]
    assert await api.sql("SELECT user_id FROM notifications") == [watcher.id]


CHANGES: dict[str, Callable[[Person, Person, str], Awaitable[httpx2.Response]]] = {
    "price rose": lambda author, _, path: author.patch(path, json={"price": 990}),
    "gone": lambda author, _, path: author.delete(path),
    "withdrawn": lambda author, _, path: author.post(f"{path}/withdraw"),
    "blocked": lambda author, watcher, _: watcher.put(f"/users/me/blocks/{author.id}"),
    "kept no longer": lambda _, watcher, path: watcher.delete(
        f"{FAVORITES}/{path.rpartition('/')[2]}"
    ),
    "unwanted": lambda _, watcher, __: watcher.patch(
        "/users/me/preferences", json={"priceDropped": {"mail": False, "push": False}}
    ),
}


@pytest.mark.heavy
@pytest.mark.parametrize("change", [None, *CHANGES])
async def test_what_does_not_hold_when_it_is_delivered_is_not_delivered(
    api: Api, change: str | None
) -> None:
    """By mail and Web Push, which may wait for hours for their servers."""
    watcher = await api.person()
    await api.sql(
        "UPDATE users SET mail = username, mail_verified = TRUE WHERE id = :id", id=watcher.id
    )
    await api.sql(
        "INSERT INTO push_subscriptions (user_id, session_id, endpoint, public_key, auth)"
        " SELECT :id, id, 'https://push.example.com/secret', '', '' FROM sessions"
        " WHERE user_id = :id RETURNING id",
        id=watcher.id,
    )
    await watcher.patch("/users/me/preferences", json={"priceDropped": {"push": True}})
    author, path = await kept(api, watcher, price=1000)
    await author.patch(path, json={"price": 800})
    await work(api)
    [data] = await api.sql("SELECT payload->>'data' FROM outbox WHERE kind = 'notice'")
    if change is not None:
        assert (await CHANGES[change](author, watcher, path)).status_code in {200, 204}
    writer = api.state.database.writer
    kind, ad = NotificationType.PRICE_DROPPED, int(path.rpartition("/")[2])
    mail = await notification_rows.to_mail(writer, watcher.id, kind, ad, json.loads(data))
    [push] = await push_rows.claim(writer, 10, SHARES, seconds=5, oldest_seconds=60)
    assert (mail is None, push.is_void) == (change is not None, change is not None)


@pytest.mark.heavy
async def test_an_account_gets_what_it_wants(api: Api) -> None:
    quiet, by_mail = await api.person(), await api.person()
    author, path = await kept(api, quiet, by_mail)
    await quiet.patch("/users/me/preferences", json={"favoriteSold": {"site": False}})
    await by_mail.patch(
        "/users/me/preferences", json={"favoriteSold": {"mail": True, "site": False}}
    )
    await api.sql(
        "UPDATE users SET mail = 'b@example.com', mail_verified = true WHERE id = :id",
        id=by_mail.id,
    )
    await author.post(f"{path}/sell")
    await work(api)
    assert await api.sql("SELECT id FROM notifications") == []
    assert await api.sql("SELECT (payload->>'user_id')::int FROM outbox WHERE kind = 'notice'") == [
        by_mail.id
    ]


@pytest.mark.heavy
async def test_a_favorite_that_ends_is_announced_once(api: Api) -> None:
    watcher = await api.person()
    author, path = await kept(api, watcher)
    number = int(path.rpartition("/")[2])

    async def ends_in(hours: int) -> list[str]:
        await api.sql(
            "UPDATE ads SET expires_at = now() + make_interval(hours => :hours) WHERE id = :id",
            hours=hours, id=number,
        )  # fmt: skip
        await api.sql(
            "UPDATE consumers SET position = (extract(epoch FROM now()) * 1000)::bigint"
            " WHERE name = 'endings'"
        )
        for _ in range(2):
            await following.queue_endings(api.state.database)
            await work(api)
        return [notice["type"] for notice in await noticed(watcher)]

    assert await ends_in(25) == []
    assert await ends_in(23) == ["favoriteEnding"]
    await author.post(f"{path}/reserve")
    await work(api)
    assert (await noticed(watcher))[-1]["type"] == "favoriteReserved"


@pytest.mark.heavy
@pytest.mark.parametrize("hidden_after", [0, 1])
async def test_a_favorite_that_was_hidden_as_its_end_came_near_is_announced_once(
    api: Api, hidden_after: int
) -> None:
    watcher = await api.person()
    _, path = await kept(api, watcher)
    number = int(path.rpartition("/")[2])
    await api.sql(
        "UPDATE ads SET expires_at = now() + interval '23 hours' WHERE id = :id RETURNING id",
        id=number,
    )
    change = "UPDATE ads SET status = :to, hidden_from = :was WHERE id = :id RETURNING id"
    for _ in range(hidden_after):
        await following.queue_endings(api.state.database)
        await work(api)
    await api.sql(change, id=number, to="suspended", was="active")
    await following.queue_endings(api.state.database)
    await work(api)
    assert len(await noticed(watcher)) == hidden_after
    await api.sql(change, id=number, to="active", was=None)
    for _ in range(2):
        await following.queue_endings(api.state.database)
        await work(api)
    assert [notice["type"] for notice in await noticed(watcher)] == ["favoriteEnding"]


@pytest.mark.heavy
@pytest.mark.parametrize("noticed_before", [0, 1])
async def test_a_price_that_fell_while_an_ad_was_hidden_is_announced_once(
    api: Api, noticed_before: int
) -> None:
    watcher, later = await api.person(), await api.person()
    author, path = await kept(api, watcher, price=1000)
    number = int(path.rpartition("/")[2])
    change = "UPDATE ads SET status = :to, hidden_from = :was WHERE id = :id RETURNING id"
    if noticed_before:
        await author.patch(path, json={"price": 600})
        await work(api)
        assert len(await noticed(watcher)) == 1
    await api.sql(change, id=number, to="suspended", was="active")
    if not noticed_before:
        await api.sql("UPDATE ads SET price = 600 WHERE id = :id RETURNING id", id=number)
    await work(api)
    for _ in range(2):
        await api.sql(change, id=number, to="active", was=None)
        assert (await later.put(f"{FAVORITES}/{number}")).status_code == 204
        await work(api)
        await api.sql(change, id=number, to="suspended", was="active")
    await api.sql(change, id=number, to="active", was=None)
    [notice] = await noticed(watcher)
    assert (notice["type"], notice["price"]) == ("priceDropped", {"before": 1000, "after": 600})
    assert await noticed(later) == []


@pytest.mark.heavy
async def test_many_watchers_are_notified_in_batches(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "WATCHERS_AT_ONCE", 2)
    watchers = [await api.person() for _ in range(5)]
    author, path = await kept(api, *watchers)
    await author.post(f"{path}/sell")
    await work(api)
    counts = [len(await noticed(watcher)) for watcher in watchers]
    assert counts == [1] * 5
    assert await api.sql("SELECT id FROM fan_outs WHERE ended_at IS NULL") == []


@pytest.mark.heavy
async def test_an_author_who_changes_an_ad_to_and_fro_is_no_burden(api: Api) -> None:
    watcher = await api.person()
    author, path = await kept(api, watcher)
    for _ in range(7):
        for step in ("reserve", "release"):
            await author.post(f"{path}/{step}")
            await work(api)
    types = [notice["type"] for notice in await noticed(watcher)]
    assert types == ["favoriteReserved", "favoriteBack"] * 4


async def killed(api: Api) -> None:
    """Sends a batch, and ends before its commit."""
    async with api.state.database.transaction() as transaction:
        assert await send_batch(transaction, 1)
        raise RuntimeError


@pytest.mark.heavy
async def test_a_crash_between_batches_repeats_and_loses_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a batch wrote and how far it came are one transaction."""
    monkeypatch.setattr(following, "WATCHERS_AT_ONCE", 1)
    watchers = [await api.person() for _ in range(3)]
    author, path = await kept(api, *watchers)
    await author.post(f"{path}/sell")
    await queue(api)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            await killed(api)
        assert await following.send_notices(api.state.database)
    await work(api)
    assert [len(await noticed(watcher)) for watcher in watchers] == [1] * 3
