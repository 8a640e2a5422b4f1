"""Ads that change at random, and lists of them that should always be as new ones would be."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import httpx2

from support.scene.api import Person, ad_form, image_form
from support.scene.categories import CARS, TREE
from support.scene.moderation import SCAM, TERMS

WORDS = ("oak", "table", "diesel", "boat", "red", "kayak")
CATEGORIES = (None, "vehicles", "cars", "cars", "boats", "home", "home")
PLACES = ((52.52, 13.405), (52.5, 13.3), (48.13, 11.57))
STEPS = ("publish", "reserve", "release", "sell", "withdraw", "renew")

LISTS = (
    "",
    "limit=1",
    "sort=created&limit=3",
    "sort=price",
    "sort=-price&limit=2",
    "category=vehicles",
    "category=vehicles&limit=1",
    "category=vehicles&sort=created&limit=1",
    "category=cars",
    "category=cars&sort=price&limit=1",
    "category=cars&limit=1",
    "category=boats&sort=-price&limit=1",
    "category=home&limit=1",
    "category=home&maxPrice=50",
    "q=oak",
    "q=oak&sort=-created&limit=1",
    "q=red+kayak",
    "q=-oak",
    "q=diesel&limit=1",
    "q=table&category=home",
    "minPrice=50&limit=1",
    "minPrice=20&maxPrice=60",
    "priceType=free",
    "near=52.52,13.405&radius=30000&limit=1",
    "near=52.52,13.405&radius=30000&sort=distance",
    "bbox=11,48,12,49",
    "attr=fuel:diesel&limit=1",
    "attr=mileage:..500&category=vehicles",
    "createdAfter=1767225600000&limit=3",
)

Act = Callable[[Person, "PostedAd"], Awaitable[str]]


@dataclass
class PostedAd:
    """An ad that was posted, whatever has become of it."""

    id: int
    author: Person

    @property
    def path(self) -> str:
        return f"/ads/{self.id}"


@dataclass
class Market:
    """`admin` is none of the `authors`, of whom the last one posts nothing.

    The categories are those of `support.scene.categories`.
    """

    random: Random
    authors: Sequence[Person]
    admin: Person
    ads: list[PostedAd] = field(default_factory=list)
    # Undone later.
    decisions: list[int] = field(default_factory=list)

    @property
    def stranger(self) -> Person:
        return self.authors[-1]

    async def open(self, ads: int) -> None:
        for slug, definition in TREE.items():
            await self._send(self.admin, "PUT", f"/categories/{slug}", json=definition)
        for _ in range(ads):
            await self._post(self.authors[0].client)
        assert len(self.ads) == ads

    async def change(self, client: httpx2.AsyncClient) -> str:
        """Changes one thing through the client, and says what. The change may be refused."""
        acts: dict[Act, int] = {
            self._patch: 30,
            self._step: 14,
            self._delete: 4,
            self._order_pictures: 4,
            self._comment: 2,
            self._favor: 2,
            self._decide: 4,
            self._change_category: 4,
            self._rename_author: 2,
        }
        if not self.ads or self.random.random() < 0.15:
            return await self._post(client)
        [act] = self.random.choices(list(acts), list(acts.values()))
        ad = self.random.choice(self.ads)
        by = replace(ad.author, client=client)
        return await act(by, ad)

    def properties(self) -> dict[str, Any]:
        chosen = self.random.choice(CATEGORIES)
        return {
            "title": " ".join(self.random.sample(WORDS, 2)),
            "description": f"Like new, {self.random.choice(WORDS)}.",
            "price": self.random.randrange(100),
            "priceType": self.random.choice(("fixed", "fixed", "free")),
            "location": self._place(),
            "place": self.random.choice(("Berlin", "Munich")),
            "category": chosen,
            "attributes": self._attributes(chosen),
        }

    def _place(self) -> dict[str, float] | None:
        if self.random.random() < 0.3:
            return None
        latitude, longitude = self.random.choice(PLACES)
        return {"latitude": latitude, "longitude": longitude}

    def _attributes(self, category: str | None) -> dict[str, Any]:
        if category == "cars":
            return {
                "fuel": self.random.choice(("diesel", "petrol")),
                "mileage": self.random.randrange(1000),
            }
        return {"mileage": self.random.randrange(1000)} if category == "vehicles" else {}

    async def _send(self, by: Person, method: str, path: str, **options: Any) -> httpx2.Response:
        answer = await by.request(method, path, **options)
        if answer.status_code == httpx2.codes.UNAUTHORIZED:
            # Suspended, or so until a moment ago.
            record = {"username": by.username, "password": by.password}
            pair = await by.client.post("/login", json=record)
            if pair.is_success:
                known = next(one for one in self.authors if one.id == by.id)
                known.token = by.token = pair.json()["access_token"]
                answer = await by.request(method, path, **options)
        assert answer.status_code < httpx2.codes.INTERNAL_SERVER_ERROR, answer.text
        return answer

    async def _post(self, client: httpx2.AsyncClient) -> str:
        author = self.random.choice(self.authors[:-1])
        by = replace(author, client=client)
        sent = {name: value for name, value in self.properties().items() if value is not None}
        if self.random.random() < 0.1:
            sent["status"] = "draft"
        answer = await self._send(by, "POST", "/ads", files=ad_form(**sent))
        if answer.is_success:
            self.ads.append(PostedAd(answer.json()["pk"], author))
        return f"POST {sent} {answer.status_code}"

    async def _patch(self, by: Person, ad: PostedAd) -> str:
        new = self.properties()
        names = self.random.choice(
            (
                ("price",), ("price",), ("price",), ("title",), ("description", "price"),
                *[("category", "attributes")] * 7, ("attributes",),
                ("location",), ("priceType",), ("place",), tuple(new),
            )
        )  # fmt: skip
        sent = {name: new[name] for name in names}
        answer = await self._send(by, "PATCH", ad.path, json=sent)
        return f"PATCH {ad.path} {sent} {answer.status_code}"

    async def _step(self, by: Person, ad: PostedAd) -> str:
        step = self.random.choice(STEPS)
        answer = await self._send(by, "POST", f"{ad.path}/{step}")
        return f"{step} {ad.path} {answer.status_code}"

    async def _delete(self, by: Person, ad: PostedAd) -> str:
        answer = await self._send(by, "DELETE", ad.path)
        self.ads.remove(ad)
        return f"DELETE {ad.path} {answer.status_code}"

    async def _order_pictures(self, by: Person, ad: PostedAd) -> str:
        """Adds a picture, which becomes the first one."""
        added = await self._send(by, "POST", f"{ad.path}/images", files=image_form())
        if not added.is_success:
            return f"a picture of {ad.path} {added.status_code}"
        ids = [image["id"] for image in added.json()["results"]]
        order = {"order": ids[::-1]}
        answer = await self._send(by, "PUT", f"{ad.path}/images", json=order)
        return f"pictures of {ad.path} {answer.status_code}"

    async def _comment(self, by: Person, ad: PostedAd) -> str:
        answer = await self._send(by, "POST", f"{ad.path}/comments", json={"text": "Still there?"})
        return f"comment {ad.path} {answer.status_code}"

    async def _favor(self, by: Person, ad: PostedAd) -> str:
        path = f"/users/me/favorites/{ad.id}"
        answer = await self._send(replace(self.stranger, client=by.client), "PUT", path)
        return f"PUT {path} {answer.status_code}"

    async def _decide(self, by: Person, ad: PostedAd) -> str:
        """Hides an ad, or all of its author's; or shows again what was hidden first."""
        admin = replace(self.admin, client=by.client)
        if len(self.decisions) > 1:
            decision = self.decisions.pop(0)
            answer = await self._send(admin, "POST", f"/moderation/decisions/{decision}/undo")
            return f"undo {decision} {answer.status_code}"
        reporter = replace(self.stranger, client=by.client)
        await self._send(reporter, "POST", f"{ad.path}/reports", json=SCAM)
        cases = (await self._send(admin, "GET", "/moderation/cases")).json()["results"]
        action = self.random.choice(("suspendAd", "suspendAd", "suspendAccount"))
        sent = {"action": action, **TERMS, **({"days": 1} if action == "suspendAccount" else {})}
        for case in cases:
            if case["target"] == ad.id:
                path = f"/moderation/cases/{case['id']}/decisions"
                answer = await self._send(admin, "POST", path, json=sent)
                if answer.is_success:
                    self.decisions.append(answer.json()["id"])
                return f"{action} {ad.path} {answer.status_code}"
        return f"no case of {ad.path}"

    async def _change_category(self, by: Person, _: PostedAd) -> str:
        """Moves cars to another branch or back, or names them differently."""
        parent = self.random.choice(("vehicles", "vehicles", "home"))
        definition = {**CARS, "parent": parent, "name": self.random.choice(("Cars", "Automobiles"))}
        if parent == "home":
            # Ads have attributes of vehicles, which are then not validated.
            definition["attributes"] = CARS["attributes"]
        admin = replace(self.admin, client=by.client)
        answer = await self._send(admin, "PUT", "/categories/cars", json=definition)
        return f"cars below {parent} {answer.status_code}"

    async def _rename_author(self, by: Person, _: PostedAd) -> str:
        name = self.random.choice(("Anna", "Berta", "Clara"))
        answer = await self._send(by, "PATCH", "/users/me", json={"firstName": name})
        return f"name {name} {answer.status_code}"

    def paths(self, lists: int, ads: int) -> list[str]:
        """Some lists, and some ads with their details."""
        author = self.random.choice(self.authors).id
        every = [*LISTS, f"author={author}", f"author={author}&sort=price&category=vehicles"]
        chosen = self.random.sample(self.ads, min(ads, len(self.ads)))
        return [
            *(f"/ads?{query}" for query in self.random.sample(every, lists)),
            "/categories",
            "/categories/cars",
            *(f"{ad.path}/details" for ad in chosen),
            *(ad.path for ad in chosen),
        ]

    async def stale(
        self, paths: Sequence[str], client: httpx2.AsyncClient, fresh: httpx2.AsyncClient
    ) -> list[str]:
        """The paths whose responses through the client are not those that are made anew."""
        found = []
        for path in paths:
            expected = await self.stranger_at(fresh).get(path)
            given = await self.stranger_at(client).get(path)
            if _content(given) != _content(expected):
                found.append(f"{path}: {given.text} instead of {expected.text}")
            elif expected.is_success and "limit=" in path and "cursor=" not in path:
                following = expected.json()["next"]
                if following is not None:
                    found += await self.stale([f"{path}&cursor={following}"], client, fresh)
        return found

    def stranger_at(self, client: httpx2.AsyncClient) -> Person:
        return replace(self.stranger, client=client)


def _content(answer: httpx2.Response) -> tuple[int, bytes]:
    """Problems have the id of their request."""
    return answer.status_code, answer.content if answer.is_success else b""
