"""People and ads, made through the interface as any client makes them."""

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI
from sqlalchemy import text

from adsvc.api.app_state import AppState
from adsvc.enums import Role
from adsvc.kit.pictures.containers import pictures_of
from adsvc.kit.security.tokens import RefreshToken
from adsvc.kit.storage.local import NAME as MARKER
from adsvc.models.accounts import username_key
from adsvc.repositories.accounts import users as user_rows
from adsvc.services.accounts.sessions import network_digests
from support.pictures import samples as pictures
from support.running.in_process import HERE, client_at

PASSWORD = "correct horse battery"
PROPERTIES = {"title": "Oak table", "price": 1500, "description": "Solid oak, one scratch."}

# What the repositories would write, without SQLAlchemy, which takes four times as long.
NEW_ACCOUNT = """
INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, role)
VALUES ($1, $2, $3, $4, $5, $6, 'USER') ON CONFLICT DO NOTHING RETURNING id
"""
NEW_SESSION = """
INSERT INTO sessions (user_id, handle_hash, secret_hash, client, network_hash, expires_at)
VALUES ($1, $2, $3, 'python-httpx2', $4, now() + $5::interval) RETURNING id
"""

_numbers = count(1)
# By password and cost.
_hashes: dict[tuple[str, int, int], str] = {}


@dataclass
class Person:
    """A user who is logged in; `client` sends their token."""

    id: int
    username: str
    token: str
    client: httpx2.AsyncClient
    password: str = PASSWORD

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        headers = {**self.headers, **options.pop("headers", {})}
        return await self.client.request(method, path, headers=headers, **options)

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("GET", path, **options)

    async def post(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("POST", path, **options)

    async def put(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("PUT", path, **options)

    async def patch(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("PATCH", path, **options)

    async def delete(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("DELETE", path, **options)

    async def post_ad(self, *, image: bytes | None = None, **properties: Any) -> dict[str, Any]:
        """The `Ad` record as the service answers it."""
        answer = await self.post("/ads", files=ad_form(image=image, **properties))
        assert answer.status_code == 201, answer.text
        ad: dict[str, Any] = answer.json()
        return ad


def ad_form(*, image: bytes | None = None, **properties: Any) -> dict[str, Any]:
    """The multipart form of `POST /ads`, as a browser sends it, for httpx2's `files`."""
    sent = json.dumps({**PROPERTIES, **properties}).encode()
    return {
        "properties": ("blob", sent, "application/json"),
        "image": ("photo.jpg", pictures.jpeg() if image is None else image, "image/jpeg"),
    }


def multipart(*parts: tuple[str, bytes], boundary: str = "frontier") -> dict[str, Any]:
    """A form as it goes over the wire: (headers, content) for each part, for httpx2's options."""
    pieces = [
        f"--{boundary}\r\n{headers}\r\n\r\n".encode() + content + b"\r\n"
        for headers, content in parts
    ]
    content_type = f'multipart/form-data; boundary="{boundary}"'
    return {
        "content": b"".join(pieces) + f"--{boundary}--\r\n".encode(),
        "headers": {"Content-Type": content_type},
    }


def part(name: str, content: bytes, **parameters: str) -> tuple[str, bytes]:
    """One part for `multipart`."""
    named = "".join(f'; {key}="{value}"' for key, value in {"name": name, **parameters}.items())
    return f"Content-Disposition: form-data{named}", content


async def in_pieces(content: bytes, size: int = 64 * 1024) -> AsyncIterator[bytes]:
    """A body of unknown length: httpx2 sends it chunked."""
    for start in range(0, len(content), size):
        yield content[start : start + size]


def image_form(image: bytes | None = None) -> dict[str, Any]:
    return {"image": ("photo.jpg", pictures.jpeg() if image is None else image, "image/jpeg")}


def _files_below(directory: os.PathLike[str]) -> Iterator[Path]:
    """As `os.walk` finds them, in a third of the time: most of the directories are empty."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry)
            else:
                yield Path(entry)


def without_variants(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if pictures_of(name) == [name]}


@dataclass
class Api:
    """The running application, and people who use it."""

    client: httpx2.AsyncClient
    app: FastAPI = field(repr=False)

    @property
    def state(self) -> AppState:
        state: AppState = self.app.state.service
        return state

    def at(self, address: str) -> httpx2.AsyncClient:
        """A client somewhere else."""
        return client_at(self.app, address)

    async def sql(self, statement: str, **values: object) -> list[Any]:
        """The first column of what the statement gives."""
        async with self.state.database.autocommit() as session:
            result = await session.execute(text(statement), values)
            if "SELECT" in statement:
                return list(result.scalars())
        # Whoever writes past the service waits until it has heard of it.
        self.state.database.changes.apply_all()
        return []

    def paths(self) -> Iterator[Path]:
        """Everything in the image store, also what is half written, but whose store it is."""
        found = _files_below(self.state.settings.image_dir)
        return (path for path in found if path.name != MARKER)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.paths()}

    def pictures(self) -> dict[str, bytes]:
        """The files, but for the variants of ads' pictures."""
        return without_variants(self.files())

    async def person(
        self, username: str | None = None, *, password: str = PASSWORD, **members: str
    ) -> Person:
        """A user whose account and session are written to the database, which is quick.

        `register` does it as clients do.
        """
        username = username or f"user{next(_numbers)}@example.com"
        state = self.state
        account = await state.database.writer.fetchrow(
            NEW_ACCOUNT,
            username,
            username_key(username),
            await self._hash(password),
            members.pop("firstName", ""),
            members.pop("lastName", ""),
            members.pop("phone", ""),
        )
        assert account is not None, f"{username} is taken"
        assert not members, members
        person: int = account["id"]
        token = RefreshToken.new()
        session = await state.database.writer.fetchrow(
            NEW_SESSION,
            person,
            token.handle_hash,
            token.secret_hash,
            network_digests(state.settings, person, HERE)[0],
            timedelta(seconds=state.settings.refresh_token_seconds),
        )
        assert session is not None
        access = state.tokens.issue(person, session["id"]).text
        return Person(person, username, access, self.client, password)

    async def _hash(self, password: str) -> str:
        settings = self.state.settings
        key = (password, settings.password_memory_kib, settings.password_iterations)
        if key not in _hashes:
            _hashes[key] = await self.state.credentials.hash(password, username="", address=HERE)
        return _hashes[key]

    async def register(self, username: str, *, password: str = PASSWORD, **members: Any) -> Person:
        """A user who registers and logs in as clients do."""
        record = {"username": username, "password": password, **members}
        answer = await self.client.post("/register", json=record)
        assert answer.status_code == 201, answer.text
        token = await self.log_in(username, password)
        return Person(answer.json()["id"], username, token, self.client, password)

    async def admin(self) -> Person:
        admin = await self.person()
        await self.set_role(admin, Role.ADMIN)
        return admin

    async def set_role(self, person: Person, role: Role) -> None:
        async with self.state.database.autocommit() as session:
            await user_rows.set_role(session, person.id, role)

    async def log_in(self, username: str, password: str) -> str:
        answer = await self.client.post("/login", json={"username": username, "password": password})
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["access_token"]
        return token
