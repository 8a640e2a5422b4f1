"""`createdAt` and `updatedAt`, wherever an `Ad` is answered."""

import time
from typing import Any

from support.scene.api import Api, Person, image_form
from support.scene.listings import listed


def now() -> int:
    return time.time_ns() // 1_000_000


async def ad_of(person: Person, ad_id: int) -> dict[str, Any]:
    (found,) = [ad for ad in (await listed(person))["results"] if ad["pk"] == ad_id]
    assert isinstance(found, dict)
    return found


async def test_a_new_ad_was_never_updated(api: Api) -> None:
    person = await api.person()
    before = now()
    ad = await person.post_ad()
    # PostgreSQL rounds to the nearest millisecond.
    assert before <= ad["createdAt"] <= now() + 1
    assert ad["updatedAt"] == ad["createdAt"]
    assert await ad_of(person, ad["pk"]) == ad


async def test_a_change_moves_the_one_moment_and_not_the_other(api: Api) -> None:
    person = await api.person()
    ad, other = await person.post_ad(), await person.post_ad()
    moment = ad["updatedAt"]
    for change in ({"price": 1}, {"title": "Another title"}, {"description": "Other words."}):
        before = now()
        changed = (await person.patch(f"/ads/{ad['pk']}", json=change)).json()
        assert changed["createdAt"] == ad["createdAt"]
        assert max(moment, before) <= changed["updatedAt"] <= now() + 1
        assert await ad_of(person, ad["pk"]) == changed
        moment = changed["updatedAt"]
    before = now()
    answer = await person.patch(f"/ads/{ad['pk']}/image", files=image_form())
    assert answer.status_code == 200
    replaced = await ad_of(person, ad["pk"])
    assert replaced["createdAt"] == ad["createdAt"]
    assert max(moment, before) <= replaced["updatedAt"] <= now() + 1
    assert await ad_of(person, other["pk"]) == other


async def test_what_is_refused_or_only_read_moves_nothing(api: Api) -> None:
    person, stranger = await api.person(), await api.person()
    ad = await person.post_ad()
    path = f"/ads/{ad['pk']}"
    assert (await person.patch(path, json={"price": -1})).status_code == 400
    assert (await stranger.patch(path, json={"price": 1})).status_code == 403
    assert (await person.patch(f"{path}/image", files=image_form(b"no picture"))).status_code == 415
    assert (await person.get(path)).status_code == 200
    comment = {"text": "Still there?"}
    assert (await stranger.post(f"{path}/comments", json=comment)).status_code == 200
    assert await ad_of(person, ad["pk"]) == ad


async def test_the_whole_record_is_what_the_interface_says(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    assert set(ad) == {
        "pk", "author", "image", "price", "title", "createdAt", "updatedAt", "category", "place",
        "location", "priceType", "status", "thumbnail", "imageCount", "placeId", "locationKind",
        "attributes",
    }  # fmt: skip
    own = ad | {
        "expiresAt": None,
        "favoriteCount": 0,
        "phoneCount": 0,
        "externalId": None,
        "viewCount": 0,
        "conversationCount": 0,
    }
    counts = {"counts": {"active": 1}}
    for path, record, beside in (("/ads", ad, {}), ("/ads/me", own, counts)):
        found = await listed(person, path)
        page = {"count": 1, "countExact": True, "results": [record], "next": None}
        assert found == page | beside
