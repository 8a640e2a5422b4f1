"""A scam: reported by three, hidden, decided, mailed, appealed, undone by another, and back."""

import itertools
from datetime import UTC, datetime
from email.headerregistry import Address
from uuid import UUID

import pytest
from pydantic import SecretStr

from adsvc.enums import DecisionAction
from adsvc.services.mail.rendering import Envelope, Letter, Post, render
from conftest import ApiFactory
from support.mail.server import parsed, receiving, text_of
from support.scene.api import Api
from support.scene.moderation import TERMS, decide, moderator, only_case, reported, undo

SITE = "https://ads.example.com"
APPEAL = {"text": "The photos are my own."}


async def is_shown(api: Api, ad: int) -> bool:
    """In the list, the search, the facets and by its page alike."""
    listed = (await api.client.get("/ads")).json()
    found = [record["pk"] for record in listed["results"]] == [ad]
    assert listed["count"] == int(found)
    searched = (await api.client.get("/ads?q=oak")).json()
    assert (searched["count"], len(searched["results"])) == (int(found), int(found))
    assert (await api.client.get("/ads/facets")).json()["count"] == int(found)
    assert (await api.client.get(f"/ads/{ad}/details")).status_code == (200 if found else 404)
    return found


@pytest.mark.heavy
async def test_a_scam_is_reported_hidden_decided_mailed_appealed_and_undone(
    start_own_api: ApiFactory,
) -> None:
    async with receiving() as mailbox:
        sending = {
            "smtp_url": SecretStr(f"smtp://127.0.0.1:{mailbox.port}?tls=off"),
            "mail_from": "Ads <noreply@ads.example.com>",
            "site_url": SITE,
        }
        # A database of its own: no other process sends its mails.
        async with start_own_api(jobs="on", reports_to_hide=3, **sending) as api:
            author, judge, other = await api.person(), await moderator(api), await moderator(api)
            await api.sql(
                "UPDATE users SET mail = 'anna@example.com', mail_verified = true WHERE id = :id",
                id=author.id,
            )
            ad = (await author.post_ad())["pk"]
            assert await is_shown(api, ad)
            await reported(api, f"/ads/{ad}", by=3)
            assert not await is_shown(api, ad)
            # There is no decision yet, which the author sees.
            [mail] = await mailbox.until(1)
            assert "Oak table" in mail["Subject"]
            assert "nobody has decided" in text_of(mail)
            case = await only_case(judge)
            decision = await decide(judge, case["id"], "suspendAd", reference="Terms, § 4")
            [_, mail] = await mailbox.until(2)
            assert mail["To"] == "anna@example.com"
            assert "Oak table" in mail["Subject"]
            told = text_of(mail)
            assert TERMS["explanation"] in told
            assert "Terms, § 4" in told
            assert f"{SITE}/account/decisions" in told
            # The moderator is not named.
            for person in (judge, other):
                assert person.username not in mail.as_string()
            [mine] = (await author.get("/users/me/decisions")).json()["results"]
            assert mine["id"] == decision["id"]
            appealed = await author.post(f"/users/me/decisions/{mine['id']}/appeal", json=APPEAL)
            assert appealed.status_code == 201
            [waiting] = (await other.get("/moderation/cases?status=appealed")).json()["results"]
            assert waiting["appeal"] == APPEAL["text"]
            assert (await undo(judge, decision["id"])).status_code == 403
            assert not await is_shown(api, ad)
            assert (await undo(other, decision["id"])).status_code == 201
            assert await is_shown(api, ad)
            [_, _, second] = await mailbox.until(3)
            assert "undone" in second["Subject"]
            # Hidden by the number of its reports, with no decision that could be undone.
            await reported(api, f"/ads/{ad}", by=3)
            assert not await is_shown(api, ad)
            await mailbox.until(4)
            answer = await judge.post(
                f"/moderation/cases/{case['id']}/decisions", json={"action": "dismiss"}
            )
            assert answer.status_code == 201
            assert await is_shown(api, ad)
            *_, last = await mailbox.until(5)
            assert "Oak table" in last["Subject"]
            assert "is shown again" in last["Subject"]
            assert len((await author.get("/users/me/decisions")).json()["results"]) == 2


RESTRICTIONS = (
    *(DecisionAction.SUSPEND_AD, DecisionAction.REMOVE_AD, DecisionAction.REMOVE_COMMENT),
    *(DecisionAction.REMOVE_MESSAGE, DecisionAction.SUSPEND_ACCOUNT),
)


@pytest.mark.parametrize("language", ["de", "en", "ru"])
@pytest.mark.heavy
def test_every_decision_has_its_letter_in_every_language(language: str) -> None:
    post = Post("Flea market", SITE, Address("Ads", "noreply", "ads.example.com"))
    envelope = Envelope("anna@example.com", 1, UUID(int=1), datetime.now(UTC), language)
    subjects = set()
    for action, is_undone, is_final in itertools.product(
        RESTRICTIONS, (False, True), (False, True)
    ):
        values = {
            "action": action.value,
            "is_undone": is_undone,
            "excerpt": "Oak <table>\nBcc: all@example.com",
            "ground": "law",
            "reference": "",
            "explanation": "No such <thing>.",
            "until": "2026-12-24" if action is DecisionAction.SUSPEND_ACCOUNT else None,
            "is_final": is_final,
        }
        mail = parsed(render(Letter.DECISION, values, post, envelope).content)
        assert mail["Bcc"] is None
        about_an_account = action is DecisionAction.SUSPEND_ACCOUNT
        assert ("Oak <table>" in text_of(mail)) == (not about_an_account)
        markup = mail.get_body(("html",))
        assert markup is not None
        assert "Oak <table>" not in markup.get_content()
        assert ("2026-12-24" in text_of(mail)) == (about_an_account and not is_undone)
        subjects.add(mail["Subject"])
    assert len(subjects) == len(RESTRICTIONS) + 1
