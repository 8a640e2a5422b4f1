"""How much the pictures of one account may take, counted exactly under concurrency."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from sqlalchemy import text

from adsvc.kit.pictures.containers import files_of
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PASSWORD, Api, Person, ad_form, image_form
from support.scene.snapshots import snapshot
from support.trouble.blocking import until_waiting
from support.trouble.opens import opened

LOCK = text("SELECT id FROM ads WHERE id = :id FOR UPDATE")
SMALL, LARGE = pictures.jpeg(64, 48), pictures.jpeg(640, 480)


async def used(person: Person) -> int:
    me = (await person.get("/users/me")).json()
    found: int = me["storageUsed"]
    return found


async def stored(api: Api, person: Person) -> int:
    """What the files take which the account's rows name."""
    names = await api.sql(
        "SELECT name FROM ad_images JOIN ads ON ads.id = ad_id WHERE author_id = :id"
        " UNION ALL SELECT image FROM users WHERE id = :id AND image IS NOT NULL",
        id=person.id,
    )
    files = api.files()
    return sum(len(files.get(name, b"")) for name in files_of(names))


def is_over(answer: httpx2.Response, quota: int, taken: int) -> None:
    assert answer.status_code == 409, answer.text
    problem = answer.json()
    assert problem["type"] == "/problems#quota-exceeded"
    assert (problem["quota"], problem["used"]) == (quota, taken)


async def size_of(api: Api, picture: bytes) -> int:
    """As it is stored."""
    person = await api.person()
    await person.post_ad(image=picture)
    return await used(person)


