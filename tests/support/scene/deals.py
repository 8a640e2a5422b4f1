"""Deals and their ratings."""

from dataclasses import dataclass
from typing import Any

from support.scene.api import Api, Person
from support.scene.talk import Talk, talk

HIDDEN_TEXT = "Wobbly and late"


@dataclass
class Bargain:
    """A sale to a named buyer."""

    id: int
    talk: Talk

    @property
    def seller(self) -> Person:
        return self.talk.seller

    @property
    def buyer(self) -> Person:
        return self.talk.buyer

    @property
    def path(self) -> str:
        return f"/deals/{self.id}/ratings"

    async def seen_by(self, person: Person) -> dict[str, Any]:
        [deal] = [one for one in await deals_of(person) if one["id"] == self.id]
        return deal


async def deals_of(person: Person, **query: object) -> list[dict[str, Any]]:
    answer = await person.get("/users/me/deals", params=query)
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


async def bargain(api: Api, seller: Person | None = None, buyer: Person | None = None) -> Bargain:
    found = await talk(api, seller, buyer)
    sold = await found.seller.post(f"{found.about}/sell", json={"buyer": found.buyer.id})
    assert sold.status_code == 200, sold.text
    [deal] = await deals_of(found.buyer, ad=found.ad)
    return Bargain(deal["id"], found)


async def rate(person: Person, made: Bargain, stars: int = 5, text: str = "") -> dict[str, Any]:
    answer = await person.post(made.path, json={"stars": stars, "text": text})
    assert answer.status_code == 201, answer.text
    rating: dict[str, Any] = answer.json()
    return rating


async def ratings_of(api: Api, person: Person, **query: str) -> list[dict[str, Any]]:
    answer = await api.client.get(f"/sellers/{person.id}/ratings", params=query)
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


async def age(api: Api, made: Bargain, days: int) -> None:
    """As if it was sold so many days ago."""
    await api.sql(
        "UPDATE deals SET at = now() - make_interval(days => :days) WHERE id = :id",
        days=days, id=made.id,
    )  # fmt: skip
