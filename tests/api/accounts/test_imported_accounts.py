"""Accounts imported from another service, with the password hashes that it made."""

import argon2
import bcrypt
import pytest
from pwdlib.hashers.bcrypt import BcryptHasher

from conftest import CURRENT
from support.scene.api import PASSWORD, Api

HASHES = {
    "cheap": BcryptHasher(rounds=4).hash(PASSWORD),
    "dear": BcryptHasher(rounds=7).hash(PASSWORD),
    "unusable": "!",
    "md5": "5f4dcc3b5aa765d61d8327deb882cf99",
    "no bcrypt after all": "$2b$07$",
    "no salt of bcrypt": "$2b$07$" + "!" * 53,
}
NAMES = (*HASHES, "native", "nobody")


class Work:
    """Counts what hashing does, while it does it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bcrypt = self.argon2 = 0
        hashpw, checkpw = bcrypt.hashpw, bcrypt.checkpw
        verify = argon2.PasswordHasher.verify

        def hashing(password: bytes, salt: bytes) -> bytes:
            self.bcrypt += 2 ** int(salt[4:6])
            return hashpw(password, salt)

        def checking(password: bytes, hashed: bytes) -> bool:
            self.bcrypt += 2 ** int(hashed[4:6])
            return checkpw(password, hashed)

        def verifying(hasher: argon2.PasswordHasher, *arguments: str) -> bool:
            self.argon2 += 1
            return verify(hasher, *arguments)

        monkeypatch.setattr(bcrypt, "hashpw", hashing)
        monkeypatch.setattr(bcrypt, "checkpw", checking)
        monkeypatch.setattr(argon2.PasswordHasher, "verify", verifying)

    def done(self) -> tuple[int, int]:
        counted = self.bcrypt, self.argon2
        self.bcrypt = self.argon2 = 0
        return counted


async def import_accounts(api: Api) -> None:
    await api.person("native")
    for name, stored in HASHES.items():
        await api.person(name)
        await api.sql(
            "UPDATE users SET password_hash = :stored WHERE username = :name",
            stored=stored,
            name=name,
        )


async def work_of_guesses(api: Api, work: Work) -> dict[str, tuple[int, int]]:
    done = {}
    for name in NAMES:
        record = {"username": name, "password": "a wrong guess"}
        work.done()
        assert (await api.client.post("/login", json=record)).status_code == 401, name
        done[name] = work.done()
    return done


@pytest.mark.heavy
async def test_guesses_cost_the_same_whatever_hash_an_account_has(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)
    await import_accounts(api)
    done = await work_of_guesses(api, work)
    assert done == dict.fromkeys(NAMES, (2**7, 1))
    # Once the dearest has been replaced, the others pay for the next one.
    assert await api.log_in("dear", PASSWORD)
    await api.sql("UPDATE users SET password_hash = '!' WHERE username LIKE 'no %'")
    done = await work_of_guesses(api, work)
    assert done == dict.fromkeys(NAMES, (2**4, 1))
    # Without imported accounts, logins cost no more.
    assert await api.log_in("cheap", PASSWORD)
    assert await work_of_guesses(api, work) == dict.fromkeys(NAMES, (0, 1))
    kept = await api.sql("SELECT password_hash FROM users WHERE username IN ('cheap', 'dear')")
    assert all(stored.startswith(CURRENT) for stored in kept)


async def test_a_hash_of_an_absurd_cost_is_no_burden_on_others(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)
    await import_accounts(api)
    await api.sql(
        "UPDATE users SET password_hash = replace(password_hash, '$07$', '$31$')"
        " WHERE username = 'dear' OR username LIKE 'no %'"
    )
    record = {"username": "nobody", "password": "a wrong guess"}
    assert (await api.client.post("/login", json=record)).status_code == 401
    assert work.done() == (2**4, 1)
