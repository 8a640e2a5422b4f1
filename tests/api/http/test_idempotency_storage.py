"""What is stored of an `Idempotency-Key`: claims, fingerprints, responses, and for how long."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import text

from adsvc.api.routers import auth
from adsvc.repositories import comments as comment_rows
from adsvc.repositories.accounts import idempotency_keys as idempotency_rows
from adsvc.repositories.operation import jobs as retention_rows
from adsvc.services import retention
from adsvc.services.accounts.idempotency import CLAIM_SECONDS, KeyedRequest
from adsvc.services.ads import writing
from conftest import SECRET, ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PASSWORD, PROPERTIES, Api, Person, ad_form, multipart, part
from support.scene.snapshots import snapshot
from support.trouble.delays import delayed

KEY = "a key that nobody guesses"
COMMENT: dict[str, Any] = {"json": {"text": "Still there?"}}
REGISTRATION = {"username": "new@example.com", "password": PASSWORD, "firstName": "Nora"}
PROPERTIES_PART = part("properties", json.dumps(PROPERTIES).encode())
ROWS = "SELECT row_to_json(idempotency_keys)::text FROM idempotency_keys"
# With the parameters of `STORE_ANSWER`.
FAILING = """
    SELECT 1 / ($3::int - $3::int)
    FROM (SELECT $1::bytea, $2::bytea, $4::text, $5::text, $6::bigint)
"""
EXPIRE = """
    UPDATE idempotency_keys SET expires_at = clock_timestamp()
    WHERE id NOT IN (SELECT id FROM idempotency_keys LIMIT :kept)
