"""`Idempotency-Key`: a request that is sent twice happens once."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute

from adsvc.api.routers import moderation
from conftest import ApiFactory
from support.contract.documents import Json, document_with, resolved
from support.contract.expected import KEYED
from support.scene.api import PASSWORD, Api, Person, ad_form, image_form
from support.scene.moderation import TERMS, moderator, only_case, reported
from support.scene.snapshots import snapshot
from support.trouble.blocking import until_waiting

KEY = "3f0f1f4e-93a4-4b0c-8f1e-2a4f9d6f1c55"
HEADER = "Idempotency-Key"
COMMENT = {"json": {"text": "Still there?"}}
# One after another, each from the status that the one before it has made.
STEPS: Sequence[tuple[str, dict[str, Any]]] = (
    ("reserve", {}),
    ("release", {}),
    ("renew", {}),
    ("withdraw", {}),
    ("publish", {}),
    ("sell", {"json": {"price": 7}}),
)


def keyed(key: str | bytes, **options: Any) -> dict[str, Any]:
    return {**options, "headers": {HEADER: key, **options.get("headers", {})}}


def assert_replayed(answer: httpx2.Response, first: httpx2.Response) -> None:
    assert first.is_success, first.text
    assert "Idempotent-Replayed" not in first.headers
    assert (answer.status_code, answer.content) == (first.status_code, first.content)
    assert answer.headers["Idempotent-Replayed"] == "true"
    for name in ("Cache-Control", "Content-Location", "Content-Type", "ETag", "Link", "Location"):
        assert answer.headers.get(name) == first.headers.get(name), name
    assert answer.headers["X-Request-Id"] != first.headers["X-Request-Id"]


def assert_problem(answer: httpx2.Response, status: int, slug: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.json()["type"] == f"/problems#{slug}"


@pytest.mark.heavy
async def test_each_operation_happens_once_for_a_key(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    path = f"/ads/{ad['pk']}"
    record = {"username": "twice@example.com", "password": PASSWORD, "phone": "+49 30 1234567"}
    sent: list[tuple[str, dict[str, Any]]] = [
        ("/ads", {"files": ad_form()}),
        (f"{path}/images", {"files": image_form()}),
        (f"{path}/comments", COMMENT),
        *((f"{path}/{step}", options) for step, options in STEPS),
        ("/register", {"json": record}),
    ]
    for number, (where, options) in enumerate(sent):
        again = keyed(f"{KEY}-{number}", **options)
        first = await person.post(where, **again)
        before = await snapshot(api)
        for _ in range(2):
            assert_replayed(await person.post(where, **again), first)
        assert await snapshot(api) == before, where
    assert await api.sql("SELECT count(*) FROM ads") == [2]
    assert await api.sql("SELECT image_count FROM ads WHERE id = :id", id=ad["pk"]) == [2]


@pytest.mark.heavy
async def test_decisions_happen_once_for_a_key(api: Api) -> None:
    admin, judge, other = await api.admin(), await moderator(api), await moderator(api)
    author = await api.person()
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(judge)
    decision = keyed("decide", json={**TERMS, "action": "suspendAd"})
    # Another end each time: without the key it would be another decision.
    statement = keyed("suspend", json={**TERMS, "days": 3})
    sent: list[tuple[Person, str, dict[str, Any]]] = [
        (judge, f"/moderation/cases/{case['id']}/decisions", decision),
        (other, "/moderation/decisions/1/undo", keyed("undo")),
        (admin, f"/users/{author.id}/suspend", statement),
        (admin, f"/users/{author.id}/restore", keyed("restore")),
    ]
    for person, where, again in sent:
        first = await person.post(where, **again)
        before = await snapshot(api)
        if where.endswith("/suspend"):
            await api.sql("UPDATE decisions SET explanation = 'x' WHERE action = 'suspendAccount'")
            before = await snapshot(api)
        assert_replayed(await person.post(where, **again), first)
        assert await snapshot(api) == before, where
    # Neither has been in force since.
    for where, again in ((sent[2][1], statement), (sent[3][1], keyed("restore"))):
        assert (await admin.post(where, **again)).headers["Idempotent-Replayed"] == "true"
    assert (await admin.get(f"/users/{author.id}")).json()["status"] == "active"
    reused = await admin.post(sent[2][1], **keyed("suspend", json={**TERMS, "days": 4}))
    assert_problem(reused, 422, "idempotency-key-reused")


async def test_what_was_answered_stays_when_the_thing_changes_and_goes(api: Api) -> None:
    person, other = await api.person(), await api.person()
    created = keyed("created", files=ad_form())
    first = await person.post("/ads", **created)
    path = first.headers["Location"]
    added = keyed("added", files=image_form())
    second = await person.post(f"{path}/images", **added)
    told = keyed("told", **COMMENT)
    third = await other.post(f"{path}/comments", **told)
    await person.patch(path, json={"title": "Another title"})
    assert (await person.delete(path)).status_code == 204
    assert_replayed(await person.post("/ads", **created), first)
    assert_replayed(await person.post(f"{path}/images", **added), second)
    assert_replayed(await other.post(f"{path}/comments", **told), third)
    assert await api.sql("SELECT count(*) FROM ads") == [0]


async def test_what_a_transaction_answered_stays_when_access_would_be_refused(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every operation below a thing that takes a key, as this one could."""
    [operation] = [
        route.endpoint
        for route in moderation.reports_router.routes
        if isinstance(route, APIRoute) and route.operation_id == "reportAd"
    ]
    monkeypatch.setattr(operation, "takes_key", True)
    author, other, third = await api.person(), await api.person(), await api.person()
    path = f"/ads/{(await author.post_ad())['pk']}"
    sent = keyed("told", json={"reason": "scam", "text": "Not real."})
    first = await other.post(f"{path}/reports", **sent)
    assert (await author.delete(path)).status_code == 204
    assert_replayed(await other.post(f"{path}/reports", **sent), first)
    # Another account's key, and another key.
    for refused in (
        await third.post(f"{path}/reports", **sent),
        await other.post(f"{path}/reports", **{**sent, **keyed("new", json=sent["json"])}),
    ):
        assert refused.status_code == 404


