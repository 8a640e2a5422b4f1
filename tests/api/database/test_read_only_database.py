"""A read-only database, as a standby or a full disk leaves it."""

from secrets import token_hex

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.kit import invalidation
from adsvc.kit.db import servers
from adsvc.settings.groups import Jobs
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person, ad_form
from support.trouble.clocks import Clock


async def _admin(server_url: URL, *statements: str) -> None:
    engine = create_async_engine(server_url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def _set_read_only(server_url: URL, api: Api) -> None:
    name = api.state.database.engine.url.database
    await _admin(
        server_url,
        f"ALTER DATABASE {name} SET default_transaction_read_only = on",
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "  # noqa: S608
        f"WHERE datname = '{name}'",
    )


async def _writes(api: Api, person: Person) -> list[int]:
    credentials = {"username": f"{token_hex(4)}@example.com", "password": PASSWORD}
    answers = [
        await person.patch("/ads/1", json={"price": 7}),
        await person.patch("/users/me", json={"firstName": "Anna"}),
        await person.request("POST", "/ads", files=ad_form()),
        await api.client.post("/register", json=credentials),
    ]
    for answer in answers:
        if answer.is_error:
            assert answer.json()["type"] == "/problems#unavailable", answer.text
            assert answer.headers["Retry-After"] == "1"
    return [answer.status_code for answer in answers]


@pytest.mark.heavy
async def test_a_database_that_takes_no_writes_is_not_the_client_s_fault(
    server_url: URL, start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock.of(invalidation, monkeypatch)
    # Nothing else takes the one connection.
    async with start_own_api(database_pool_size=1, jobs=Jobs.OFF) as api:
        person = await api.person()
        await person.post_ad()
        await _set_read_only(server_url, api)
        assert await _writes(api, person) == [503] * 4
        # What only reads goes on.
        assert (await api.client.get("/ads")).json()["count"] == 1
        assert (await person.get("/users/me")).status_code == 200
        clock.now += 5
        ready = await api.client.get("/readyz")
        assert (ready.status_code, ready.json()["degraded"]) == (200, ["writes"])
        required = await api.client.get("/readyz?require=writes")
        assert required.status_code == 503
        assert "takes no writes" in required.json()["detail"]
        # Sessions that began meanwhile would stay as they are.
        name = api.state.database.engine.url.database
        await _admin(server_url, f"ALTER DATABASE {name} RESET default_transaction_read_only")
        monkeypatch.setattr(servers, "INVALIDATION_SECONDS", 0)
        await _writes(api, person)
        assert await _writes(api, person) == [200, 200, 201, 201]
        clock.now += 5
        assert (await api.client.get("/readyz")).json()["degraded"] == []
