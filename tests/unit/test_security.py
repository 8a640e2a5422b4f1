import asyncio
from collections.abc import Iterator

import jwt
import pytest
from pwdlib.hashers.argon2 import Argon2Hasher
from pwdlib.hashers.bcrypt import BcryptHasher

from adsvc.errors import UnauthenticatedError
from adsvc.kit.bulkheads.pools import ThreadPool
from adsvc.kit.security.passwords import Passwords
from adsvc.kit.security.tokens import AccessTokens
from adsvc.settings import Settings

SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"


def tokens(secret: str = SECRET, **changes: str) -> AccessTokens:
    names = {"issuer": "adsvc", "audience": "adsvc", **changes}
    return AccessTokens(secret, lifetime=900, **names)


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    pool = ThreadPool("passwords", workers=2, queue=2)
    usual = Settings()
    yield Passwords(
        pool,
        memory_kib=usual.password_memory_kib,
        iterations=usual.password_iterations,
    )
    pool.close()


@pytest.mark.heavy
async def test_a_password_is_known_again_by_its_hash_alone(passwords: Passwords) -> None:
    stored = await passwords.hash("correct horse")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await passwords.verify("correct horse", stored) == (True, None)
    assert await passwords.verify("Correct horse", stored) == (False, None)
    assert await passwords.hash("correct horse") != stored


@pytest.mark.heavy
async def test_a_hash_of_another_kind_comes_with_its_replacement(passwords: Passwords) -> None:
    for hasher in (
        BcryptHasher(rounds=4),
        Argon2Hasher(time_cost=1, memory_cost=1024, parallelism=1),
        Argon2Hasher(time_cost=3, memory_cost=19 * 1024, parallelism=1),
    ):
        valid, replacement = await passwords.verify("correct horse", hasher.hash("correct horse"))
        assert valid
        assert replacement is not None
        assert await passwords.verify("correct horse", replacement) == (True, None)
        assert await passwords.verify("wrong", hasher.hash("correct horse")) == (False, None)


@pytest.mark.heavy
async def test_no_password_is_right_without_an_account(passwords: Passwords) -> None:
    assert await passwords.verify("", None) == (False, None)
    assert await passwords.verify("correct horse", None) == (False, None)


@pytest.mark.heavy
async def test_hashing_does_not_keep_the_event_loop_waiting(passwords: Passwords) -> None:
    hashing = asyncio.create_task(passwords.hash("correct horse"))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 1


def test_a_token_gives_back_its_user_and_session() -> None:
    token = tokens().issue(42, 7)
    assert token.expires_in == 900
    claims = tokens().verify(token.text)
    assert (claims.user_id, claims.session_id) == (42, 7)


@pytest.mark.parametrize(
    "other",
    [
        tokens(secret=SECRET[::-1]),
        tokens(issuer="another"),
        tokens(audience="another"),
    ],
)
def test_a_token_of_another_service_does_not_count(other: AccessTokens) -> None:
    with pytest.raises(UnauthenticatedError):
        tokens().verify(other.issue(42, 7).text)


def test_a_token_s_kind_stands_in_its_header() -> None:
    assert jwt.get_unverified_header(tokens().issue(42, 7).text)["typ"] == "at+jwt"


@pytest.mark.parametrize("text", ["", ".", "..", "a.b.c", "é.é.é", "\ud800", "x" * 5000, "\0"])
def test_text_that_is_no_token_does_not_count(text: str) -> None:
    with pytest.raises(UnauthenticatedError):
        tokens().verify(text)
