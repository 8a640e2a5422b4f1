"""Maintenance: who gets through, what others are told, and that all processes follow."""

import asyncio

import httpx2
import pytest

from conftest import ApiFactory
from support.running.commands import done
from support.scene.api import Api, Person, ad_form
from support.scene.factors import kind

TEXT = "Back at noon."
OPEN = {True: {"text": "", "retryAfter": 300}, False: {}}


async def statuses(client: httpx2.AsyncClient, person: Person, ad: int) -> list[int]:
    """Of a list, an ad, a page, a feed, a change, a login, and the probes."""
    headers = {**person.headers, "Accept": "*/*"}
    login = {"username": person.username, "password": person.password}
    answers = [
        *[await client.get(path) for path in ("/ads", "/ads.atom")],
        await client.get("/", headers={"Accept": "text/html"}),
        await client.get(f"/ads/{ad}", headers=headers),
        await client.patch("/users/me", json={"firstName": "Anna"}, headers=headers),
        await client.post("/login", json=login),
        *[await client.get(path) for path in ("/livez", "/readyz", "/site")],
        await client.get("/console", headers={"Accept": "text/html"}),
    ]
    return [answer.status_code for answer in answers]


async def change(admin: Person, mode: str) -> None:
    sent = {"mode": mode, "text": TEXT, "retryAfter": 60}
    answer = await admin.put("/admin/maintenance", json=sent)
    assert answer.status_code == 204
    assert (await admin.get("/admin/maintenance")).json() == {**sent, **OPEN[mode == "off"]}


@pytest.mark.heavy
async def test_others_than_administrators_are_told_when_to_come_back(api: Api) -> None:
    admin, person = await api.admin(), await api.person()
    ad = (await person.post_ad())["pk"]
    # Answers in memory are refused too.
    assert await statuses(api.client, person, ad) == [200] * 10
    try:
        await change(admin, "read-only")
        assert await statuses(api.client, person, ad) == [200] * 4 + [503] + [200] * 5
        await change(admin, "on")
        assert await statuses(api.client, person, ad) == [503] * 5 + [200] * 5
        assert (await statuses(api.client, admin, ad))[3:] == [200] * 7
        refused = await api.client.post("/ads", files=ad_form())
        assert (refused.status_code, kind(refused)) == (503, "maintenance")
        assert refused.json()["detail"] == TEXT
        assert refused.headers["Retry-After"] == "60"
        preflight = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "GET"}
        assert (await api.client.options("/ads", headers=preflight)).status_code == 204
        # A token that is worth nothing opens nothing.
        forged = {"Authorization": "Bearer x"}
        assert (await api.client.get("/ads", headers=forged)).status_code == 503
    finally:
        await change(admin, "off")
    assert await statuses(api.client, person, ad) == [200] * 10
    kept = "SELECT target FROM audit_events WHERE event = 'maintenance_changed' ORDER BY id"
    assert await api.sql(kept) == ["read-only", "on", "off"]


@pytest.mark.heavy
async def test_a_command_closes_and_opens_the_site(start_own_api: ApiFactory) -> None:
    async with start_own_api() as api:
        environment = {
            name: text
            for name, text in api.state.settings.to_environment().items()
            if name.startswith("ADSVC_")
        }

        async def answered(status: int) -> None:
            async with asyncio.timeout(10):
                while (await api.client.get("/ads")).status_code != status:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

        assert done("maintenance", environment=environment) == "off\n"
        closed = done("maintenance", "on", "--text", TEXT, environment=environment)
        assert closed == f"on\t{TEXT}\n"
        await answered(503)
        done("maintenance", "off", environment=environment)
        await answered(200)
