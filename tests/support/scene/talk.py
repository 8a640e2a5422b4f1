"""Two people who talk about an ad."""

from dataclasses import dataclass
from typing import Any

from support.scene.api import Api, Person

ENOUGH = "2 weeks"


async def grown(api: Api, **members: str) -> Person:
    """An account that is old enough for all limits."""
    person = await api.person(**members)
    await api.sql(
        f"UPDATE users SET created_at = now() - interval '{ENOUGH}' WHERE id = :id",  # noqa: S608
        id=person.id,
    )
    return person


async def write(person: Person, path: str, text: str = "Is it still there?") -> dict[str, Any]:
    answer = await person.post(f"{path}/messages", json={"text": text})
    assert answer.status_code == 201, answer.text
    message: dict[str, Any] = answer.json()
    return message


@dataclass
class Talk:
    """A conversation with one message, of the buyer."""

    seller: Person
    buyer: Person
    ad: int
    id: int
    first: int

    @property
    def path(self) -> str:
        return f"/conversations/{self.id}"

    @property
    def about(self) -> str:
        return f"/ads/{self.ad}"

    async def seen_by(self, person: Person) -> dict[str, Any]:
        answer = await person.get(self.path)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def texts_for(self, person: Person) -> list[str]:
        """The oldest first."""
        answer = await person.get(f"{self.path}/messages")
        assert answer.status_code == 200, answer.text
        return [message["text"] for message in reversed(answer.json()["results"])]


async def talk(api: Api, seller: Person | None = None, buyer: Person | None = None) -> Talk:
    seller, buyer = seller or await api.person(), buyer or await api.person()
    ad = (await seller.post_ad())["pk"]
    first = await write(buyer, f"/ads/{ad}")
    return Talk(seller, buyer, ad, first["conversation"], first["id"])


async def inbox(person: Person, **query: object) -> list[dict[str, Any]]:
    answer = await person.get("/conversations", params=query)
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results