@pytest.mark.heavy
async def test_picture_usage_is_shown_and_follows_every_change(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    assert (await person.get("/users/me")).json()["storageQuota"] == 1024**3
    assert await used(person) == 0
    first, second = [await person.post_ad(image=image) for image in (SMALL, LARGE)]
    changes = [
        ("PATCH", f"/ads/{first['pk']}/image", LARGE, person),
        ("PATCH", f"/ads/{first['pk']}/image", SMALL, admin),
        ("PATCH", "/users/me/image", SMALL, person),
        ("PATCH", "/users/me/image", LARGE, person),
        ("DELETE", f"/ads/{second['pk']}", None, admin),
        ("DELETE", f"/ads/{first['pk']}", None, person),
    ]
    for method, path, image, caller in changes:
        form = {"files": image_form(image)} if image else {}
        assert (await caller.request(method, path, **form)).is_success
        assert await used(person) == await stored(api, person) > 0
        assert await used(admin) == 0
    # Whoever writes to the table past the service is counted too.
    await person.post_ad(image=LARGE)
    await api.sql("DELETE FROM ads")
    assert await used(person) == await stored(api, person)
    closed = await person.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
    assert closed.status_code == 204
    assert await api.sql("SELECT count(*) FROM images") == [0]
    assert await api.sql("SELECT count(*) FROM image_totals WHERE bytes > 0") == [0]


@pytest.mark.heavy
async def test_beyond_its_quota_an_account_stores_nothing(start_api: ApiFactory) -> None:
    async with start_api() as api:
        small, large = [await size_of(api, picture) for picture in (SMALL, LARGE)]
    quota = 2 * small + 1
    async with start_api(image_quota_bytes=quota) as api:
        person, other = await api.person(), await api.person()
        ad = await person.post_ad(image=SMALL)
        await person.post_ad(image=SMALL)
        before = await snapshot(api)
        is_over(await person.post("/ads", files=ad_form(image=SMALL)), quota, 2 * small)
        for path in (f"/ads/{ad['pk']}/image", "/users/me/image"):
            is_over(await person.patch(path, files=image_form(LARGE)), quota, 2 * small)
        assert await snapshot(api) == before
        assert await used(person) == 2 * small == await stored(api, person)
        # No larger picture in the place of another one always has room, and so have others.
        replaced = await person.patch(f"/ads/{ad['pk']}/image", files=image_form(SMALL))
        assert replaced.status_code == 200
        await other.post_ad(image=SMALL)
        assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
        await person.post_ad(image=SMALL)
    # A lowered quota does not prevent changes that need less room.
    async with start_api(image_quota_bytes=1) as api:
        person.client = api.client
        [ad, *_] = (await person.get("/ads/me")).json()["results"]
        replaced = await person.patch(f"/ads/{ad['pk']}/image", files=image_form(SMALL))
        assert replaced.status_code == 200
    assert large > small


@pytest.mark.guard
async def test_only_the_picture_that_is_replaced_counts_as_room(start_api: ApiFactory) -> None:
    async with start_api() as api:
        person = await api.person()
        large = await person.post_ad(image=pictures.jpeg(640, 480))
        small = await person.post_ad(image=pictures.jpeg(64, 48))
    middle = image_form(pictures.jpeg(320, 240))
    async with start_api(image_quota_bytes=1) as api:
        person.client = api.client
        for ad, status in ((small, 409), (large, 200), (large, 200)):
            answer = await person.patch(f"/ads/{ad['pk']}/image", files=middle)
            assert answer.status_code == status, answer.text


@pytest.mark.heavy
async def test_an_account_without_room_is_refused_before_its_body(start_api: ApiFactory) -> None:
    async with start_api() as api:
        person = await api.person()
        await person.post_ad(image=SMALL)
        taken = await used(person)
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append(True)
        yield b""

    async with start_api(image_quota_bytes=taken) as api:
        person.client = api.client
        form = {"Content-Type": "multipart/form-data; boundary=x"}
        with opened(api.state.settings.image_dir) as files:
            is_over(await person.post("/ads", content=body(), headers=form), taken, taken)
        assert (read, files) == ([], [])
    async with start_api(image_quota_bytes=0) as api:
        person.client = api.client
        await person.post_ad(image=SMALL)
        assert (await person.get("/users/me")).json()["storageQuota"] is None


@pytest.mark.heavy
async def test_of_many_at_once_no_more_are_stored_than_there_is_room_for(
    start_api: ApiFactory,
) -> None:
    async with start_api() as api:
        small = await size_of(api, SMALL)
    async with start_api(image_quota_bytes=3 * small, image_queue=64) as api:
        person = await api.person()
        answers = await asyncio.gather(
            *(person.post("/ads", files=ad_form(image=SMALL)) for _ in range(8))
        )
        assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 5
        assert await used(person) == await stored(api, person) == 3 * small
        assert len(api.pictures()) == 4


@pytest.mark.heavy
@pytest.mark.parametrize("end", ["ad", "account"])
async def test_a_replacement_and_the_end_of_its_ad_wait_for_each_other_in_one_order(
    api: Api, end: str
) -> None:
    """Each of the two comes first in turn; neither ends in a deadlock, and all is counted."""
    for replacement_first in (True, False):
        person = await api.person()
        ad = await person.post_ad(image=SMALL)
        path = f"/ads/{ad['pk']}"
        replace = person.patch(f"{path}/image", files=image_form(LARGE))
        account = {"json": {"currentPassword": PASSWORD}}
        remove = (
            person.delete(path) if end == "ad" else person.request("DELETE", "/users/me", **account)
        )
        calls = [replace, remove] if replacement_first else [remove, replace]
        async with api.state.database.transaction() as blocking:
            # Both have begun, and wait for this one.
            await blocking.execute(LOCK, {"id": ad["pk"]})
            tasks = []
            for call in calls:
                tasks.append(asyncio.create_task(call))
                await until_waiting(api, *tasks)
        statuses = [answer.status_code for answer in await asyncio.gather(*tasks)]
        replaced, removed = statuses if replacement_first else reversed(statuses)
        assert removed == 204
        assert replaced in {200, 401, 404}
        assert await api.sql("SELECT count(*) FROM images WHERE owner_id = :id", id=person.id) == [
            0
        ]
        if end == "ad":
            assert await used(person) == 0
