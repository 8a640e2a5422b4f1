import asyncio
import base64
from datetime import timedelta

import pytest

from adsvc.kit.security.tokens import RefreshToken
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.services.accounts.sessions import network_digests
from support.scene.api import Api
from support.scene.logins import log_in, opens, refresh, reuse, revoke
from support.scene.snapshots import snapshot

TOGETHER = 20
SECONDS_AGO = "UPDATE sessions SET last_used_at = last_used_at - make_interval(secs => :n)"


@pytest.mark.heavy
async def test_a_token_used_again_within_ten_seconds_gets_the_same_pair(api: Api) -> None:
    person = await api.person()
    pair = await log_in(api, person)
    first = await refresh(api.client, pair["refresh_token"])
    again = await refresh(api.client, pair["refresh_token"])
    # So is the access token: its lifetime counts from the first use.
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.headers["Cache-Control"] == "no-store"
    following = first.json()
    assert await opens(api.client, following["access_token"])
    await api.sql(SECONDS_AGO, n=8)
    late = await refresh(api.client, pair["refresh_token"])
    assert (late.status_code, late.json()["refresh_token"]) == (200, following["refresh_token"])
    assert (await refresh(api.client, following["refresh_token"])).status_code == 200


async def test_a_second_use_is_no_theft_in_the_audit_trail(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    pair = await log_in(api, await api.person())
    for _ in range(2):
        assert (await refresh(api.client, pair["refresh_token"])).status_code == 200
    assert "token_reused" not in {entry.message for entry in caplog.records}


@pytest.mark.guard
async def test_a_token_used_again_after_ten_seconds_ends_the_session(api: Api) -> None:
    pair = await log_in(api, await api.person())
    following = (await refresh(api.client, pair["refresh_token"])).json()
    await api.sql(SECONDS_AGO, n=11)
    again = await refresh(api.client, pair["refresh_token"])
    assert again.status_code == 400
    assert again.json()["error"] == "invalid_grant"
    # Whoever used it first may be the thief: all that came of the login ends, at once.
    assert not await opens(api.client, pair["access_token"])
    assert not await opens(api.client, following["access_token"])
    assert (await refresh(api.client, following["refresh_token"])).status_code == 400


@pytest.mark.guard
async def test_a_token_whose_successor_was_used_ends_the_session(api: Api) -> None:
    """Also within ten seconds: its client has the successor already."""
    pair = await log_in(api, await api.person())
    await reuse(api.client, pair["refresh_token"])
    assert not await opens(api.client, pair["access_token"])


async def test_a_repeated_refresh_does_not_begin_a_session_anew(api: Api) -> None:
    pair = await log_in(api, await api.person())
    following = (await refresh(api.client, pair["refresh_token"])).json()
    await revoke(api.client, following["refresh_token"])
    assert (await refresh(api.client, pair["refresh_token"])).status_code == 400


def test_the_next_token_follows_from_the_secret_of_the_service_alone() -> None:
    token = RefreshToken.new()
    assert token.next("one secret").text == token.next("one secret").text
    assert token.next("one secret").text != token.next("another secret").text
    assert token.next("one secret").handle == token.handle


@pytest.mark.heavy
async def test_a_token_spent_long_ago_ends_the_session_too(api: Api) -> None:
    pair = await log_in(api, await api.person())
    spent = pair["refresh_token"]
    for _ in range(5):
        pair = (await refresh(api.client, pair["refresh_token"])).json()
    assert await opens(api.client, pair["access_token"])
    assert (await refresh(api.client, spent)).status_code == 400
    assert not await opens(api.client, pair["access_token"])


@pytest.mark.heavy
async def test_the_end_of_a_session_leaves_the_others_alone(api: Api) -> None:
    person, other = await api.person(), await api.person()
    robbed, kept = await log_in(api, person), await log_in(api, person)
    await reuse(api.client, robbed["refresh_token"])
    assert await opens(api.client, kept["access_token"])
    assert await opens(api.client, other.token)
    assert (await refresh(api.client, kept["refresh_token"])).status_code == 200


@pytest.mark.heavy
async def test_many_uses_at_once_get_the_same_pair(api: Api) -> None:
    person = await api.person()
    pair = await log_in(api, person)
    # Opens the connections: otherwise the first use is over while the others wait for theirs.
    await asyncio.gather(*(person.get("/users/me") for _ in range(TOGETHER)))
    answers = await asyncio.gather(
        *(refresh(api.client, pair["refresh_token"]) for _ in range(TOGETHER))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert await opens(api.client, answers[0].json()["access_token"])


async def test_an_expired_refresh_token_is_refused(api: Api) -> None:
    pair = await log_in(api, await api.person())
    await api.sql("UPDATE sessions SET expires_at = now()")
    answer = await refresh(api.client, pair["refresh_token"])
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_grant"


@pytest.mark.heavy
async def test_only_a_reused_token_is_reported_as_theft(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    def told() -> list[str]:
        events = [entry.message for entry in caplog.records if entry.name == "adsvc.audit"]
        return [event for event in events if event != "session_began"]

    forgetful, robbed = await api.person(), await api.person()
    expired, stolen = await log_in(api, forgetful), await log_in(api, robbed)
    await api.sql("UPDATE sessions SET expires_at = now() WHERE user_id = :id", id=forgetful.id)
    for _ in range(2):
        assert (await refresh(api.client, expired["refresh_token"])).status_code == 400
    assert told() == []
    await reuse(api.client, stolen["refresh_token"])
    assert told() == ["token_reused"]


async def test_a_session_lives_on_as_long_as_it_is_used(api: Api) -> None:
    pair = await log_in(api, await api.person())
    await api.sql("UPDATE sessions SET expires_at = now() + interval '1 minute'")
    assert (await refresh(api.client, pair["refresh_token"])).status_code == 200
    left = await api.sql("SELECT max(expires_at - now()) FROM sessions")
    assert left[0] > timedelta(days=29)


async def test_a_session_is_known_at_the_network_it_was_last_used_from(api: Api) -> None:
    """Guesses of others do not shut its owner out there."""
    person = await api.person()
    pair = await log_in(api, person)
    async with api.at("198.51.100.7") as elsewhere:
        assert (await refresh(elsewhere, pair["refresh_token"])).status_code == 200
    async with api.state.database.autocommit() as session:
        digests = network_digests(api.state.settings, person.id, "198.51.100.7")
        assert await session_rows.is_used_from(session, person.id, digests)


async def test_refresh_tokens_are_stored_hashed(api: Api) -> None:
    pair = await log_in(api, await api.person())
    following = (await refresh(api.client, pair["refresh_token"])).json()
    rows = (await snapshot(api)).rows
    stored = "\n".join(line for lines in rows.values() for line in lines)
    for text in (pair["refresh_token"], following["refresh_token"]):
        raw = base64.urlsafe_b64decode(text)
        assert len(raw) == 48
        for part in (raw, raw[:24], raw[24:]):
            for form in (part.hex(), base64.b64encode(part).decode(), _urlsafe(part)):
                assert form not in stored
    # What is stored is the digest, and no access token.
    assert RefreshToken(raw[:24], raw[24:]).secret_hash.hex() in stored
    assert following["access_token"].rpartition(".")[2] not in stored


def _urlsafe(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


async def test_no_two_refresh_tokens_have_anything_in_common(api: Api) -> None:
    person = await api.person()
    tokens = [(await log_in(api, person))["refresh_token"] for _ in range(3)]
    halves = [half for token in tokens for half in (token[:32], token[32:])]
    assert len(set(halves)) == len(halves)


@pytest.mark.heavy
@pytest.mark.parametrize("half", [0, 1])
async def test_half_a_refresh_token_opens_nothing(api: Api, half: int) -> None:
    first, second = [await log_in(api, await api.person()) for _ in range(2)]
    tokens = (first["refresh_token"], second["refresh_token"])
    mixed = tokens[half][:32] + tokens[1 - half][32:]
    assert (await refresh(api.client, mixed)).status_code == 400


async def test_each_kind_of_token_is_good_for_its_own_purpose_only(api: Api) -> None:
    pair = await log_in(api, await api.person())
    assert not await opens(api.client, pair["refresh_token"])
    answer = await refresh(api.client, pair["access_token"])
    assert answer.json()["error"] == "invalid_grant"
    # Neither mistake cost the session.
    assert await opens(api.client, pair["access_token"])
    assert (await refresh(api.client, pair["refresh_token"])).status_code == 200


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["refresh_token", "access_token"])
async def test_either_token_of_a_session_revokes_it(api: Api, kind: str) -> None:
    person = await api.person()
    pair, other = await log_in(api, person), await log_in(api, person)
    answer = await revoke(api.client, pair[kind])
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Cache-Control"] == "no-store"
    assert not await opens(api.client, pair["access_token"])
    assert (await refresh(api.client, pair["refresh_token"])).status_code == 400
    assert await opens(api.client, other["access_token"])
    # Revoking again is no error (RFC 7009, section 2.2).
    assert (await revoke(api.client, pair[kind])).status_code == 200


async def test_a_spent_token_revokes_its_session_too(api: Api) -> None:
    pair = await log_in(api, await api.person())
    following = (await refresh(api.client, pair["refresh_token"])).json()
    assert (await revoke(api.client, pair["refresh_token"])).status_code == 200
    assert not await opens(api.client, following["access_token"])


@pytest.mark.parametrize("token", ["unknown", "A" * 64, "ey.ey.ey", "é", "A" * 60_000])
async def test_unknown_tokens_revoke_nothing(api: Api, token: str) -> None:
    person = await api.person()
    before = await snapshot(api)
    answer = await revoke(api.client, token)
    assert (answer.status_code, answer.content) == (200, b"")
    assert await snapshot(api) == before
    assert await opens(api.client, person.token)


@pytest.mark.parametrize(
    "form", ["", "token=", "token_type_hint=x", "token=a&token=b", "token=%00"]
)
async def test_a_malformed_revocation_is_an_invalid_request(api: Api, form: str) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = await api.client.post("/revoke", content=form, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_request"


async def test_a_hint_about_the_token_is_not_needed_and_not_believed(api: Api) -> None:
    pair = await log_in(api, await api.person())
    form = {"token": pair["refresh_token"], "token_type_hint": "access_token"}
    assert (await api.client.post("/revoke", data=form)).status_code == 200
    assert not await opens(api.client, pair["access_token"])
