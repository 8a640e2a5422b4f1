"""Access rules: who is refused, and who has more room in the limits."""

import asyncio
from functools import partial

import httpx2
import pytest

from adsvc.api.pipeline.app import Service
from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.running.commands import done, refused
from support.running.in_process import client_at, scope_of
from support.scene.api import Api, Person
from support.scene.factors import kind

OFFICE, SPAMMER, PROXY = "203.0.113.9", "2001:db8:7::1", "192.0.2.77"
NETWORK = "2001:db8:7::/48"


async def change(admin: Person, subject: str, factor: int) -> httpx2.Response:
    sent = {"subject": subject, "factor": factor, "days": 1, "note": "why"}
    return await admin.put("/admin/access-rules", json=sent)


async def searches(api: Api, words: str) -> list[int]:
    async with client_at(api.app, OFFICE) as client:
        found = [await client.get(f"/ads?q={word}") for word in words.split()]
    return [answer.status_code for answer in found]


@pytest.mark.heavy
async def test_a_network_is_refused_or_has_more_room(start_api: ApiFactory) -> None:
    limits = {"rate_limits": RateLimits.ON, "searches_per_address": 1, "writes_per_user": 100}
    async with start_api(**limits, trusted_proxies=(PROXY,)) as api:
        admin = await api.admin()
        forwarded = {"X-Forwarded-For": SPAMMER}
        async with client_at(api.app, SPAMMER) as client, client_at(api.app, PROXY) as proxy:
            # The second response is from memory.
            assert [(await client.get("/ads")).status_code for _ in range(2)] == [200, 200]
            assert (await change(admin, NETWORK, 0)).status_code == 204
            for answer in (
                *[await client.get(path) for path in ("/ads", "/site", "/ads.atom")],
                await client.post("/login", json={"username": "x", "password": "y"}),
                await proxy.get("/ads", headers=forwarded),
            ):
                assert (answer.status_code, kind(answer)) == (403, "network-refused")
            assert (await client.get("/livez")).status_code == 200
            assert (await proxy.get("/ads")).status_code == 200
            # Before the proxy's headers are read, no response comes from memory.
            assert isinstance(api.app, Service)
            for address, is_answered in ((PROXY, False), (SPAMMER, False), (OFFICE, True)):
                scope = {**scope_of("GET", "/ads"), "client": (address, 50000)}
                assert (api.app.immediate_response(scope) is not None) is is_answered, address
            # Of several networks with the address the narrowest counts.
            assert (await change(admin, SPAMMER, 2)).status_code == 204
            assert (await client.get("/ads")).status_code == 200
            assert (await change(admin, SPAMMER, 1)).status_code == 204
            assert (await client.get("/ads")).status_code == 403
            assert (await change(admin, NETWORK, 1)).status_code == 204
            assert (await client.get("/ads")).status_code == 200
        assert await searches(api, "oak elm") == [200, 429]
        assert (await change(admin, "203.0.113.0/28", 3)).status_code == 204
        assert await searches(api, "ash fir yew box") == [200, 200, 200, 429]
        for subject, factor, code, where in (
            ("nonsense", 2, "wrong-format", "/subject"),
            ("203.0.113.9/24", 0, "wrong-format", "/subject"),
            ("0.0.0.0/0", 0, "wrong-format", "/subject"),
            ("192.0.2.0/24", 0, "inconsistent", "/subject"),
            ("user:7", 0, "inconsistent", "/factor"),
        ):
            found = await change(admin, subject, factor)
            assert found.status_code == 400
            [fault] = found.json()["errors"]
            assert (fault["code"], fault["pointer"]) == (code, where), subject
        listed = (await admin.get("/admin/access-rules")).json()["results"]
        assert [(each["subject"], each["factor"]) for each in listed] == [("203.0.113.0/28", 3)]
        policies = [
            (await change(admin, f"user:{admin.id}", 5)).headers["RateLimit-Policy"]
            for _ in range(2)
        ]
        assert [policy.split(";")[1] for policy in policies] == ["q=100", "q=500"]
        for subject in ("203.0.113.0/28", f"user:{admin.id}"):
            await change(admin, subject, 1)
        kept = "SELECT target FROM audit_events WHERE event = 'access_rule_changed' ORDER BY id"
        assert (await api.sql(kept))[:2] == [f"{NETWORK} 0", f"{SPAMMER}/128 2"]


@pytest.mark.heavy
async def test_a_command_adds_and_removes_rules(start_own_api: ApiFactory) -> None:
    async with start_own_api() as api:
        values = api.state.settings.to_environment().items()
        environment = {name: text for name, text in values if name.startswith("ADSVC_")}
        run = partial(done, "access-rules", environment=environment)
        added = run("198.51.100.7", "0", "--note", "Tries passwords.").split("\t")
        assert (added[:2], added[3]) == (["198.51.100.7/32", "0"], "Tries passwords.\n")
        async with client_at(api.app, "198.51.100.7") as client, asyncio.timeout(10):
            while (await client.get("/ads")).status_code != 403:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert "address" in refused("access-rules", "nonsense", "0", environment=environment)
        assert run("198.51.100.7", "1") == ""
