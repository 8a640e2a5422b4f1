"""HTTP caching: validators, `Cache-Control`, and content codings."""

import gzip
import re

import httpx2
import pytest

from conftest import ApiFactory
from support.contract.documents import operations
from support.scene.api import Api, Person
from support.scene.listings import insert_ads
from support.scene.moderation import reported

OURS = {"Origin": "http://localhost:3000"}


async def cacheable(api: Api) -> tuple[Person, dict[str, str]]:
    """A user, and the paths whose responses have a validator, with their `Cache-Control`."""
    person = await api.person()
    ads = [await person.post_ad(title=f"Chair no. {number}") for number in range(2)]
    rows = [{"title": f"Chair {n}"} for n in range(20)]
    await insert_ads(api, person.id, rows)
    await insert_ads(api, (await api.person()).id, rows)
    return person, {
        "/ads": "public, no-cache",
        "/ads?q=chair&limit=10": "public, no-cache",
        "/ads/facets": "public, no-cache",
        "/ads/me": "private, no-cache",
        f"/ads/{ads[0]['pk']}": "private, no-cache",
    }


def varies_by(answer: httpx2.Response) -> set[str]:
    names = [name.strip() for name in answer.headers["Vary"].split(",")]
    assert len(names) == len(set(names))
    return set(names)


@pytest.mark.guard
@pytest.mark.parametrize("warm", [False, True])
async def test_cache_control_says_who_may_store_what(start_api: ApiFactory, *, warm: bool) -> None:
    async with start_api(answers_max_bytes=10**7 if warm else 0) as api:
        person, paths = await cacheable(api)
        for path, caching in paths.items():
            for headers in ({}, {"Origin": "https://elsewhere.example"}, OURS):
                answer = await person.get(path, headers=headers)
                assert answer.status_code == 200
                assert answer.headers["Cache-Control"] == caching
                private = {"Authorization"} if "private" in caching else set()
                assert varies_by(answer) == {"Accept-Encoding", "Origin", *private}


