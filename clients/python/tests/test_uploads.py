"""Pictures by path, as bytes, from files; and tags of what was read."""

import io
from pathlib import Path

import httpx2
import pytest

from adsvc_client import UNSET, AdsvcClient, AsyncAdsvcClient, InvalidRequestError, ProblemError
from adsvc_client.uploads import Upload, several
from bad_line import BadLine
from conftest import PASSWORD


def test_all_faults_are_told_before_anything_is_stored(
    service: str, photo: Path, name: str
) -> None:
    with AdsvcClient(service) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        with pytest.raises(InvalidRequestError) as refused:
            client.validate_create_ad(title="?", price=-1, description="Solid oak.", images=[photo])
        assert {(fault.pointer, fault.code) for fault in refused.value.errors} == {
            ("/title", "wrong-length"),
            ("/price", "out-of-range"),
        }
        client.validate_create_ad(
            title="A table", price=1, description="Solid oak.", images=[photo]
        )
        assert list(client.my_ads()) == []


class Pipe(io.BytesIO):
    """What can be read once."""

    def seekable(self) -> bool:
        return False


def test_a_picture_comes_in_many_ways(line: BadLine, photo: Path, name: str) -> None:
    content = photo.read_bytes()
    unnamed = photo.with_name("unnamed")
    unnamed.write_bytes(content)
    with AdsvcClient(line.address) as client, photo.open("rb") as opened:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        told: list[tuple[int, int]] = []
        reporting = client.with_options(on_progress=lambda sent, total: told.append((sent, total)))
        ways: list[Upload] = [photo, str(photo), content, opened, Pipe(content), unnamed]
        for way in ways:
            line.refuse("PATCH", "/users/me/image", 503)
            assert reporting.replace_my_image(image=way).image
            assert len(content) < told[-1][0] == told[-1][1]
    sent = line.requests("PATCH", "/users/me/image")
    assert line.faults == []
    assert len(sent) >= 2 * len(ways)
    for one in sent:
        assert b"Content-Type: image/jpeg" in one.body
        assert content in one.body


async def test_a_feed_whose_answer_is_lost_is_one_import(line: BadLine, name: str) -> None:
    """And its progress begins again with each attempt."""
    rows = [f'{{"externalId": "{number}"}}\n'.ljust(200) for number in range(1000)]
    told: list[tuple[int, int]] = []
    async with AsyncAdsvcClient(line.address) as client:
        await client.register(username=name, password=PASSWORD)
        await client.login(username=name, password=PASSWORD)
        line.lose_answer("POST", "/imports")
        reporting = client.with_options(on_progress=lambda sent, total: told.append((sent, total)))
        created = await reporting.create_import(iter(rows))
        [listed] = (await client.list_imports()).results
        assert (listed.id, listed.rows) == (created.id, 1000)
    attempt = [(65536, 200_000), (131_072, 200_000), (196_608, 200_000), (200_000, 200_000)]
    assert told == attempt * 2
    assert len({one.headers["Idempotency-Key"] for one in line.requests("POST", "/imports")}) == 1


def test_what_was_read_in_a_list_has_no_tag(service: str, photo: Path, name: str) -> None:
    with AdsvcClient(service) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        ad = client.create_ad(title="A table", price=1, description="Solid oak.", images=[photo])
        assert client.get_image(ad.image.rpartition("/")[2]).startswith(b"\xff\xd8")
        (listed,) = client.my_ads()
        with pytest.raises(ValueError, match="no tag"):
            client.update_ad(ad.pk, price=2, if_match=listed)
        assert client.update_ad(ad.pk, price=2).price == 2


def test_a_picture_may_be_at_another_address_and_a_change_may_not(
    service: str, line: BadLine, photo: Path, name: str
) -> None:
    with BadLine(service) as elsewhere, AdsvcClient(line.address) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        ad = client.create_ad(title="A table", price=1, description="Solid oak.", images=[photo])
        line.redirect("GET", ad.image, f"{elsewhere.address}{ad.image}")
        assert client.get_image(ad.image.rpartition("/")[2]).startswith(b"\xff\xd8")
        [asked] = elsewhere.seen
        assert "authorization" not in {header.lower() for header in asked.headers}
        for method, path in (("POST", "/login"), ("GET", "/users/me")):
            line.redirect(method, path, f"{elsewhere.address}{path}")
        with pytest.raises(ProblemError, match="307"):
            client.login(username=name, password=PASSWORD)
        with pytest.raises(ProblemError, match="307"):
            client.get_me()
        assert elsewhere.seen == [asked]


def test_one_picture_needs_no_list(photo: Path) -> None:
    content = photo.read_bytes()
    ways: list[Upload] = [photo, str(photo), content, io.BytesIO(content)]
    assert [several(way) for way in ways] == [[way] for way in ways]
    assert several(UNSET) is UNSET
    for many in (ways, tuple(ways)):
        assert several(many) is many
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, content=content, headers={"Content-Type": "image/jpeg"})

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with AdsvcClient(key="adsvc_1", http=http) as client:
        client.validate_create_ad(title="A", price=1, description="B", images=photo)
        assert content in sent[0].read()
        # A record has the path of its picture, and the operation takes its name too.
        for name in ("/images/a.jpg", "a.jpg"):
            assert client.get_image(name) == content
            assert sent[-1].url.path == "/images/a.jpg"


def test_a_feed_is_a_text_of_one_of_two_types(tmp_path: Path) -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(404)

    file = tmp_path / "stock.csv"
    file.write_text("externalId,title\n")
    row = '{"externalId": "A1"}\n'
    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with AdsvcClient(key="adsvc_1", http=http) as client:
        ways = (row, f"\ufeff{row}".encode(), io.BytesIO(row.encode()), iter([row[:3], row[3:]]))
        for content in (*ways, file):
            with pytest.raises(ProblemError):
                client.create_import(content, mode="full")
    assert [one.headers["content-type"] for one in sent] == [
        *["application/x-ndjson"] * 4,
        "text/csv",
    ]
    assert sent[0].read().decode() == sent[3].read().decode() == row
    assert sent[0].url.params["mode"] == "full"
