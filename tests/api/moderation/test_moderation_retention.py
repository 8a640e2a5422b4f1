"""How long removed things can be restored, and cases are kept."""

import pytest

from adsvc.services.moderation.reports import forget_decided
from support.scene.api import Api, Person
from support.scene.moderation import decide, moderator, only_case, reported

MOMENTS = {"decisions": "at", "cases": "changed_at", "removed_comments": "removed_at"}


async def forget_after(api: Api, days: int) -> None:
    """As if everything had been decided so many days ago."""
    for table, column in MOMENTS.items():
        await api.sql(f"UPDATE {table} SET {column} = now() - make_interval(days => {days})")  # noqa: S608
    await forget_decided(api.state.database, api.state.settings)


async def removed(api: Api, judge: Person, action: str) -> str:
    """The statement that counts what was removed."""
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    path = f"/ads/{ad}"
    if action == "removeComment":
        said = await author.post(f"{path}/comments", json={"text": "Pay in advance."})
        path = f"{path}/comments/{said.json()['pk']}"
    await reported(api, path)
    await decide(judge, (await only_case(judge))["id"], action)
    if action == "removeAd":
        return "SELECT count(*) FROM ads WHERE status = 'removed'"
    return "SELECT count(*) FROM removed_comments"


@pytest.mark.heavy
@pytest.mark.parametrize("action", ["removeAd", "removeComment"])
async def test_what_was_removed_is_deleted_when_it_cannot_come_back(api: Api, action: str) -> None:
    judge = await moderator(api)
    kept = await removed(api, judge, action)
    await forget_after(api, 179)
    assert await api.sql(kept) == [1]
    await api.sql("UPDATE cases SET status = 'appealed'")
    await forget_after(api, 1000)
    assert await api.sql(kept) == [1]
    await api.sql("UPDATE cases SET status = 'decided'")
    await forget_after(api, 181)
    assert await api.sql(kept) == [0]
    # What it was is known still.
    case = await only_case(judge)
    assert case["current"] is None
    assert case["snapshot"]["title"] or case["snapshot"]["text"]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("action", "left"), [("dismiss", 0), ("suspendAd", 1), ("suspendAccount", 1)]
)
async def test_cases_are_kept_for_their_time_and_while_they_restrict_an_account(
    api: Api, action: str, left: int
) -> None:
    author, judge, admin = await api.person(), await moderator(api), await api.admin()
    await reported(api, f"/ads/{(await author.post_ad())['pk']}")
    decision = await decide(judge, (await only_case(judge))["id"], action)
    await forget_after(api, 729)
    assert await api.sql("SELECT count(*) FROM cases") == [1]
    await forget_after(api, 731)
    assert await api.sql("SELECT count(*) FROM cases") == [left]
    if left:
        undone = await admin.post(f"/moderation/decisions/{decision['id']}/undo")
        assert undone.status_code == 201
        await forget_after(api, 731)
    for table in ("cases", "decisions", "reports"):
        assert await api.sql(f"SELECT count(*) FROM {table}") == [0], table  # noqa: S608


@pytest.mark.heavy
async def test_suspensions_without_a_case_are_kept_while_they_hold(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    reasons = {"ground": "law", "explanation": "Sold what must not be sold."}
    await admin.post(f"/users/{author.id}/suspend", json=reasons)
    await forget_after(api, 731)
    assert await api.sql("SELECT count(*) FROM decisions") == [1]
    await admin.post(f"/users/{author.id}/restore")
    await forget_after(api, 731)
    assert await api.sql("SELECT count(*) FROM decisions") == [0]
