"""Credentials as they are sent, and the complete response to a login."""

import base64
from typing import Any

import httpx2

from support.scene.api import Api, Person


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def basic(username: str, password: str) -> dict[str, str]:
    """As RFC 7617 writes them, in UTF-8."""
    pair = base64.b64encode(f"{username}:{password}".encode()).decode()
    return {"Authorization": f"Basic {pair}"}


async def status_with(client: httpx2.AsyncClient, username: str, password: str) -> int:
    """What `GET /users/me` answers to this name and password."""
    answer = await client.get("/users/me", headers=basic(username, password))
    assert answer.status_code != 200 or answer.json()["email"] == username
    return answer.status_code


async def log_in(api: Api, person: Person, *, user_agent: bytes = b"tests") -> dict[str, Any]:
    """A new session: the `TokenPair`."""
    record = {"username": person.username, "password": person.password}
    answer = await api.client.post("/login", json=record, headers=[(b"User-Agent", user_agent)])
    assert answer.status_code == 200, answer.text
    pair: dict[str, Any] = answer.json()
    return pair


async def ask(client: httpx2.AsyncClient, **parameters: str) -> httpx2.Response:
    """A request to the token endpoint."""
    return await client.post("/token", data=parameters)


async def refresh(client: httpx2.AsyncClient, token: str) -> httpx2.Response:
    return await ask(client, grant_type="refresh_token", refresh_token=token)


async def reuse(client: httpx2.AsyncClient, token: str) -> None:
    """Uses the token, the next one, and the token once more: that ends the session."""
    following = await refresh(client, token)
    assert (await refresh(client, following.json()["refresh_token"])).status_code == 200
    assert (await refresh(client, token)).status_code == 400


async def revoke(client: httpx2.AsyncClient, token: str) -> httpx2.Response:
    return await client.post("/revoke", data={"token": token})


async def opens(client: httpx2.AsyncClient, token: str) -> bool:
    """Whether the access token is worth anything."""
    status = (await client.get("/users/me", headers=bearer(token))).status_code
    assert status in {200, 401}
    return status == 200