"""


def keyed(key: str = KEY, **options: Any) -> dict[str, Any]:
    return {**options, "headers": {"Idempotency-Key": key, **options.get("headers", {})}}


def is_replayed(answer: httpx2.Response) -> bool:
    return bool(answer.headers.get("Idempotent-Replayed") == "true")


def is_in_progress(answer: httpx2.Response) -> bool:
    told: tuple[int, str] = answer.status_code, answer.json().get("type", "")
    return told == (409, "/problems#idempotency-in-progress")


async def expire(api: Api, *, kept: int = 0) -> None:
    """All of them, but so many."""
    async with api.state.database.autocommit() as session:
        await session.execute(text(EXPIRE), {"kept": kept})


async def commented(person: Person, **options: Any) -> httpx2.Response:
    return await person.post("/ads/1/comments", **keyed(**COMMENT), **options)


async def test_a_form_is_the_same_however_it_is_put_together(api: Api) -> None:
    person = await api.person()
    images = [pictures.jpeg(64, 64 + number) for number in range(2)]
    first, second = (part("image", image, filename="a.jpg") for image in images)
    spaced = part("properties", json.dumps(PROPERTIES, indent=1, sort_keys=True).encode())
    form = multipart(PROPERTIES_PART, first, second)
    made = await person.post("/ads", **keyed(**form))
    assert made.status_code == 201, made.text
    renamed = part("image", images[0], filename="b.png")
    for same in (
        multipart(first, second, PROPERTIES_PART, boundary="another"),
        multipart(spaced, part("other", b"ignored"), renamed, second),
    ):
        answer = await person.post("/ads", **keyed(**same))
        assert answer.content == made.content
        assert is_replayed(answer)
    cheaper = part("properties", json.dumps({**PROPERTIES, "price": 1}).encode())
    draft = part("properties", json.dumps({**PROPERTIES, "status": "draft"}).encode())
    for other in (
        multipart(PROPERTIES_PART, second, first),
        multipart(PROPERTIES_PART, first),
        multipart(PROPERTIES_PART, first, second, second),
        multipart(cheaper, first, second),
        multipart(draft, first, second),
    ):
        assert (await person.post("/ads", **keyed(**other))).status_code == 422
    assert await api.sql("SELECT count(*) FROM ads") == [1]


@pytest.mark.heavy
async def test_pictures_added_to_an_ad_that_is_full_by_then(start_api: ApiFactory) -> None:
    async with start_api(ad_images_max=2, image_quota_bytes=100_000) as api:
        person = await api.person()
        path = f"/ads/{(await person.post_ad())['pk']}/images"
        form = multipart(part("image", pictures.jpeg(), filename="a.jpg"))
        first = await person.post(path, **keyed(**form))
        assert first.status_code == 201
        assert (await person.post(path, **keyed("other", **form))).status_code == 409
        again = await person.post(path, **keyed(**form))
        assert is_replayed(again)
        assert again.content == first.content
        await api.sql("UPDATE image_totals SET bytes = 100001")
        posted = await person.post("/ads", files=ad_form())
        assert posted.json()["type"] == "/problems#quota-exceeded"
        assert is_replayed(await person.post(path, **keyed(**form)))


async def test_neither_key_nor_password_is_kept(api: Api, client: httpx2.AsyncClient) -> None:
    answer = await client.post("/register", **keyed(json=REGISTRATION))
    assert answer.status_code == 201
    (row,) = await api.sql(ROWS)
    assert json.loads(row)["user_id"] == answer.json()["id"]
    for secret in (PASSWORD, KEY, SECRET, "192.0.2.1"):
        assert secret not in row
        assert secret.encode().hex() not in row
    other = {**REGISTRATION, "password": f"{PASSWORD}!"}
    assert (await client.post("/register", **keyed(json=other))).status_code == 422
    assert is_replayed(await client.post("/register", **keyed(json=REGISTRATION)))
    # With another key or another account, the fingerprint differs.
    person, stranger = await api.person(), await api.person()
    await person.post_ad()
    for who, key in ((person, "one"), (person, "two"), (stranger, "one")):
        assert (await who.post("/ads/1/comments", **keyed(key, **COMMENT))).status_code == 200
    rows = [json.loads(row) for row in await api.sql(ROWS)]
    for column in ("id", "claim", "fingerprint"):
        assert len({row[column] for row in rows}) == len(rows) == 4, column


async def test_registrations_have_their_keys_by_network(api: Api) -> None:
    here, beside, elsewhere = (
        api.at(address) for address in ("2001:db8::1", "2001:db8::2", "2001:db8:1::1")
    )
    first = await here.post("/register", **keyed(json=REGISTRATION))
    assert first.status_code == 201
    again = await beside.post("/register", **keyed(json=REGISTRATION))
    assert is_replayed(again)
    assert (again.content, again.headers["Location"]) == (first.content, "/users/me")
    refused = await elsewhere.post("/register", **keyed(json=REGISTRATION))
    assert refused.json()["type"] == "/problems#username-taken"
    # A person's key is not that of the network they come from.
    person = await api.person()
    await person.post_ad()
    assert (await commented(person)).status_code == 200


@pytest.mark.heavy
async def test_an_account_takes_its_keys_along(api: Api, client: httpx2.AsyncClient) -> None:
    assert (await client.post("/register", **keyed(json=REGISTRATION))).status_code == 201
    token = await api.log_in(REGISTRATION["username"], PASSWORD)
    headers = {"Authorization": f"Bearer {token}"}
    made = await client.post("/ads", files=ad_form(), headers={**headers, "Idempotency-Key": KEY})
    assert made.status_code == 201
    assert await api.sql("SELECT count(*) FROM idempotency_keys") == [2]
    password = {"currentPassword": PASSWORD}
    gone = await client.request("DELETE", "/users/me", json=password, headers=headers)
    assert gone.status_code == 204
    assert await api.sql("SELECT count(*) FROM idempotency_keys") == [0]


@pytest.mark.heavy
async def test_an_answer_is_kept_for_a_day_and_swept(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await api.person()
    await person.post_ad()
    assert (await commented(person)).status_code == 200
    left = "SELECT round(extract(epoch FROM expires_at - now()) / 60)::int FROM idempotency_keys"
    assert await api.sql(left) == [24 * 60]
    for passed, counts in (("23 hours 59 minutes", True), ("2 minutes", False)):
        await api.sql(
            f"UPDATE idempotency_keys SET expires_at = expires_at - interval '{passed}'"  # noqa: S608
        )
        if counts:
            await retention.clean(api.state.database, api.state.settings)
            assert is_replayed(await commented(person))
    anew = await commented(person)
    assert anew.status_code == 200
    assert not is_replayed(anew)
    assert is_replayed(await commented(person))
    assert await api.sql("SELECT count(*) FROM comments") == [2]
    for number in range(4):
        await person.post("/ads/1/comments", **keyed(f"k{number}", **COMMENT))
    await expire(api, kept=1)
    one_at_once = retention_rows.IDEMPOTENCY_KEYS._replace(at_once=1)
    monkeypatch.setattr(retention_rows, "IDEMPOTENCY_KEYS", one_at_once)
    await retention.clean(api.state.database, api.state.settings)
    assert await api.sql("SELECT count(*) FROM idempotency_keys") == [1]


async def test_the_claim_of_a_process_that_died_lapses(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await api.person()
    await person.post_ad()

    async def die(*_: object) -> None:
        """Nobody is left to give it back."""

    with monkeypatch.context() as patch:
        patch.setattr(idempotency_rows, "release", die)
        assert (await person.post("/ads/1/release", **keyed())).status_code == 409
        assert (await person.post("/ads", **keyed("b", files=ad_form(image=b"?")))).is_error
    assert (await person.post("/ads/1/reserve")).status_code == 200
    assert is_in_progress(await person.post("/ads/1/release", **keyed()))
    seconds = "SELECT extract(epoch FROM expires_at - now())::int FROM idempotency_keys"
    assert max(await api.sql(seconds)) <= 45
    await expire(api)
    assert (await person.post("/ads/1/release", **keyed())).status_code == 200


@pytest.mark.heavy
async def test_who_took_too_long_changes_nothing(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another attempt has taken the claim meanwhile, and has its own effect."""
    person = await api.person()
    await person.post_ad()
    for owner, name, where, options in (
        (comment_rows, "create", "/ads/1/comments", COMMENT),
        (writing, "create", "/ads", {"files": ad_form()}),
        (auth, "register_account", "/register", {"json": REGISTRATION}),
    ):
        sent = keyed(f"{KEY} {where}", **options)
        with delayed(monkeypatch, owner, name, before=True) as slow:
            first = await slow.begun(person.post(where, **sent))
            assert is_in_progress(await person.post(where, **sent))
            await expire(api)
            second = await person.post(where, **sent)
            assert second.is_success, second.text
            late = await slow.ended(first)
        assert late.status_code == 409
        again = await person.post(where, **sent)
        assert (is_replayed(again), again.content) == (True, second.content)
    assert await api.sql("SELECT count(*) FROM comments") == [1]
    assert await api.sql("SELECT count(*) FROM ads") == [2]
    assert len(api.pictures()) == 2


