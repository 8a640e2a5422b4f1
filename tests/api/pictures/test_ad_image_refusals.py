"""Pictures of an ad that are refused, and users who may not change them."""

from typing import Any

import pytest

from adsvc.settings import AdEditors
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.pictures.of_ads import PROPERTIES_PART, add, form, images_of, jpegs, order, post_ad
from support.scene.api import Api, multipart, part
from support.scene.snapshots import snapshot

NOT_A_PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg'/>"

TWO_PER_AD = 2


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


@pytest.mark.heavy
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


async def test_where_one_picture_is_expected_two_are_refused(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    before = await snapshot(api)
    for path in (f"/ads/{ad['pk']}/image", "/users/me/image"):
        answer = await person.patch(path, **form(*jpegs(2)))
        assert answer.status_code == 400, path
        assert "only once" in answer.json()["errors"][0]["detail"]
    assert await snapshot(api) == before


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_a_missing_picture_is_404_before_a_missing_right_is_403(api: Api) -> None:
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


async def test_an_ad_keeps_its_last_picture(api: Api) -> None:
    person = await api.person()
    ad = await post_ad(person, pictures.jpeg())
    [only] = await images_of(person, ad)
    before = await snapshot(api)
    answer = await person.delete(f"/ads/{ad['pk']}/images/{only['id']}")
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems#last-image"
    assert await snapshot(api) == before
