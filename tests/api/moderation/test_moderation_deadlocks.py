"""A decision and a deletion at the same moment wait for each other, without a deadlock."""

import asyncio

import pytest

from support.scene.api import PASSWORD, Api, Person
from support.scene.moderation import (
    decide,
    moderator,
    only_case,
    reported,
    try_to_decide,
    undo,
)
from support.trouble.blocking import until_waiting, while_changing

CONFIRMATION = {"currentPassword": PASSWORD}


async def reported_comment(api: Api, seller: Person, writer: Person, judge: Person) -> int:
    """The id of the case about it."""
    path = f"/ads/{(await seller.post_ad())['pk']}/comments"
    comment = (await writer.post(path, json={"text": "Pay in advance."})).json()["pk"]
    await reported(api, f"{path}/{comment}")
    case: int = (await only_case(judge, comment))["id"]
    return case


@pytest.mark.heavy
@pytest.mark.parametrize("action", ["removeComment", "restore"])
@pytest.mark.parametrize("gone", ["ad", "seller", "writer"])
async def test_a_comment_is_decided_about_before_what_it_hangs_on_goes(
    api: Api, gone: str, action: str
) -> None:
    seller, writer, judge = await api.person(), await api.person(), await moderator(api)
    case = await reported_comment(api, seller, writer, judge)
    if action == "restore":
        made = await decide(judge, case, "removeComment")
        deciding = undo(await moderator(api), made["id"])
    else:
        deciding = try_to_decide(judge, case, "removeComment")
    async with while_changing(api, "SELECT FROM cases FOR UPDATE"):
        first = asyncio.create_task(deciding)
        await until_waiting(api, first)
        [ad] = await api.sql("SELECT id FROM ads")
        person = writer if gone == "writer" else seller
        path, sent = (f"/ads/{ad}", {}) if gone == "ad" else ("/users/me", {"json": CONFIRMATION})
        second = asyncio.create_task(person.request("DELETE", path, **sent))
        await until_waiting(api, first, second)
    assert ((await first).status_code, (await second).status_code) == (201, 204)


@pytest.mark.heavy
async def test_a_case_whose_ad_is_gone_is_dismissed_before_its_author_goes(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    case = (await only_case(judge))["id"]
    assert (await author.delete(path)).status_code == 204
    async with while_changing(api, "SELECT FROM cases FOR UPDATE"):
        first = asyncio.create_task(try_to_decide(judge, case, "dismiss"))
        await until_waiting(api, first)
        leaving = author.request("DELETE", "/users/me", json=CONFIRMATION)
        second = asyncio.create_task(leaving)
        await until_waiting(api, first, second)
    assert ((await first).status_code, (await second).status_code) == (201, 204)
