"""Hostile input to a running service, a row at a time; other tests go into each case's details."""

import asyncio
import base64
import json
from typing import Any

import httpx2
import pytest

from faults import kernel
from faults.conftest import Town
from faults.scale import measured
from faults.wire import Wire, noise, request_head
from support.pictures.samples import jpeg
from support.scene.api import multipart, part

pytestmark = pytest.mark.drill

MARK = "zebra9917"
ENORMOUS = "9" * 5000
JSON = {"Content-Type": "application/json"}

NOT_JSON: dict[str, bytes] = {
    "NaN": b'{"title": "zebra9917", "price": NaN}',
    "Infinity": b'{"firstName": -Infinity, "text": "zebra9917"}',
    "1e999": b'{"price": 1e999, "firstName": "zebra9917"}',
    "lone surrogate": b'{"title": "zebra9917\\ud800"}',
    "lone surrogate as a key": b'{"\\ud800zebra9917": 1}',
    "NUL": b'{"text": "zebra9917\\u0000"}',
    "10 to the 30th": b'{"price": 1000000000000000000000000000000, "zebra9917": 1, "text": 1}',
    "5,000 digits": b'{"price": ' + ENORMOUS.encode() + b', "zebra9917": 1}',
    "nested": b'{"zebra9917": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "bad UTF-8": b'{"title": "zebra9917\xff\xfe"}',
    "UTF-16": '{"title": "zebra9917"}'.encode("utf-16"),
    "binary": bytes(range(256)) + MARK.encode(),
    "empty": b"",
    "BOM": b'\xef\xbb\xbf{"text": "zebra9917 zebra9917"}',
    "twice": b'{"text": "zebra9917", "text": "zebra9917"}',
}
JSON_OPERATIONS = [
    ("POST", "/login"),
    ("POST", "/register"),
    ("PATCH", "/users/me"),
    ("DELETE", "/users/me"),
    ("POST", "/users/set_password"),
    ("PATCH", "/users/set_password"),
    ("PATCH", "/ads/{ad}"),
    ("POST", "/ads/{ad}/comments"),
    ("PATCH", "/ads/{ad}/comments/{comment}"),
]


@pytest.fixture
async def comment(town: Town) -> int:
    answer = await town.author.post(f"/ads/{town.ad['pk']}/comments", json={"text": "Hello"})
    found: int = answer.json()["pk"]
    return found


