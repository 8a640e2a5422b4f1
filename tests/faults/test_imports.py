"""Feeds of a dealer: killed on their way, sent again each night, and made to hold up others."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from adsvc.kit.pictures.containers import files_of
from faults.conftest import NewService
from faults.greedy import slow_picture
from faults.scale import measured, times
from faults.served import Service, register
from faults.test_one_client import SIDE, others_are_served, upload_by
from support.outside.receiver import receiving
from support.pictures.samples import phone_photo
from support.scene.api import Person

pytestmark = [pytest.mark.drill, pytest.mark.alone]

ADS = times(500, short=20)
ROWS = times(10_000, short=400)
HERE = "127.0.0.0/8"


def row(number: int, **members: object) -> dict[str, object]:
    ad = {"title": f"Table {number}", "price": number, "description": "Solid oak, oiled."}
    return {"externalId": f"SKU-{number}", **ad, **members}


async def sent(person: Person, rows: list[dict[str, object]]) -> str:
    """The path of the import."""
    body = "".join(f"{json.dumps(each)}\n" for each in rows)
    headers = {"Content-Type": "application/x-ndjson"}
    answer = await person.post("/imports", content=body, headers=headers)
    assert answer.status_code == 202, answer.text
    return str(answer.headers["Location"])


async def reached(
    person: Person, path: str, check: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    async with asyncio.timeout(900):
        while True:
            state: dict[str, Any] = (await person.get(path)).json()
            if check(state):
                return state
            await asyncio.sleep(0.2)


def is_done(state: dict[str, Any]) -> bool:
    return bool(state["status"] == "done")


def has_come(part: int, state: dict[str, Any]) -> bool:
    return bool(3 * state["pending"] <= (3 - part) * ADS)


async def dealer_of(service: Service, person: Person) -> None:
    admin = await register(person.client)
    assert (await service.run("users", "promote", admin.username)).returncode == 0
    answer = await admin.patch(f"/users/{person.id}", json={"plan": "dealer"})
    assert answer.status_code == 200, answer.text


async def test_an_import_goes_on_after_each_kill_and_makes_no_ad_twice(
    new_service: NewService,
) -> None:
    service = new_service(rate_limits="on", webhook_networks=HERE)
    await service.start()
    async with (
        receiving(status=200, body=phone_photo(1600, 1200)) as photos,
        service.client() as client,
    ):
        dealer = await register(client)
        await dealer_of(service, dealer)
        feed = [
            row(number, images=[f"{photos.url}/{number}/{each}" for each in range(2)])
            for number in range(ADS)
        ]
        began = time.monotonic()
        path = await sent(dealer, feed)
        for part in (1, 2):
            await reached(dealer, path, partial(has_come, part))
            await service.kill()
            await service.start()
        state = await reached(dealer, path, is_done)
        measured(f"{ADS} ads with two pictures, killed twice", time.monotonic() - began)
        # An ad that was there before its row had ended is updated.
        assert (state["created"] + state["updated"], state["failed"]) == (ADS, 0), state
        ads: dict[int, str] = {}
        cursor: str | None = None
        while cursor is not None or not ads:
            query: dict[str, str | int] = {"limit": 100} | ({"cursor": cursor} if cursor else {})
            page = (await dealer.get("/ads/me", params=query)).json()
            ads |= {ad["pk"]: ad["externalId"] for ad in page["results"]}
            cursor = page["next"]
        assert sorted(ads.values()) == sorted(str(each["externalId"]) for each in feed)
        pictures = [
            image["image"].rpartition("/")[2]
            for ad in ads
            for image in (await dealer.get(f"/ads/{ad}")).json()["images"]
        ]
        assert len(pictures) == 2 * ADS
        assert (await service.run("sweep", "--grace", "0", "--force")).returncode == 0
        assert service.image_files() == set(files_of(sorted(pictures)))
        again = await reached(dealer, await sent(dealer, feed), is_done)
        assert again["unchanged"] == ADS


async def test_a_nightly_feed_without_changes_costs_seconds(new_service: NewService) -> None:
    service = new_service()
    await service.start()
    async with service.client() as client:
        dealer = await register(client)
        feed = [row(number, status="draft") for number in range(ROWS)]
        await reached(dealer, await sent(dealer, feed), is_done)
        began = time.monotonic()
        state = await reached(dealer, await sent(dealer, feed), is_done)
        measured(f"{ROWS} unchanged rows", time.monotonic() - began)
        assert state["unchanged"] == ROWS


async def test_row_43_slow_pictures_of_an_import_do_not_hold_up_those_of_others(
    new_service: NewService,
) -> None:
    service = new_service(rate_limits="on", webhook_networks=HERE, uploads_per_user=100_000)
    await service.start()
    async with (
        receiving(status=200, body=slow_picture(SIDE)) as photos,
        service.client() as client,
    ):
        thief, other = await register(client), await register(client)
        feed = [row(number, images=[photos.url] * 12) for number in range(500)]

        @asynccontextmanager
        async def importing() -> AsyncIterator[None]:
            path = await sent(thief, feed)
            yield
            assert (await thief.get(path)).json()["status"] == "running"
            # No picture comes any more.
            photos.answers.clear()

        await others_are_served("row 43, import", upload_by(other), importing())
        assert len(photos.received) > 0