@pytest.mark.heavy
async def test_a_change_whose_answer_cannot_be_kept_is_not_made(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await api.person()
    await person.post_ad()
    monkeypatch.setattr(idempotency_rows, "STORE_ANSWER", FAILING)
    for where, options in (
        ("/ads/1/comments", COMMENT),
        ("/ads/1/reserve", {}),
        ("/ads", {"files": ad_form()}),
        ("/register", {"json": REGISTRATION}),
    ):
        assert (await person.post(where, **keyed(**options))).status_code == 500
    rows = (await snapshot(api)).rows
    for table, count in (("comments", 0), ("ads", 1), ("users", 1), ("idempotency_keys", 0)):
        assert len(rows[table]) == count, table
    assert await api.sql("SELECT status FROM ads") == ["active"]
    assert len(api.pictures()) == 1


async def test_a_session_that_ended_gets_no_answer_again(api: Api) -> None:
    person = await api.person()
    await person.post_ad()
    assert (await commented(person)).status_code == 200
    await api.sql("DELETE FROM sessions")
    assert (await commented(person)).status_code == 401


async def test_a_claim_lasts_for_as_long_as_its_pictures_may_take(api: Api, tmp_path: Path) -> None:
    """Else another attempt would begin while the first still decodes, and both would be done."""
    person, settings = await api.person(), api.state.settings
    picture = tmp_path / "picture"
    picture.write_bytes(pictures.jpeg())
    for number in (0, 1, 2, 12):
        request = KeyedRequest(
            api.state.database, settings, f"key {number}", owner=person.id, operation=("POST", "/")
        )
        assert await request.claim(None, [picture] * number) is None
        [left] = await api.sql(
            "SELECT extract(epoch FROM max(expires_at) - clock_timestamp()) FROM idempotency_keys"
        )
        longest = CLAIM_SECONDS + number * settings.image_seconds
        assert longest - settings.image_seconds < left <= longest, number
