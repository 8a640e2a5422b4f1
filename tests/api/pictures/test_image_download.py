import gc
import warnings
from contextlib import suppress
from random import Random
from typing import Any

import httpx2
import pytest
from PIL import Image
from starlette.requests import ClientDisconnect
from starlette.types import Message

from conftest import ApiFactory
from support.pictures import samples as pictures
from support.running.in_process import get_unnormalised, scope_of
from support.scene.api import Api
from support.scene.warmth import settle
from support.trouble.breaking import gone
from support.trouble.opens import opened

PICTURE = pictures.jpeg(640, 480)


@pytest.fixture
async def path(api: Api) -> str:
    """Where the picture of the only ad is served."""
    ad = await (await api.person()).post_ad(image=PICTURE)
    found: str = ad["image"]
    return found


@pytest.fixture
async def whole(client: httpx2.AsyncClient, path: str) -> bytes:
    return (await client.get(path)).content


async def test_a_picture_is_served_to_everybody_and_for_good(
    api: Api, path: str, whole: bytes
) -> None:
    answer = await api.client.get(path)
    assert answer.status_code == 200
    assert answer.content == whole == next(iter(api.pictures().values()))
    name = path.removeprefix("/images/")
    del answer.headers["X-Request-Id"]
    assert dict(answer.headers) == {
        "accept-ranges": "bytes",
        "adsvc-version": api.app.version,
        "cache-control": "public, max-age=31536000, immutable",
        "content-length": str(len(whole)),
        "content-security-policy": "default-src 'none'; sandbox",
        "content-type": "image/jpeg",
        "cross-origin-resource-policy": "cross-origin",
        "etag": f'"{name}"',
        "referrer-policy": "no-referrer",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }


async def test_credentials_of_whatever_kind_do_not_matter(
    client: httpx2.AsyncClient, path: str
) -> None:
    headers = {"Authorization": "Bearer expired"}
    assert (await client.get(path, headers=headers)).status_code == 200


async def test_head_has_the_headers_of_get(client: httpx2.AsyncClient, path: str) -> None:
    get, head = await client.get(path), await client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    del get.headers["X-Request-Id"], head.headers["X-Request-Id"]
    assert head.headers == get.headers


@pytest.mark.parametrize("form", ["{}", "W/{}", "*", '"other", {}', '"a","b" , W/{} ', " {}"])
async def test_a_copy_that_is_current_is_not_sent_again(
    client: httpx2.AsyncClient, path: str, form: str
) -> None:
    etag = (await client.head(path)).headers["ETag"]
    for method in ("GET", "HEAD"):
        headers = {"If-None-Match": form.format(etag)}
        answer = await client.request(method, path, headers=headers)
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == etag
        assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("form", ['"other"', "", "other", '"', "W/", "\u00ff"])
async def test_another_copy_is_replaced(client: httpx2.AsyncClient, path: str, form: str) -> None:
    headers = [(b"If-None-Match", form.encode("latin-1"))]
    assert (await client.get(path, headers=headers)).status_code == 200


@pytest.mark.parametrize(
    ("range", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-99", 0, 100),
        ("bytes=100-199", 100, 200),
        ("bytes=100-", 100, None),
        ("bytes=0-", 0, None),
        ("bytes=0-999999999999999999", 0, None),
        ("bytes=-1", -1, None),
        ("bytes=-100", -100, None),
        ("bytes=-999999999999", 0, None),
    ],
)
async def test_a_range_is_served(
    client: httpx2.AsyncClient, path: str, whole: bytes, range: str, start: int, stop: int | None
) -> None:
    for method in ("GET", "HEAD"):
        answer = await client.request(method, path, headers={"Range": range})
        assert answer.status_code == 206
        part = whole[start:stop]
        first = len(whole) + start if start < 0 else start
        told = f"bytes {first}-{first + len(part) - 1}/{len(whole)}"
        assert answer.headers["Content-Range"] == told
        assert answer.headers["Content-Length"] == str(len(part))
        assert answer.headers["Content-Type"] == "image/jpeg"
        assert answer.content == (part if method == "GET" else b"")


@pytest.mark.parametrize(
    "range", ["bytes={size}-", "bytes={size}-{size}", "bytes=999999999999-", "bytes=-0"]
)
async def test_a_range_outside_the_picture_is_refused(
    client: httpx2.AsyncClient, path: str, whole: bytes, range: str
) -> None:
    asked = {"Range": range.format(size=len(whole))}
    answer = await client.get(path, headers=asked)
    assert answer.status_code == 416
    assert answer.headers["Content-Range"] == f"bytes */{len(whole)}"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (await client.head(path, headers=asked)).status_code == 416


SILLY = {
    "10,000 ranges": "bytes=" + ",".join(f"{n}-{n}" for n in range(10_000)),
    "10,000 times the whole": "bytes=" + ",".join(["0-"] * 10_000),
    "two ranges": "bytes=0-1,3-4",
    "reversed": "bytes=9-0",
    "reversed and outside": "bytes=9999999-9999998",
    "5,000 digits": "bytes=" + "9" * 5000 + "-",
    "5,000 digits at the end": "bytes=0-" + "9" * 5000,
    "5,000 digits from the end": "bytes=-" + "9" * 5000,
    "another unit": "lines=0-1",
    "no unit": "0-1",
    "nothing": "",
    "neither end": "bytes=-",
    "negative": "bytes=--1",
    "spaces": "bytes = 0 - 1",
    "hexadecimal": "bytes=0x0-0x1",
    "other digits": "bytes=²-³",
    "text": "bytes=a-b",
}


