import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy import text

from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.schemas.export import ExportedLife
from adsvc.services.accounts import export as exporting
from adsvc.services.accounts.export import BATCH_BYTES, FIRST_RECORDS, MOST_RECORDS
from adsvc.services.ads.lifecycle import mark_expired
from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.contract.expected import RECORDS
from support.running.in_process import HERE
from support.scene.api import Api, Person, image_form
from support.scene.listings import insert_ads
from support.scene.logins import basic, bearer, log_in

MANY = 3 * MOST_RECORDS


async def export(person: Person) -> dict[str, Any]:
    answer = await person.get("/users/me/export")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "attachment" in answer.headers["Content-Disposition"]
    document: dict[str, Any] = json.loads(answer.content.decode())
    return document


LISTS = set(RECORDS["AccountExport"]) - {"user", "sessions", "preferences"}


@pytest.mark.heavy
async def test_a_new_account_holds_little(api: Api) -> None:
    person = await api.person("Ännchen@example.com", firstName='Ä "quoted" \\ </script>\u2028')
    document = await export(person)
    assert document.keys() == {"user", "sessions", "preferences", *LISTS}
    user = document["user"]
    assert isinstance(user.pop("createdAt"), int)
    me = (await person.get("/users/me")).json()
    assert me == {**user, "recoveryCodesLeft": 0, "storageUsed": 0, "storageQuota": 1024**3}
    assert all(document[name] == [] for name in LISTS)
    (session,) = document["sessions"]
    assert session.keys() == {"id", "client", "beganAt", "lastUsedAt", "expiresAt"}


@pytest.mark.heavy
async def test_everything_of_the_caller_is_there_and_nothing_of_others(api: Api) -> None:
    person, other = await api.person(), await api.person()
    await person.patch("/users/me/image", files=image_form())
    ads = [await person.post_ad(title=f"Ad {number}") for number in range(3)]
    foreign = await other.post_ad(title="Of another")
    texts = []
    for ad in (*ads, foreign):
        for author in (person, other):
            text = f"{author.username} on {ad['title']}"
            await author.post(f"/ads/{ad['pk']}/comments", json={"text": text})
            texts += [text] if author is person else []
    document = await export(person)
    assert document["user"]["image"] == (await person.get("/users/me")).json()["image"]
    assert [(ad["id"], ad["title"], ad["image"]) for ad in document["ads"]] == [
        (ad["pk"], ad["title"], ad["image"]) for ad in ads
    ]
    assert {ad["description"] for ad in document["ads"]} == {"Solid oak, one scratch."}
    assert [comment["text"] for comment in document["comments"]] == texts
    assert [comment["adId"] for comment in document["comments"]] == [
        ad["pk"] for ad in (*ads, foreign)
    ]
    assert other.username not in json.dumps(document)


async def test_no_secret_is_exported(api: Api) -> None:
    person = await api.person()
    pair = await log_in(api, person)
    document = json.dumps(await export(person))
    hashes = await api.sql("SELECT password_hash FROM users")
    hashes += await api.sql("SELECT encode(handle_hash, 'hex') FROM sessions")
    hashes += await api.sql("SELECT encode(secret_hash, 'hex') FROM sessions")
    tokens = (pair["access_token"], pair["refresh_token"])
    for secret in (*hashes, *tokens, person.password, "argon2", "hash"):
        assert secret not in document, secret


@pytest.mark.heavy
@pytest.mark.parametrize("rows", [0, 1, FIRST_RECORDS, FIRST_RECORDS + 1, MANY])
async def test_an_export_of_any_length_is_one_document(api: Api, rows: int) -> None:
    person, other = await api.person(), await api.person()
    ad = await other.post_ad()
    await api.sql(
        "INSERT INTO ads (author_id, title, description, price, image)"
        " SELECT :author, 'Ad ' || n, 'Some words', n, md5(n::text) || '.jpg'"
        " FROM generate_series(1, :rows) n RETURNING id",
        author=person.id,
        rows=rows,
    )
    await api.sql(
        "INSERT INTO comments (ad_id, author_id, text)"
        " SELECT :ad, :author, 'Comment ' || n"
        " FROM generate_series(1, :rows) n RETURNING id",
        ad=ad["pk"],
        author=person.id,
        rows=rows,
    )
    # Some of them were removed, and stand where they stood.
    await api.sql(
        "WITH gone AS (DELETE FROM comments WHERE id % 3 = 0 RETURNING *)"
        " INSERT INTO removed_comments (id, ad_id, author_id, text, created_at, updated_at)"
        " SELECT id, ad_id, author_id, text, created_at, updated_at FROM gone RETURNING id"
    )
    document = await export(person)
    numbers = range(1, rows + 1)
    assert [found["price"] for found in document["ads"]] == list(numbers)
    assert [found["text"] for found in document["comments"]] == [f"Comment {n}" for n in numbers]
    assert all(found["adId"] == ad["pk"] for found in document["comments"])


