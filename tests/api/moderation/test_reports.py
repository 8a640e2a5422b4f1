"""Reports: who may report what, and when a report counts."""

import asyncio

import pytest

from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.moderation import (
    SCAM,
    TERMS,
    decide,
    moderator,
    neighbour,
    only_case,
    reported,
    undo,
)


async def comment(api: Api) -> tuple[str, int]:
    """The path of a comment on another user's ad, and its author."""
    author, writer = await api.person(), await api.person()
    ad = await author.post_ad()
    answer = await writer.post(f"/ads/{ad['pk']}/comments", json={"text": "Pay in advance."})
    return f"/ads/{ad['pk']}/comments/{answer.json()['pk']}", writer.id


async def test_a_second_report_is_answered_with_the_first(api: Api) -> None:
    author, reporter = await api.person(), await neighbour(api)
    ad = await author.post_ad()
    for path in (f"/ads/{ad['pk']}", (await comment(api))[0]):
        first = await reporter.post(f"{path}/reports", json=SCAM)
        assert first.status_code == 201
        assert first.json().keys() == {"id", "reason", "text", "at"}
        again = await reporter.post(f"{path}/reports", json={"reason": "other", "text": "Again."})
        assert again.status_code == 200
        assert again.json() == first.json()


@pytest.mark.heavy
async def test_moderators_see_how_often_a_reporter_was_right(api: Api) -> None:
    author, reporter, judge = await api.person(), await neighbour(api), await moderator(api)
    ads = [(await author.post_ad())["pk"] for _ in range(3)]
    seen = []
    for ad, action in zip(ads, ("dismiss", "removeAd", "dismiss"), strict=True):
        await reporter.post(f"/ads/{ad}/reports", json=SCAM)
        case = await only_case(judge, ad)
        [report] = case["reports"]
        seen.append((report["decided"], report["upheld"]))
        await decide(judge, case["id"], action)
    assert seen == [(0, 0), (1, 0), (2, 1)]


