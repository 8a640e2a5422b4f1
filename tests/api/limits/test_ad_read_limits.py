"""An account may read a limited number of others' ads, which protects contacts from harvesting."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from adsvc.services import rate_limits
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person
from support.scene.logins import basic
from support.scene.warmth import settle
from support.trouble.clocks import Clock

ADS = """
    INSERT INTO ads (author_id, title, description, price, image)
    SELECT :author, 'Oak table', 'Solid oak, one scratch.', 1, 'none' FROM generate_series(1, :n)
    RETURNING id
"""


async def author_of(api: Api, number: int) -> Person:
    """Somebody with so many ads, whose ids begin with 1."""
    author = await api.person()
    await api.sql(ADS, author=author.id, n=number)
    return author


async def read(person: Person, *ids: int, **headers: str) -> list[int]:
    return [(await person.get(f"/ads/{ad}", headers=headers)).status_code for ad in ids]


@contextmanager
def asked(api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Counts the attempts in the database meanwhile, without the cleaning that may follow one."""
    counted: Counter[str] = Counter()

    writer = api.state.database.writer
    fetch = writer.fetch

    async def count(statement: str, *values: object, **options: Any) -> Any:
        counted["limits"] += "INSERT INTO rate_limits" in statement
        return await fetch(statement, *values, **options)

    with monkeypatch.context() as patch:
        patch.setattr(writer, "fetch", count)
        yield counted


@pytest.mark.guard
@pytest.mark.parametrize("memory", [0, 2**24], ids=["made", "ready"])
async def test_different_ads_of_others_are_counted_whether_ready_or_not(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    # Every attempt cleans up.
    monkeypatch.setattr(rate_limits, "CLEANING_ODDS", 1)
    async with start_api(rate_limits="on", ad_reads_per_user=30, answers_max_bytes=memory) as api:
        await author_of(api, 40)
        first, second = await api.person(), await api.person()
        if memory:
            await settle(api)
        with asked(api, monkeypatch) as counted:
            assert await read(first, *range(1, 31)) == [200] * 30
            # Ten blocks of three.
            assert counted["limits"] == 10
            # What was read before is free, in whatever form.
            assert await read(first, *range(1, 31)) == [200] * 30
            assert counted["limits"] == 10
        refused = await first.get("/ads/31")
        assert refused.status_code == 429
        assert refused.json()["type"] == "/problems#rate-limited"
        assert refused.headers["RateLimit-Policy"] == '"read";q=30;w=3600'
        assert 1 <= int(refused.headers["Retry-After"]) <= 120
        assert "email" not in refused.text
        with asked(api, monkeypatch) as counted:
            assert await read(first, 32, 33) == [429, 429]
            # Nor does a refusal cost anything while it holds.
            assert counted["limits"] == 0
        assert await read(first, 1) == [200]
        # For another account these are ready by now.
        assert await read(second, *range(1, 32)) == [200] * 30 + [429]
        trail = await api.sql("SELECT actor FROM audit_events WHERE target = 'read' ORDER BY id")
        assert trail == [str(first.id), str(second.id)]


@pytest.mark.heavy
async def test_an_answer_without_a_body_counts_too(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", ad_reads_per_user=3) as api:
        await author_of(api, 5)
        person, other = await api.person(), await api.person()
        await settle(api)
        tags = [(await other.get(f"/ads/{ad}")).headers["ETag"] for ad in (1, 2, 3)]
        statuses = [
            (await person.get(f"/ads/{ad}", headers={"If-None-Match": tag})).status_code
            for ad, tag in enumerate(tags, 1)
        ]
        assert statuses == [304] * 3
        assert (await person.request("HEAD", "/ads/4")).status_code == 429
        # What does not exist shows no contact.
        assert await read(await api.person(), *range(90, 99), 1) == [404] * 9 + [200]


@pytest.mark.heavy
async def test_every_read_says_how_many_are_left(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", ad_reads_per_user=30) as api:
        author = await author_of(api, 10)
        person = await api.person()
        await settle(api)
        left = []
        for ad in (1, 1, 2, 2, 3, 4, 4):
            headers = (await person.get(f"/ads/{ad}")).headers
            assert headers.get_list("RateLimit-Policy") == ['"read";q=30;w=3600']
            name, remaining, reset = headers["RateLimit"].split(";")
            assert (name, reset[:2]) == ('"read"', "t=")
            left.append(int(remaining.removeprefix("r=")))
        assert left == [29, 29, 28, 28, 27, 26, 26]
        assert "RateLimit" not in (await author.get("/ads/1")).headers


@pytest.mark.heavy
async def test_one_s_own_ads_and_administrators_are_spared(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", ad_reads_per_user=1) as api:
        author = await author_of(api, 5)
        admin = await api.admin()
        await settle(api)
        for person in (author, admin, author, admin):
            assert await read(person, 1, 2, 3) == [200] * 3
        # From the next request on an administrator no more.
        await api.sql("UPDATE users SET role = 'USER' WHERE id = :id", id=admin.id)
        assert await read(admin, 1, 2) == [200, 429]


@pytest.mark.heavy
async def test_a_pair_of_basic_is_counted_as_its_account(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", ad_reads_per_user=2, http_basic=True) as api:
        await author_of(api, 5)
        person = await api.person()
        headers = basic(person.username, PASSWORD)
        statuses = [
            (await api.client.get(f"/ads/{ad}", headers=headers)).status_code for ad in (1, 2, 3)
        ]
        assert statuses == [200, 200, 429]
        assert await read(person, 1, 4) == [200, 429]


@pytest.mark.heavy
async def test_all_processes_count_together(start_api: ApiFactory) -> None:
    options = {"rate_limits": "on", "ad_reads_per_user": 40}
    async with start_api(**options) as api, start_api(**options) as other:
        await author_of(api, 100)
        person = await api.person()
        elsewhere = Person(person.id, person.username, person.token, other.client)
        statuses: list[int] = []
        for ad in range(1, 100, 2):
            statuses += await read(person, ad)
            statuses += await read(elsewhere, ad + 1)
        assert statuses.count(200) == 40
        assert set(statuses) == {200, 429}


@pytest.mark.heavy
async def test_what_an_account_has_read_is_forgotten_with_its_window(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock.of(rate_limits, monkeypatch)
    async with start_api(rate_limits="on", ad_reads_per_user=2) as api:
        await author_of(api, 5)
        person = await api.person()
        assert await read(person, 1, 2, 3) == [200, 200, 429]
        await api.sql("UPDATE rate_limits SET due_at = due_at - interval '1 hour'")
        clock.now += api.state.ad_reads.policy.window
        assert await read(person, 1, 3, 2) == [200, 200, 429]


@pytest.mark.heavy
async def test_what_is_remembered_is_bounded(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "REMEMBERED", 8)
    async with start_api(rate_limits="on") as api:
        await author_of(api, 5)
        for _ in range(5):
            assert await read(await api.person(), 1, 2, 3) == [200] * 3
        reads = api.state.ad_reads
        assert reads._ids == sum(len(account.seen) for account in reads._accounts.values())
        assert reads._ids + len(reads._accounts) <= 8 + 3


async def test_without_limits_nothing_is_counted_and_no_header_is_sent(api: Api) -> None:
    await author_of(api, 5)
    person = await api.person()
    answer = await person.get("/ads/1")
    assert "RateLimit" not in answer.headers
    assert await api.sql("SELECT key FROM rate_limits") == []
