"""Random lives of ads end as a model in memory says, with the caches in use."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text

from adsvc.services.ads.lifecycle import mark_expired
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import Api, Person, image_form
from support.scene.warmth import settle
from support.trouble.clocks import Clock

DAY = 86_400
MOST_IMAGES = 3
HEIGHTS = st.integers(40, 90)
SHOWN = ("active", "reserved")
STEPS = {
    "publish": ({"draft", "withdrawn", "expired"}, "active"),
    "reserve": ({"active"}, "reserved"),
    "release": ({"reserved"}, "active"),
    "sell": ({"active", "reserved"}, "sold"),
    "withdraw": ({"draft", "active", "reserved", "expired"}, "withdrawn"),
    "renew": ({"active", "expired"}, "active"),
}
TOLD = {"draft": 404, "withdrawn": 404, "sold": 410, "expired": 410}
# No trigger notices that time passes.
PASS = (
    "SET LOCAL session_replication_role = replica",
    "UPDATE ads SET expires_at = expires_at - make_interval(secs => :seconds)",
)


Images = list[dict[str, Any]]


def heights_of(images: Images) -> list[int]:
    return [image["height"] for image in images]


@dataclass
class ModelAd:
    status: str
    price: int
    expires_at: float | None
    # Of its pictures, in their order: by its height each is known again.
    heights: list[int]


@dataclass
class Scene:
    api: Api
    author: Person
    stranger: Person
    clock: Clock
    loop: asyncio.AbstractEventLoop


@pytest.fixture
async def scene(start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    async with start_api(ad_days=1, ad_images_max=MOST_IMAGES) as api:
        clock = Clock()
        monkeypatch.setattr(api.state.responses, "now", clock.monotonic)
        author, stranger = await api.person(), await api.person()
        await settle(api)
        yield Scene(api, author, stranger, clock, asyncio.get_running_loop())


class Lives(RuleBasedStateMachine):
    """Runs in a thread beside the loop of the application."""

    scene: ClassVar[Scene]
    ads = Bundle("ads")

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[int, ModelAd] = {}
        self.now = 0.0

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.scene.loop).result(timeout=30)

    def status(self, ad: int) -> str:
        known = self.model[ad]
        over = known.expires_at is not None and known.expires_at <= self.now
        return "expired" if known.status in SHOWN and over else known.status

    @rule(target=ads, status=st.sampled_from(["active", "draft"]))
    def create(self, status: str) -> int:
        image = pictures.jpeg(48, 40)
        ad: int = self.run(self.scene.author.post_ad(image=image, status=status))["pk"]
        expires_at = self.now + DAY if status == "active" else None
        self.model[ad] = ModelAd(status, 1500, expires_at, [40])
        return ad

    @rule(ad=ads, name=st.sampled_from([*STEPS]), price=st.none() | st.integers(0, 9999))
    def step(self, ad: int, name: str, price: int | None) -> None:
        sent = {"json": {"price": price}} if name == "sell" and price is not None else {}
        answer = self.run(self.scene.author.post(f"/ads/{ad}/{name}", **sent))
        sources, to = STEPS[name]
        before, known = self.status(ad), self.model[ad]
        # Only a draft loses its last picture, so what has none was never shown.
        if name == "publish" and before in sources and not known.heights:
            assert answer.status_code == 400
            assert [error["pointer"] for error in answer.json()["errors"]] == ["/image"]
            return
        if before not in sources:
            assert answer.status_code == 409
            assert answer.json()["from"] == before
            return
        assert answer.status_code == 200, answer.text
        known.status = to
        if name in {"publish", "renew"}:
            known.expires_at = self.now + DAY
        elif name in {"sell", "withdraw"}:
            known.expires_at = None
        if sent and price is not None:
            known.price = price
        assert (answer.json()["status"], answer.json()["price"]) == (to, known.price)

    @rule(ad=ads, price=st.integers(0, 9999))
    def change(self, ad: int, price: int) -> None:
        answer = self.run(self.scene.author.patch(f"/ads/{ad}", json={"price": price}))
        assert (answer.status_code, answer.json()["status"]) == (200, self.status(ad))
        self.model[ad].price = price

    @rule(ad=ads, height=HEIGHTS)
    def add_a_picture(self, ad: int, height: int) -> None:
        form, heights = image_form(pictures.jpeg(48, height)), self.model[ad].heights
        answer = self.run(self.scene.author.post(f"/ads/{ad}/images", files=form))
        if len(heights) == MOST_IMAGES:
            assert answer.status_code == 409
        else:
            assert answer.status_code == 201, answer.text
            heights.append(height)
            assert heights_of(answer.json()["results"]) == heights

    @rule(ad=ads, height=HEIGHTS)
    def replace_the_first_picture(self, ad: int, height: int) -> None:
        form = image_form(pictures.jpeg(48, height))
        answer = self.run(self.scene.author.patch(f"/ads/{ad}/image", files=form))
        assert answer.status_code == 200, answer.text
        self.model[ad].heights[:1] = [height]

    @rule(ad=ads)
    def turn_the_pictures_round(self, ad: int) -> None:
        self.model[ad].heights.reverse()
        ids = [image["id"] for image in reversed(self.run(self._images(ad)))]
        answer = self.run(self.scene.author.patch(f"/ads/{ad}/images", json={"order": ids}))
        assert answer.status_code == 200, answer.text
        assert heights_of(answer.json()["results"]) == self.model[ad].heights

    @rule(ad=ads, at=st.integers(0, MOST_IMAGES - 1))
    def delete_a_picture(self, ad: int, at: int) -> None:
        heights = self.model[ad].heights
        if not heights:
            return
        at %= len(heights)
        image = self.run(self._images(ad))[at]["id"]
        answer = self.run(self.scene.author.delete(f"/ads/{ad}/images/{image}"))
        if len(heights) == 1 and self.status(ad) != "draft":
            assert answer.status_code == 409
        else:
            assert answer.status_code == 204, answer.text
            del heights[at]

    async def _images(self, ad: int) -> Images:
        own: dict[str, Any] = (await self.scene.author.get(f"/ads/{ad}")).json()
        images: Images = own["images"]
        missing = {"image": "", "variants": {"thumb": {"path": ""}}}
        first: dict[str, Any] = images[0] if images else missing
        assert (own["image"], own["imageCount"]) == (first["image"], len(images))
        assert own["thumbnail"] == first["variants"]["thumb"]["path"]
        return images

    @rule(target=ads, ad=consumes(ads))
    def delete(self, ad: int) -> Any:
        assert self.run(self.scene.author.delete(f"/ads/{ad}")).status_code == 204
        del self.model[ad]
        return multiple()

    # No ad expires at the very moment of another step.
    @rule(tenths=st.sampled_from([4, 12]))
    def time_passes(self, tenths: int) -> None:
        seconds = DAY * tenths / 10
        self.run(self._pass(seconds))
        self.now += seconds
        self.scene.clock.now += seconds

    async def _pass(self, seconds: float) -> None:
        async with self.scene.api.state.database.transaction() as transaction:
            for statement in PASS:
                values = {"seconds": seconds} if ":seconds" in statement else {}
                await transaction.execute(text(statement), values)

    @rule()
    def mark(self) -> None:
        self.run(self._mark())
        shown = sum(self.status(ad) in SHOWN for ad in self.model)
        assert self.run(self.scene.api.client.get("/ads?limit=7")).json()["count"] == shown

    async def _mark(self) -> None:
        await mark_expired(self.scene.api.state.database)
        # Nobody else is still at it, and what they have done is known.
        for _ in range(100):
            late = "SELECT count(*) FROM ads WHERE status IN ('active', 'reserved')"
            if await self.scene.api.sql(f"{late} AND expires_at <= now()") == [0]:
                break
            await asyncio.sleep(0.02)
        await settle(self.scene.api)

    @rule(chosen=st.lists(st.sampled_from([*SHOWN, *TOLD]), min_size=1, max_size=3))
    def look_at_one_s_own(self, chosen: list[str]) -> None:
        found = self.run(self.scene.author.get("/ads/me", params={"status": chosen})).json()
        there = {ad: self.status(ad) for ad in self.model if self.status(ad) in chosen}
        assert {ad["pk"]: ad["status"] for ad in found["results"]} == there
        assert found["count"] == len(there)

    @rule(ad=ads)
    def look_at_one(self, ad: int) -> None:
        status = self.status(ad)
        for _ in range(2):
            answer = self.run(self.scene.stranger.get(f"/ads/{ad}"))
            assert answer.status_code == TOLD.get(status, 200), status
        own = self.run(self.scene.author.get(f"/ads/{ad}")).json()
        assert (own["status"], own["price"]) == (status, self.model[ad].price)
        assert heights_of(self.run(self._images(ad))) == self.model[ad].heights

    @invariant()
    def lists_have_what_is_shown(self) -> None:
        shown = {
            ad: (self.status(ad), known.price, len(known.heights))
            for ad, known in self.model.items()
            if self.status(ad) in SHOWN
        }
        for query in ("", "", "?q=oak", "?sort=price"):
            found = self.run(self.scene.api.client.get(f"/ads{query}")).json()["results"]
            told = {ad["pk"]: (ad["status"], ad["price"], ad["imageCount"]) for ad in found}
            assert told == shown, query

    def teardown(self) -> None:
        for ad in self.model:
            self.run(self.scene.author.delete(f"/ads/{ad}"))
        assert not self.scene.api.files()


async def walk(scene: Scene, examples: int, steps: int) -> None:
    Lives.scene = scene
    checks = [*HealthCheck]
    how = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None,
        suppress_health_check=checks,
    )  # fmt: skip
    await asyncio.to_thread(run_state_machine_as_test, Lives, settings=how)


@pytest.mark.heavy
async def test_lives_end_as_the_model_says(scene: Scene) -> None:
    await walk(scene, 4, 18)


@pytest.mark.drill
async def test_many_long_lives_end_as_the_model_says(scene: Scene) -> None:
    await walk(scene, 100, 60)