@pytest.mark.parametrize("range", SILLY)
async def test_a_silly_range_is_ignored(
    client: httpx2.AsyncClient, path: str, whole: bytes, range: str
) -> None:
    headers = [(b"Range", SILLY[range].encode("latin-1"))]
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 200
    assert answer.content == whole


async def test_a_range_of_another_version_is_answered_with_the_whole(
    client: httpx2.AsyncClient, path: str, whole: bytes
) -> None:
    etag = (await client.head(path)).headers["ETag"]

    async def get(**headers: str) -> httpx2.Response:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return await client.get(path, headers={"Range": "bytes=0-9", **sent})

    assert (await get(If_Range=etag)).content == whole[:10]
    for other in ('"other"', f"W/{etag}", "Fri, 20 Nov 2026 20:00:00 GMT", ""):
        assert (await get(If_Range=other)).content == whole
    # A condition goes before a range (RFC 9110 §13.2.2).
    assert (await get(If_None_Match=etag)).status_code == 304
    assert (await get(If_None_Match='"other"')).status_code == 206


HOSTILE_NAMES = [
    *("0" * 32 + ".jpg", "0" * 32 + ".gif", "0" * 32, "0" * 31 + ".jpg", "A" * 32 + ".jpg"),
    *("{}%00", "{}%0A", "{}%20", "%20{}", "{}.png", "{}/", "./{}", "x/../{}", "{}%2F..", ".{}.tmp"),
    *("..", "../jwt_secret", "%2e%2e/jwt_secret", "%2e%2e%2fjwt_secret", "..%5cjwt_secret"),
    *("%2fetc%2fpasswd", "/etc/passwd", "....//", "%c0%ae%c0%ae/", "~", "CON", "", "a" * 5000),
    *("{}?x=1", "%252e%252e/", "{}%252F"),
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_NAMES)
async def test_no_other_name_finds_anything(api: Api, path: str, name: str) -> None:
    secret = api.state.settings.data_dir / "jwt_secret"
    secret.write_text("hush")
    stored = path.removeprefix("/images/")
    answer = await get_unnormalised(api.app, "/images/" + name.format(stored))
    secret.unlink()
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"
    assert stored not in answer.text
    assert answer.json()["type"] in {"/problems#image-not-found", "/problems#not-found"}


@pytest.mark.heavy
async def test_a_picture_larger_than_a_chunk_is_served_whole(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad(image=pictures.phone_photo())
    answer = await api.client.get(ad["image"])
    assert len(answer.content) == int(answer.headers["Content-Length"]) > 256 * 1024
    middle = await api.client.get(ad["image"], headers={"Range": "bytes=262143-262144"})
    assert middle.content == answer.content[262143:262145]


@pytest.mark.heavy
async def test_a_store_that_is_gone_is_not_a_missing_picture(start_api: ApiFactory) -> None:
    async with start_api() as api:
        ad: dict[str, Any] = await (await api.person()).post_ad()
        with gone(api.state.settings.image_dir):
            answer = await api.client.get(ad["image"])
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "5"
        assert (await api.client.get(ad["image"])).status_code == 200


def photo(size: int) -> bytes:
    """Grain that is stored as about so many bytes, as real photographs are."""
    side = round((size / 0.6) ** 0.5)
    grain = Image.frombytes("L", (side, side), Random(size).randbytes(side * side))
    return pictures.encoded(grain.convert("RGB"), "JPEG", quality=85)


@pytest.mark.heavy
async def test_a_real_photo_is_opened_once_and_then_kept(api: Api) -> None:
    person = await api.person()
    for size in (460_000, 900_000):
        path = (await person.post_ad(image=photo(size)))["image"]
        await settle(api)
        with opened(api.state.settings.image_dir) as found:
            cold, hot = [await api.client.get(path) for _ in range(2)]
        assert len(cold.content) > size // 2 > 256 * 1024 or size < 500_000
        assert cold.content == hot.content
        assert [file.name for file in found] == [path.removeprefix("/images/")]


@pytest.mark.heavy
async def test_no_file_is_opened_for_a_current_copy(start_api: ApiFactory) -> None:
    async with start_api(answers_max_bytes=0) as api:
        person = await api.person()
        ad = await person.post_ad(image=PICTURE)
        path, etag = ad["image"], f'"{ad["image"].removeprefix("/images/")}"'
        for headers, status, times in (
            ({}, 200, 1),
            ({"If-None-Match": etag}, 304, 0),
            ({"If-None-Match": '"other"'}, 200, 1),
            ({"If-None-Match": etag, "Range": "bytes=0-9"}, 304, 0),
            ({"Range": "bytes=0-9"}, 206, 1),
        ):
            with opened(api.state.settings.image_dir) as found:
                answer = await api.client.get(path, headers=headers)
            assert (answer.status_code, len(found)) == (status, times), headers
        assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
        # It is not current, it is gone.
        gone_now = await api.client.get(path, headers={"If-None-Match": etag})
        assert gone_now.status_code == 404


async def test_a_picture_is_closed_if_its_client_goes_before_the_first_byte(
    api: Api, path: str
) -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        raise ConnectionResetError

    scope = scope_of("GET", path, headers=[(b"range", b"bytes=0-9")])
    with warnings.catch_warnings(record=True) as told, suppress(ClientDisconnect):
        warnings.simplefilter("always", ResourceWarning)
        await api.app(scope, receive, send)
        gc.collect()
    assert [str(warning.message) for warning in told] == []
