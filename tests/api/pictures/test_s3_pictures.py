"""The service with its pictures in a bucket."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from adsvc.services import picture_deletion
from adsvc.services.picture_deletion import work_off
from adsvc.settings import Storefront
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.s3.light import LightS3, Object, Trouble
from support.s3.server import BUCKET, S3Server
from support.scene.api import Api, Person, ad_form, image_form
from support.scene.storefront import build
from support.scene.stores import DAY

S3 = tuple[S3Server, LightS3]
SECONDS = 2


@pytest.fixture
async def api(start_api: ApiFactory, s3: S3, prefix: str, tmp_path: Path) -> AsyncIterator[Api]:
    """Answers are not kept, so that each picture is read from the bucket."""
    changes = {**s3[0].settings(prefix), "s3_timeout_seconds": SECONDS, "answers_max_bytes": 0}
    # Where no application has made directories for pictures.
    changes["data_dir"] = tmp_path / "data"
    async with start_api(**changes) as started:
        yield started


def objects(s3: S3, prefix: str) -> dict[str, Object]:
    """Those of the prefix, but for what says whose it is."""
    found = s3[1].buckets[BUCKET]
    names = {key.removeprefix(f"{prefix}/"): found[key] for key in found if key.startswith(prefix)}
    names.pop(".installation", None)
    return names


@pytest.mark.heavy
async def test_a_picture_lives_in_the_bucket_as_on_a_disk(api: Api, s3: S3, prefix: str) -> None:
    person = await api.person()
    ad = await person.post_ad(image=pictures.phone_photo())
    path = ad["image"]
    name = path.removeprefix("/images/")
    # The picture and its variants, and nothing on the disk of the service.
    assert len(objects(s3, prefix)) == 4
    assert not api.state.settings.image_dir.exists()
    stored = objects(s3, prefix)[name].data
    whole = await api.client.get(path)
    assert (whole.status_code, whole.content) == (200, stored)
    assert whole.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    etag = whole.headers["ETag"]
    part = await api.client.get(path, headers={"Range": "bytes=262143-262144"})
    assert (part.status_code, part.content) == (206, stored[262143:262145])
    beyond = await api.client.get(path, headers={"Range": f"bytes={len(stored)}-"})
    assert beyond.status_code == 416
    unchanged = await api.client.get(path, headers={"If-None-Match": etag})
    assert unchanged.status_code == 304
    head = await api.client.head(path)
    assert (head.status_code, int(head.headers["Content-Length"])) == (200, len(stored))
    replaced = await person.patch(f"/ads/{ad['pk']}/image", files=image_form())
    assert replaced.status_code == 200
    assert name not in objects(s3, prefix)
    assert (await api.client.get(path)).status_code == 404
    assert (await api.client.get(path, headers={"If-None-Match": etag})).status_code == 404
    assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
    assert objects(s3, prefix) == {}


async def uploads(person: Person) -> list[httpx2.Response]:
    posted = person.post("/ads", files=ad_form())
    return list(await asyncio.gather(posted, person.patch("/users/me/image", files=image_form())))


@pytest.mark.heavy
@pytest.mark.parametrize("trouble", [Trouble.FORBIDDEN, Trouble.FULL, Trouble.HANGING])
async def test_a_bucket_in_trouble_means_503_and_nothing_half_done(
    api: Api, s3: S3, prefix: str, trouble: Trouble
) -> None:
    person = await api.person()
    ad = await person.post_ad()
    before = sorted(objects(s3, prefix))
    listed = (await api.client.get("/ads")).json()
    s3[1].trouble = trouble
    stored, *others = await asyncio.gather(
        uploads(person),
        person.patch(f"/ads/{ad['pk']}/image", files=image_form()),
        api.client.get(ad["image"]),
        api.client.get("/readyz?require=pictures"),
    )
    for answer in (*stored, *others):
        assert answer.status_code == 503, answer.text
        assert answer.json()["type"] == "/problems#image-store-unavailable"
        assert int(answer.headers["Retry-After"]) >= 1
    # What needs no picture goes on.
    assert (await api.client.get("/ads")).json() == listed
    s3[1].trouble = None
    assert sorted(objects(s3, prefix)) == before
    assert (await api.client.get(ad["image"])).status_code == 200
    assert [answer.status_code for answer in await uploads(person)] == [201, 200]


@pytest.mark.heavy
async def test_an_ad_can_be_deleted_while_the_bucket_is_away(api: Api, s3: S3, prefix: str) -> None:
    """Its picture is queued, and goes when the bucket is back."""
    person = await api.person()
    ad = await person.post_ad()
    s3[1].trouble = Trouble.BROKEN
    assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
    assert len(objects(s3, prefix)) == 4
    s3[1].trouble = None
    await work_off(api.state.database, api.state.store)
    assert objects(s3, prefix) == {}


@pytest.mark.heavy
async def test_the_sweep_leaves_the_pictures_of_other_prefixes_alone(
    api: Api, s3: S3, prefix: str
) -> None:
    await (await api.person()).post_ad()
    bucket = s3[1].buckets[BUCKET]
    named = {key: bucket[key] for key in bucket if not key.endswith(".installation")}
    [[picture, there], *_] = named.items()
    foreign = [
        f"{prefix}-other/{'1' * 32}.jpg",
        f"{prefix}/below/{'2' * 32}.jpg",
        f"{prefix}/robots.txt",
        f"{'3' * 32}.jpg",
    ]
    orphan = f"{prefix}/{'4' * 32}.jpg"
    for key in (*foreign, orphan):
        bucket[key] = Object(there.data, {}, there.written)
    for key in bucket:
        s3[1].age(key, DAY + 60)
    async with api.state.database.autocommit() as session:
        swept = [
            name
            async for name in picture_deletion.sweep(session, api.state.store, grace_seconds=DAY)
        ]
    assert swept == [f"{'4' * 32}.jpg"]
    assert picture in bucket
    assert set(foreign) < set(bucket)


@pytest.mark.heavy
async def test_pictures_may_be_at_another_address(start_api: ApiFactory, tmp_path: Path) -> None:
    there = "https://cdn.example.com/ads"
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path / "web")}
    async with start_api(image_redirect_url=there, **front) as api:
        # Browsers apply the policy of the page to redirects too.
        policy = (await api.client.get("/")).headers["Content-Security-Policy"]
        assert "img-src 'self' https://cdn.example.com data:" in policy
        ad: dict[str, Any] = await (await api.person()).post_ad()
        for method in ("GET", "HEAD"):
            answer = await api.client.request(method, ad["image"])
            assert answer.status_code == 307
            name = ad["image"].removeprefix("/images/")
            assert answer.headers["Location"] == f"{there}/{name}"
            assert answer.headers["Cache-Control"] == "public, max-age=3600"
            assert answer.content == b""
        # No other name leads anywhere.
        assert (await api.client.get("/images/..%2Fsecret.jpg")).status_code == 404
