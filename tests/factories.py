"""People and ads, made through the interface as any client makes them."""

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import text

import pictures
from adsvc.api.resources import Resources
from adsvc.models import Role
from adsvc.repositories import UserRepository

PASSWORD = "correct horse battery"
PROPERTIES = {"title": "Oak table", "price": 1500, "description": "Solid oak, one scratch."}

_numbers = count(1)


@dataclass
class Person:
    """Somebody who is logged in; `client` sends their token."""

    id: int
    username: str
    token: str
    client: httpx.AsyncClient
    password: str = PASSWORD

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {**self.headers, **options.pop("headers", {})}
        return await self.client.request(method, path, headers=headers, **options)

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.request("GET", path, **options)

    async def post(self, path: str, **options: Any) -> httpx.Response:
        return await self.request("POST", path, **options)

    async def patch(self, path: str, **options: Any) -> httpx.Response:
        return await self.request("PATCH", path, **options)

    async def delete(self, path: str, **options: Any) -> httpx.Response:
        return await self.request("DELETE", path, **options)

    async def post_ad(self, *, image: bytes | None = None, **properties: Any) -> dict[str, Any]:
        """The `Ad` record as the service answers it."""
        answer = await self.post("/ads", files=ad_form(image=image, **properties))
        assert answer.status_code == 201, answer.text
        ad: dict[str, Any] = answer.json()
        return ad


def ad_form(*, image: bytes | None = None, **properties: Any) -> dict[str, Any]:
    """The multipart form of `POST /ads`, as a browser sends it, for httpx's `files`."""
    sent = json.dumps({**PROPERTIES, **properties}).encode()
    return {
        "properties": ("blob", sent, "application/json"),
        "image": ("photo.jpg", image or pictures.jpeg(), "image/jpeg"),
    }


def image_form(image: bytes | None = None) -> dict[str, Any]:
    return {"image": ("photo.jpg", image or pictures.jpeg(), "image/jpeg")}


@dataclass
class Api:
    """The running application, and people who use it."""

    client: httpx.AsyncClient
    app: FastAPI = field(repr=False)

    @property
    def resources(self) -> Resources:
        resources: Resources = self.app.state.resources
        return resources

    async def sql(self, statement: str, **values: object) -> list[Any]:
        """The first column of what the statement gives."""
        async with self.resources.database.autocommit() as session:
            result = await session.execute(text(statement), values)
            return list(result.scalars()) if "SELECT" in statement else []

    def files(self) -> dict[str, bytes]:
        """Everything in the image store, also what is half written."""
        directory = self.resources.settings.image_dir
        return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}

    async def person(self, username: str | None = None, **members: Any) -> Person:
        username = username or f"user{next(_numbers)}@example.com"
        record = {"username": username, "password": PASSWORD, **members}
        answer = await self.client.post("/register", json=record)
        assert answer.status_code == 201, answer.text
        token = await self.log_in(username, record["password"])
        return Person(answer.json()["id"], username, token, self.client, record["password"])

    async def admin(self) -> Person:
        admin = await self.person()
        await self.set_role(admin, Role.ADMIN)
        return admin

    async def set_role(self, person: Person, role: Role) -> None:
        async with self.resources.database.autocommit() as session:
            await UserRepository(session).set_role(person.id, role)

    async def log_in(self, username: str, password: str) -> str:
        answer = await self.client.post("/login", json={"username": username, "password": password})
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["access_token"]
        return token
