"""Sessions that stay alive, whoever asks at the same time, and how they end."""

import asyncio
import base64
import hashlib
import hmac
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from adsvc_client import (
    AdsvcClient,
    AsyncAdsvcClient,
    InsufficientScopeError,
    InvalidCredentialsError,
    NoAnswerError,
    ProblemError,
    SecondFactorRequiredError,
    SessionEndedError,
    WrongCredentialsError,
    models,
)
from bad_line import BadLine
from conftest import PASSWORD
from test_story import expire


@pytest.fixture
def client(line: BadLine, name: str) -> Iterator[AdsvcClient]:
    with AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        yield client


def test_many_threads_refresh_once(client: AdsvcClient, line: BadLine, service: str) -> None:
    expire(client, service)
    with ThreadPoolExecutor(20) as threads:
        people = list(threads.map(lambda _: client.get_me(), range(20)))
    assert len({person.id for person in people}) == 1
    assert len(line.requests("POST", "/token")) == 1


async def test_many_tasks_refresh_once(line: BadLine, service: str, name: str) -> None:
    async with AsyncAdsvcClient(line.address) as client:
        await client.register(username=name, password=PASSWORD)
        await client.login(username=name, password=PASSWORD)
        expire(client, service)
        people = await asyncio.gather(*(client.get_me() for _ in range(20)))
        assert len({person.id for person in people}) == 1
        assert len(line.requests("POST", "/token")) == 1


async def test_a_cancelled_caller_does_not_lose_the_session(
    line: BadLine, service: str, name: str
) -> None:
    arrived, go = threading.Event(), threading.Event()
    async with AsyncAdsvcClient(line.address) as client:
        await client.register(username=name, password=PASSWORD)
        await client.login(username=name, password=PASSWORD)
        expire(client, service)
        line.hold("POST", "/token", arrived, go)
        caller = asyncio.create_task(client.get_me())
        await asyncio.to_thread(arrived.wait, 30)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        go.set()
        assert (await client.get_me()).email == name
        assert len(line.requests("POST", "/token")) == 1


def test_a_session_is_continued_by_its_last_refresh_token(service: str, name: str) -> None:
    kept: list[models.TokenPair] = []
    with AdsvcClient(service, on_tokens=kept.append) as first:
        first.register(username=name, password=PASSWORD)
        first.login(username=name, password=PASSWORD)
    with AdsvcClient(service, refresh_token=kept[-1].refresh_token, on_tokens=kept.append) as next_:
        assert next_.get_me().email == name
    assert len(kept) == 2
    with AdsvcClient(service, refresh_token=kept[-1].refresh_token) as last:
        last.get_me()
    with (
        AdsvcClient(service, refresh_token=kept[0].refresh_token) as late,
        pytest.raises(SessionEndedError) as ended,
    ):
        late.get_me()
    assert not late.logged_in
    assert ended.value.status == 400


def test_a_key_is_sent_instead_of_a_session(line: BadLine, client: AdsvcClient) -> None:
    made = client.create_key(name="A program", scopes=["account:read"])
    with AdsvcClient(line.address, key=made.secret) as program:
        assert program.get_me().id == client.get_me().id
        with pytest.raises(InsufficientScopeError) as refused:
            program.update_me(first_name="A")
        assert refused.value.members["scope"] == "account:write"
        client.delete_key(made.id)
        with pytest.raises(InvalidCredentialsError):
            program.get_me()
        program.logout()
    assert line.requests("POST", "/token") == []
    assert line.requests("POST", "/revoke") == []


async def test_a_key_needs_no_login_where_calls_are_awaited(
    service: str, client: AdsvcClient
) -> None:
    made = client.create_key(name="A program", scopes=["account:read"])
    async with AsyncAdsvcClient(service, key=made.secret) as program:
        assert (await program.get_me()).id == client.get_me().id


def test_a_login_is_completed_by_a_code(line: BadLine, client: AdsvcClient, name: str) -> None:
    secret = client.create_totp(current_password=PASSWORD).secret
    step = int(time.time()) // 30
    codes = client.confirm_totp(code=totp(secret, step - 1)).recovery_codes
    with AdsvcClient(line.address) as other:
        for code in (totp(secret, step), codes[0]):
            with pytest.raises(SecondFactorRequiredError) as refused:
                other.login(username=name, password=PASSWORD)
            assert not other.logged_in
            other.complete_login(challenge=refused.value.members["challenge"], code=code)
            assert other.get_me().totp is True
            other.logout()
    assert client.get_me().recovery_codes_left == len(codes) - 1
    client.delete_totp(current_password=PASSWORD, code=codes[1])


def totp(secret: str, step: int) -> str:
    """RFC 6238, as an authenticator app has it."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8), hashlib.sha1)
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4]) & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def test_another_password_keeps_the_session(client: AdsvcClient, name: str) -> None:
    client.change_password(current_password=PASSWORD, new_password="another one, as good")
    assert client.get_me().email == name


def test_nobody_knows_whether_the_password_was_changed(client: AdsvcClient, line: BadLine) -> None:
    line.lose_answer("PATCH", "/users/set_password")
    with pytest.raises(NoAnswerError):
        client.change_password(current_password=PASSWORD, new_password="another one, as good")
    assert len(line.requests("PATCH", "/users/set_password")) == 1


def test_a_wrong_password_is_refused_once(line: BadLine, name: str) -> None:
    with AdsvcClient(line.address) as client, pytest.raises(WrongCredentialsError) as refused:
        client.login(username=name, password="not the password")
    assert refused.value.status == 401
    assert len(line.requests("POST", "/login")) == 1


def test_without_a_login_the_refusal_is_passed_on(line: BadLine) -> None:
    with AdsvcClient(line.address) as client, pytest.raises(ProblemError) as refused:
        client.get_me()
    assert refused.value.status == 401
    assert line.requests("POST", "/token") == []


def test_tokens_go_only_with_what_needs_them(client: AdsvcClient, line: BadLine) -> None:
    client.list_ads()
    client.get_me()
    assert "Authorization" not in line.requests("GET", "/ads")[0].headers
    assert "Authorization" in line.requests("GET", "/users/me")[0].headers


def test_a_refusal_by_somebody_else_does_not_end_the_session(
    client: AdsvcClient, line: BadLine, service: str
) -> None:
    expire(client, service)
    line.refuse("POST", "/token", 400)
    with pytest.raises(ProblemError):
        client.get_me()
    assert client.get_me().id
