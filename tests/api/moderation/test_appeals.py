"""Appeals: who may appeal, once and in time, and who decides about it."""

import asyncio
from typing import Any

import pytest

from support.mail.received import subjects, verified
from support.scene.api import Api, Person
from support.scene.moderation import (
    decide,
    moderator,
    only_case,
    reported,
    try_to_decide,
    undo,
)

APPEAL = {"text": "The photos are my own."}


async def suspended_ad(api: Api, author: Person, judge: Person) -> tuple[int, int]:
    """The ids of the case and of the decision."""
    ad = (await author.post_ad())["pk"]
    await reported(api, f"/ads/{ad}")
    case = (await only_case(judge, ad))["id"]
    return case, (await decide(judge, case, "suspendAd"))["id"]


@pytest.mark.heavy
async def test_an_appeal_is_possible_once_and_another_moderator_decides(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    case, decision = await suspended_ad(api, author, judge)
    path = f"/users/me/decisions/{decision}/appeal"
    answers = await asyncio.gather(*(author.post(path, json=APPEAL) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    [made] = [answer.json() for answer in answers if answer.status_code == 201]
    assert made["appeal"]["text"] == APPEAL["text"]
    assert (made["appealUntil"], made["redress"]) == (None, ["disputeSettlement", "court"])
    [listed] = (await judge.get("/moderation/cases?status=appealed")).json()["results"]
    assert (listed["id"], listed["appeal"]) == (case, APPEAL["text"])
    assert (await only_case(judge))["appeal"] == APPEAL["text"]
    for action in ("suspendAd", "dismiss"):
        assert (await try_to_decide(judge, case, action)).status_code == 403
    upheld = await decide(other, case, "suspendAd")
    # There is an end to it.
    assert (upheld["appealUntil"], upheld["redress"]) == (None, ["disputeSettlement", "court"])
    again = await author.post(f"/users/me/decisions/{upheld['id']}/appeal", json=APPEAL)
    assert (again.status_code, again.json()["type"]) == (409, "/problems#appeal-not-possible")


@pytest.mark.heavy
async def test_an_appeal_is_granted_by_dismissing_or_by_undoing(api: Api) -> None:
    judge, other = await moderator(api), await moderator(api)
    author, mail = await verified(api)
    case, decision = await suspended_ad(api, author, judge)
    await author.post(f"/users/me/decisions/{decision}/appeal", json=APPEAL)
    assert (await undo(other, decision)).status_code == 201
    assert (await only_case(judge))["status"] == "decided"
    assert (await api.client.get("/ads")).json()["count"] == 1
    [restored, suspended] = (await author.get("/users/me/decisions")).json()["results"]
    assert (restored["action"], restored["undoes"]) == ("restore", suspended["id"])
    assert not suspended["holds"]
    late = await author.post(f"/users/me/decisions/{decision}/appeal", json=APPEAL)
    assert late.status_code == 409
    await api.sql("UPDATE cases SET status = 'open'")
    second = await decide(judge, case, "suspendAd")
    await author.post(f"/users/me/decisions/{second['id']}/appeal", json=APPEAL)
    granted = await decide(other, case, "dismiss", explanation="They are.")
    assert granted["undoes"] == second["id"]
    assert (await api.client.get("/ads")).json()["count"] == 1
    # The user who was informed of a restriction is informed of its end.
    newest = (await author.get("/users/me/decisions")).json()["results"][0]
    assert (newest["action"], newest["explanation"]) == ("dismiss", "They are.")
    told = await subjects(api, mail)
    assert told.count("A decision at adsvc was undone") == 2


@pytest.mark.heavy
async def test_dismissing_ends_nothing_that_was_over(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    case, _ = await suspended_ad(api, author, judge)
    for appealed in (False, True):
        await api.sql("UPDATE cases SET status = 'open'")
        suspended = await decide(judge, case, "suspendAccount", days=1)
        await api.sql(
            "UPDATE decisions SET ended_at = CASE WHEN action = 'suspendAd' THEN now() END,"
            " until = now() - interval '1 second',"
            " appealed_at = CASE WHEN :appealed THEN now() END",
            appealed=appealed,
        )
        await api.sql("UPDATE cases SET status = 'open'")
        dismissed = await decide(judge, case, "dismiss")
        assert dismissed["undoes"] == (suspended["id"] if appealed else None)


@pytest.mark.heavy
async def test_the_moderator_appealed_against_cannot_undo_the_outcome(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    case, decision = await suspended_ad(api, author, judge)
    await author.post(f"/users/me/decisions/{decision}/appeal", json=APPEAL)
    granted = await decide(other, case, "dismiss")
    refused = await undo(judge, granted["id"])
    assert refused.status_code == 403
    assert (await undo(await moderator(api), granted["id"])).status_code == 201


@pytest.mark.heavy
async def test_an_appeal_comes_from_the_one_concerned_in_time_and_says_something(
    api: Api,
) -> None:
    author, judge, stranger = await api.person(), await moderator(api), await api.person()
    _, decision = await suspended_ad(api, author, judge)
    path = f"/users/me/decisions/{decision}/appeal"
    assert (await api.client.post(path, json=APPEAL)).status_code == 401
    assert (await stranger.post(path, json=APPEAL)).status_code == 404
    assert (await author.post("/users/me/decisions/999/appeal", json=APPEAL)).status_code == 404
    assert (await author.post("/users/me/decisions/x/appeal", json=APPEAL)).status_code == 400
    for sent in ({}, {"text": " "}, {"text": "a" * 4001}, {"text": None}):
        assert (await author.post(path, json=sent)).status_code == 400, sent
    await api.sql("UPDATE decisions SET at = now() - interval '181 days'")
    assert (await author.post(path, json=APPEAL)).status_code == 409
    await api.sql("UPDATE decisions SET at = now() - interval '179 days'")
    assert (await author.post(path, json=APPEAL)).status_code == 201


@pytest.mark.heavy
async def test_my_decisions_are_paged_and_only_mine(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    for _ in range(2):
        _, decision = await suspended_ad(api, author, judge)
        assert (await undo(other, decision)).status_code == 201
    whole = (await author.get("/users/me/decisions")).json()["results"]
    assert [row["action"] for row in whole] == ["restore", "suspendAd"] * 2
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await author.get(f"/users/me/decisions?limit=3{cursor}")).json()
        found += page["results"]
        cursor = page["next"] and f"&cursor={page['next']}"
    assert found == whole
    assert (await judge.get("/users/me/decisions")).json() == {"results": [], "next": None}
    assert (await api.client.get("/users/me/decisions")).status_code == 401
