"""Feeds of ads: a desired state, of which only what differs is written."""

import asyncio
import csv
import gzip
import json
import tracemalloc
from collections.abc import Callable
from io import StringIO
from typing import Any

import httpx2
import pytest

from adsvc.api.routers.imports import read_feed
from adsvc.kit.bulkheads.admission import Client
from adsvc.repositories import imports
from conftest import ApiFactory
from support.outside.receiver import receiving
from support.pictures.samples import jpeg
from support.running.in_process import HERE as HOME
from support.scene.api import Api, Person
from support.scene.categories import plant

NDJSON, CSV = "application/x-ndjson", "text/csv"
HERE = ("127.0.0.0/8",)


def row(external_id: str, **members: Any) -> dict[str, Any]:
    ad = {"title": f"Table {external_id}", "price": 10, "description": "Solid oak, oiled."}
    return {"externalId": external_id, **ad, **members}


async def send(
    person: Person, rows: list[dict[str, Any]] | bytes, kind: str = NDJSON, **query: str
) -> httpx2.Response:
    body = rows if isinstance(rows, bytes) else b"".join(_lines(rows))
    headers = {"Content-Type": kind}
    return await person.post("/imports", params=query, content=body, headers=headers)


def _lines(rows: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(each).encode() + b"\n" for each in rows]


