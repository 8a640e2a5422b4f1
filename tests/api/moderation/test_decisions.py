"""Decisions about cases: who makes them, and what they do."""

import asyncio
from typing import Any

import pytest

from adsvc.enums import Role
from support.scene.api import Api, Person
from support.scene.moderation import (
    TERMS,
    decide,
    moderator,
    only_case,
    reported,
    try_to_decide,
    undo,
)


async def reported_ad(api: Api, author: Person, judge: Person) -> tuple[str, int]:
    """The path of an ad, and the id of its case."""
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    return path, (await only_case(judge))["id"]


async def reported_comment(api: Api, writer: Person, judge: Person) -> tuple[str, int]:
    path = f"/ads/{(await (await api.person()).post_ad())['pk']}/comments"
    answer = await writer.post(path, json={"text": "Pay in advance."})
    path = f"{path}/{answer.json()['pk']}"
    await reported(api, path)
    return path, (await only_case(judge))["id"]


async def exported_comments(writer: Person) -> list[tuple[str, str]]:
    export = (await writer.get("/users/me/export")).json()
    return [(comment["text"], comment["status"]) for comment in export["comments"]]


async def seen_by_all(api: Api, path: str) -> bool:
    """Whether an ad is in the list, in its count, in feed and sitemap, and has its pages."""
    listed = (await api.client.get("/ads")).json()
    number = int(path.rpartition("/")[2])
    found = number in [ad["pk"] for ad in listed["results"]]
    assert listed["count"] == len(listed["results"])
    details = (await api.client.get(f"{path}/details")).status_code
    assert details == (200 if found else 404)
    page = await api.client.get(f"/a/{number}", follow_redirects=True)
    assert page.status_code == (200 if found else 404)
    assert (f"/a/{number}-" in (await api.client.get("/sitemaps/ads-0.xml")).text) == found
    assert (f"/a/{number}" in (await api.client.get("/ads.atom")).text) == found
    return found


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("action", "status"), [("suspendAd", "suspended"), ("removeAd", "removed")]
)
async def test_a_hidden_ad_is_its_author_s_alone_until_that_is_undone(
    api: Api, action: str, status: str
) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    path, case = await reported_ad(api, author, judge)
    decision = await decide(judge, case, action, reference="Terms, § 4")
    assert not await seen_by_all(api, path)
    assert (await other.get(path)).status_code == 404
    assert (await author.get(path)).json()["status"] == status
    [mine] = (await author.get("/ads/me")).json()["results"]
    assert mine["status"] == status
    for step in ("publish", "renew", "withdraw"):
        refused = await author.post(f"{path}/{step}")
        assert (refused.status_code, refused.json()["allowed"]) == (409, [])
    assert (await undo(other, decision["id"])).status_code == 201
    assert await seen_by_all(api, path)
    assert (await author.get(path)).json()["status"] == "active"
    events = await api.sql("SELECT event FROM ad_events ORDER BY id")
    assert events == ["created", status, "restored"]


@pytest.mark.heavy
async def test_a_removed_comment_comes_back_with_its_id(api: Api) -> None:
    writer, judge, other = await api.person(), await moderator(api), await moderator(api)
    path, case = await reported_comment(api, writer, judge)
    before = (await writer.get(path)).json()
    decision = await decide(judge, case, "removeComment")
    assert (await writer.get(path)).status_code == 404
    assert (await only_case(judge))["current"] is None
    below = path.rpartition("/")[0]
    assert (await writer.get(below)).json()["count"] == 0
    assert await exported_comments(writer) == [("Pay in advance.", "removed")]
    assert (await undo(other, decision["id"])).status_code == 201
    assert (await writer.get(path)).json() == before
    assert (await writer.get(below)).json()["count"] == 1
    assert await exported_comments(writer) == [("Pay in advance.", "shown")]


