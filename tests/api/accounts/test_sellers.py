"""What everyone sees of an account: `GET /sellers/{id}`."""

import pytest

from adsvc.repositories import deals
from support.pictures.samples import jpeg
from support.scene.api import Api, image_form
from support.scene.talk import talk
from support.scene.warmth import settle

NO_FIGURES = {"rating": None, "answerMinutes": None, "answerRate": None}


@pytest.mark.heavy
async def test_everyone_sees_who_sells_and_how_much(api: Api) -> None:
    anna = await api.person(firstName="Anna", lastName="Berg", phone="+49 30 1234567")
    path = f"/sellers/{anna.id}"
    # Who has published nothing has no page.
    draft = (await anna.post_ad(status="draft"))["pk"]
    assert (await api.client.get(path)).status_code == 404
    assert (await anna.post(f"/ads/{draft}/publish")).status_code == 200
    assert (await anna.post(f"/ads/{draft}/withdraw")).status_code == 200
    begun = (await api.client.get(path)).json()
    assert begun["since"] > 0
    about = {"id": anna.id, "firstName": "Anna", "image": None, "since": begun["since"]}
    # No last name, phone number or mail address, and nothing else either.
    assert begun == {**about, "adCount": 0, **NO_FIGURES, "soldCount": 0, "verified": False}

    await anna.patch("/users/me/image", files=image_form(jpeg()))
    ads = [(await anna.post_ad())["pk"] for _ in range(4)]
    await anna.post_ad(status="draft")
    for ad, step in zip(ads, ("sell", "reserve", "withdraw"), strict=False):
        assert (await anna.post(f"/ads/{ad}/{step}")).status_code == 200, step
    await api.sql("UPDATE users SET mail_verified = true WHERE id = :id", id=anna.id)
    seen = (await api.client.get(path)).json()
    picture = (await anna.get("/users/me")).json()["image"]
    assert seen == {
        **about, "image": picture, "adCount": 2, **NO_FIGURES, "soldCount": 1, "verified": True,
    }  # fmt: skip
    listed = (await api.client.get("/ads", params={"author": anna.id})).json()
    assert listed["count"] == seen["adCount"]
    assert (await anna.delete(f"/ads/{ads[0]}")).status_code == 204
    assert (await api.client.get(path)).json()["soldCount"] == 0


@pytest.mark.heavy
async def test_from_five_conversations_on_everyone_sees_how_soon_a_seller_answers(
    api: Api,
) -> None:
    anna = await api.person()
    talks = [await talk(api, anna) for _ in range(7)]
    details = f"/ads/{talks[0].ad}/details"

    async def figures() -> tuple[object, object]:
        # What is kept of it is void afterwards.
        await api.client.get(details)
        await deals.renew_answer_figures(api.state.database.writer)
        await settle(api)
        author = (await api.client.get(details)).json()["author"]
        seller = (await api.client.get(f"/sellers/{anna.id}")).json()
        assert [author[name] for name in NO_FIGURES] == [seller[name] for name in NO_FIGURES]
        return author["answerMinutes"], author["answerRate"]

    assert await figures() == (None, None)
    for one in talks[:5]:
        await anna.post(f"{one.path}/messages", json={"text": "Yes, come and see it."})
    # A second text of the buyer, and an answer to it, change nothing.
    await talks[0].buyer.post(f"{talks[0].path}/messages", json={"text": "When?"})
    await anna.post(f"{talks[0].path}/messages", json={"text": "Today."})
    for number, one in enumerate(talks):
        await api.sql(
            "UPDATE messages SET at = now() - make_interval(days => 3) WHERE id = :id", id=one.first
        )
        await api.sql(
            "UPDATE messages SET at = now() - make_interval(days => 3, mins => :mins)"
            " WHERE id = (SELECT min(id) FROM messages WHERE conversation_id = :id"
            " AND by = 'seller') RETURNING id",
            id=one.id, mins=-(number * 10 + 5) if number < 4 else -3000,
        )  # fmt: skip
    # After 5, 15, 25 and 35 minutes, after two days, and twice not at all.
    assert await figures() == (25, 0.57)
    await api.sql("UPDATE conversations SET created_at = now() - interval '91 days'")
    assert await figures() == (None, None)


async def test_an_unchanged_seller_is_not_sent_again(api: Api) -> None:
    anna = await api.person()
    await anna.post_ad()
    path = f"/sellers/{anna.id}"
    answer = await api.client.get(path)
    assert answer.headers["Cache-Control"] == "public, no-cache"
    known = {"If-None-Match": answer.headers["ETag"]}
    assert (await api.client.get(path, headers=known)).status_code == 304
    await anna.patch("/users/me", json={"firstName": "Annabel"})
    assert (await api.client.get(path, headers=known)).json()["firstName"] == "Annabel"


@pytest.mark.heavy
async def test_who_is_suspended_or_gone_or_was_never_there_is_not_found(api: Api) -> None:
    anna, admin = await api.person(), await api.admin()
    await anna.post_ad()
    path = f"/sellers/{anna.id}"
    reasons = {"ground": "terms", "explanation": "Offers of things that do not exist."}
    suspended = await admin.post(f"/users/{anna.id}/suspend", json=reasons)
    assert suspended.status_code == 200
    refused = await api.client.get(path)
    assert refused.status_code == 404
    assert refused.json()["type"] == "/problems#account-not-found"
    assert (await admin.get(path)).status_code == 404
    assert (await admin.post(f"/users/{anna.id}/restore")).status_code == 200
    assert (await api.client.get(path)).status_code == 200
    await api.sql("DELETE FROM users WHERE id = :id", id=anna.id)
    assert (await api.client.get(path)).status_code == 404
    for nonsense in ("0", "-1", "anna", "9223372036854775808", "1.0"):
        assert (await api.client.get(f"/sellers/{nonsense}")).status_code == 400, nonsense
