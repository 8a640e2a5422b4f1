"""What administrators do for owners who cannot log in, and to many ads at once."""

import pytest

from adsvc.services.categories import changes
from conftest import ApiFactory
from support.scene.api import PASSWORD
from support.scene.factors import kind


@pytest.mark.heavy
async def test_an_administrator_exports_and_deletes_an_account(start_own_api: ApiFactory) -> None:
    async with start_own_api(undo_days=30) as api:
        admin, other, owner = await api.admin(), await api.admin(), await api.person()
        ad = (await owner.post_ad(title="Oak table"))["pk"]
        answer = await admin.get(f"/users/{owner.id}/export")
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.json()["user"]["email"] == owner.username
        assert [each["title"] for each in answer.json()["ads"]] == ["Oak table"]
        events = (await admin.get("/admin/audit?kind=account_exported")).json()["results"]
        assert [(each["actor"], each["target"]) for each in events] == [
            (str(admin.id), str(owner.id))
        ]

        path, confirmed = f"/users/{owner.id}", {"currentPassword": PASSWORD}
        wrong = await admin.request("DELETE", path, json={"currentPassword": "not the password"})
        assert (wrong.status_code, kind(wrong)) == (403, "wrong-password")
        for refused in (admin, other):
            answer = await admin.request("DELETE", f"/users/{refused.id}", json=confirmed)
            assert answer.status_code == 403, answer.text
        for person in (owner, other):
            answer = await person.request("DELETE", f"/users/{admin.id}", json=confirmed)
            assert answer.status_code == 403, answer.text
        answer = await admin.request("DELETE", path, json=confirmed)
        assert answer.status_code == 204, answer.text
        assert (await api.client.get(f"/ads/{ad}/details")).status_code in {404, 410}
        assert (await admin.get(f"{path}/export")).status_code == 404

        [found] = (await admin.get("/admin/deletions")).json()["results"]
        assert (found["kind"], found["label"]) == ("account", owner.username)
        deletion = f"/admin/deletions/{found['id']}"
        assert (await other.delete(deletion)).status_code == 204
        assert (await other.delete(deletion)).status_code == 404
        assert (await admin.get("/admin/deletions")).json()["results"] == []


@pytest.mark.heavy
async def test_ads_are_moved_to_another_category_request_by_request(
    start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "ADS_AT_ONCE", 2)
    async with start_own_api() as api:
        admin, author = await api.admin(), await api.person()
        for slug, attributes in (("tables", ["wood", "height"]), ("desks", ["wood"])):
            definition = {
                "name": slug,
                "attributes": [{"name": n, "type": "string", "label": n} for n in attributes],
            }
            answer = await admin.put(f"/categories/{slug}", json=definition)
            assert answer.status_code == 201, answer.text
        for _ in range(3):
            await author.post_ad(category="tables", attributes={"wood": "oak", "height": "80"})
        path = "/categories/tables/move"
        moved = [
            (await admin.post(path, json={"to": "desks", "dryRun": only})).json()
            for only in (True, False, False)
        ]
        assert moved == [
            {"moved": 0, "remaining": 3},
            {"moved": 2, "remaining": 1},
            {"moved": 1, "remaining": 0},
        ]
        found = (await api.client.get("/ads?category=desks")).json()["results"]
        assert [ad["attributes"] for ad in found] == [{"wood": "oak"}] * 3
        assert (await admin.delete("/categories/tables")).status_code == 204
        assert (await admin.post(path, json={"to": "desks"})).status_code == 404
        for wrong in ("desks", "tables"):
            answer = await admin.post("/categories/desks/move", json={"to": wrong})
            assert answer.json()["errors"][0]["pointer"] == "/to"
        refused = await author.post("/categories/desks/move", json={"to": "home"})
        assert refused.status_code == 403