async def test_row_01_what_is_no_json_is_refused_and_not_repeated(town: Town, comment: int) -> None:
    before = await town.state()
    for method, template in JSON_OPERATIONS:
        path = template.format(ad=town.ad["pk"], comment=comment)
        for name, body in NOT_JSON.items():
            answer = await town.author.request(method, path, content=body, headers=JSON)
            assert (path, name, answer.status_code) == (path, name, 400)
            assert MARK not in answer.text
            assert ENORMOUS[:50] not in answer.text
    for name, body in NOT_JSON.items():
        form = {"properties": (None, body), "image": ("a.jpg", jpeg(), "image/jpeg")}
        answer = await town.author.post("/ads", files=form)
        assert (name, answer.status_code) == (name, 400)
        assert MARK not in answer.text
        answer = await town.client.post(
            "/token", content=body, headers={"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert (name, answer.status_code) == (name, 400)
        assert MARK not in answer.text
    assert await town.state() == before


NUMBERS = ("0", "-1", str(2**31), str(2**63), str(10**24), "1_000", "%00", "abc", "1.0", "%2B1")


async def test_row_02_numbers_out_of_place_are_refused(town: Town) -> None:
    paths = ("/ads/{}", "/ads/{}/comments", "/ads/{}/comments/1", "/ads/1/comments/{}")
    for template in paths:
        for number in NUMBERS:
            answer = await town.author.get(template.format(number))
            assert answer.status_code in {400, 404}, (template, number)
            assert (await town.author.delete(f"/users/me/sessions/{number}")).status_code in {
                400,
                404,
            }
    many = "/ads?limit=1"
    await town.author.post_ad()
    cursor = (await town.client.get(many)).json()["next"]
    forged = [cursor[: len(cursor) // 2], cursor[::-1], "", "a", "%00", "A" * 5000]
    forged += [base64.urlsafe_b64encode(b'{"id": 1}').decode(), "..", "%ff"]
    for query in [f"cursor={text}" for text in forged] + [
        f"limit={number}" for number in (*NUMBERS, "1001", "")
    ]:
        answer = await town.client.get(f"/ads?{query}")
        assert answer.status_code == 400, query
    assert (await town.client.get(f"{many}&cursor={cursor}")).status_code == 200


async def test_row_03_other_types_of_content_change_nothing(town: Town, comment: int) -> None:
    before = await town.state()
    record = json.dumps({"text": "Hello there", "title": "Hello", "firstName": "Eve"})
    for method, template in JSON_OPERATIONS:
        path = template.format(ad=town.ad["pk"], comment=comment)
        for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/xml"}):
            answer = await town.author.request(method, path, content=record, headers=headers)
            assert answer.status_code == 415, path
        answer = await town.author.request(method, path, data={"title": "Hello", "text": "a"})
        assert answer.status_code == 415, path
    forms = ("/ads", f"/ads/{town.ad['pk']}/image", "/token", "/revoke")
    for method, path in zip(("POST", "PATCH", "POST", "POST"), forms, strict=True):
        answer = await town.author.request(method, path, content=record, headers=JSON)
        assert answer.status_code == 415, path
    assert await town.state() == before


@pytest.mark.alone
async def test_row_04_bodies_over_their_limit_are_refused_without_taking_memory(
    town: Town,
) -> None:
    before = await town.state()
    port, pid = town.service.port, town.service.pid
    authorization = f"Authorization: Bearer {town.author.token}"
    form = "Content-Type: multipart/form-data; boundary=x"
    kinds = [
        ("POST", "/login", "Content-Type: application/json", 64 * 1024),
        ("PATCH", f"/ads/{town.ad['pk']}/image", form, 10 * kernel.MEBIBYTE),
    ]
    for method, path, content_type, limit in kinds:
        body = b"--x\r\nContent-Disposition: form-data; name=image; filename=a\r\n\r\n"
        body += b"a" * (3 * limit + 200_000)
        for framing in (f"Content-Length: {len(body)}", "Transfer-Encoding: chunked"):
            kernel.forget_peak(pid)
            resident = kernel.resident(pid)
            head = request_head(method, path, authorization, content_type, framing)
            async with await Wire.open(port) as wire:
                sending = asyncio.create_task(_send(wire, head, body, framing))
                answer = await wire.answer(20)
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
            assert (path, framing, answer.status) == (path, framing, 413)
            assert answer.problem()["type"] == "/problems#content-too-large"
            grown = kernel.peak(pid) - resident
            # A megabyte is within the noise of an allocator.
            assert grown < 2 * limit + kernel.MEBIBYTE
            measured(
                f"row 4: memory for {path.rpartition('/')[2]}, {framing}", grown / 2**20, "MiB"
            )
    # Less than announced, and more.
    for length, rest in ((50, b"{}"), (1, b"{}")):
        head = request_head("POST", "/login", "Content-Type: application/json")[:-2]
        async with await Wire.open(port) as wire:
            await wire.send(head + f"Content-Length: {length}\r\n\r\n".encode() + rest)
            if length == 1:
                assert (await wire.answer()).status == 400
    assert await town.state() == before


async def _send(wire: Wire, head: bytes, body: bytes, framing: str) -> None:
    await wire.send(head)
    for at in range(0, len(body), 65536):
        piece = body[at : at + 65536]
        chunked = "chunked" in framing
        await wire.send(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)


async def test_row_05_an_anonymous_upload_is_refused_before_its_end(town: Town) -> None:
    before = await town.state()
    temporary = kernel.open_files(town.service.pid)
    for method, path in (("POST", "/ads"), ("PATCH", f"/ads/{town.ad['pk']}/image")):
        head = request_head(
            method, path, "Content-Type: multipart/form-data; boundary=x", "Content-Length: 9000000"
        )
        async with await Wire.open(town.service.port) as wire:
            await wire.send(head + b"a" * 4_500_000)
            assert (await wire.answer(5)).status == 401
            assert kernel.open_files(town.service.pid) <= temporary
    assert await town.state() == before


async def test_row_06_forms_out_of_shape_store_nothing(town: Town) -> None:
    before = await town.state()
    properties = part("properties", json.dumps({"title": "Oak table", "price": 1}).encode())
    image = part("image", jpeg(), filename="a.jpg")
    headers = "\r\n".join(f"X-{number}: y" for number in range(100))
    forms: dict[str, dict[str, Any]] = {
        "two images": multipart(properties, image, image),
        "10,000 fields": multipart(*[part(f"f{n}", b"x") for n in range(10_000)], image),
        "100 part headers": multipart((f"{image[0]}\r\n{headers}", b"x")),
        "a long boundary": multipart(properties, image, boundary="b" * 300),
        "no name": multipart(("Content-Disposition: form-data", jpeg())),
        "no headers": multipart(("", jpeg())),
        "a path": multipart(part("image", b"no picture", filename="../../etc/x.png")),
        "nothing": multipart(),
    }
    endless = multipart(properties, image)
    endless["content"] = endless["content"][:-20]
    forms["no end"] = endless
    for method, path in (("POST", "/ads"), ("PATCH", f"/ads/{town.ad['pk']}/image")):
        for name, options in forms.items():
            answer = await town.author.request(method, path, **options)
            if name == "a path" and method == "PATCH":
                assert answer.status_code in {400, 415}
                continue
            assert answer.status_code in {400, 413}, (path, name, answer.status_code)
    assert await town.state() == before


async def test_row_16_no_range_gets_more_than_the_picture(town: Town) -> None:
    large = await town.author.post_ad(image=noise(600))
    for ad in (town.ad, large):
        size = len((await town.client.get(ad["image"])).content)
        ranges = ["0-0", "0-", "-1", f"-{10**17}", f"0-{10**17}", f"{size}-", f"{10**17}-", "5-2"]
        ranges += [",".join(["0-0"] * 10_000), ",".join(["0-"] * 10_000), ",".join(["-1"] * 10_000)]
        ranges += ["a-b", "", "--", f"0-{'9' * 400}"]
        for text in ranges:
            answer = await town.client.get(ad["image"], headers={"Range": f"bytes={text}"})
            assert answer.status_code in {200, 206, 416}, text[:40]
            assert answer.status_code == 416 or len(answer.content) <= size
            if answer.status_code == 416:
                assert answer.headers["content-range"] == f"bytes */{size}"


async def test_nothing_went_wrong_in_all_this(town: Town) -> None:
    """Comes last: whatever was sent, nothing of it was unforeseen."""
    assert "Traceback" not in town.service.log()
    assert all(entry["status"] != 500 for entry in town.service.entries("adsvc.access"))
    assert (await town.client.get("/readyz")).status_code == httpx2.codes.OK
