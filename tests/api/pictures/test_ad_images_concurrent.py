"""Several clients change the pictures of one ad at the same time."""

import asyncio
from typing import Any

import pytest

from adsvc.kit.pictures.containers import files_of
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.pictures.of_ads import images_of
from support.scene.api import Api, Person, image_form, multipart, part

MOST = 4


async def is_in_step(api: Api, person: Person, ad: dict[str, Any]) -> None:
    """The ad, its pictures and the files tell the same."""
    images = await images_of(person, ad)
    [listed] = (await person.get("/ads")).json()["results"]
    assert listed["image"] == images[0]["image"]
    assert listed["thumbnail"] == images[0]["variants"]["thumb"]["path"]
    assert listed["imageCount"] == len(images)
    assert set(api.files()) == set(files_of([path["image"].rpartition("/")[2] for path in images]))
    [taken] = await api.sql("SELECT bytes FROM image_totals")
    assert taken == sum(len(data) for data in api.files().values())
    assert await api.sql("SELECT name FROM picture_deletions") == []


@pytest.mark.heavy
async def test_of_many_pictures_at_once_no_more_are_added_than_the_ad_may_have(
    start_api: ApiFactory,
) -> None:
    async with start_api(ad_images_max=MOST, image_queue=64) as api:
        person = await api.person()
        ad = await person.post_ad()
        path = f"/ads/{ad['pk']}/images"
        answers = await asyncio.gather(
            *(person.post(path, files=image_form(pictures.jpeg(64, 50 + n))) for n in range(7))
        )
        assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 4
        await is_in_step(api, person, ad)
        # Two of them, where one has room.
        [first, *_] = await images_of(person, ad)
        assert (await person.delete(f"{path}/{first['id']}")).status_code == 204
        image = part("image", pictures.jpeg(), filename="a.jpg")
        assert (await person.post(path, **multipart(image, image))).status_code == 409
        await is_in_step(api, person, ad)


@pytest.mark.heavy
async def test_whatever_is_changed_at_once_leaves_ad_pictures_and_files_in_step(
    start_api: ApiFactory,
) -> None:
    async with start_api(image_queue=64) as api:
        person = await api.person()
        ad = await person.post_ad()
        path = f"/ads/{ad['pk']}/images"
        # So many that the last round never deletes all of them before one is added.
        for number in range(4):
            added = await person.post(path, files=image_form(pictures.jpeg(70, 50 + number)))
            assert added.status_code == 201
        for _ in range(3):
            ids = [image["id"] for image in await images_of(person, ad)]
            answers = await asyncio.gather(
                person.patch(path, json={"order": ids[::-1]}),
                person.delete(f"{path}/{ids[1]}"),
                person.post(path, files=image_form()),
                person.patch(f"/ads/{ad['pk']}/image", files=image_form()),
                person.patch(path, json={"order": [*ids[1:], ids[0]]}),
                person.delete(f"{path}/{ids[0]}"),
            )
            # An order of pictures that are no longer those is 400, a picture that is gone 404.
            assert {answer.status_code for answer in answers} <= {200, 201, 204, 400, 404}
            await is_in_step(api, person, ad)
            positions = await api.sql("SELECT position FROM ad_images")
            assert len(set(positions)) == len(positions)


@pytest.mark.heavy
async def test_of_two_orders_at_once_one_is_left(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    path = f"/ads/{ad['pk']}/images"
    images = [part("image", pictures.jpeg(64, 50 + n), filename="a.jpg") for n in range(3)]
    assert (await person.post(path, **multipart(*images))).status_code == 201
    ids = [image["id"] for image in await images_of(person, ad)]
    for _ in range(5):
        orders = (ids[::-1], [ids[2], ids[0], ids[3], ids[1]])
        answers = await asyncio.gather(
            *(person.patch(path, json={"order": order}) for order in orders)
        )
        assert [answer.status_code for answer in answers] == [200, 200]
        assert [image["id"] for image in await images_of(person, ad)] in orders
    await is_in_step(api, person, ad)


@pytest.mark.parametrize("end", ["ad", "account"])
async def test_pictures_that_are_added_to_an_ad_that_ends_leave_nothing(api: Api, end: str) -> None:
    person = await api.person()
    ad = await person.post_ad()
    add = person.post(f"/ads/{ad['pk']}/images", files=image_form())
    account = {"json": {"currentPassword": person.password}}
    gone = (
        person.delete(f"/ads/{ad['pk']}")
        if end == "ad"
        else person.request("DELETE", "/users/me", **account)
    )
    added, ended = await asyncio.gather(add, gone)
    assert ended.status_code == 204
    assert added.status_code in {201, 401, 404}
    assert api.files() == {}
    assert await api.sql("SELECT name FROM images") == []
