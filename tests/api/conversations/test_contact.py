"""The phone number of an ad's author."""

from conftest import ApiFactory
from support.scene.api import Api


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
    await seller.request("PUT", f"/users/me/blocks/{reader.id}")
    refused = await reader.post(path)
    assert (refused.status_code, refused.json()["type"]) == (403, "/problems#blocked")
    await seller.post(path.replace("phone", "sell"))
    assert (await (await api.person()).post(path)).status_code == 410


async def test_without_a_number_there_is_none_to_read(api: Api) -> None:
    seller, reader = await api.person(), await api.person()
    path = f"/ads/{(await seller.post_ad())['pk']}/phone"
    assert (await reader.post(path)).status_code == 404
    assert await api.sql("SELECT user_id FROM contacts") == []


async def test_numbers_count_as_reads_of_ads(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", ad_reads_per_user=2) as api:
        seller, reader = await api.person(phone="+49 30 1234567"), await api.person()
        ads = [(await seller.post_ad())["pk"] for _ in range(3)]
        assert (await reader.get(f"/ads/{ads[0]}")).status_code == 200
        statuses = [(await reader.post(f"/ads/{ad}/phone")).status_code for ad in ads]
        assert statuses == [200, 200, 429]
