"""Appeals of people who cannot log in: by the link in the mail, and by the answer of a login."""

import re
from typing import Any

import httpx2
import pytest

from adsvc.enums import Role
from adsvc.kit.security.tokens import Purpose, SignedLinks
from adsvc.services.installation import signed_links
from support.mail.received import sent, verified
from support.mail.server import text_of
from support.scene.api import Api, Person
from support.scene.moderation import TERMS, decide, moderator, only_case, reported, try_to_decide

WORDS = "The photos are my own."


async def suspended_by_case(api: Api, author: Person, judge: Person) -> int:
    """The id of the case."""
    ad = (await author.post_ad())["pk"]
    await reported(api, f"/ads/{ad}")
    case = (await only_case(judge, ad))["id"]
    await decide(judge, case, "suspendAccount")
    return int(case)


async def refused_login(api: Api, person: Person) -> dict[str, Any]:
    answer = await api.client.post(
        "/login", json={"username": person.username, "password": person.password}
    )
    assert answer.status_code == 403, answer.text
    members: dict[str, Any] = answer.json()
    return members


async def read(api: Api, token: str) -> httpx2.Response:
    return await api.client.post("/decisions/read", json={"token": token})


async def appeal(api: Api, token: str) -> httpx2.Response:
    return await api.client.post("/decisions/appeal", json={"token": token, "text": WORDS})


@pytest.mark.guard
async def test_a_suspended_person_reads_and_appeals_by_the_link_in_the_mail(api: Api) -> None:
    (author, address), judge, other = (
        await verified(api), await moderator(api), await moderator(api)
    )  # fmt: skip
    case = await suspended_by_case(api, author, judge)
    [mail] = await sent(api, address)
    [token] = re.findall(r"/account/appeal#token=(\S+)", text_of(mail))
    decision = (await read(api, token)).json()
    assert (decision["action"], decision["explanation"]) == (
        "suspendAccount", TERMS["explanation"],
    )  # fmt: skip
    assert "by" not in decision
    # Reading changes nothing, however often.
    assert (await read(api, token)).json() == decision
    assert (await only_case(judge))["status"] == "decided"
    made = await appeal(api, token)
    assert made.status_code == 201, made.text
    assert made.json()["appeal"]["text"] == WORDS
    again = await appeal(api, token)
    assert (again.status_code, again.json()["type"]) == (409, "/problems#appeal-not-possible")
    assert (await only_case(other))["appeal"] == WORDS
    assert (await try_to_decide(judge, case, "dismiss")).status_code == 403
    await decide(other, case, "dismiss")
    await api.log_in(author.username, author.password)


@pytest.mark.heavy
async def test_the_refused_login_has_the_token_too(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    await suspended_by_case(api, author, judge)
    members = await refused_login(api, author)
    assert (await read(api, members["appealToken"])).status_code == 200
    assert (await appeal(api, members["appealToken"])).status_code == 201
    wrong = await api.client.post(
        "/login", json={"username": author.username, "password": "something else"}
    )
    assert "appealToken" not in wrong.json()


@pytest.mark.heavy
async def test_a_suspension_without_a_case_is_appealed_to_who_decided_it(api: Api) -> None:
    author, (admin, address) = await api.person(), await verified(api)
    await api.set_role(admin, Role.ADMIN)
    answer = await admin.post(f"/users/{author.id}/suspend", json=TERMS)
    assert answer.status_code == 200
    token = (await refused_login(api, author))["appealToken"]
    assert (await appeal(api, token)).status_code == 201
    [decision] = (await admin.get(f"/users/{author.id}")).json()["decisions"]
    assert decision["appeal"]["text"] == WORDS
    [mail] = await sent(api, address)
    text = text_of(mail)
    assert WORDS in text
    assert f"/console/accounts/{author.id}" in text
    assert (await appeal(api, token)).status_code == 409
    await admin.post(f"/users/{author.id}/restore")
    assert (await read(api, token)).json()["holds"] is False


async def links_of(api: Api, purpose: Purpose) -> SignedLinks:
    async with api.state.database.transaction() as transaction:
        return await signed_links(transaction, purpose)


@pytest.mark.guard
async def test_a_token_is_for_one_decision_of_one_account_and_for_nothing_else(api: Api) -> None:
    author, stranger, judge = await api.person(), await api.person(), await moderator(api)
    await suspended_by_case(api, author, judge)
    token = (await refused_login(api, author))["appealToken"]
    appeals = await links_of(api, Purpose.APPEAL)
    mails = await links_of(api, Purpose.UNSUBSCRIBE)
    read_token = appeals.read(token)
    assert read_token is not None
    subject = read_token[1]
    bad = [
        "x", token[:-1], token + "A", token.swapcase(),
        SignedLinks(bytes(32), Purpose.APPEAL).token(author.id, subject),
        mails.token(author.id, subject),
        appeals.token(stranger.id, subject),
        appeals.token(author.id, str(int(subject) + 1)),
    ]  # fmt: skip
    for each in bad:
        for answer in (await read(api, each), await appeal(api, each)):
            assert answer.json()["type"] == "/problems#invalid-token", each
    assert await api.sql("SELECT appeal FROM decisions WHERE appeal IS NOT NULL") == []
    # Nor does a token of a decision end mails.
    await api.client.post("/unsubscribe", params={"token": token})
    assert await api.sql("SELECT ways FROM preferences") == []