@pytest.mark.guard
async def test_what_needs_credentials_is_kept_by_no_shared_cache(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ad = await author.post_ad()
    assert (await author.post("/ads/1/comments", json={"text": "Here"})).status_code == 200
    assert (await admin.post("/ads/1/messages", json={"text": "Here"})).status_code == 201
    await reported(api, "/ads/1")
    webhook = {"url": "https://shop.example.com/hooks", "types": ["ad.sold"]}
    assert (await admin.post("/webhooks", json=webhook)).status_code == 201
    assert (await admin.post("/users/me/webhooks", json=webhook)).status_code == 201
    search = {"query": "q=oak", "name": "Oak"}
    assert (await admin.post("/users/me/searches", json=search)).status_code == 201
    feed = {
        "content": b'{"externalId": "a"}\n',
        "headers": {"Content-Type": "application/x-ndjson"},
    }
    assert (await admin.post("/imports", **feed)).status_code == 202
    page = {"title": {"en": "Imprint"}, "text": {"en": "Who we are."}}
    assert (await admin.put("/admin/pages/1", json=page)).is_success
    provider = {"name": "Example", "issuer": "https://id.example.com", "clientId": "adsvc"}
    provider |= {"clientSecret": "secret"}
    assert (await admin.put("/admin/providers/1", json=provider)).is_success
    document = api.app.openapi()
    paths = [
        path
        for method, path, operation in operations(document)
        if method == "get"
        and operation.get("security", document.get("security"))
        # It does not end.
        and not path.endswith("/stream")
    ]
    assert len(paths) > 10
    for path in paths:
        # Everything has the first id, but for pictures, which have names.
        named = path.replace("{name}", ad["image"].rpartition("/")[2])
        named = named.replace("{kind}", "verify")
        named = named.replace("/users/me/webhooks/{id}", "/users/me/webhooks/2")
        answer = await admin.get(re.sub(r"{\w+}", "1", named))
        assert answer.status_code == 200, path
        caching = answer.headers["Cache-Control"]
        assert caching in {"private, no-cache", "private, no-store", "no-store"}, path


@pytest.mark.heavy
async def test_a_copy_that_is_current_is_not_sent_again(api: Api) -> None:
    person, paths = await cacheable(api)
    for path in paths:
        first = await person.get(path)
        etag = first.headers["ETag"]
        assert not etag.startswith("W/")
        for value in (etag, f"W/{etag}", "*", f'"another", {etag}', f'W/"x",{etag}'):
            again = await person.get(path, headers={"If-None-Match": value})
            assert (again.status_code, again.content) == (304, b""), (path, value)
            assert again.headers["ETag"] == etag
            for name in ("Cache-Control", "Vary", "Link", "X-Content-Type-Options"):
                assert again.headers.get(name) == first.headers.get(name), (path, name)
            assert "Content-Length" not in again.headers
        for value in ('"another"', etag.strip('"'), "", etag[:-2] + '"'):
            again = await person.get(path, headers={"If-None-Match": value})
            assert (again.status_code, again.content) == (200, first.content), (path, value)


@pytest.mark.heavy
async def test_a_validator_changes_with_the_answer_and_only_with_it(api: Api) -> None:
    person, paths = await cacheable(api)
    before = {path: (await person.get(path)).headers["ETag"] for path in paths}
    assert before == {path: (await person.get(path)).headers["ETag"] for path in paths}
    assert len(set(before.values())) == len(before)
    ad = await person.post_ad(title="Another chair")
    await person.patch(list(paths)[-1], json={"price": 77})
    for path, etag in before.items():
        answer = await person.get(path, headers={"If-None-Match": etag})
        assert answer.status_code == 200, path
    after = {path: (await person.get(path)).headers["ETag"] for path in paths}
    await person.delete(f"/ads/{ad['pk']}")
    # As the change before left it.
    assert (await person.get(list(paths)[-1])).headers["ETag"] == list(after.values())[-1]


async def raw(person: Person, api: Api, path: str, coding: str | None) -> bytes:
    """The bytes as they come, for httpx2 undoes the coding."""
    transport = httpx2.ASGITransport(api.app)
    request = httpx2.Request("GET", f"http://testserver{path}", headers=person.headers)
    if coding is not None:
        request.headers["Accept-Encoding"] = coding
    answer = await transport.handle_async_request(request)
    assert isinstance(answer.stream, httpx2.AsyncByteStream)
    body = b"".join([piece async for piece in answer.stream])
    assert answer.status_code == 200
    assert int(answer.headers["Content-Length"]) == len(body)
    packed = answer.headers.get("Content-Encoding") == "gzip"
    assert answer.headers["ETag"].endswith('-gzip"') == packed
    assert (body[:2] == b"\x1f\x8b") == packed
    return body


WANTED = (
    "gzip",
    "deflate, gzip",
    "br, gzip;q=0.5",
    "GZIP",
    "x-gzip",
    "gzip ; q=1.000",
    "a,gzip, b",
)
UNWANTED = (None, "", "identity", "br", "gzip;q=0", "gzip; q=0.000, br", "agzip", "gzip2", "*;q=0",
            "gzip;q=0,deflate")  # fmt: skip


@pytest.mark.heavy
async def test_a_response_is_compressed_if_the_client_accepts_it(api: Api) -> None:
    person, paths = await cacheable(api)
    for path in paths:
        plain = await raw(person, api, path, None)
        for coding in UNWANTED:
            assert await raw(person, api, path, coding) == plain, coding
        for coding in WANTED:
            packed = await raw(person, api, path, coding)
            if len(plain) < 1024:
                # Not worth it: one packet is one packet.
                assert packed == plain
            else:
                assert len(packed) < len(plain) / 2
                assert gzip.decompress(packed) == plain


async def test_lists_of_comments_and_of_accounts_are_never_packed(api: Api) -> None:
    admin = await api.admin()
    path = f"/ads/{(await admin.post_ad())['pk']}/comments"
    for _ in range(2):
        assert (await admin.post(path, json={"text": "word " * 200})).status_code == 200
    for _ in range(8):
        await api.person()
    for listing in (path, "/users"):
        assert len(await raw(admin, api, listing, None)) > 1024
        assert (await raw(admin, api, listing, "gzip"))[:1] == b"{", listing


async def test_each_coding_has_a_validator_of_its_own(api: Api) -> None:
    await cacheable(api)
    etags = {}
    for coding in ("gzip", "identity"):
        answer = await api.client.get("/ads", headers={"Accept-Encoding": coding})
        etags[coding] = answer.headers["ETag"]
    assert etags["gzip"] != etags["identity"]
    for coding, current in etags.items():
        for held, etag in etags.items():
            headers = {"Accept-Encoding": coding, "If-None-Match": etag}
            answer = await api.client.get("/ads", headers=headers)
            assert answer.status_code == (304 if held == coding else 200)
            assert answer.headers["ETag"] == current


@pytest.mark.heavy
async def test_head_is_get_without_the_body(api: Api) -> None:
    person, paths = await cacheable(api)
    for path in paths:
        for headers in ({}, OURS, {"If-None-Match": "*"}, {"Accept-Encoding": "identity"}):
            get = await person.get(path, headers=headers)
            head = await person.request("HEAD", path, headers=headers)
            assert (head.status_code, head.content) == (get.status_code, b"")
            del get.headers["X-Request-Id"], head.headers["X-Request-Id"]
            # In one line or in two.
            assert {name: head.headers[name] for name in head.headers} == dict(get.headers)


async def test_a_refusal_is_no_answer_to_keep(api: Api) -> None:
    person = await api.person()
    for path in ("/ads?limit=0", "/ads?cursor=x", "/ads/1", "/ads/0", "/ads/me?limit=x"):
        for headers in ({}, {"If-None-Match": "*"}):
            answer = await person.get(path, headers=headers)
            assert answer.status_code in {400, 404}
            assert "ETag" not in answer.headers
            assert "public" not in answer.headers.get("Cache-Control", "")
