"""Several pictures an ad: added, ordered, deleted, and what every record says of them."""

import json
import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import httpx
from PIL import Image

from adsvc.pictures.variants import files_of
from adsvc.services.images import sweep
from adsvc.settings import AdEditors
from adsvc.storage import new_image_name
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Api, Person, multipart, part
from support.scene.snapshots import snapshot

NOT_A_PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
PROPERTIES_PART = part("properties", json.dumps(PROPERTIES).encode())
TWO_PER_AD = 2


def form(*images: bytes, properties: bool = False) -> dict[str, Any]:
    parts = [part("image", image, filename=f"{n}.jpg") for n, image in enumerate(images)]
    return multipart(*([PROPERTIES_PART] if properties else []), *parts)


def jpegs(count: int, size: int = 64) -> list[bytes]:
    """Each of another height, by which it is known again."""
    return [pictures.jpeg(size, size + number) for number in range(count)]


async def post_ad(person: Person, *images: bytes) -> dict[str, Any]:
    answer = await person.post("/ads", **form(*images, properties=True))
    assert answer.status_code == 201, answer.text
    ad: dict[str, Any] = answer.json()
    return ad


async def images_of(person: Person, ad: dict[str, Any]) -> list[dict[str, Any]]:
    images: list[dict[str, Any]] = (await person.get(f"/ads/{ad['pk']}")).json()["images"]
    return images


async def add(person: Person, ad: dict[str, Any], *images: bytes) -> httpx.Response:
    return await person.post(f"/ads/{ad['pk']}/images", **form(*images))


async def order(person: Person, ad: dict[str, Any], ids: object) -> httpx.Response:
    return await person.patch(f"/ads/{ad['pk']}/images", json={"order": ids})


def heights(images: Sequence[dict[str, Any]]) -> list[int]:
    return [image["height"] for image in images]


def names(images: Sequence[dict[str, Any]]) -> list[str]:
    return [image["image"].rpartition("/")[2] for image in images]


async def size_at(api: Api, path: str) -> tuple[str | None, tuple[int, int]]:
    answer = await api.client.get(path)
    assert answer.status_code == 200
    picture = Image.open(BytesIO(answer.content))
    assert answer.headers["content-type"] == f"image/{str(picture.format).lower()}"
    assert not picture.getexif()
    return picture.format, picture.size


async def test_an_ad_is_posted_with_twelve_pictures_in_their_order(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(12))
    assert ad["imageCount"] == 12
    images = await images_of(person, ad)
    assert heights(images) == list(range(64, 76))
    assert images[0]["image"] == ad["image"]
    assert images[0]["variants"]["thumb"]["path"] == ad["thumbnail"]
    assert len({image["id"] for image in images}) == 12
    assert set(api.files()) == set(files_of(names(images)))


async def test_a_picture_has_variants_of_the_sizes_that_it_says(api: Api) -> None:
    person = await api.person()
    cases = (
        ((1600, 1200), (800, 600), (320, 240)),
        ((999, 1500), (533, 800), (213, 320)),
        ((500, 300), (500, 300), (320, 192)),
        ((1500, 1), (800, 1), (320, 1)),
        ((100, 90), (100, 90), (100, 90)),
    )
    ad = await post_ad(person, *(pictures.jpeg(*size) for size, *_ in cases))
    for image, (size, card, thumb) in zip(await images_of(person, ad), cases, strict=True):
        assert (image["width"], image["height"]) == size
        assert (await size_at(api, image["image"]))[1] == size, size
        assert set(image["variants"]) == {"thumb", "card"}
        for variant, expected in (("card", card), ("thumb", thumb)):
            found = image["variants"][variant]
            assert (found["width"], found["height"]) == expected, (size, variant)
            assert await size_at(api, found["path"]) == ("WEBP", expected), (size, variant)
        assert re.fullmatch("#[0-9a-f]{6}", image["placeholder"])


