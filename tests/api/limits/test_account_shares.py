"""What one account may use of the pools of connections at once."""

import asyncio
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from sqlalchemy import text

from adsvc.enums import AdvisoryLock
from adsvc.errors import ConnectionsBusyError
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.listings import insert_ads
from support.scene.talk import talk
from support.scene.warmth import settle
from support.trouble.blocking import until_waiting, while_changing

ACCOUNT = "SELECT FROM users WHERE id = {} FOR UPDATE"
BEGINNING = f"SELECT pg_advisory_xact_lock({int(AdvisoryLock.CONVERSATIONS)}, {{}})"
CHANGES: list[tuple[str, str, Any, str]] = [
    ("POST", "/ads/{ad}/messages", {"text": "Hello"}, BEGINNING),
    ("POST", "/ads/{ad}/messages", {"text": "Hello"}, ACCOUNT),
    ("POST", "/conversations/{conversation}/messages", {"text": "Hello"}, BEGINNING),
    ("POST", "/ads/{ad}/comments", {"text": "Hello"}, ACCOUNT),
    ("PUT", "/users/me/favorites/{ad}", None, ACCOUNT),
    ("POST", "/users/me/searches", {"name": "Oak", "query": "q=oak"}, ACCOUNT),
    ("POST", "/ads/drafts", {"title": "Oak table"}, ACCOUNT),
    ("PUT", "/users/me/blocks/{other}", None, ACCOUNT),
    ("PATCH", "/users/me/preferences", {"message": {"mail": False}}, ACCOUNT),
    ("PATCH", "/users/me", {"firstName": "Ann"}, ACCOUNT),
]
MANY = 8


def used(api: Api) -> int:
    return sum(usage.used for usage in api.state.database.pools.values())


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change[0]} {change[1]}")
@pytest.mark.heavy
async def test_changes_of_one_account_that_wait_hold_few_connections(
    start_api: ApiFactory, change: tuple[str, str, Any, str]
) -> None:
    method, path, body, lock = change
    async with start_api(rate_limits="on", database_timeout_seconds=60) as api:
        seller, buyer, other = [await api.person() for _ in range(3)]
        found = await talk(api, seller, buyer)
        ads = [(await seller.post_ad())["pk"] for _ in range(MANY)]
        # An account that the buyer has met.
        await other.post_ad()
        before = used(api)

        def request(number: int) -> asyncio.Task[httpx2.Response]:
            at = path.format(ad=ads[number], conversation=found.id, other=other.id)
            return asyncio.create_task(buyer.request(method, at, json=body))

        async with while_changing(api, lock.format(buyer.id)):
            first = [request(number) for number in range(3)]
            await until_waiting(api, *first)
            rest = [request(number) for number in range(3, MANY)]
            refused = await asyncio.gather(*rest)
            # One is the test's own.
            assert used(api) - before <= 4
            assert (await other.get("/users/me")).status_code == 200
        for answer in refused:
            assert answer.status_code == 429, answer.text
            assert answer.headers["Retry-After"] == "1"
            assert "changes-at-once" in answer.headers["RateLimit-Policy"]
            assert "database" not in answer.text
        for answer in await asyncio.gather(*first):
            assert answer.is_success, answer.text


LISTS = (
    "/conversations",
    "/conversations/{conversation}/messages",
    "/users/me/notifications",
    "/users/me/favorites",
    "/users/me/searches",
    "/users/me/blocks",
    "/users/me/decisions",
    "/ads/me",
    "/imports",
)
TABLES = (
    "ads, conversations, messages, notifications, favorites, saved_searches, blocks, decisions,"
    " imports"
)


@pytest.mark.heavy
@pytest.mark.parametrize("path", LISTS)
async def test_reads_of_one_account_that_wait_hold_few_connections(
    start_api: ApiFactory, path: str
) -> None:
    async with start_api(rate_limits="on", database_timeout_seconds=60) as api:
        seller, buyer, other = [await api.person() for _ in range(3)]
        found = await talk(api, seller, buyer)
        before = used(api)
        at = path.format(conversation=found.id)
        async with while_changing(api, f"LOCK TABLE {TABLES}"):
            first = [asyncio.create_task(buyer.get(at)) for _ in range(2)]
            await until_waiting(api, *first)
            refused = await asyncio.gather(*(buyer.get(at) for _ in range(4)))
            # One is the test's own.
            assert used(api) - before <= 3
            assert (await other.get("/users/me")).status_code == 200
        for answer in refused:
            assert answer.status_code == 429, answer.text
            assert "reads-at-once" in answer.headers["RateLimit-Policy"]
        assert [answer.status_code for answer in await asyncio.gather(*first)] == [200, 200]


@pytest.mark.heavy
async def test_an_account_reads_few_things_at_once(start_api: ApiFactory) -> None:
    """Whatever they are: others would wait behind all of them."""
    async with start_api(rate_limits="on", database_timeout_seconds=60) as api:
        person, other = await api.person(), await api.person()
        path = "/users/me/webhooks"
        # The process knows the token from then on.
        await settle(api)
        assert (await person.get(path)).status_code == 200
        before = used(api)
        async with while_changing(api, "LOCK TABLE webhooks"):
            first = [asyncio.create_task(person.get(path)) for _ in range(3)]
            await until_waiting(api, *first)
            refused = await asyncio.gather(*(person.get(path) for _ in range(6)))
            # One is the test's own.
            assert used(api) - before <= 4
            assert (await other.get("/users/me")).status_code == 200
        for answer in refused:
            assert answer.status_code == 429, answer.text
            assert "all-reads-at-once" in answer.headers["RateLimit-Policy"]
        assert [answer.status_code for answer in await asyncio.gather(*first)] == [200] * 3