async def test_a_case_is_decided_once(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    _, case = await reported_ad(api, author, judge)
    answers = await asyncio.gather(
        try_to_decide(judge, case, "suspendAd"), try_to_decide(other, case, "removeAd")
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    [refused] = [answer for answer in answers if answer.status_code == 409]
    assert refused.json()["type"] == "/problems#case-decided"
    assert await api.sql("SELECT count(*) FROM decisions") == [1]
    assert (await only_case(judge))["status"] == "decided"


@pytest.mark.heavy
async def test_a_decision_is_undone_once_and_by_another_moderator(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    _, case = await reported_ad(api, author, judge)
    decision = await decide(judge, case, "suspendAd")
    assert (await undo(judge, decision["id"])).status_code == 403
    answers = await asyncio.gather(*(undo(other, decision["id"]) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    [undone] = [answer.json() for answer in answers if answer.status_code == 201]
    assert (undone["action"], undone["undoes"]) == ("restore", decision["id"])
    assert (await undo(judge, undone["id"])).status_code == 409
    assert (await undo(other, 999)).status_code == 404


@pytest.mark.heavy
async def test_a_dismissed_case_is_open_again_if_that_is_undone(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    path, case = await reported_ad(api, author, judge)
    decision = await decide(judge, case, "dismiss")
    assert decision["ground"] is None
    assert (decision["redress"], decision["appealUntil"]) == ([], None)
    assert await seen_by_all(api, path)
    assert (await undo(other, decision["id"])).status_code == 201
    assert (await only_case(judge))["status"] == "open"
    # No one was restricted, so no mail is sent.
    assert (await author.get("/users/me/decisions")).json()["results"] == []
    assert (await author.get("/users/me/export")).json()["decisions"] == []


@pytest.mark.heavy
async def test_a_report_of_what_was_decided_has_it_looked_at_again(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path, case = await reported_ad(api, author, judge)
    await decide(judge, case, "dismiss")
    await reported(api, path)
    assert (await only_case(judge))["status"] == "open"
    await decide(judge, case, "suspendAd")


@pytest.mark.heavy
async def test_an_edit_of_a_suspended_ad_requests_a_review(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path, case = await reported_ad(api, author, judge)
    await decide(judge, case, "suspendAd")
    assert (await author.patch(path, json={"title": "An honest title"})).status_code == 200
    assert not await seen_by_all(api, path)
    opened = await only_case(judge)
    assert opened["status"] == "open"
    assert opened["current"]["title"] == "An honest title"
    await decide(judge, case, "dismiss")
    assert await seen_by_all(api, path)
    told = (await author.get("/users/me/decisions")).json()["results"]
    assert [(row["action"], row["holds"]) for row in told] == [
        ("dismiss", True), ("suspendAd", False),
    ]  # fmt: skip


async def test_what_is_gone_is_neither_hidden_nor_removed(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path, case = await reported_ad(api, author, judge)
    await author.delete(path)
    for action in ("suspendAd", "removeAd"):
        answer = await try_to_decide(judge, case, action)
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems#thing-gone")
    await decide(judge, case, "dismiss")


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["/action"]),
    ({"action": "restore"}, ["/action"]),
    ({"action": "suspendAd"}, ["/ground", "/explanation"]),
    ({"action": "suspendAd", **TERMS, "ground": "taste"}, ["/ground"]),
    ({"action": "suspendAd", **TERMS, "explanation": "  "}, ["/explanation"]),
    ({"action": "suspendAd", **TERMS, "days": 3}, ["/days"]),
    ({"action": "suspendAccount", **TERMS, "days": 0}, ["/days"]),
    ({"action": "suspendAccount", **TERMS, "days": None}, ["/days"]),
    ({"action": "removeComment", **TERMS}, ["/action"]),
    ({"action": "removeAd", **TERMS, "reference": "a" * 201}, ["/reference"]),
]


@pytest.mark.heavy
async def test_a_decision_without_reasons_is_refused(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    _, case = await reported_ad(api, author, judge)
    for sent, pointers in BAD:
        answer = await judge.post(f"/moderation/cases/{case}/decisions", json=sent)
        assert answer.status_code == 400, sent
        assert [fault["pointer"] for fault in answer.json()["errors"]] == pointers, sent
    assert (await only_case(judge))["status"] == "open"


@pytest.mark.heavy
async def test_no_moderator_decides_about_their_own(api: Api) -> None:
    judge, other = await moderator(api), await moderator(api)
    path, case = await reported_ad(api, judge, other)
    assert (await try_to_decide(judge, case, "dismiss")).status_code == 403
    # Nor does anybody learn who has reported them.
    refused = await judge.get(f"/moderation/cases/{case}")
    assert (refused.status_code, "reporter" in refused.text) == (403, False)
    decision = await decide(other, case, "suspendAd")
    assert (await undo(judge, decision["id"])).status_code == 403
    assert not await seen_by_all(api, path)


@pytest.mark.heavy
async def test_a_moderator_cannot_act_against_an_administrator(api: Api) -> None:
    admin, judge, second = await api.admin(), await moderator(api), await api.admin()
    path, case = await reported_ad(api, admin, judge)
    for action in ("suspendAd", "suspendAccount", "dismiss"):
        assert (await try_to_decide(judge, case, action)).status_code == 403
    assert await seen_by_all(api, path)
    decision = await decide(second, case, "suspendAd")
    assert (await undo(judge, decision["id"])).status_code == 403


@pytest.mark.heavy
async def test_the_statement_of_reasons_has_what_the_law_requires(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path, case = await reported_ad(api, author, judge)
    made = await decide(judge, case, "removeAd", ground="law", reference="DSA, Art. 16")
    [told] = (await author.get("/users/me/decisions")).json()["results"]
    assert {name: told[name] for name in told if name not in {"id", "at", "appealUntil"}} == {
        "action": "removeAd",
        "kind": "ad",
        "target": int(path.rpartition("/")[2]),
        "excerpt": "Oak table",
        "ground": "law",
        "reference": "DSA, Art. 16",
        "explanation": TERMS["explanation"],
        "automated": False,
        "scope": "everywhere",
        "until": None,
        "holds": True,
        "undoes": None,
        "redress": ["appeal", "disputeSettlement", "court"],
        "appeal": None,
    }
    assert told["appealUntil"] - told["at"] == 180 * 24 * 3600 * 1000
    # Only moderators see who reported and who decided.
    assert made["by"] == judge.id
    assert made["case"] == case
    export = (await author.get("/users/me/export")).json()
    assert export["decisions"] == [told]


async def test_decisions_are_in_the_trail(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "adsvc.audit")
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    _, case = await reported_ad(api, author, judge)
    decision = await decide(judge, case, "suspendAd")
    await undo(other, decision["id"])
    rows = await api.sql(
        "SELECT event || ' ' || actor || ' ' || owner_id FROM audit_events"
        " WHERE event ~ '^deci|suspended|restored' ORDER BY id"
    )
    events = ["decided", "suspended", "decision_undone", "restored"]
    actors = [judge.id, judge.id, other.id, other.id]
    assert rows == [
        f"{event} {actor} {author.id}" for event, actor in zip(events, actors, strict=True)
    ]
    logged = [line.message for line in caplog.records if line.name == "adsvc.audit"]
    assert [line.split()[0] for line in logged][-4:] == events


@pytest.mark.heavy
async def test_the_queue_has_the_most_reported_first(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ads = [await author.post_ad() for _ in range(4)]
    people = [await moderator(api) for _ in range(3)]
    await api.sql("UPDATE users SET created_at = now() - interval '2 days'")
    for ad, count in zip(ads, (1, 3, 1, 2), strict=True):
        for person in people[:count]:
            answer = await person.post(f"/ads/{ad['pk']}/reports", json={"reason": "scam"})
            assert answer.status_code == 201
    wanted = [ads[1]["pk"], ads[3]["pk"], ads[0]["pk"], ads[2]["pk"]]
    found, query = [], "status=open&limit=1"
    while query:
        answer = await judge.get(f"/moderation/cases?{query}")
        page = answer.json()
        found += [case["target"] for case in page["results"]]
        assert ("link" in answer.headers) == (page["next"] is not None)
        query = page["next"] and f"status=open&limit=1&cursor={page['next']}"
    assert found == wanted
    first = (await judge.get("/moderation/cases")).json()["results"][0]
    await decide(judge, first["id"], "dismiss")
    for status, count in (("open", 3), ("decided", 1), ("appealed", 0)):
        listed = (await judge.get(f"/moderation/cases?status={status}")).json()
        assert len(listed["results"]) == count, status
    for query in ("status=closed", "status=", "limit=0", "cursor=x"):
        assert (await judge.get(f"/moderation/cases?{query}")).status_code == 400, query
    assert (await judge.get("/moderation/cases/999")).status_code == 404


async def test_only_moderators_and_administrators_see_the_queue(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    _, case = await reported_ad(api, author, judge)
    decision = await decide(judge, case, "suspendAd")
    operations = [
        ("GET", "/moderation/cases"),
        ("GET", f"/moderation/cases/{case}"),
        ("GET", "/moderation/cases/999"),
        ("POST", f"/moderation/cases/{case}/decisions"),
        ("POST", f"/moderation/decisions/{decision['id']}/undo"),
    ]
    for method, path in operations:
        assert (await api.client.request(method, path)).status_code == 401, path
        assert (await author.request(method, path)).status_code == 403, path
    await api.set_role(author, Role.ADMIN)
    assert (await author.get("/moderation/cases")).status_code == 200


@pytest.mark.heavy
async def test_a_case_has_the_history_of_its_author_and_of_no_other(api: Api) -> None:
    judge, author, other = await moderator(api), await api.person(), await api.person()
    ads = [await person.post_ad() for person in (author, author, other)]
    for ad in ads:
        await reported(api, f"/ads/{ad['pk']}")
    for person, target in ((author, ads[0]), (other, ads[2])):
        case = await only_case(judge, target["pk"])
        await decide(judge, case["id"], "suspendAd")
        told = (await only_case(judge, target["pk"]))["author"]
        counts = {author.id: (2, 1, 1), other.id: (1, 0, 1)}[person.id]
        assert (told["cases"], told["ads"], len(told["decisions"])) == counts


@pytest.mark.guard
async def test_a_case_about_ones_own_ad_is_in_the_queue_of_others_alone(api: Api) -> None:
    admin, other = await api.admin(), await api.admin()
    await reported_ad(api, admin, other)

    async def seen_by(reader: Person) -> tuple[list[Any], int]:
        queue = (await reader.get("/moderation/cases?status=open")).json()["results"]
        overview = (await reader.get("/admin/overview")).json()
        return queue, overview["cases"]["open"]

    assert await seen_by(admin) == ([], 0)
    queue, open_cases = await seen_by(other)
    assert (len(queue), open_cases) == (1, 1)