async def test_a_variant_is_kept_by_browsers_for_good(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    answer = await api.client.get(ad["thumbnail"])
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    for wrong in ("-large.webp", "-thumb.jpg", "-thumb", "-.webp", "thumb.webp"):
        path = ad["image"].removesuffix(".jpg") + wrong
        assert (await api.client.get(path)).status_code == 404, wrong


async def test_lists_the_ad_itself_and_the_export_say_the_same_of_pictures(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(3))
    for path in ("/ads", "/ads/me", "/ads?q=oak", "/ads?minPrice=1"):
        [listed] = (await person.get(path)).json()["results"]
        assert listed == ad, path
    found = (await person.get(f"/ads/{ad['pk']}")).json()
    assert {name: found[name] for name in ("image", "thumbnail", "imageCount")} == {
        "image": ad["image"], "thumbnail": ad["thumbnail"], "imageCount": 3,
    }  # fmt: skip
    [exported] = (await person.get("/users/me/export")).json()["ads"]
    assert exported["images"] == found["images"]


async def test_pictures_are_added_behind_those_that_are_there(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(2))
    before = await images_of(person, ad)
    answer = await add(person, ad, *jpegs(2, 100))
    assert answer.status_code == 201
    images = answer.json()["results"]
    assert images[:2] == before
    assert heights(images) == [64, 65, 100, 101]
    assert await images_of(person, ad) == images
    [listed] = (await person.get("/ads")).json()["results"]
    assert (listed["imageCount"], listed["image"]) == (4, ad["image"])
    assert listed["updatedAt"] >= ad["updatedAt"]


async def test_the_order_of_pictures_decides_which_one_stands_for_the_ad(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(3))
    first, second, third = await images_of(person, ad)
    answer = await order(person, ad, [third["id"], first["id"], second["id"]])
    assert answer.status_code == 200
    assert answer.json() == {"results": [third, first, second]}
    [listed] = (await person.get("/ads")).json()["results"]
    assert listed["image"] == third["image"]
    assert listed["thumbnail"] == third["variants"]["thumb"]["path"]
    # Nobody deletes the one that merely moved.
    assert (await api.client.get(first["image"])).status_code == 200
    assert await api.sql("SELECT name FROM picture_deletions") == []
    assert (await order(person, ad, [first["id"], third["id"], second["id"]])).status_code == 200
    assert await images_of(person, ad) == [first, third, second]


async def test_an_order_that_stays_changes_nothing(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(2))
    ids = [image["id"] for image in await images_of(person, ad)]
    before = await snapshot(api)
    assert (await order(person, ad, ids)).status_code == 200
    assert await snapshot(api) == before


async def test_an_order_that_is_not_one_of_all_pictures_is_refused(api: Api) -> None:
    person = await api.person()
    ad, other = await post_ad(person, *jpegs(3)), await post_ad(person, *jpegs(1))
    ids = [image["id"] for image in await images_of(person, ad)]
    [foreign] = [image["id"] for image in await images_of(person, other)]
    before = await snapshot(api)
    bad: tuple[Any, ...] = (
        [], ids[:2], [*ids, foreign], [*ids[:2], foreign], [*ids, ids[0]], [ids[0]] * 3,
        [*ids[:2], 2**63], [*ids[:2], -1], [*ids[:2], True], [*ids[:2], str(ids[2])],
        [*ids[:2], None], [*ids[:2], [ids[2]]], None, "1", {}, 7, list(range(10_000)),
    )  # fmt: skip
    for wanted in bad:
        answer = await order(person, ad, wanted)
        assert answer.status_code == 400, wanted
        assert answer.json()["errors"][0]["pointer"] == "/order", wanted
    for body in ({}, {"other": ids}):
        answer = await person.patch(f"/ads/{ad['pk']}/images", json=body)
        assert answer.json()["errors"][0]["pointer"] == "/order", body
    assert await snapshot(api) == before


async def test_a_deleted_picture_is_gone_with_its_variants(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(3))
    first, second, third = await images_of(person, ad)
    paths = [first["image"], *(variant["path"] for variant in first["variants"].values())]
    assert {(await api.client.get(path)).status_code for path in paths} == {200}
    assert (await person.delete(f"/ads/{ad['pk']}/images/{first['id']}")).status_code == 204
    assert {(await api.client.get(path)).status_code for path in paths} == {404}
    assert await images_of(person, ad) == [second, third]
    [listed] = (await person.get("/ads")).json()["results"]
    assert (listed["image"], listed["imageCount"]) == (second["image"], 2)
    assert set(api.files()) == set(files_of(names([second, third])))
    assert await api.sql("SELECT name FROM picture_deletions") == []


async def test_an_ad_keeps_its_last_picture(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    [only] = await images_of(person, ad)
    before = await snapshot(api)
    answer = await person.delete(f"/ads/{ad['pk']}/images/{only['id']}")
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems#last-image"
    assert await snapshot(api) == before


async def test_a_picture_that_the_ad_does_not_have_is_not_found(api: Api) -> None:
    person = await api.person()
    ad, other = await post_ad(person, *jpegs(2)), await post_ad(person, *jpegs(2))
    [foreign, _] = await images_of(person, other)
    for image_id in (foreign["id"], 2**63 - 1):
        answer = await person.delete(f"/ads/{ad['pk']}/images/{image_id}")
        assert answer.status_code == 404
        assert answer.json()["type"] == "/problems#image-not-found"
    for image_id in ("0", "-1", "x", "2e3", str(2**63)):
        answer = await person.delete(f"/ads/{ad['pk']}/images/{image_id}")
        assert answer.status_code == 400, image_id
        assert answer.json()["errors"][0]["parameter"] == "imageId"
    assert len(await images_of(person, other)) == 2


async def test_a_replaced_picture_is_the_first_one_and_the_others_stay(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(3))
    first, second, third = await images_of(person, ad)
    new = pictures.png(200, 180)
    answer = await person.patch(f"/ads/{ad['pk']}/image", files={"image": ("a.png", new)})
    assert answer.status_code == 200
    images = await images_of(person, ad)
    assert images[1:] == [second, third]
    assert (images[0]["width"], images[0]["height"]) == (200, 180)
    assert images[0]["id"] != first["id"]
    assert answer.content == (await api.client.get(images[0]["image"])).content
    assert set(api.files()) == set(files_of(names(images)))
    [listed] = (await person.get("/ads")).json()["results"]
    assert (listed["image"], listed["imageCount"]) == (images[0]["image"], 3)


async def test_of_an_upload_with_one_bad_picture_nothing_is_stored(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    before = await snapshot(api)
    good = jpegs(3)
    cases = {
        (NOT_A_PICTURE, 415): "/problems#unsupported-image",
        (b"", 415): "/problems#unsupported-image",
        (pictures.jpeg()[:-100], 400): "/problems#invalid-image",
    }
    for (bad, status), kind in cases.items():
        for at in range(4):
            images = [*good[:at], bad, *good[at:]]
            for answer in (
                await person.post("/ads", **form(*images, properties=True)),
                await add(person, ad, *images),
            ):
                assert answer.status_code == status, (bad[:10], at)
                assert answer.json()["type"] == kind
                if status == 400:
                    assert answer.json()["errors"][0]["parameter"] == "image"
                    assert f"Picture {at + 1}:" in answer.json()["errors"][0]["detail"]
            assert await snapshot(api) == before, (bad[:10], at)


async def test_an_ad_has_no_more_pictures_than_it_may(start_api: ApiFactory) -> None:
    async with start_api(ad_images_max=TWO_PER_AD) as api:
        person = await api.person()
        answer = await person.post("/ads", **form(*jpegs(3), properties=True))
        assert answer.status_code == 409
        assert answer.json()["type"] == "/problems#too-many-images"
        assert (await snapshot(api)).files == {}
        ad = await post_ad(person, pictures.jpeg())
        assert (await add(person, ad, *jpegs(2))).status_code == 409
        assert (await add(person, ad, *jpegs(1))).status_code == 201
        before = await snapshot(api)
        assert (await add(person, ad, *jpegs(1))).status_code == 409
        assert await snapshot(api) == before
        # Whoever deletes one may add another.
        [image, _] = await images_of(person, ad)
        assert (await person.delete(f"/ads/{ad['pk']}/images/{image['id']}")).status_code == 204
        assert (await add(person, ad, *jpegs(1))).status_code == 201


async def test_a_full_ad_is_refused_before_a_byte_of_the_body(start_api: ApiFactory) -> None:
    async with start_api(ad_images_max=1) as api:
        person = await api.person()
        ad = await post_ad(person, pictures.jpeg())
        read = []

        async def body() -> Any:
            read.append(True)
            yield b""

        headers = {"Content-Type": "multipart/form-data; boundary=frontier"}
        path = f"/ads/{ad['pk']}/images"
        answer = await person.post(path, content=body(), headers=headers)
        assert (answer.status_code, read) == (409, [])


async def test_a_picture_too_many_is_refused_where_it_begins(start_api: ApiFactory) -> None:
    async with start_api(ad_images_max=1) as api:
        person = await api.person()
        whole = form(pictures.jpeg(), b"x" * 1_000_000, properties=True)
        sent = []

        async def body() -> Any:
            for start in range(0, len(whole["content"]), 1000):
                sent.append(start)
                yield whole["content"][start : start + 1000]

        answer = await person.post("/ads", content=body(), headers=whole["headers"])
        assert answer.status_code == 409
        assert len(sent) < 100


async def test_no_picture_at_all_is_refused(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    before = await snapshot(api)
    for answer in (
        await person.post("/ads", **multipart(PROPERTIES_PART)),
        await person.post(f"/ads/{ad['pk']}/images", **multipart(PROPERTIES_PART)),
        await person.post(f"/ads/{ad['pk']}/images", **multipart(part("images", b"x"))),
    ):
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["parameter"] == "image"
    assert await snapshot(api) == before


async def test_each_picture_has_the_limit_of_one(start_api: ApiFactory) -> None:
    async with start_api(image_max_bytes=20_000) as api:
        person = await api.person()
        large = pictures.jpeg() + b"\0" * 20_000
        answer = await person.post("/ads", **form(pictures.jpeg(), large, properties=True))
        assert answer.status_code == 413
        assert "part image" in answer.json()["detail"]
        assert (await snapshot(api)).files == {}
        ad = await post_ad(person, *jpegs(12, 300))
        assert ad["imageCount"] == 12


async def test_where_one_picture_is_asked_for_two_are_refused(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    before = await snapshot(api)
    for path in (f"/ads/{ad['pk']}/image", "/users/me/image"):
        answer = await person.patch(path, **form(*jpegs(2)))
        assert answer.status_code == 400, path
        assert "only once" in answer.json()["errors"][0]["detail"]
    assert await snapshot(api) == before


async def test_an_avatar_has_no_variants(api: Api) -> None:
    person = await api.person()
    answer = await person.patch("/users/me/image", **form(pictures.jpeg()))
    assert answer.status_code == 200
    assert len(api.files()) == 1


async def test_a_deleted_ad_takes_all_its_pictures_along(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(12))
    assert len(api.files()) == 36
    assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
    assert api.files() == {}
    assert await api.sql("SELECT name FROM picture_deletions") == []
    assert await api.sql("SELECT name FROM images") == []
    assert await api.sql("SELECT bytes FROM image_totals") == [0]


async def test_a_deleted_account_takes_all_pictures_of_its_ads_along(api: Api) -> None:
    person = await api.person()
    for _ in range(2):
        await post_ad(person, *jpegs(3))
    gone = await person.request("DELETE", "/users/me", json={"currentPassword": person.password})
    assert gone.status_code == 204
    assert api.files() == {}
    assert await api.sql("SELECT name FROM picture_deletions") == []


async def test_a_change_of_pictures_by_an_administrator_is_in_the_trail(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    ad = await post_ad(person, *jpegs(2))
    images = (await add(admin, ad, *jpegs(1, 90))).json()["results"]
    ids = [image["id"] for image in images]
    assert (await order(admin, ad, ids[::-1])).status_code == 200
    assert (await admin.delete(f"/ads/{ad['pk']}/images/{ids[0]}")).status_code == 204
    assert await api.sql(
        "SELECT event FROM audit_events WHERE actor = :actor AND ad_id = :ad",
        actor=str(admin.id), ad=ad["pk"],
    ) == ["foreign_pictures_changed"] * 3  # fmt: skip
    # They count for the author.
    assert await api.sql("SELECT DISTINCT owner_id FROM images") == [person.id]


async def test_only_the_author_and_administrators_change_an_ads_pictures(
    start_api: ApiFactory,
) -> None:
    """Also where every user may edit every ad."""
    for editors in AdEditors:
        async with start_api(ad_editors=editors) as api:
            author, stranger, admin = await api.person(), await api.person(), await api.admin()
            ad = await post_ad(author, *jpegs(5))
            for who, allowed in ((api.client, 401), (stranger, 403), (author, 0), (admin, 0)):
                before = await snapshot(api)
                path = f"/ads/{ad['pk']}/images"
                posted = await who.request("POST", path, **form(pictures.jpeg()))
                ids = [image["id"] for image in await images_of(author, ad)]
                ordered = await who.request("PATCH", path, json={"order": ids[::-1]})
                deleted = await who.request("DELETE", f"{path}/{ids[0]}")
                statuses = [answer.status_code for answer in (posted, ordered, deleted)]
                assert statuses == ([allowed] * 3 if allowed else [201, 200, 204]), editors
                assert (await snapshot(api) == before) == bool(allowed)


async def test_whether_a_picture_exists_is_told_before_who_may_delete_it(api: Api) -> None:
    author, stranger = await api.person(), await api.person()
    ad = await post_ad(author, *jpegs(2))
    [image, _] = await images_of(author, ad)
    for who, path, expected in (
        (api.client, "/ads/99/images/99", 401),
        (stranger, "/ads/99/images/99", 404),
        (stranger, f"/ads/{ad['pk']}/images/99", 404),
        (stranger, f"/ads/{ad['pk']}/images/{image['id']}", 403),
        (author, f"/ads/{ad['pk']}/images/99", 404),
    ):
        answer = await who.request("DELETE", path)
        assert answer.status_code == expected, path


async def test_the_sweep_spares_the_variants_of_pictures_that_rows_name(api: Api) -> None:
    """And takes those of others, which no row has ever named."""
    person = await api.person()
    await post_ad(person, *jpegs(2))
    named = api.files()
    store = api.state.store
    orphans = files_of([new_image_name("jpg")])
    await store.put_all(dict.fromkeys(orphans, b"picture"))
    async with api.state.database.autocommit() as session:
        swept = [name async for name in sweep(session, store, grace_seconds=0)]
    assert sorted(swept) == sorted(orphans)
    assert api.files() == named