@pytest.mark.heavy
async def test_busy_connections_are_no_fault_of_the_database(start_api: ApiFactory) -> None:
    async with start_api(database_pool_size=2, database_timeout_seconds=60) as api:
        person = await api.person()
        path = "/users/me/notifications"
        async with while_changing(api, "LOCK TABLE notifications"):
            first = asyncio.create_task(person.get(path))
            await until_waiting(api, first)
            refused = [await person.get(path)]
        assert (await first).status_code == 200
        async with while_changing(api, "SELECT 1"), while_changing(api, "SELECT 1"):
            refused.append(await person.request("PUT", "/users/me/favorites/1"))
        for answer in refused:
            assert answer.status_code == 503
            assert answer.json()["detail"] == ConnectionsBusyError.detail
            assert int(answer.headers["Retry-After"]) > 0


MANY_ROWS = 150
LONG_LISTS = (
    """
    INSERT INTO conversations (ad_id, title, buyer_id, seller_id)
    SELECT id, title, :buyer, :seller FROM ads
    """,
    """
    INSERT INTO messages (conversation_id, author_id, by, text)
    SELECT id, buyer_id, 'buyer', repeat('x', 2000) FROM conversations
    """,
    """
    UPDATE conversations SET buyer_last = m.id, seller_last = m.id FROM messages AS m
    WHERE m.conversation_id = conversations.id
    """,
    """
    INSERT INTO notifications (user_id, type, data) SELECT :buyer, 'searchMatched',
        jsonb_build_object('ads', (SELECT jsonb_agg(id) FROM (SELECT id FROM ads LIMIT 12) AS few))
    FROM ads
    """,
    "INSERT INTO favorites (user_id, ad_id, price) SELECT :buyer, id, 1 FROM ads",
)


async def pages_of(person: Person, path: str) -> list[Any]:
    """All records of a list, whose pages are bounded in bytes."""
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await person.get(path, params={"limit": 1000, **cursor})
        assert answer.status_code == 200, answer.text
        assert len(answer.content) <= 128 * 1024 + 500
        page = answer.json()
        assert page["results"]
        found += page["results"]
        if page["next"] is None:
            return found
        cursor = {"cursor": page["next"]}


@pytest.mark.guard
async def test_own_lists_have_a_bound_in_bytes(api: Api) -> None:
    """And lose nothing where a page ends."""
    seller, buyer = await api.person(), await api.person()
    title = "Oak table " + "x" * 80
    await insert_ads(api, seller.id, [{"title": title}] * MANY_ROWS)
    for statement in LONG_LISTS:
        await change(api, statement, buyer=buyer.id, seller=seller.id)
    for path, person in (
        ("/conversations", buyer),
        ("/users/me/notifications", buyer),
        ("/users/me/favorites", buyer),
        ("/ads/me", seller),
    ):
        found = await pages_of(person, path)
        ids = [record.get("id", record.get("pk")) for record in found]
        assert len(ids) == len(set(ids)) == MANY_ROWS, path


@pytest.mark.guard
async def test_saved_searches_have_a_bound_in_bytes(api: Api) -> None:
    person = await api.person()
    for number in range(50):
        # Escaped, a letter has twelve bytes.
        query = urlencode({"q": "𠀀" * 250 + str(number)})
        answer = await person.post("/users/me/searches", json={"name": "漢", "query": query})
        assert answer.status_code == 201, answer.text
    found = await pages_of(person, "/users/me/searches")
    ids = [search["id"] for search in found]
    assert ids == sorted(set(ids), reverse=True)
    assert len(ids) == 50
    first = (await person.get("/users/me/searches", params={"limit": 1})).json()
    assert [search["id"] for search in first["results"]] == ids[:1]


async def test_blocks_come_in_pages(api: Api) -> None:
    person, *others = [await api.person() for _ in range(5)]
    for at, other in zip((1, 2, 2, 3), others, strict=True):
        await change(
            api,
            "INSERT INTO blocks (owner_id, blocked_id, created_at)"
            " VALUES (:owner, :other, to_timestamp(:at))",
            owner=person.id, other=other.id, at=at,
        )  # fmt: skip
    expected = [others[index].id for index in (3, 2, 1, 0)]
    assert [block["id"] for block in await pages_of(person, "/users/me/blocks")] == expected
    for limit in (1, 2, 3):
        found: list[int] = []
        query: dict[str, Any] = {"limit": limit}
        while True:
            page = (await person.get("/users/me/blocks", params=query)).json()
            found += [block["id"] for block in page["results"]]
            if page["next"] is None:
                break
            assert len(page["results"]) == limit
            query["cursor"] = page["next"]
        assert found == expected


async def change(api: Api, statement: str, **values: int) -> None:
    async with api.state.database.engine.begin() as connection:
        await connection.execute(text(statement), values)
    api.state.database.changes.apply_all()


@pytest.mark.guard
async def test_conversations_beyond_the_limit_take_nothing_from_others(
    start_api: ApiFactory,
) -> None:
    """Their refusals are written to the audit trail by another connection."""
    limits = {"conversations_first_day": 1, "database_pool_size": 2}
    async with start_api(rate_limits="on", database_timeout_seconds=60, **limits) as api:
        seller, buyer = await api.person(), await api.person()
        ads = [(await seller.post_ad())["pk"] for _ in range(MANY)]
        answers = await asyncio.gather(
            *(buyer.post(f"/ads/{ad}/messages", json={"text": "Hi"}) for ad in ads)
        )
        assert sorted(answer.status_code for answer in answers) == [201] + [429] * (MANY - 1)
        (count,) = await api.sql("SELECT count(*) FROM audit_events WHERE event = 'rate_limited'")
        assert count == MANY - 1
