"""Several pictures of an ad: added, ordered, deleted, and shown in every record."""

import re
from io import BytesIO
from random import Random

import pytest
from PIL import Image

from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import new_image_name
from adsvc.services.picture_deletion import sweep
from support.pictures import samples as pictures
from support.pictures.of_ads import add, form, heights, images_of, jpegs, names, order, post_ad
from support.scene.api import Api, image_form
from support.scene.snapshots import snapshot


def saved(picture: Image.Image, kind: str) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, kind)
    return buffer.getvalue()


async def size_at(api: Api, path: str) -> tuple[str | None, tuple[int, int]]:
    answer = await api.client.get(path)
    assert answer.status_code == 200
    picture = Image.open(BytesIO(answer.content))
    assert answer.headers["content-type"] == f"image/{str(picture.format).lower()}"
    assert not picture.getexif()
    return picture.format, picture.size


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_a_picture_has_variants_of_the_sizes_that_it_says(api: Api) -> None:
    person = await api.person()
    cases = (
        ((1600, 1200), (1200, 900), (800, 600), (320, 240)),
        ((999, 1500), (799, 1200), (533, 800), (213, 320)),
        ((500, 300), (500, 300), (500, 300), (320, 192)),
        ((1500, 1), (1200, 1), (800, 1), (320, 1)),
        ((100, 90), (100, 90), (100, 90), (100, 90)),
    )
    ad = await post_ad(person, *(pictures.jpeg(*size) for size, *_ in cases))
    for image, (size, share, card, thumb) in zip(await images_of(person, ad), cases, strict=True):
        assert (image["width"], image["height"]) == size
        assert (await size_at(api, image["image"]))[1] == size, size
        assert set(image["variants"]) == {"thumb", "card", "share"}
        for variant, kind, expected in (
            ("share", "JPEG", share), ("card", "WEBP", card), ("thumb", "WEBP", thumb),
        ):  # fmt: skip
            found = image["variants"][variant]
            assert (found["width"], found["height"]) == expected, (size, variant)
            assert await size_at(api, found["path"]) == (kind, expected), (size, variant)
        assert re.fullmatch("#[0-9a-f]{6}", image["placeholder"])


@pytest.mark.heavy
async def test_the_picture_for_previews_of_links_is_small_and_opaque_whatever_was_uploaded(
    api: Api,
) -> None:
    person = await api.person()
    size = (1400, 1400)
    noise = Image.frombytes("RGB", size, Random(1).randbytes(3 * 1400 * 1400))
    ad = await post_ad(person, saved(noise, "JPEG"), saved(Image.new("RGBA", (9, 9)), "PNG"))
    noisy, clear = [image["variants"]["share"] for image in await images_of(person, ad)]
    answer = await api.client.get(noisy["path"])
    assert (noisy["width"], noisy["height"]) == (1200, 1200)
    assert len(answer.content) <= 300_000
    opaque = Image.open(BytesIO((await api.client.get(clear["path"])).content))
    assert (opaque.mode, opaque.getpixel((4, 4))) == ("RGB", (255, 255, 255))


async def test_a_variant_is_kept_by_browsers_for_good(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    answer = await api.client.get(ad["thumbnail"])
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    for wrong in ("-large.webp", "-thumb.jpg", "-thumb", "-.webp", "thumb.webp"):
        path = ad["image"].removesuffix(".jpg") + wrong
        assert (await api.client.get(path)).status_code == 404, wrong


@pytest.mark.heavy
async def test_lists_the_ad_itself_and_the_export_say_the_same_of_pictures(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(3))
    for path in ("/ads", "/ads/me", "/ads?q=oak", "/ads?minPrice=1"):
        [listed] = (await person.get(path)).json()["results"]
        assert {name: listed[name] for name in ad} == ad, path
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


async def test_an_avatar_has_no_variants(api: Api) -> None:
    person = await api.person()
    answer = await person.patch("/users/me/image", **form(pictures.jpeg()))
    assert answer.status_code == 200
    assert len(api.files()) == 1


@pytest.mark.heavy
async def test_a_deleted_ad_takes_all_its_pictures_along(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, *jpegs(12))
    assert len(api.files()) == 48
    assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
    assert api.files() == {}
    assert await api.sql("SELECT name FROM picture_deletions") == []
    assert await api.sql("SELECT name FROM images") == []
    assert await api.sql("SELECT bytes FROM image_totals") == [0]


@pytest.mark.heavy
async def test_a_deleted_account_takes_all_pictures_of_its_ads_along(api: Api) -> None:
    person = await api.person()
    for _ in range(2):
        await post_ad(person, *jpegs(3))
    gone = await person.request("DELETE", "/users/me", json={"currentPassword": person.password})
    assert gone.status_code == 204
    assert api.files() == {}
    assert await api.sql("SELECT name FROM picture_deletions") == []


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_the_answer_to_a_new_first_picture_says_where_it_is(api: Api) -> None:
    person = await api.person()
    ad = (await person.post_ad())["pk"]
    answer = await person.patch(f"/ads/{ad}/image", files=image_form())
    place = answer.headers["Content-Location"]
    assert (await person.get(f"/ads/{ad}")).json()["image"] == place
    assert (await api.client.get(place)).content == answer.content
