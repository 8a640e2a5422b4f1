"""The contact of an ad's author: who sees it, who has read it."""

import pytest

from adsvc.settings import Settings
from conftest import ApiFactory
from support.scene.api import Api


@pytest.mark.heavy
async def test_the_number_is_read_by_others_and_written_down(api: Api) -> None:
    seller, reader = await api.person(phone="+49 30 1234567"), await api.person()
    path = f"/ads/{(await seller.post_ad())['pk']}/phone"
    for _ in range(2):
        answer = await reader.post(path)
        assert (answer.status_code, answer.json()) == (200, {"phone": "+49 30 1234567"})
        assert answer.headers["Cache-Control"] == "no-store"
    assert await api.sql("SELECT user_id FROM contacts") == [reader.id]
    assert len((await reader.get("/users/me/export")).json()["contacts"]) == 1
    own = await seller.post(path)
    assert (own.status_code, own.json()["type"]) == (409, "/problems#own-ad")
    assert (await api.client.post(path)).status_code == 401
    assert (await reader.post("/ads/99999/phone")).status_code == 404
    # An account that the seller knows.
    await reader.post_ad()
    await seller.request("PUT", f"/users/me/blocks/{reader.id}")
    refused = await reader.post(path)
    assert (refused.status_code, refused.json()["type"]) == (403, "/problems#blocked")
    await seller.post(path.replace("phone", "sell"))
    assert (await (await api.person()).post(path)).status_code == 410


@pytest.mark.guard
async def test_administrators_see_who_has_read_a_number(api: Api) -> None:
    seller, silent = await api.person(phone="+49 30 1234567"), await api.person()
    reader, other, admin = await api.person(), await api.person(), await api.admin()
    ad, without = (await seller.post_ad())["pk"], (await silent.post_ad())["pk"]
    assert (await other.post(f"/ads/{without}/phone")).status_code == 404
    for person in (reader, reader, other):
        assert (await person.post(f"/ads/{ad}/phone")).status_code == 200
    found = (await admin.get("/admin/audit?kind=contactRead")).json()["results"]
    reads = [(event["actor"], event["ad"], event["target"], event["user"]) for event in found]
    # Of one reader and ad the first read is recorded.
    assert reads == [
        (str(person.id), ad, str(ad), seller.id) for person in (other, reader)
    ]  # fmt: skip
    [read_at] = await api.sql(
        "SELECT (extract(epoch FROM at) * 1000)::bigint FROM contacts WHERE user_id = :id",
        id=reader.id,
    )
    assert abs(found[1]["at"] - read_at) < 1000
    assert (await seller.get("/admin/audit?kind=contactRead")).status_code == 403


async def test_without_a_number_there_is_none_to_read(api: Api) -> None:
    seller, reader = await api.person(), await api.person()
    path = f"/ads/{(await seller.post_ad())['pk']}/phone"
    assert (await reader.post(path)).status_code == 404
    assert await api.sql("SELECT user_id FROM contacts") == []


@pytest.mark.heavy
async def test_numbers_count_as_reads_of_ads(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", ad_reads_per_user=2) as api:
        seller, reader = await api.person(phone="+49 30 1234567"), await api.person()
        ads = [(await seller.post_ad())["pk"] for _ in range(3)]
        assert (await reader.get(f"/ads/{ads[0]}")).status_code == 200
        statuses = [(await reader.post(f"/ads/{ad}/phone")).status_code for ad in ads]
        assert statuses == [200, 200, 429]


@pytest.mark.heavy
async def test_authors_see_how_many_have_read_their_number(api: Api) -> None:
    seller, admin = await api.person(phone="+49 30 1234567"), await api.admin()
    readers = [await api.person() for _ in range(3)]
    ad, other = (await seller.post_ad())["pk"], (await seller.post_ad())["pk"]
    before = (await seller.get(f"/ads/{ad}")).headers["ETag"]
    for reader in readers * 2:
        assert (await reader.post(f"/ads/{ad}/phone")).status_code == 200
    for person in (seller, admin):
        answer = await person.get(f"/ads/{ad}")
        assert (answer.json()["phoneCount"], answer.json()["favoriteCount"]) == (3, 0)
        if person is seller:
            assert answer.headers["ETag"] == before
    mine = (await seller.get("/ads/me")).json()["results"]
    assert {one["pk"]: one["phoneCount"] for one in mine} == {ad: 3, other: 0}
    for path in (f"/ads/{ad}", "/ads", f"/ads/{ad}/details"):
        assert "phoneCount" not in (await readers[0].get(path)).text


SECRETS = ("sara.private@example.com", "+49 30 1110001")


@pytest.mark.guard
async def test_a_site_can_hide_the_contact(start_api: ApiFactory) -> None:
    async with start_api(contact="hidden") as api:
        assert (await api.client.get("/site")).json()["contact"] == "hidden"
        seller = await api.person(SECRETS[0], phone=SECRETS[1])
        reader, admin = await api.person(), await api.admin()
        path = f"/ads/{(await seller.post_ad())['pk']}"
        # The first reader, and those answered from memory.
        for person in (admin, reader, seller, reader, admin, seller):
            answer = await person.get(path)
            shown = ("", "") if person is reader else SECRETS
            assert (answer.json()["email"], answer.json()["phone"]) == shown
            assert person is not reader or not any(secret in answer.text for secret in SECRETS)
        for person, price in ((seller, 5), (admin, 6)):
            tag = (await person.get(path)).headers["ETag"]
            changed = await person.patch(path, json={"price": price}, headers={"If-Match": tag})
            assert changed.status_code == 200
            # A compressed body would have a tag of its own.
            answer = await person.get(path, headers={"Accept-Encoding": "identity"})
            assert answer.headers["ETag"] == changed.headers["ETag"]
        assert (await reader.post(f"{path}/phone")).json() == {"phone": SECRETS[1]}


async def test_contacts_are_open_unless_the_operator_hides_them(api: Api) -> None:
    assert (await api.client.get("/site")).json()["contact"] == "open"
    seller, reader = await api.person(SECRETS[0], phone=SECRETS[1]), await api.person()
    seen = (await reader.get(f"/ads/{(await seller.post_ad())['pk']}")).json()
    assert (seen["email"], seen["phone"]) == SECRETS


def test_hidden_contacts_need_authors_who_alone_change_their_ads() -> None:
    with pytest.raises(ValueError, match="ADSVC_CONTACT=hidden needs ADSVC_AD_EDITORS=author"):
        Settings(contact="hidden", ad_editors="authenticated")
