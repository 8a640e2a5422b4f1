"""What everyone sees of an account: `GET /sellers/{id}`."""

import pytest

from support.pictures.samples import jpeg
from support.scene.api import Api, image_form


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
    assert begun == {**about, "adCount": 0, "soldCount": 0, "verified": False}

    await anna.patch("/users/me/image", files=image_form(jpeg()))
    ads = [(await anna.post_ad())["pk"] for _ in range(4)]
    await anna.post_ad(status="draft")
    for ad, step in zip(ads, ("sell", "reserve", "withdraw"), strict=False):
        assert (await anna.post(f"/ads/{ad}/{step}")).status_code == 200, step
    await api.sql("UPDATE users SET mail_verified = true WHERE id = :id", id=anna.id)
    seen = (await api.client.get(path)).json()
    picture = (await anna.get("/users/me")).json()["image"]
    assert seen == {
        **about, "image": picture, "adCount": 2, "soldCount": 1, "verified": True,
    }  # fmt: skip
    listed = (await api.client.get("/ads", params={"author": anna.id})).json()
    assert listed["count"] == seen["adCount"]
    assert (await anna.delete(f"/ads/{ads[0]}")).status_code == 204
    assert (await api.client.get(path)).json()["soldCount"] == 0


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
