"""Mails about notices: one account delays no other's, and gets a digest instead of a flood."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import MOST_AN_HOUR, MOST_DUE
from adsvc.services.mail.rendering import Letter, to_account
from adsvc.services.retention import clean
from conftest import ApiFactory
from support.mail.delivered import deliver
from support.mail.server import text_of
from support.scene.api import Api, Person
from support.scene.fan_outs import work

AN_HOUR_LATER = (
    "UPDATE notice_mails SET sent = ("
    " SELECT coalesce(jsonb_object_agg(key, value::float8 - 3600), '{}') FROM jsonb_each(sent)"
    ") RETURNING user_id"
)
DIGEST_IS_DUE = "UPDATE outbox SET not_before = now() WHERE kind = 'digest' RETURNING id"


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """Nothing else works on its database."""
    async with start_own_api(jobs="off") as started:
        yield started


async def reader(api: Api) -> Person:
    person = await api.person()
    await api.sql(
        "UPDATE users SET mail = username, mail_verified = TRUE WHERE id = :id", id=person.id
    )
    wanted = {kind: {"mail": True} for kind in ("favoriteReserved", "favoriteBack")}
    assert (await person.patch("/users/me/preferences", json=wanted)).status_code == 200
    return person


async def reserved(author: Person, *readers: Person) -> None:
    """An ad that each of them keeps."""
    path = f"/ads/{(await author.post_ad(title='Oak table'))['pk']}"
    for each in readers:
        assert (await each.put(path.replace("/ads", "/users/me/favorites"))).status_code == 204
    assert (await author.post(f"{path}/reserve")).status_code == 200


async def pauses(api: Api) -> list[float]:
    """The seconds after which the mails are due, counted from when they were queued."""
    return await api.sql(
        "SELECT round(extract(epoch FROM not_before - created_at), 1)::float8 FROM outbox"
        " WHERE kind = 'notice' ORDER BY id"
    )


@pytest.mark.heavy
async def test_an_author_s_mails_leave_room_for_those_of_others(api: Api) -> None:
    author, other = await api.person(), await api.person()
    readers = [await reader(api) for _ in range(MOST_DUE + 4)]
    await reserved(author, *readers)
    await work(api)
    # Half a second apart.
    assert await pauses(api) == [0] * MOST_DUE + [0.5, 1, 1.5, 2]
    await reserved(other, readers[0])
    await work(api)
    assert (await pauses(api))[-1] == 0
    # The next batch of the first author comes behind what it has queued.
    await api.sql("UPDATE notice_paces SET next_at = now() + interval '1 day' RETURNING user_id")
    await reserved(author, readers[0])
    await work(api)
    assert (await pauses(api))[-1] > 80_000


async def flood(api: Api, person: Person, number: int) -> None:
    """So many notices, of one author each."""
    for _ in range(number):
        await reserved(await api.person(), person)
    await work(api)


@pytest.mark.heavy
async def test_more_than_twenty_mails_in_an_hour_become_one_digest(api: Api) -> None:
    person, other = await reader(api), await reader(api)
    await flood(api, person, MOST_AN_HOUR + 3)
    mails = await deliver(api)
    assert [mail["Subject"] for mail in mails] == ["“Oak table” is reserved"] * MOST_AN_HOUR
    # Others get theirs, and what is about the account itself is never late.
    await flood(api, other, 1)
    async with api.state.database.transaction() as transaction:
        letter = to_account(Letter.PASSWORD_CHANGED, person.id)
        await outbox_rows.add(transaction, letter)
    to = sorted((mail["To"], mail["Subject"][:10]) for mail in await deliver(api))
    assert to == [(person.username, "Your passw"), (other.username, "“Oak table")]

    # Until the digest is sent, there is no other mail.
    await api.sql(AN_HOUR_LATER)
    await flood(api, person, 1)
    assert await deliver(api) == []
    [seconds] = await api.sql(
        "SELECT extract(epoch FROM not_before - now())::int FROM outbox WHERE kind = 'digest'"
    )
    assert 3500 < seconds <= 3600
    await api.sql(DIGEST_IS_DUE)
    [digest] = await deliver(api)
    assert digest["Subject"] == "4 notifications from adsvc"
    text: str = text_of(digest)
    # Those that are alike are one line.
    assert text.count("“Oak table” is reserved") == 1
    assert "/my/notifications" in text
    assert await api.sql("SELECT count(*) FROM digested_notices") == [0]
    await flood(api, person, 1)
    assert len(await deliver(api)) == 1


@pytest.mark.heavy
async def test_a_digest_has_only_what_still_holds_and_ends_by_one_click(api: Api) -> None:
    person, author = await reader(api), await api.person()
    await api.sql(
        "INSERT INTO notice_mails (user_id, has_digest) VALUES (:id, TRUE) RETURNING user_id",
        id=person.id,
    )

    async def digest() -> list[Any]:
        await deliver(api)
        await api.sql(
            "INSERT INTO outbox (kind, payload)"
            " VALUES ('digest', jsonb_build_object('user_id', CAST(:id AS bigint))) RETURNING id",
            id=person.id,
        )
        return await deliver(api)

    await reserved(author, person)
    await work(api)
    [first] = await digest()
    token = first["List-Unsubscribe"].strip("<>").partition("token=")[2]
    await api.sql("UPDATE notice_mails SET has_digest = TRUE RETURNING user_id")
    await reserved(author, person)
    await work(api)
    await api.sql("UPDATE ads SET status = 'withdrawn', expires_at = NULL RETURNING id")
    assert await digest() == []
    answer = await api.client.post("/unsubscribe", params={"token": token})
    assert answer.status_code == 204
    ways = (await person.get("/users/me/preferences")).json()
    assert {kind: chosen["mail"] for kind, chosen in ways.items()} == dict.fromkeys(ways, False)


@pytest.mark.heavy
async def test_an_attempt_that_is_repeated_counts_once(api: Api) -> None:
    person = await reader(api)
    await flood(api, person, 1)
    assert len(await deliver(api, attempts=MOST_AN_HOUR + 1)) == MOST_AN_HOUR + 1
    assert await api.sql("SELECT count(*) FROM notice_mails, jsonb_each(sent)") == [1]


@pytest.mark.heavy
async def test_shares_that_count_no_longer_are_deleted(api: Api) -> None:
    person = await reader(api)
    await flood(api, person, 1)
    await deliver(api)
    await api.sql(AN_HOUR_LATER)
    await api.sql("UPDATE notice_paces SET next_at = now() - interval '1 hour' RETURNING user_id")
    await clean(api.state.database, api.state.settings)
    for table in ("notice_mails", "notice_paces"):
        assert await api.sql(f"SELECT count(*) FROM {table}") == [0]  # noqa: S608
