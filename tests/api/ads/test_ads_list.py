import base64
from itertools import chain
from random import Random
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from support.scene.api import Api, Person


async def make_ads(api: Api, author: Person, count: int) -> list[int]:
    """Ads without pictures, by the hundred; their ids, oldest first."""
    return await api.sql(
        "WITH made AS (INSERT INTO ads (author_id, title, price, description, image) "
        "SELECT :author, 'Chair no. ' || n, n, 'One of many chairs.', md5(n::text) || '.jpg' "
        "FROM generate_series(1, :count) n RETURNING id) SELECT id FROM made ORDER BY id",
        author=author.id,
        count=count,
    )


async def walk(client: httpx2.AsyncClient | Person, path: str, limit: int) -> list[list[int]]:
    """The ids on each page, following `next`."""
    pages = []
    query: dict[str, str | int] = {"limit": limit}
    while True:
        answer = await client.get(path, params=query)
        assert answer.status_code == 200
        pages.append([ad["pk"] for ad in answer.json()["results"]])
        if answer.json()["next"] is None:
            return pages
        query["cursor"] = answer.json()["next"]


async def test_nothing_is_listed_as_nothing(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/ads")
    assert answer.status_code == 200
    assert answer.json() == {"count": 0, "countExact": True, "results": [], "next": None}
    assert "Link" not in answer.headers


async def test_ads_are_listed_newest_first_without_their_author_s_contact(api: Api) -> None:
    person = await api.person(phone="+49 30 1234567")
    ads = [await person.post_ad(title=f"Chair no. {number}") for number in range(3)]
    answer = await api.client.get("/ads")
    assert answer.json() == {"count": 3, "countExact": True, "results": ads[::-1], "next": None}
    assert set(answer.json()["results"][0]) == {
        *("pk", "author", "image", "thumbnail", "imageCount", "price", "priceType", "title"),
        *("category", "attributes", "place", "placeId", "location", "locationKind"),
        *("status", "createdAt", "updatedAt"),
    }


async def test_a_hundred_ads_are_a_page_unless_said_otherwise(api: Api) -> None:
    await make_ads(api, await api.person(), 101)
    answer = await api.client.get("/ads")
    assert (len(answer.json()["results"]), answer.json()["count"]) == (100, 101)


@pytest.mark.parametrize(
    ("ads", "limit", "pages"),
    [(1, 1, [1]), (2, 1, [1, 1]), (5, 2, [2, 2, 1]), (4, 2, [2, 2]), (3, 1000, [3]), (0, 1, [0])],
)
async def test_a_walk_meets_every_ad_once(api: Api, ads: int, limit: int, pages: list[int]) -> None:
    ids = await make_ads(api, await api.person(), ads)
    found = await walk(api.client, "/ads", limit)
    assert [len(page) for page in found] == pages
    assert list(chain.from_iterable(found)) == ids[::-1]


async def test_the_next_page_is_also_linked(api: Api) -> None:
    await make_ads(api, await api.person(), 3)
    first = await api.client.get("/ads", params={"limit": 2})
    assert first.links["next"]["url"].startswith("/ads?")
    query = parse_qs(urlsplit(first.links["next"]["url"]).query)
    assert query == {"limit": ["2"], "cursor": [first.json()["next"]]}
    second = await api.client.get(first.links["next"]["url"])
    assert (len(second.json()["results"]), second.json()["next"]) == (1, None)
    assert "Link" not in second.headers


async def test_the_limit_may_change_on_the_way(api: Api) -> None:
    ids = await make_ads(api, await api.person(), 6)
    cursor = (await api.client.get("/ads?limit=1")).json()["next"]
    rest = await api.client.get("/ads", params={"limit": 1000, "cursor": cursor})
    assert [ad["pk"] for ad in rest.json()["results"]] == ids[-2::-1]


@pytest.mark.parametrize("seed", range(8))
async def test_a_walk_meets_what_stays_once_whatever_comes_and_goes(api: Api, seed: int) -> None:
    random = Random(seed)
    person = await api.person()
    there = set(await make_ads(api, person, 30))
    stayed, seen = set(there), []
    query: dict[str, str | int] = {"limit": random.randint(1, 7)}
    while True:
        page = (await api.client.get("/ads", params=query)).json()
        assert page["count"] == len(there)
        seen += [ad["pk"] for ad in page["results"]]
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
        gone = set(random.sample(sorted(there), min(len(there), random.randint(0, 4))))
        await api.sql("DELETE FROM ads WHERE id = ANY(:ids)", ids=sorted(gone))
        there = there - gone | set(await make_ads(api, person, random.randint(0, 4)))
        stayed -= gone
    assert len(seen) == len(set(seen))
    assert seen == sorted(seen, reverse=True)
    assert stayed <= set(seen)


@pytest.mark.parametrize(
    "limit", ["0", "-1", "1001", "2147483648", "9223372036854775808", "1" + "0" * 24, "1_000",
              "%00", "abc", "", "01", "%2B1", "+1", "1.0", "1e2", "null", "%D9%A1"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/ads", "/ads/me"])
async def test_a_limit_out_of_range_is_refused_by_name(api: Api, path: str, limit: str) -> None:
    person = await api.person()
    answer = await person.get(f"{path}?limit={limit}")
    assert answer.status_code == 400
    assert [fault["parameter"] for fault in answer.json()["errors"]] == ["limit"]


@pytest.mark.parametrize("limit", [1, 1000])
async def test_the_extremes_of_the_limit_are_served(api: Api, limit: int) -> None:
    await make_ads(api, await api.person(), 2)
    answer = await api.client.get("/ads", params={"limit": limit})
    assert len(answer.json()["results"]) == min(limit, 2)


def forged(cursor: str) -> dict[str, str]:
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    def text(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    return {
        "cut by half": cursor[: len(cursor) // 2],
        "longer": cursor + "AAAA",
        "no key": text(raw[:12]),
        "a list": text(raw[:12] + b"[1]"),
        "lists in lists": text(raw[:12] + b"[" * 700),
        "no signature": text(b"[1]"),
        "a plain number": "1",
        "empty": "",
        "NUL": "\0",
        "not base64": "%%%",
        "not ASCII": "жж",
        "very long": cursor * 1000,
    }


def foreign(cursor: str) -> dict[str, str]:
    """Of the form of those that another list, secret or database has."""
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    signature, key = raw[:12], raw[12:]

    def text(signature: bytes, key: bytes) -> str:
        return base64.urlsafe_b64encode(signature + key).rstrip(b"=").decode()

    return {
        "another place": text(signature, b"1"),
        "another signature": text(bytes([signature[0] ^ 1]) + signature[1:], key),
        "zero signature": text(bytes(12), key),
        "a longer key": text(signature, b'1.5,"oak"'),
    }


@pytest.mark.parametrize("how", foreign("A" * 20))
async def test_a_cursor_that_is_not_valid_here_has_expired(api: Api, how: str) -> None:
    await make_ads(api, await api.person(), 3)
    cursor = (await api.client.get("/ads?limit=1")).json()["next"]
    answer = await api.client.get("/ads", params={"cursor": foreign(cursor)[how]})
    assert answer.status_code == 410
    assert answer.json()["type"] == "/problems#cursor-expired"


@pytest.mark.parametrize("how", forged("AAAA"))
async def test_what_is_no_cursor_is_refused(api: Api, how: str) -> None:
    await make_ads(api, await api.person(), 3)
    cursor = (await api.client.get("/ads?limit=1")).json()["next"]
    answer = await api.client.get("/ads", params={"cursor": forged(cursor)[how]})
    assert answer.status_code == 400
    assert [fault["parameter"] for fault in answer.json()["errors"]] == ["cursor"]


async def test_a_cursor_belongs_to_its_listing(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    await make_ads(api, anna, 2)
    await make_ads(api, ben, 2)
    of_all = (await api.client.get("/ads?limit=1")).json()["next"]
    of_anna = (await anna.get("/ads/me?limit=1")).json()["next"]
    for person, path, cursor in (
        (anna, "/ads", of_anna),
        (anna, "/ads/me", of_all),
        (ben, "/ads/me", of_anna),
    ):
        answer = await person.get(path, params={"cursor": cursor})
        assert answer.status_code == 410


@pytest.mark.heavy
async def test_one_s_own_ads_are_only_one_s_own(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    first = await anna.post_ad()
    await ben.post_ad()
    second = await anna.post_ad()
    answer = await anna.get("/ads/me")
    for_author = {
        "expiresAt": None,
        "favoriteCount": 0,
        "phoneCount": 0,
        "externalId": None,
        "viewCount": 0,
        "conversationCount": 0,
    }
    assert answer.json() == {
        "count": 2,
        "countExact": True,
        "results": [second | for_author, first | for_author],
        "next": None,
        "counts": {"active": 2},
    }
    await make_ads(api, ben, 5)
    ids = await make_ads(api, anna, 3)
    assert (await anna.get("/ads/me?limit=2")).links["next"]["url"].startswith("/ads/me?")
    found = await walk(anna, "/ads/me", 2)
    assert list(chain.from_iterable(found)) == [*ids[::-1], second["pk"], first["pk"]]
    assert (await anna.get("/ads/me?limit=1")).json()["count"] == 5


async def test_the_count_follows_what_is_added_and_deleted(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    ids = await make_ads(api, anna, 10)
    await make_ads(api, ben, 5)
    await anna.delete(f"/ads/{ids[0]}")
    await api.sql("DELETE FROM ads WHERE id = ANY(:ids)", ids=ids[1:4])
    assert (await api.client.get("/ads?limit=1")).json()["count"] == 11
    assert (await anna.get("/ads/me?limit=1")).json()["count"] == 6
    await api.sql("DELETE FROM users WHERE id = :id", id=anna.id)
    assert (await api.client.get("/ads?limit=1")).json()["count"] == 5


async def test_other_parameters_change_nothing(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    answer = await api.client.get("/ads?offset=7&owner=0&limit=1")
    assert answer.json()["results"] == [ad]


async def test_a_listing_answers_head_as_get_without_the_body(api: Api) -> None:
    await make_ads(api, await api.person(), 3)
    get = await api.client.get("/ads?limit=2")
    head = await api.client.head("/ads?limit=2")
    assert (head.status_code, head.content) == (200, b"")
    del get.headers["X-Request-Id"], head.headers["X-Request-Id"]
    assert dict(head.headers) == dict(get.headers)
    assert (await api.client.head("/ads/me")).status_code == 401
