"""A role counts as it is when the request is carried out, not when it began."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from adsvc.services.moderation import decisions
from support.scene.api import Api, Person
from support.scene.moderation import (
    SCAM,
    TERMS,
    decide,
    moderator,
    neighbour,
    only_case,
    reported,
)
from support.trouble.blocking import meanwhile, until_waiting, while_changing

DEMOTE = "UPDATE users SET role = 'USER' WHERE id = :id"
MAKE_MODERATOR = "UPDATE users SET role = 'MODERATOR' WHERE id = :id"
SUSPEND = "UPDATE users SET suspended_until = 'infinity' WHERE id = :id"


async def status_of(api: Api, person: Person, path: str, sent: object, meanwhile: str) -> int:
    """The answer to whom that happens while the body is on its way."""

    async def body() -> AsyncIterator[bytes]:
        await api.sql(meanwhile, id=person.id)
        yield json.dumps(sent).encode()

    headers = {"Content-Type": "application/json"}
    return (await person.post(path, content=body(), headers=headers)).status_code


@pytest.fixture(autouse=True)
def every_account_has_many_ads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those are held, and their ads hidden, before the decision."""
    monkeypatch.setattr(decisions, "MANY", 0)


async def require_unharmed(api: Api, author: Person, path: str) -> None:
    assert (await api.client.get(f"{path}/details")).status_code == 200
    assert (await author.get("/users/me")).status_code == 200
    assert await api.sql("SELECT count(*) FROM decisions") == [0]


@pytest.mark.parametrize(("meanwhile", "status"), [(DEMOTE, 403), (SUSPEND, 401)])
@pytest.mark.parametrize("action", ["suspendAd", "suspendAccount"])
async def test_who_is_no_moderator_any_more_does_not_decide(
    api: Api, action: str, meanwhile: str, status: int
) -> None:
    author, judge = await api.person(), await moderator(api)
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    decisions = f"/moderation/cases/{(await only_case(judge))['id']}/decisions"
    sent = {"action": action, **TERMS}
    assert await status_of(api, judge, decisions, sent, meanwhile) == status
    await require_unharmed(api, author, path)


@pytest.mark.parametrize(("meanwhile", "status"), [(MAKE_MODERATOR, 403), (SUSPEND, 401)])
async def test_a_former_administrator_cannot_suspend(api: Api, meanwhile: str, status: int) -> None:
    author, admin = await api.person(), await api.admin()
    path = f"/ads/{(await author.post_ad())['pk']}"
    suspend = f"/users/{author.id}/suspend"
    assert await status_of(api, admin, suspend, TERMS, meanwhile) == status
    await require_unharmed(api, author, path)


async def test_a_report_that_comes_after_its_writer_s_suspension_does_not_count(
    api: Api,
) -> None:
    author, reporter, judge = await api.person(), await neighbour(api), await moderator(api)
    reports = f"/ads/{(await author.post_ad())['pk']}/reports"
    assert await status_of(api, reporter, reports, SCAM, SUSPEND) == 201
    case = await only_case(judge)
    assert [report["counts"] for report in case["reports"]] == [False]


async def test_a_report_at_the_moment_of_its_writer_s_suspension_does_not_count(
    api: Api,
) -> None:
    author, reporter, judge = await api.person(), await neighbour(api), await moderator(api)
    reports = f"/ads/{(await author.post_ad())['pk']}/reports"
    async with while_changing(api, SUSPEND.replace(":id", str(reporter.id))):
        reporting = asyncio.create_task(reporter.post(reports, json=SCAM))
        await until_waiting(api, reporting)
    assert (await reporting).status_code == 201
    case = await only_case(judge)
    assert [report["counts"] for report in case["reports"]] == [False]


@pytest.mark.heavy
async def test_a_decision_is_about_what_was_seen_if_it_says_so(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    case = f"/moderation/cases/{(await only_case(judge))['id']}"
    seen = {"If-Match": (await judge.get(case)).headers["ETag"]}
    answer = await author.patch(path, json={"description": "Pay in advance, to this account."})
    assert answer.status_code == 200
    for action in ("dismiss", "suspendAd", "suspendAccount"):
        sent = {"action": action, **({} if action == "dismiss" else TERMS)}
        refused = await judge.post(f"{case}/decisions", json=sent, headers=seen)
        assert (refused.status_code, refused.json()["type"]) == (
            412, "/problems#precondition-failed",
        )  # fmt: skip
        await require_unharmed(api, author, path)
    # As the refusal says it, and as it is read.
    now = (await judge.get(case, headers={"Accept-Encoding": "identity"})).headers["ETag"]
    assert refused.headers["ETag"] == now
    sent = {"action": "suspendAccount", **TERMS}
    decided = await judge.post(f"{case}/decisions", json=sent, headers={"If-Match": now})
    assert decided.status_code == 201


@pytest.mark.heavy
async def test_who_changes_an_ad_at_the_moment_of_a_decision_is_seen(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    case = f"/moderation/cases/{(await only_case(judge))['id']}"
    seen = {"If-Match": (await judge.get(case)).headers["ETag"]}
    async with while_changing(api, "UPDATE ads SET title = 'Another table'"):
        sent = {"action": "dismiss"}
        deciding = asyncio.create_task(judge.post(f"{case}/decisions", json=sent, headers=seen))
        await until_waiting(api, deciding)
    assert (await deciding).status_code == 412
    assert await api.sql("SELECT count(*) FROM decisions") == [0]


@pytest.mark.heavy
async def test_who_is_suspended_while_they_wait_decides_nothing_more(api: Api) -> None:
    author, judge, admin = await api.person(), await moderator(api), await api.admin()
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    case = (await only_case(judge))["id"]
    decision = await decide(admin, case, "suspendAd")
    other = await api.person()
    await api.sql("UPDATE cases SET status = 'open'")
    asked = (
        (judge, f"/moderation/cases/{case}/decisions", {"action": "dismiss"}),
        (judge, f"/moderation/decisions/{decision['id']}/undo", None),
        (admin, f"/users/{other.id}/suspend", TERMS),
        (admin, f"/users/{other.id}/restore", None),
    )
    for person, asked_for, sent in asked:
        held = "SELECT FROM ads FOR UPDATE", f"SELECT FROM users WHERE id = {other.id} FOR UPDATE"
        suspend = SUSPEND.replace(":id", str(person.id))
        answer = await meanwhile(api, person.post(asked_for, json=sent), *held, suspend)
        assert (await answer).status_code == 401, asked_for
        await api.sql("UPDATE users SET suspended_until = NULL")
    assert await api.sql("SELECT count(*) FROM decisions") == [1]