async def reached(
    person: Person, path: str, check: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    async with asyncio.timeout(30):
        while True:
            found: dict[str, Any] = (await person.get(path)).json()
            if check(found):
                return found
            await asyncio.sleep(0.02)


async def ended(person: Person, answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    path = answer.headers["Location"]
    return await reached(person, path, lambda found: found["status"] != "running")


def figures(found: dict[str, Any]) -> dict[str, int]:
    names = ("unchanged", "pending", "created", "updated", "withdrawn", "failed")
    return {name: found[name] for name in names if found[name]}


async def own(person: Person) -> dict[str, str]:
    page = (await person.get("/ads/me")).json()["results"]
    return {ad["externalId"]: ad["status"] for ad in page}


async def written(api: Api) -> list[Any]:
    return await api.sql("SELECT (id, xmin, updated_at)::text FROM ads ORDER BY id")


@pytest.mark.heavy
async def test_ads_become_as_the_feed_has_them(start_own_api: ApiFactory) -> None:
    async with (
        receiving(status=200, body=jpeg()) as photos,
        start_own_api(jobs="on", webhook_networks=HERE) as api,
    ):
        anna, ben = await api.person(), await api.person()
        other = await ben.post_ad(externalId="1")
        feed = [row(name, images=[f"{photos.url}/{name}"] * 2) for name in "1234"]
        draft = row("5", status="draft")
        first = await ended(anna, await send(anna, [*feed, draft]))
        assert (first["rows"], figures(first)) == (5, {"created": 5})
        assert await own(anna) == {**dict.fromkeys("1234", "active"), "5": "draft"}
        assert len(photos.received) == 8

        before = await written(api)
        again = await ended(anna, await send(anna, [*feed, draft], mode="full"))
        assert figures(again) == {"unchanged": 5}
        assert await written(api) == before

        # A change of the price fetches no picture; another picture does. What is missing goes.
        feed[0]["price"] = 9
        feed[1]["images"] = [f"{photos.url}/other"]
        changed = await ended(anna, await send(anna, feed[:3], mode="full"))
        assert figures(changed) == {"unchanged": 1, "updated": 2, "withdrawn": 1}
        assert len(photos.received) == 9
        statuses = {"1": "active", "2": "active", "3": "active", "4": "withdrawn", "5": "draft"}
        assert await own(anna) == statuses

        # It comes back, and what was changed by hand becomes as the feed has it.
        [third] = (await anna.get("/ads/me?externalId=3")).json()["results"]
        await anna.patch(f"/ads/{third['pk']}", json={"price": 77})
        back = await ended(anna, await send(anna, feed))
        assert figures(back) == {"unchanged": 2, "updated": 2}
        [third] = (await anna.get("/ads/me?externalId=3")).json()["results"]
        assert third["price"] == 10
        assert (await own(anna))["4"] == "active"
        listed = (await anna.get("/imports")).json()["results"]
        assert listed == [back, changed, again, first]
        # What has ended is counted once, and not at each read.
        await api.sql("UPDATE import_rows SET status = 'failed'")
        assert (await anna.get("/imports")).json()["results"] == listed
        assert (await ben.get("/imports")).json() == {"results": []}
        assert await own(ben) == {"1": "active"}
        assert (await ben.get(f"/ads/{other['pk']}")).json()["price"] == other["price"]


@pytest.mark.heavy
async def test_a_row_that_is_wrong_fails_alone(start_own_api: ApiFactory) -> None:
    async with (
        receiving(status=404) as photos,
        receiving(status=200, body=jpeg()[:200]) as broken,
        start_own_api(jobs="on", webhook_networks=HERE) as api,
    ):
        anna = await api.person()
        shown = await anna.post_ad(externalId="kept")
        feed = [
            row("1", status="draft"),
            row("1", status="draft"),
            row("2", price=-1),
            row("3"),
            row("4", images=[photos.url]),
            row("5", images=["https://10.0.0.1/a.jpg"]),
            row("6", category="nowhere", status="draft"),
            row("7", images=[broken.url]),
            row("8", images=[broken.url, broken.url]),
        ]
        found = await ended(anna, await send(anna, b"".join([*_lines(feed), b"{\n"]), mode="full"))
        # The last row might be any ad, so that nothing is withdrawn.
        assert figures(found) == {"created": 1, "failed": 9}
        path = f"/imports/{found['id']}/rows"
        first = (await anna.get(path, params={"status": "failed", "limit": 4})).json()
        rest = (await anna.get(path, params={"status": "failed", "cursor": first["next"]})).json()
        faults = [
            (each["row"], each["externalId"], [fault["pointer"] for fault in each["errors"]])
            for each in first["results"] + rest["results"]
        ]
        assert faults == [
            (2, "1", ["/externalId"]),
            (3, "2", ["/price"]),
            (4, "3", ["/images"]),
            (5, "4", ["/images/0"]),
            (6, "5", ["/images/0"]),
            (7, "6", ["/category"]),
            (8, "7", ["/images"]),
            (9, "8", ["/images/0", "/images/1"]),
            (10, None, [""]),
        ]
        assert await own(anna) == {"kept": "active", "1": "draft"}
        dry = await ended(anna, await send(anna, [row("2", status="draft")], dryRun="true"))
        assert figures(dry) == {"created": 1}
        assert await own(anna) == {"kept": "active", "1": "draft"}
        assert (await anna.get(f"/ads/{shown['pk']}")).json()["status"] == "active"


@pytest.mark.heavy
async def test_a_feed_that_would_withdraw_most_ads_waits(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="on") as api:
        anna, ben = await api.person(), await api.person()
        for name in "123":
            await anna.post_ad(externalId=name)
        feed = [row("4", status="draft")]
        answer = await send(anna, feed, mode="full")
        assert (answer.json()["status"], answer.json()["pending"]) == ("waiting", 4)
        path = answer.headers["Location"]
        replacing = await send(anna, feed, mode="full")
        assert (await anna.get(path)).json()["status"] == "replaced"
        assert (await anna.post(f"{path}/confirm")).json()["type"] == "/problems#import-not-waiting"
        path = replacing.headers["Location"]
        for method in ("GET", "POST"):
            of_ben = await ben.request(method, path + "/confirm" * (method == "POST"))
            assert of_ben.status_code == 404
        confirmed = await anna.post(f"{path}/confirm")
        assert confirmed.status_code == 200
        await reached(anna, path, lambda found: found["status"] == "done")
        assert await own(anna) == {**dict.fromkeys("123", "withdrawn"), "4": "draft"}


@pytest.mark.heavy
async def test_csv_has_the_same_members(start_own_api: ApiFactory) -> None:
    text = (
        "\ufeffexternalId;title;price;description;status;latitude;longitude;place\r\n"
        'A 1;"Oak; table";10;"Solid ""oak"",\r\noiled.";draft;52.5;13.4;Berlin\r\n'
        "A 2;Ash table;20;Solid ash, oiled.;draft;;;\r\n"
        "A 3;Elm table;30\r\n"
    )
    async with start_own_api(jobs="on") as api:
        anna = await api.person()
        found = await ended(anna, await send(anna, text.encode(), CSV))
        assert figures(found) == {"created": 2, "failed": 1}
        [ad] = (await anna.get("/ads/me?externalId=A%201")).json()["results"]
        own_ad = (await anna.get(f"/ads/{ad['pk']}")).json()
        assert (own_ad["title"], own_ad["place"], own_ad["price"]) == ("Oak; table", "Berlin", 10)
        assert own_ad["description"] == 'Solid "oak",\noiled.'
        assert own_ad["location"] == {"latitude": 52.5, "longitude": 13.4}


WHOLE = b"".join(_lines([row("1"), row("2")]))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("body", "kind", "status", "detail"),
    [
        (WHOLE[:-20], NDJSON, 400, "was cut off: row 2 has no end"),
        (b'externalId,title\n1,"Oak', CSV, 400, "was cut off, or has a stray quote, in line 2"),
        (b"externalId,title\n1,Oak\n2", CSV, 400, "was cut off: row 2 has no end"),
        (WHOLE + "Tür\n".encode("latin-1"), NDJSON, 400, "is not UTF-8 in line 3"),
        (b"title;price\nOak;1\n", CSV, 400, "must begin with names of columns, externalId"),
        (b"externalId,titel\n1,Oak\n", CSV, 400, "must begin with names of columns, externalId"),
        (b"\n", NDJSON, 400, "must have 1 to 10000 rows"),
        (b'{"externalId": "1"}\n' * 10_001, NDJSON, 400, "must have 1 to 10000 rows"),
        (b"externalId\n" + b"," * 70_000, CSV, 400, "is longer than 65536 characters"),
        (b'externalId\n"' + b"\n" * 70_000 + b'"\n', CSV, 400, "is longer than 65536 characters"),
        (WHOLE, "application/json", 415, "application/x-ndjson or text/csv in UTF-8"),
        (WHOLE, "text/csv; charset=latin1", 415, "application/x-ndjson or text/csv in UTF-8"),
    ],
)
async def test_a_feed_that_cannot_be_read_changes_nothing(
    api: Api, body: bytes, kind: str, status: int, detail: str
) -> None:
    anna = await api.person()
    answer = await send(anna, body, kind, mode="full")
    assert answer.status_code == status, answer.text
    assert detail in answer.text
    assert await api.sql("SELECT id FROM imports") == []


@pytest.mark.heavy
async def test_a_feed_is_neither_compressed_nor_endless(api: Api) -> None:
    anna = await api.person()
    bomb = gzip.compress(b" " * (32 << 20))
    for headers, body, status in (
        ({"Content-Encoding": "gzip"}, bomb, 415),
        ({"Content-Length": str(17 << 20)}, b"", 413),
    ):
        answer = await anna.post(
            "/imports", content=body, headers={"Content-Type": NDJSON, **headers}
        )
        assert answer.status_code == status, answer.text


async def test_little_is_kept_of_rows_that_are_refused(api: Api) -> None:
    anna = await api.person()
    long_row = row("1", description="a" * 70_000)
    names: dict[str, Any] = {"x" * 1000 + str(number): {} for number in range(60)}
    many = row("2", title=[], price=[], place=[], status=[], attributes=names)
    answer = await send(anna, [long_row, many, row("3", images=[1] * 12_000)])
    assert answer.json()["failed"] == 3
    page = await anna.get(f"{answer.headers['Location']}/rows")
    of_long, of_many, of_images = (each["errors"] for each in page.json()["results"])
    assert [fault["detail"] for fault in of_long] == ["is longer than 65536 characters"]
    assert 4 <= len(of_many) <= 10
    assert len(of_images) == 1
    assert len(page.content) < 8000


@pytest.mark.heavy
async def test_many_fields_take_little_memory(api: Api) -> None:
    """Of rows that are refused, too: text of a few bytes takes Python twenty times as many."""
    wide = b"externalId,title\n" + (b"ab," * 300 + b"\n") * 1000
    tracemalloc.start()
    try:
        rows = read_feed(wide, CSV, api.state.settings)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(rows) == 1000
    assert most < 4 * len(wide)


@pytest.mark.heavy
async def test_rows_have_a_bound_in_bytes(api: Api) -> None:
    anna = await api.person()
    answer = await send(anna, [{"externalId": str(number)} for number in range(150)])
    long = "jsonb_build_object('code', 'missing', 'detail', repeat('x', 2000), 'pointer', '')"
    await api.sql(f"UPDATE import_rows SET faults = jsonb_build_array({long})")  # noqa: S608 - none
    path, found, query = f"{answer.headers['Location']}/rows", [], {"limit": "1000"}
    while query:
        page = await anna.get(path, params=query)
        assert len(page.content) < 144 * 1024
        found += [each["row"] for each in page.json()["results"]]
        following = page.json()["next"]
        query = {**query, "cursor": following} if following else {}
    assert found == [*range(1, 151)]


@pytest.mark.heavy
async def test_an_account_has_one_feed_read_at_a_time(start_api: ApiFactory) -> None:
    """Each takes a second of a thread that all share."""
    async with start_api(rate_limits="on") as api:
        anna, ben = await api.person(), await api.person()
        client = Client.of(anna.id, HOME)
        api.state.feed_pool.admission.enter(client)
        answer = await send(anna, [row("1")])
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
        assert (await send(ben, [row("1")])).status_code == 202
        api.state.feed_pool.admission.leave(client)
        assert (await send(anna, [row("1")])).status_code == 202


@pytest.mark.heavy
async def test_few_imports_of_an_account_are_kept(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    await anna.post_ad(externalId="1")
    for person in (ben, *[anna] * 12):
        assert (await send(person, [{"externalId": "2"}])).json()["failed"] == 1
    for _ in range(2):
        assert (await send(anna, [row("2")], mode="full")).json()["status"] == "waiting"
    kept = "SELECT concat(owner_id, ' ', count(*)) FROM imports GROUP BY owner_id ORDER BY owner_id"
    assert await api.sql(kept) == [f"{anna.id} 10", f"{ben.id} 1"]
    # The feed that was replaced takes no room.
    rows = await api.sql(
        "SELECT concat(imports.status, ' ', count(*)) FROM import_rows"
        " JOIN imports ON imports.id = import_id WHERE owner_id = :anna"
        " GROUP BY imports.status ORDER BY imports.status",
        anna=anna.id,
    )
    assert rows == ["done 8", "waiting 2"]
    await api.sql("UPDATE import_rows SET status = 'created'")
    assert (await anna.get("/imports")).json()["results"][-1]["failed"] == 1


async def test_an_account_has_one_import_at_a_time(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    assert (await send(anna, [row("1")])).status_code == 202
    refused = await send(anna, [row("2")])
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems#import-in-progress")
    assert (await send(ben, [row("1")])).status_code == 202
    assert (await ben.get("/imports/1")).status_code in {200, 404}


async def test_a_feed_that_is_sent_twice_with_a_key_is_one_import(api: Api) -> None:
    anna = await api.person()
    options: dict[str, Any] = {
        "content": b"".join(_lines([row("1")])),
        "headers": {"Content-Type": NDJSON, "Idempotency-Key": "nightly"},
    }
    first = await anna.post("/imports", **options)
    again = await anna.post("/imports", **options)
    assert (again.status_code, again.content) == (202, first.content)
    assert again.headers["Location"] == first.headers["Location"]
    assert len((await anna.get("/imports")).json()["results"]) == 1
    other = await anna.post("/imports?mode=full", **options)
    assert other.json()["type"] == "/problems#idempotency-key-reused"
    options["content"] = b"".join(_lines([row("2")]))
    other = await anna.post("/imports", **options)
    assert other.json()["type"] == "/problems#idempotency-key-reused"


async def test_accounts_take_turns_and_a_row_of_a_dead_worker_is_repeated(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    await send(anna, [row(str(number)) for number in range(9)])
    await send(ben, [row("1")])
    database = api.state.database

    async def claimed(room: int) -> list[int]:
        found = await imports.claim(database.writer, room, seconds=60, of_import=4)
        return sorted(each.owner_id for each in found)

    assert await claimed(2) == sorted([anna.id, ben.id])
    # No account has more than its share.
    assert await claimed(8) == [anna.id] * 3
    assert await claimed(8) == []
    await api.sql("UPDATE import_rows SET claimed_until = now() WHERE claimed_until IS NOT NULL")
    assert await claimed(8) == sorted([*[anna.id] * 4, ben.id])


@pytest.mark.heavy
async def test_pictures_wait_for_the_limit_on_uploads(start_own_api: ApiFactory) -> None:
    async with (
        receiving(status=200, body=jpeg()) as photos,
        start_own_api(
            jobs="on", webhook_networks=HERE, rate_limits="on", plans="dealer uploads=2"
        ) as api,
    ):
        anna = await api.person()
        await api.sql("UPDATE users SET plan = 'dealer'")
        feed = [row(name, images=[photos.url]) for name in "123"]
        answer = await send(anna, feed)
        path = answer.headers["Location"]
        found = await reached(anna, path, lambda found: found["created"] == 2)
        assert (found["status"], figures(found)) == ("running", {"created": 2, "pending": 1})


@pytest.mark.heavy
async def test_rows_wait_while_the_disk_is_nearly_full(start_api: ApiFactory) -> None:
    async with start_api(jobs="off") as api:
        anna = await api.person()
        answer = await send(anna, [row("1", status="draft")])
    async with start_api(jobs="on", disk_reserve_bytes=2**50) as api:
        anna.client = api.client
        deferred = "SELECT count(*) FROM import_rows WHERE next_at > now() AND status = 'pending'"
        async with asyncio.timeout(20):
            while True:
                if await api.sql(deferred) == [1]:
                    break
                await asyncio.sleep(0.02)
        assert figures((await anna.get(answer.headers["Location"])).json()) == {"pending": 1}
        assert await own(anna) == {}


@pytest.mark.heavy
async def test_an_export_of_ads_is_a_feed_that_changes_nothing(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="on") as api:
        attributes = [
            {"name": "colour", "label": "Colour", "type": "string"},
            {"name": "width", "label": "Width", "type": "integer"},
        ]
        await plant(api, shelves={"name": "Shelves", "attributes": attributes})
        anna = await api.person()
        shelves = {"category": "shelves", "attributes": {"colour": "1200", "width": 80}}
        feed = [
            row("1", status="draft", description='Solid "oak",\n\n=oiled; or not.', **shelves),
            row("2", status="draft", price=0, priceType="free", place="Bonn"),
            row("3", status="draft", location={"latitude": 52.5, "longitude": 13.4}),
        ]
        assert figures(await ended(anna, await send(anna, feed))) == {"created": 3}
        gone = await anna.post_ad(externalId="4")
        await anna.post(f"/ads/{gone['pk']}/sell")
        shown = await anna.post_ad(externalId="5")
        exported = await anna.get("/users/me/export/ads")
        assert exported.headers["Content-Type"] == "text/csv; charset=utf-8"
        head, *rows = csv.reader(StringIO(exported.text, newline=""))
        assert head[0] == "externalId"
        assert head[-2:] == ["attributes.colour", "attributes.width"]
        # Several rows of a feed are carried out at a time.
        assert sorted(each[0] for each in rows) == ["1", "2", "3", "5"]
        assert dict(zip(head, rows[3], strict=True))["images"].endswith(shown["image"])
        before = [(await anna.get(f"/ads/{pk}")).json() for pk in (1, 2, 3)]
        text = exported.content[: exported.content.rindex(b"\r\n5,") + 2]
        again = await ended(anna, await send(anna, text, CSV))
        assert figures(again) == {"unchanged": 1, "updated": 2}
        for ad in before:
            now = (await anna.get(f"/ads/{ad['pk']}")).json()
            assert now == ad | {"updatedAt": now["updatedAt"]}
