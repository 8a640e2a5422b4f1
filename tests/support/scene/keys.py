"""API keys, and who uses them."""

from typing import Any

from support.scene.api import Api, Person


async def created(person: Person, **members: Any) -> dict[str, Any]:
    """The `CreatedKey` of a new key."""
    sent = {"name": "A program", "scopes": ["ads:read"], **members}
    answer = await person.post("/users/me/keys", json=sent)
    assert answer.status_code == 201, answer.text
    key: dict[str, Any] = answer.json()
    return key


def holder(person: Person, key: dict[str, Any]) -> Person:
    """Who sends the key instead of the token."""
    return Person(person.id, person.username, key["secret"], person.client, person.password)


async def create_key(person: Person, **members: Any) -> Person:
    return holder(person, await created(person, **members))


async def with_key(api: Api, person: Person, *scopes: str) -> Person:
    """Who sends a new key with these scopes, by that application."""
    made = await create_key(person, scopes=list(scopes))
    made.client = api.client
    return made
