"""How much text one account may store; responses kept for replay store none of it twice."""

from typing import Any

import httpx2
import pytest

from adsvc.services.retention import clean
from conftest import ApiFactory
from support.scene.api import Api, Person, ad_form
from support.scene.moderation import SCAM, TERMS, decide, moderator, neighbour, only_case, undo

TEXT = "Ä" * 100


async def used(api: Api, person: Person) -> int:
    [found] = await api.sql(
        "SELECT coalesce(sum(bytes), 0)::bigint FROM text_totals WHERE owner_id = :id", id=person.id
    )
    assert isinstance(found, int)
    return found


async def stored(api: Api, person: Person) -> int:
    """What there is."""
    [found] = await api.sql(
        """
        SELECT coalesce(sum(octet_length(words)), 0)::bigint FROM (
            SELECT title || description || coalesce(place, '') || attributes FROM ads
            WHERE author_id = :id
            UNION ALL SELECT text FROM comments WHERE author_id = :id
            UNION ALL SELECT text FROM removed_comments WHERE author_id = :id
            UNION ALL SELECT text FROM reports WHERE reporter_id = :id
        ) AS written (words)
        """,
        id=person.id,
    )
    assert isinstance(found, int)
    return found


@pytest.mark.heavy
async def test_texts_are_counted_whatever_happens_to_them(api: Api) -> None:
    person, other, judge = await api.person(), await neighbour(api), await moderator(api)
    first, second = [await person.post_ad(place="Ulm") for _ in range(2)]
    path = f"/ads/{first['pk']}"
    comment = (await other.post(f"{path}/comments", json={"text": TEXT})).json()
    one = f"{path}/comments/{comment['pk']}"
    steps: list[Any] = [
        lambda: person.patch(path, json={"description": TEXT, "title": "Öl und Öfen"}),
        lambda: person.patch(path, json={"price": 3}),
        lambda: other.patch(one, json={"text": "Shorter"}),
        lambda: person.post(f"{one}/reports", json={**SCAM, "text": TEXT}),
        lambda: person.delete(f"/ads/{second['pk']}"),
    ]
    for step in steps:
        assert (await step()).is_success
        for someone in (person, other):
            assert await used(api, someone) == await stored(api, someone) > 0
    case = await only_case(judge)
    decision = await decide(judge, case["id"], "removeComment", reason=TERMS)
    assert await used(api, other) == await stored(api, other) == len("Shorter")
    await undo(judge, decision["id"])
    assert await used(api, other) == await stored(api, other) == len("Shorter")
    # One row an account is left of them, and none of those that are gone.
    await clean(api.state.database, api.state.settings)
    assert await used(api, person) == await stored(api, person)
    assert await api.sql("SELECT max(c) FROM (SELECT count(*) c FROM text_totals"
                         " GROUP BY owner_id) t") == [1]  # fmt: skip
    assert (await person.delete(path)).is_success
    assert await used(api, other) == 0
    answer = await person.request("DELETE", "/users/me", json={"currentPassword": person.password})
    assert answer.status_code == 204, answer.text
    await clean(api.state.database, api.state.settings)
    assert await used(api, person) == 0


@pytest.mark.heavy
async def test_an_account_whose_texts_fill_its_quota_adds_none(start_api: ApiFactory) -> None:
    async with start_api(text_quota_bytes=400) as api:
        person, other = await api.person(), await neighbour(api)
        theirs = f"/ads/{(await other.post_ad())['pk']}"
        mine = f"/ads/{(await person.post_ad())['pk']}"
        written = []
        while (answer := await person.post(f"{theirs}/comments", json={"text": TEXT})).is_success:
            written.append(answer.json()["pk"])
        taken = await stored(api, person)
        assert 400 <= taken < 400 + len(TEXT.encode())
        one = f"{theirs}/comments/{written[0]}"
        refused: tuple[tuple[str, str, dict[str, Any]], ...] = (
            ("POST", f"{theirs}/comments", {"json": {"text": "x"}}),
            ("PATCH", one, {"json": {"text": "x"}}),
            ("PATCH", mine, {"json": {"description": "x"}}),
            ("POST", f"{theirs}/reports", {"json": SCAM}),
            ("POST", "/ads", {"files": ad_form()}),
        )
        for method, path, sent in refused:
            is_over(await person.request(method, path, **sent), taken)
        assert (await other.post(f"{mine}/comments", json={"text": TEXT})).is_success
        # To delete makes room.
        assert (await person.delete(one)).status_code == 204
        assert (await person.post(f"{theirs}/comments", json={"text": "x"})).is_success


def is_over(answer: httpx2.Response, taken: int) -> None:
    assert answer.status_code == 409, (answer.request.url, answer.text)
    problem = answer.json()
    assert problem["type"] == "/problems#quota-exceeded"
    assert (problem["quota"], problem["used"]) == (400, taken)


@pytest.mark.parametrize("change", ["nothing", "changed", "deleted"])
async def test_an_answer_that_is_given_again_keeps_no_text_twice(api: Api, change: str) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}/comments"
    text = 'Long, "quoted" \\ and on two\nlines: ' + "𝔸" * 1900
    key = {"Idempotency-Key": "once"}
    first = await person.post(path, json={"text": text}, headers=key)
    assert first.json()["text"] == text
    [kept] = await api.sql("SELECT octet_length(body) FROM idempotency_keys LIMIT 1")
    assert kept < 300
    one = f"{path}/{first.json()['pk']}"
    if change == "changed":
        await person.patch(one, json={"text": "Another"})
    elif change == "deleted":
        await person.delete(one)
    again = await person.post(path, json={"text": text}, headers=key)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.content, again.headers["ETag"]) == (first.content, first.headers["ETag"])
