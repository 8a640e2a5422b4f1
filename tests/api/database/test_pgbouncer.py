"""The database behind PgBouncer, in session mode and in transaction mode."""

import asyncio
import time

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import URL

from adsvc.kit.db.servers import Servers, connection_name
from adsvc.settings import DatabasePooling
from conftest import ApiFactory
from support.running.pooler import PGBOUNCER, pooled
from support.scene.api import Api

SHOWN = "SELECT current_setting(:name)"

SECONDS = 10

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")


async def _used(api: Api) -> None:
    person = await api.register("anna@example.com")
    ad = await person.post_ad(title="Oak table")
    assert (await api.client.get("/ads", params={"q": "oak"})).json()["count"] == 1
    for _ in range(2):
        assert (await person.get(f"/ads/{ad['pk']}")).status_code == 200
    assert (await api.client.get("/readyz")).status_code == 200
    assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204


async def _crowded(api: Api) -> None:
    """Many at once, so that one client's statements come between those of others."""
    people = [await api.person() for _ in range(4)]
    ads = [await person.post_ad(title="Oak table") for person in people]

    async def change(number: int) -> None:
        person, ad = people[number % 4], ads[number % 4]
        key = {"Idempotency-Key": f"{number}"}
        text = {"text": f"Number {number}"}
        path = f"/ads/{ad['pk']}"
        answers = [
            await person.patch(path, json={"price": number}),
            await person.request("POST", f"{path}/comments", json=text, headers=key),
            await person.get(path),
            await api.client.get("/ads", params={"minPrice": number, "q": "oak"}),
            await api.client.get("/categories"),
            await person.patch("/users/me", json={"firstName": f"{number}"}),
            await person.get("/users/me/sessions"),
        ]
        assert [answer.status_code for answer in answers] == [200] * 7, number

    # No more than get their turn in time.
    for number in range(0, 24, 6):
        await asyncio.gather(*(change(number + more) for more in range(6)))
    for person, ad in zip(people, ads, strict=True):
        comments = await person.get(f"/ads/{ad['pk']}/comments")
        assert comments.json()["count"] == 6


@pytest.mark.heavy
async def test_the_service_works_by_a_pooler_that_lends_for_a_transaction(
    start_api: ApiFactory, database_url: URL
) -> None:
    with pooled(database_url, "transaction") as url:
        changes = {
            "database_url": SecretStr(url.render_as_string(hide_password=False)),
            "database_listen_url": SecretStr(database_url.render_as_string(hide_password=False)),
            "database_pooling": DatabasePooling.TRANSACTION,
        }
        async with start_api(**changes) as api:
            await _used(api)
            await _crowded(api)
            database = api.state.database
            # The settings of a transaction are in force in it, and in no other.
            assert await api.sql(SHOWN, name="statement_timeout") == ["3s"]
            [row] = await database.reader.fetch("SELECT current_setting('enable_seqscan') AS a")
            assert row["a"] == "off"
            connection = await Servers(url).connect(statement_cache_size=0)
            async with connection.transaction():
                assert await connection.fetchval("SHOW statement_timeout") == "0"
                assert await connection.fetchval("SHOW enable_seqscan") == "on"
                named = await connection.fetchval("SELECT count(*) FROM pg_prepared_statements")
                # The one that counts has no name.
                assert named == 0
            await connection.close()
            deadline = time.monotonic() + SECONDS
            while not database.changes.reliable:
                assert time.monotonic() < deadline
                await api.client.get("/livez")


@pytest.mark.heavy
async def test_the_service_works_by_a_pooler_that_keeps_sessions(
    start_api: ApiFactory, database_url: URL
) -> None:
    with pooled(database_url) as url:
        address = SecretStr(url.render_as_string(hide_password=False))
        async with start_api(database_url=address) as api:
            await _used(api)
            database = api.state.database
            # The settings of connections are in force there too.
            assert await api.sql(SHOWN, name="statement_timeout") == ["3s"]
            assert await api.sql(SHOWN, name="enable_seqscan") == ["off"]
            shown = await database.reader.fetchrow(
                "SELECT current_setting('statement_timeout') AS a,"
                " current_setting('plan_cache_mode') AS b, current_setting('application_name') AS c"
            )
            assert shown is not None
            name = connection_name("searches")
            assert tuple(shown.values()) == ("3s", "force_custom_plan", name)
            # And the service hears of what others change.
            deadline = time.monotonic() + SECONDS
            while not database.changes.reliable:
                assert time.monotonic() < deadline
                await api.client.get("/livez")


@pytest.mark.heavy
async def test_a_pooler_without_its_setting_is_named_within_a_minute(
    start_api: ApiFactory, database_url: URL
) -> None:
    with pooled(database_url, "transaction") as url:
        changes = {
            "database_url": SecretStr(url.render_as_string(hide_password=False)),
            "database_listen_url": SecretStr(database_url.render_as_string(hide_password=False)),
        }
        async with start_api(**changes) as api:
            deadline = time.monotonic() + SECONDS
            while (answer := await api.client.get("/readyz")).status_code != 503:
                assert time.monotonic() < deadline
                lists = (api.client.get("/ads", params={"q": f"oak{n}"}) for n in range(8))
                await asyncio.gather(*lists)
            assert "set ADSVC_DATABASE_POOLING=transaction" in answer.json()["detail"]