async def test_another_request_with_the_key_is_422_and_changes_nothing(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    other = f"/ads/{(await person.post_ad())['pk']}"
    comment = f"{path}/comments"
    assert (await person.post(comment, **keyed(KEY, **COMMENT))).status_code == 200
    before = await snapshot(api)
    for where, options in (
        (comment, {"json": {"text": "Still there!"}}),
        (f"{other}/comments", COMMENT),
        (f"{path}/reserve", {}),
        (f"{path}/sell", {"json": {"price": 7}}),
        ("/ads", {"files": ad_form()}),
        (f"{path}/images", {"files": image_form()}),
    ):
        answer = await person.post(where, **keyed(KEY, **options))
        assert_problem(answer, 422, "idempotency-key-reused")
        assert KEY not in answer.text
    assert await snapshot(api) == before
    # The same members in another order, and spaces between them.
    swapped = {"price": 7, "unknown": [1, {"b": 2, "a": 3}]}
    sale = keyed("sale", json=swapped)
    first = await person.post(f"{path}/sell", **sale)
    again = keyed("sale", content=b'{"unknown" : [4],  "price": 7}')
    again["headers"]["Content-Type"] = "application/json"
    assert_replayed(await person.post(f"{path}/sell", **again), first)


async def test_a_key_belongs_to_one_account(api: Api) -> None:
    people = [await api.person() for _ in range(2)]
    path = f"/ads/{(await people[0].post_ad())['pk']}/comments"
    answers = [await person.post(path, **keyed(KEY, **COMMENT)) for person in people]
    assert [answer.json()["author"] for answer in answers] == [person.id for person in people]
    other = await people[1].post("/ads", **keyed("other", files=ad_form()))
    assert (await people[0].post("/ads", **keyed("other", files=ad_form()))).json() != other.json()


async def test_a_key_is_the_same_in_quotes_and_without(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}/comments"
    for bare, quoted in (
        ("abc", '"abc"'),
        ("x" * 255, f'"{"x" * 255}"'),
        ("a b;c=1, d", '"a b;c=1, d"'),
        (r"a\b", r'"a\\b"'),
        ('a"b', r'"a\"b"'),
        ("\\" * 255, '"' + "\\" * 510 + '"'),
    ):
        first = await person.post(path, **keyed(bare, **COMMENT))
        assert_replayed(await person.post(path, **keyed(quoted, **COMMENT)), first)
        assert_replayed(await person.post(path, **keyed(f" {bare}\t", **COMMENT)), first)


async def test_what_is_no_key_is_refused(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    before = await snapshot(api)
    wrong: tuple[str | bytes, ...] = (
        "", " ", '""', '"', '"a', '"a"b', '"a";b=1', r'"a\b"', '"a"b"', "x" * 256,
        f'"{"x" * 256}"', b"\xc3\xa4", "a\tb", b"a\x7f",
    )  # fmt: skip
    for key in wrong:
        answer = await person.post(f"{path}/comments", **keyed(key, **COMMENT))
        assert_problem(answer, 400, "invalid-request")
        (fault,) = answer.json()["errors"]
        assert fault["parameter"] == HEADER, key
    for where, options in (
        ("/ads", {"files": ad_form()}),
        (f"{path}/images", {"files": image_form()}),
        (f"{path}/reserve", {}),
        ("/register", {"json": {"username": "new@example.com", "password": PASSWORD}}),
    ):
        answer = await person.post(where, **keyed("", **options))
        assert_problem(answer, 400, "invalid-request")
        twice = [*person.headers.items(), (HEADER, "a"), (HEADER, "b")]
        answer = await api.client.post(where, **options, headers=twice)
        assert_problem(answer, 400, "invalid-request")
    assert await snapshot(api) == before
    # Who it is comes first.
    for where in ("/ads", f"{path}/images", f"{path}/comments", f"{path}/reserve"):
        assert (await api.client.post(where, headers={HEADER: ""})).status_code == 401


@pytest.mark.heavy
async def test_of_many_with_one_key_one_has_an_effect(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    record = {"username": "crowd@example.com", "password": PASSWORD}
    for times, where, options in (
        (20, f"{path}/comments", COMMENT),
        (20, f"{path}/reserve", {}),
        (6, f"{path}/images", {"files": image_form()}),
        (6, "/ads", {"files": ad_form()}),
        (20, "/register", {"json": record}),
    ):
        sent = keyed(f"{KEY} {where}", **options)
        answers = await asyncio.gather(*(person.post(where, **sent) for _ in range(times)))
        told = {answer.content for answer in answers if answer.is_success}
        assert len(told) == 1, where
        for answer in answers:
            if not answer.is_success:
                assert_problem(answer, 409, "idempotency-in-progress")
                assert answer.headers["Retry-After"] == "1"
        assert (await person.post(where, **sent)).content in told
    assert await api.sql("SELECT count(*) FROM comments") == [1]
    assert await api.sql("SELECT count(*) FROM ad_events WHERE event = 'reserved'") == [1]
    assert await api.sql("SELECT image_count FROM ads ORDER BY id") == [2, 1]
    assert await api.sql("SELECT count(*) FROM users") == [2]


@pytest.mark.heavy
async def test_one_that_is_under_way_is_409(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    for number, (where, options) in enumerate(
        (
            (f"{path}/comments", COMMENT),
            ("/ads", {"files": ad_form()}),
            (f"{path}/images", {"files": image_form()}),
        )
    ):
        sent = keyed(f"{KEY}-{number}", **options)
        async with api.state.database.engine.begin() as connection:
            # Reads go on, and the claim has been made by then.
            await connection.exec_driver_sql("LOCK TABLE comments, ad_images IN EXCLUSIVE MODE")
            first = asyncio.create_task(person.post(where, **sent))
            await until_waiting(api, first)
            again = await person.post(where, **sent)
            assert_problem(again, 409, "idempotency-in-progress")
            assert again.headers["Retry-After"] == "1"
        answer = await first
        assert_replayed(await person.post(where, **sent), answer)


@pytest.mark.heavy
async def test_a_replay_counts_as_one_write_and_says_how_many_are_left(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", writes_per_user=3, uploads_per_user=3) as api:
        person = await api.person()
        for where, options in (("/ads", {"files": ad_form()}), ("/ads/1/comments", COMMENT)):
            sent = keyed(f"{KEY} {where}", **options)
            first = await person.post(where, **sent)
            for left in (1, 0):
                again = await person.post(where, **sent)
                assert_replayed(again, first)
                assert f";r={left};" in again.headers["RateLimit"]
            assert (await person.post(where, **sent)).status_code == 429


async def test_a_dry_run_leaves_the_key_free(api: Api) -> None:
    person = await api.person()
    record = {"username": "judged@example.com", "password": PASSWORD}
    for where, options in (
        ("/ads", {"files": ad_form()}),
        ("/ads/1/comments", COMMENT),
        ("/register", {"json": record}),
    ):
        for _ in range(2):
            judged = await person.post(f"{where}?validate=true", **keyed(KEY + where, **options))
            assert judged.status_code == 204, judged.text
        first = await person.post(where, **keyed(KEY + where, **options))
        assert_replayed(await person.post(where, **keyed(KEY + where, **options)), first)


async def test_a_key_comes_before_what_the_client_has_seen(api: Api) -> None:
    """The request itself has made the tag that it was sent with an old one."""
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    for number, (where, options) in enumerate(
        ((f"{path}/reserve", {}), (f"{path}/images", {"files": image_form()}))
    ):
        seen = {"If-Match": (await person.get(path)).headers["ETag"]}
        sent = keyed(f"{KEY}-{number}", **options, headers=seen)
        first = await person.post(where, **sent)
        assert_replayed(await person.post(where, **sent), first)
        assert (await person.post(where, **{**options, "headers": seen})).status_code == 412


async def test_other_operations_do_not_look_at_the_key(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    for price in (7, 8):
        answer = await person.patch(path, **keyed("", json={"price": price}))
        assert answer.json()["price"] == price
    assert await api.sql("SELECT count(*) FROM idempotency_keys") == [0]


@pytest.mark.heavy
def test_the_document_says_which_operations_take_a_key() -> None:
    document: Json = document_with()
    taking = {}
    for operation in (each for path in document["paths"].values() for each in path.values()):
        known = [resolved(document, parameter) for parameter in operation.get("parameters", ())]
        if HEADER in (parameter["name"] for parameter in known):
            taking[operation["operationId"]] = operation["responses"]
    assert taking.keys() == KEYED
    for responses in taking.values():
        conflict, reused = (resolved(document, responses[status]) for status in ("409", "422"))
        assert "idempotency-in-progress" in str(conflict)
        assert "idempotency-key-reused" in str(reused)
        (success,) = (responses[status] for status in responses if status in {"200", "201", "202"})
        assert "Idempotent-Replayed" in success["headers"]
    header = document["components"]["parameters"]["IdempotencyKeyParameter"]
    assert (header["in"], header["required"]) == ("header", False)
    assert header["schema"]["type"] == "string"


@pytest.mark.heavy
async def test_a_refused_request_is_validated_again(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    taken = {"username": person.username, "password": PASSWORD}
    broken = b"\xff\xd8\xff\xe0 no picture"
    for status, where, options in (
        (409, f"{path}/release", {}),
        (404, "/ads/99/comments", COMMENT),
        (415, "/ads", {"files": ad_form(image=b"none")}),
        (400, "/ads", {"files": ad_form(image=broken)}),
        (400, f"{path}/images", {"files": image_form(broken)}),
        (409, "/register", {"json": taken}),
    ):
        for _ in range(2):
            answer = await person.post(where, **keyed(KEY, **options))
            assert answer.status_code == status, where
            assert "idempotency" not in answer.text
    assert await api.sql("SELECT count(*) FROM idempotency_keys") == [0]
    assert (await person.post(f"{path}/reserve")).status_code == 200
    assert (await person.post(f"{path}/release", **keyed(KEY))).status_code == 200
