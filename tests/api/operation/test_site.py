import pytest

from conftest import ApiFactory
from support.scene.api import Api

LIMITS = {"titleMaxLength": 150, "placeMaxLength": 120, "priceMax": 2**31 - 1,
          "imageMaxBytes": 10 * 1024 * 1024, "pageSizeDefault": 100}  # fmt: skip


async def test_a_site_says_what_it_is(api: Api) -> None:
    answer = await api.client.get("/site")
    assert answer.status_code == 200
    site = answer.json()
    assert (site["name"], site["currency"], site["languages"]) == (
        "adsvc", "EUR", ["en", "de", "ru"],
    )  # fmt: skip
    assert site["limits"] | LIMITS == site["limits"]
    assert answer.headers["Cache-Control"] == "public, no-cache"
    document = (await api.client.get("/openapi.json")).json()
    assert site["version"] == document["info"]["version"] == answer.headers["Adsvc-Version"]
    again = await api.client.get("/site", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.heavy
async def test_it_says_what_is_set(start_api: ApiFactory) -> None:
    settings = {"site_name": "Trödel", "currency": "CHF", "languages": ("de", "fr-CH")}
    async with start_api(**settings, title_max_length=77) as api:
        site = (await api.client.get("/site")).json()
        assert (site["name"], site["currency"], site["languages"]) == (
            "Trödel", "CHF", ["de", "fr-CH"],
        )  # fmt: skip
        assert site["limits"]["titleMaxLength"] == 77