@pytest.mark.heavy
async def test_pieces_of_an_export_are_bounded_however_long_its_records_are(api: Api) -> None:
    person = await api.person()
    # Each has four bytes of UTF-8.
    longest = "\N{GRINNING FACE}" * 8000
    await insert_ads(api, person.id, [{"title": "Oak", "description": longest}] * 40)
    async with api.state.database.autocommit() as session:
        user = await user_rows.get(session, person.id)
        assert user is not None
        caller = CallerAccount.of(user)
    pieces = [len(piece) async for piece in api.state.exports.pieces(caller)]
    assert sum(pieces) > 40 * 32_000
    assert max(pieces) < BATCH_BYTES + 40_000


@pytest.mark.heavy
async def test_an_export_takes_no_credentials_but_ones_own(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True) as api:
        person = await api.person()
        assert (await api.client.get("/users/me/export")).status_code == 401
        headers = basic(person.username, person.password)
        answer = await api.client.get("/users/me/export", headers=headers)
        assert answer.json()["user"]["id"] == person.id


async def test_head_describes_an_export_without_sending_it(api: Api) -> None:
    person = await api.person()
    answer = await person.request("HEAD", "/users/me/export")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.heavy
async def test_the_life_of_each_ad_is_in_the_export(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    ad = (await person.post_ad(status="draft"))["pk"]
    await person.post(f"/ads/{ad}/publish")
    await admin.post(f"/ads/{ad}/reserve")
    await api.sql("UPDATE ads SET expires_at = now() - interval '1 s'")
    await mark_expired(api.state.database)
    [found] = (await export(person))["ads"]
    ExportedLife.model_validate(found)
    told = [tuple(step[name] for name in ("event", "from", "to", "by")) for step in found["events"]]
    assert told == [
        ("created", None, "draft", "author"),
        ("published", "draft", "active", "author"),
        ("reserved", "active", "reserved", "administrator"),
        ("expired", "reserved", "expired", "clock"),
    ]
    moments = [step["at"] for step in found["events"]]
    assert moments[:3] == sorted(moments[:3])
    assert moments[3] == found["expiresAt"]
    assert (found["status"], found["soldAt"]) == ("expired", None)


@asynccontextmanager
async def under_way(api: Api, person: Person) -> AsyncIterator[asyncio.Task[httpx2.Response]]:
    """An export that cannot go on before the end of the block."""
    async with api.state.database.engine.begin() as connection:
        await connection.execute(text("LOCK TABLE comments"))
        task = asyncio.create_task(person.get("/users/me/export"))
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        while await api.sql(waits) == [0]:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.01)
        yield task


@pytest.mark.heavy
async def test_an_account_has_one_export_at_a_time(start_own_api: ApiFactory) -> None:
    async with start_own_api() as api:
        person, other = await api.person(), await api.person()
        async with under_way(api, person) as first:
            second = await person.get("/users/me/export")
            assert second.status_code == 429
            assert second.json()["type"] == "/problems#rate-limited"
            assert int(second.headers["Retry-After"]) >= 1
            # That of another account begins beside it.
            beside = asyncio.create_task(other.get("/users/me/export"))
        assert (await first).json()["comments"] == []
        assert (await beside).status_code == 200
        assert (await person.get("/users/me/export")).status_code == 200


@pytest.mark.heavy
async def test_a_network_has_a_part_of_the_exports_under_way(api: Api) -> None:
    person, place = await api.person(), api.state.exports.place
    with ExitStack() as under_way:
        for account in range(-16, 0):
            assert (await person.get("/users/me/export")).status_code == 200
            under_way.enter_context(place(account, HERE))
        refused = await person.get("/users/me/export")
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) >= 1
        # The networks around it have twice as many.
        for account in range(100, 116):
            under_way.enter_context(place(account, f"192.0.2.{account}"))
        async with api.at("192.0.2.99") as beside, api.at("198.51.100.7") as elsewhere:
            for client, status in ((beside, 429), (elsewhere, 200)):
                answer = await client.get("/users/me/export", headers=bearer(person.token))
                assert answer.status_code == status


@pytest.mark.heavy
async def test_an_export_outlives_a_database_that_does_not_answer_for_a_moment(
    start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "PAUSES", (0.05,) * 40)
    async with start_own_api(database_timeout_seconds=0.3) as api:
        person = await api.person()
        ad = await person.post_ad()
        await person.post(f"/ads/{ad['pk']}/comments", json={"text": "Here"})
        async with under_way(api, person) as task:
            # Longer than a statement may take.
            await asyncio.sleep(0.5)
            assert not task.done()
        assert [found["text"] for found in (await task).json()["comments"]] == ["Here"]


@pytest.mark.heavy
async def test_an_account_exports_so_often_in_an_hour(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, exports_per_user=2) as api:
        person, other = await api.person(), await api.person()
        statuses = [(await person.get("/users/me/export")).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert (await other.get("/users/me/export")).status_code == 200
