"""Second factors: an authenticator app, logins with it, and passkeys."""

import base64
import time
from dataclasses import dataclass, field
from typing import Any

import httpx2

from adsvc.kit.security.factors import STEP_SECONDS, TotpSecret
from support.outside.authenticator import Authenticator
from support.scene.api import Api, Person


def this_step() -> int:
    return int(time.time()) // STEP_SECONDS


@dataclass
class App:
    """An authenticator app, and the recovery codes that came with it."""

    secret: TotpSecret
    codes: list[str] = field(default_factory=list)
    _used: int = 0

    def code(self, offset: int = 0) -> str:
        return self.secret.code(this_step() + offset)

    def fresh(self) -> str:
        """A code that is good although others were used: three, at most."""
        self._used = max(self._used + 1, this_step() - 1)
        return self.secret.code(self._used)


async def begun(person: Person, **members: str) -> App:
    """A secret that is still to be confirmed."""
    sent = {"currentPassword": person.password, **members}
    answer = await person.post("/users/me/totp", json=sent)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    return App(TotpSecret(base64.b32decode(answer.json()["secret"])))


async def with_app(person: Person) -> App:
    """One that is set up. One of its three codes is used up."""
    app = await begun(person)
    answer = await person.post("/users/me/totp/confirm", json={"code": app.fresh()})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    app.codes = answer.json()["recoveryCodes"]
    return app


async def challenge(api: Api, person: Person) -> str:
    login = {"username": person.username, "password": person.password}
    answer = await api.client.post("/login", json=login)
    assert (answer.status_code, kind(answer)) == (401, "second-factor-required")
    text: str = answer.json()["challenge"]
    return text


async def complete(client: httpx2.AsyncClient, challenge: str, code: str) -> httpx2.Response:
    sent = {"challenge": challenge, "code": code}
    return await client.post("/login/second-factor", json=sent)


async def options_to_add(person: Person) -> dict[str, Any]:
    answer = await person.post("/users/me/passkeys/options")
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.json()
    return options


async def added(person: Person, authenticator: Authenticator | None = None) -> Authenticator:
    """A passkey of the account."""
    authenticator = authenticator or Authenticator()
    sent = authenticator.registration(await options_to_add(person))
    answer = await person.post("/users/me/passkeys", json=sent)
    assert answer.status_code == 201, answer.text
    return authenticator


def kind(answer: httpx2.Response) -> str:
    problem: str = answer.json()["type"]
    return problem.removeprefix("/problems#")