@pytest.mark.heavy
async def test_reports_of_one_thing_are_one_case(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    people = await reported(api, f"/ads/{ad['pk']}", by=3)
    case = await only_case(judge)
    assert (case["kind"], case["target"], case["ad"]) == ("ad", ad["pk"], ad["pk"])
    assert [report["reporter"] for report in case["reports"]] == [person.id for person in people]
    assert case["snapshot"]["title"] == ad["title"]
    assert case["snapshot"]["images"][0]["image"] == ad["image"]
    assert len(case["snapshot"]["images"][0]["digest"]) == 64
    assert case["author"]["id"] == author.id
    for reason in ("duplicate", "duplicate", "duplicate", "duplicate", "category"):
        sent = {"reason": reason}
        await (await neighbour(api)).post(f"/ads/{ad['pk']}/reports", json=sent)
    [listed] = (await judge.get("/moderation/cases")).json()["results"]
    assert listed["reports"] == 8
    assert listed["reasons"] == ["duplicate", "scam", "category"]
    assert (await only_case(judge))["reasons"] == listed["reasons"]


async def test_a_comment_can_be_reported_by_anyone_who_sees_it(api: Api) -> None:
    path, writer_id = await comment(api)
    judge = await moderator(api)
    await reported(api, path)
    case = await only_case(judge)
    assert (case["kind"], case["snapshot"]["text"]) == ("comment", "Pay in advance.")
    assert case["author"]["id"] == writer_id
    assert case["current"]["text"] == "Pay in advance."


async def test_neither_own_nor_missing_things_can_be_reported(api: Api) -> None:
    author, other = await api.person(), await api.person()
    ad = await author.post_ad()
    text = {"text": "Mine."}
    mine = (await author.post(f"/ads/{ad['pk']}/comments", json=text)).json()["pk"]
    own = f"/ads/{ad['pk']}"
    for path in (own, f"{own}/comments/{mine}"):
        answer = await author.post(f"{path}/reports", json=SCAM)
        assert answer.status_code == 403
        # Before the body.
        assert (await author.post(f"{path}/reports", content=b"{")).status_code == 403
    for path in ("/ads/999", f"{own}/comments/999", "/ads/999/comments/1"):
        assert (await other.post(f"{path}/reports", content=b"{")).status_code == 404
    assert (await other.post("/ads/x/reports", json=SCAM)).status_code == 400
    assert (await api.client.post(f"{own}/reports", content=b"{")).status_code == 401
    await author.post(f"{own}/withdraw")
    assert (await other.post(f"{own}/reports", json=SCAM)).status_code == 404
    await author.post(f"{own}/publish")
    await author.post(f"{own}/sell")
    assert (await other.post(f"{own}/reports", json=SCAM)).status_code == 410


@pytest.mark.parametrize(
    ("sent", "pointer"),
    [
        ({}, "/reason"),
        ({"reason": "ugly"}, "/reason"),
        ({"reason": "scam", "text": "a" * 2001}, "/text"),
        ({"reason": "scam", "text": None}, "/text"),
    ],
)
async def test_a_report_that_is_none_is_refused(
    api: Api, sent: dict[str, object], pointer: str
) -> None:
    author, other = await api.person(), await api.person()
    ad = await author.post_ad()
    answer = await other.post(f"/ads/{ad['pk']}/reports", json=sent)
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    form = await other.post(f"/ads/{ad['pk']}/reports", data={"reason": "scam"})
    assert form.status_code == 415


async def test_new_accounts_are_heard_but_do_not_count(api: Api) -> None:
    author, new, judge = await api.person(), await api.person(), await moderator(api)
    ad = await author.post_ad()
    assert (await new.post(f"/ads/{ad['pk']}/reports", json=SCAM)).status_code == 201
    case = await only_case(judge)
    assert [report["counts"] for report in case["reports"]] == [False]
    [listed] = (await judge.get("/moderation/cases")).json()["results"]
    assert listed["reports"] == 0


@pytest.mark.heavy
async def test_the_same_report_at_once_counts_once(api: Api) -> None:
    author, reporter, judge = await api.person(), await neighbour(api), await moderator(api)
    ad = await author.post_ad()
    answers = await asyncio.gather(
        *(reporter.post(f"/ads/{ad['pk']}/reports", json=SCAM) for _ in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    [listed] = (await judge.get("/moderation/cases")).json()["results"]
    assert listed["reports"] == 1


@pytest.mark.heavy
async def test_what_was_changed_before_a_later_report_is_kept_with_it(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}", by=2)
    await author.patch(f"/ads/{ad['pk']}", json={"title": "Something else"})
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(judge)
    assert case["snapshot"]["title"] == "Oak table"
    assert [report["snapshot"] for report in case["reports"][:2]] == [None, None]
    assert case["reports"][2]["snapshot"]["title"] == "Something else"
    assert case["current"]["title"] == "Something else"
    await author.delete(f"/ads/{ad['pk']}")
    gone = await only_case(judge)
    assert gone["current"] is None
    assert gone["snapshot"] == case["snapshot"]


@pytest.mark.heavy
async def test_so_many_reports_and_no_more_are_taken_in_an_hour(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, reports_per_user=2) as api:
        author, reporter = await api.person(), await neighbour(api)
        ads = [await author.post_ad() for _ in range(3)]
        statuses = [
            (await reporter.post(f"/ads/{ad['pk']}/reports", json=SCAM)).status_code for ad in ads
        ]
        assert statuses == [201, 201, 429]


@pytest.mark.heavy
async def test_reports_count_from_accounts_that_are_a_day_old(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    counted = 1
    for age, counts in (
        ("0 seconds", False), ("1 hour", False), ("23 hours 59 minutes", False),
        ("24 hours 1 minute", True), ("25 hours", True),
    ):  # fmt: skip
        person = await api.person()
        await api.sql(
            f"UPDATE users SET created_at = now() - interval '{age}' WHERE id = :id",  # noqa: S608
            id=person.id,
        )
        assert (await person.post(f"{path}/reports", json=SCAM)).status_code == 201, age
        counted += counts
        [case] = (await judge.get("/moderation/cases")).json()["results"]
        assert case["reports"] == counted, age


@pytest.mark.heavy
async def test_so_many_reports_hide_an_ad_until_it_is_looked_at(start_api: ApiFactory) -> None:
    async with start_api(reports_to_hide=2) as api:
        author, judge = await api.person(), await moderator(api)
        path = f"/ads/{(await author.post_ad())['pk']}"
        new = await api.person()
        await new.post(f"{path}/reports", json=SCAM)
        await reported(api, path)
        assert (await api.client.get(f"{path}/details")).status_code == 200
        await reported(api, path)
        assert (await api.client.get(f"{path}/details")).status_code == 404
        assert (await author.get(path)).json()["status"] == "suspended"
        case = await only_case(judge)
        sent = {"action": "dismiss"}
        answer = await judge.post(f"/moderation/cases/{case['id']}/decisions", json=sent)
        assert answer.status_code == 201
        assert (await api.client.get(f"{path}/details")).json()["status"] == "active"
        # Those that were looked at do not count again.
        await reported(api, path)
        assert (await api.client.get(f"{path}/details")).status_code == 200
        await reported(api, path)
        assert (await api.client.get(f"{path}/details")).status_code == 404


@pytest.mark.heavy
async def test_what_reports_have_hidden_stays_so_when_its_author_comes_back(
    start_api: ApiFactory,
) -> None:
    async with start_api(reports_to_hide=1) as api:
        author, judge, admin = await api.person(), await moderator(api), await api.admin()
        path = f"/ads/{(await author.post_ad())['pk']}"
        await reported(api, path)
        await admin.post(f"/users/{author.id}/suspend", json=TERMS)
        assert (await admin.post(f"/users/{author.id}/restore")).status_code == 200
        # Nobody has looked at it so far.
        assert (await api.client.get(f"{path}/details")).status_code == 404
        decision = await decide(judge, (await only_case(judge))["id"], "suspendAccount")
        assert (await undo(admin, decision["id"])).status_code == 201
        assert (await api.client.get(f"{path}/details")).status_code == 200
