"""Development mode: the clock, provoked answers and mails; without it there is none of these."""

import asyncio
import time
from typing import Any

import pytest
from pydantic import ValidationError

from adsvc.settings import Settings
from conftest import SECRET, ApiFactory
from support.scene.api import Api
from support.scene.talk import talk
from support.scene.warmth import WAIT_SECONDS

DAY = 24 * 3600 * 1000


@pytest.mark.parametrize(
    ("changes", "starts"),
    [
        ({}, True),
        ({"host": "localhost"}, True),
        ({"host": "::1"}, True),
        ({"host": "0.0.0.0"}, False),  # noqa: S104 - what is refused
        ({"host": "::"}, False),
        ({"host": "shop.example.com"}, False),
        ({"smtp_url": "smtp://mail", "mail_from": "a@b.de", "site_url": "https://b.de"}, False),
    ],
)
def test_it_needs_a_loopback_address_and_sends_no_mail(
    changes: dict[str, str], *, starts: bool
) -> None:
    values: dict[str, Any] = {"jwt_secret": SECRET, "development": True, **changes}
    if starts:
        assert Settings(**values).development
    else:
        with pytest.raises(ValidationError, match="ADSVC_DEVELOPMENT needs"):
            Settings(**values)


async def test_nothing_of_it_is_there_without(api: Api) -> None:
    person = await api.person()
    assert (await api.client.post("/dev/clock", json={"milliseconds": 1})).status_code == 404
    assert (await api.client.get("/dev/mails")).status_code == 404
    assert "/dev/" not in (await api.client.get("/openapi.json")).text
    answer = await person.get("/users/me", headers={"Adsvc-Provoke": "503"})
    assert answer.status_code == 200


@pytest.mark.heavy
async def test_developers_let_time_pass_and_provoke_answers(start_own_api: ApiFactory) -> None:
    async with start_own_api(
        development=True, jobs="on", ad_days=30, cors_origins=["https://app.example.com"]
    ) as api:
        found = await talk(api)
        seller, buyer, ad = found.seller, found.buyer, f"/ads/{found.ad}"
        document = (await api.client.get("/openapi.json")).json()
        assert {"/dev/clock", "/dev/mails"} <= document["paths"].keys()
        # Provoked answers, for pages of other origins too.
        asked = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "GET"}
        preflight = await api.client.options("/ads", headers=asked)
        assert "adsvc-provoke" in preflight.headers["Access-Control-Allow-Headers"]
        for value, status in (("429", 429), ("503", 503), ("what", 400)):
            for _ in range(2):
                answer = await buyer.get(ad, headers={"Adsvc-Provoke": value})
                assert answer.status_code == status
                assert ("retry-after" in answer.headers) is (status != 400)
            assert (await buyer.get(ad)).status_code == 200
        began = time.monotonic()
        assert (await buyer.get(ad, headers={"Adsvc-Provoke": "slow=1"})).status_code == 200
        assert time.monotonic() - began >= 1
        offer = (await buyer.post(f"{found.path}/offers", json={"price": 5})).json()
        path = f"{found.path}/messages"
        held = {"Adsvc-Provoke": "held"}
        assert (await buyer.post(path, json={"text": "one"}, headers=held)).status_code == 201
        assert (await buyer.post(path, json={"text": "two"})).status_code == 201
        assert [each for each in await found.texts_for(seller) if each in {"one", "two"}] == ["two"]
        assert "one" in await found.texts_for(buyer)
        # The offer is open for 48 hours.
        expires_at = (await seller.get(ad)).json()["expiresAt"]
        advanced = await api.client.post("/dev/clock", json={"milliseconds": 2 * DAY})
        assert advanced.status_code == 204, advanced.text
        accepted = await seller.post(f"/offers/{offer['id']}/accept")
        assert accepted.status_code == 409
        assert (await seller.get(ad)).json()["expiresAt"] == expires_at - 2 * DAY
        rest = expires_at - 2 * DAY - int(time.time() * 1000) + 1000
        await api.client.post("/dev/clock", json={"milliseconds": rest})
        assert (await buyer.get(ad)).status_code == 410
        assert (await seller.get(ad)).json()["status"] == "expired"
        # Mails.
        await api.sql(
            "UPDATE users SET mail = 'ann@example.com', mail_verified = TRUE WHERE id = 1"
        )
        [name] = await api.sql("SELECT username FROM users WHERE mail IS NOT NULL")
        await api.client.post("/password/forgot", json={"username": name})
        async with asyncio.timeout(WAIT_SECONDS):
            while not (mails := (await api.client.get("/dev/mails")).json()["results"]):  # noqa: ASYNC110 - a file is written
                await asyncio.sleep(0.05)
        assert mails[0]["to"] == "ann@example.com"
        assert "http://localhost" in mails[0]["text"]
