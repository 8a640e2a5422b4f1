"""Limits of searches: words, concurrency, and frequency from one address."""

import asyncio
from urllib.parse import quote

import httpx2
import pytest

from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.running.in_process import client_at
from support.scene.api import Api, ad_form
from support.scene.listings import faulty_parameters, insert_ads, listed
from support.scene.warmth import reads, settle
from support.trouble.blocking import busy

SEARCHES = ("/ads?q=oak{}", "/ads?minPrice={}", "/ads?author={}", "/ads/facets?q=oak{}")


async def test_more_words_than_anybody_needs_are_refused(client: httpx2.AsyncClient) -> None:
    excluded = " ".join(f"-word{number}" for number in range(13))
    for query in (excluded, '"' + "a b " * 7 + '"'):
        assert await faulty_parameters(client, q=query) == ["q"]
    for query in (excluded, '"' + "a b " * 7 + '"'):
        refused = await client.get("/ads/facets", params={"q": query})
        assert (refused.status_code, refused.json()["errors"][0]["parameter"]) == (400, "q")
    for query in (excluded.rsplit(" ", 1)[0], "ab or " * 12, "a-b-c-d-e-f"):
        assert (await listed(client, q=query))["count"] == 0


async def test_a_page_of_a_search_is_smaller(api: Api) -> None:
    assert await faulty_parameters(api.client, q="oak", limit="101") == ["limit"]
    assert (await listed(api.client, q="oak", limit=100))["results"] == []
    assert (await listed(api.client, limit=1000))["results"] == []


@pytest.mark.heavy
async def test_the_default_page_is_no_larger_than_the_maximum(start_api: ApiFactory) -> None:
    async with start_api(search_page_size_max=2) as api:
        person = await api.person()
        await insert_ads(api, person.id, [{"title": "Oak chair"}] * 3)
        assert len((await listed(api.client, q="oak"))["results"]) == 2
        assert len((await listed(api.client))["results"]) == 3


@pytest.mark.heavy
async def test_who_searches_too_often_waits_and_others_do_not(start_api: ApiFactory) -> None:
    async with start_api(
        rate_limits=RateLimits.ON, searches_per_address=4, search_window_seconds=3600
    ) as api:
        await settle(api)
        statuses = [
            (await api.client.get(path.format(number))).status_code
            for number, path in enumerate((*SEARCHES, *SEARCHES), start=1)
        ]
        assert statuses == [200] * 4 + [429] * 4
        refused = await api.client.get("/ads?q=desk")
        assert refused.json()["type"] == "/problems#rate-limited"
        assert refused.headers["RateLimit-Policy"] == '"search";q=4;w=3600'
        assert refused.headers["RateLimit"].startswith('"search";r=0;t=')
        assert 890 < int(refused.headers["Retry-After"]) <= 900
        # Pages without a filter, and whatever is in memory, cost next to nothing.
        for path in ("/ads", "/ads?limit=7", "/ads?sort=price", SEARCHES[0].format(1)):
            assert (await api.client.get(path)).status_code == 200
        async with client_at(api.app, "192.0.2.2") as other:
            assert (await other.get("/ads?q=desk")).status_code == 200


@pytest.mark.heavy
async def test_pages_beyond_the_usual_size_count_as_searches(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, searches_per_address=2) as api:
        person = await api.person()
        await insert_ads(api, person.id, [{"title": "Oak chair"}] * 3)
        await settle(api)
        cursor = (await listed(api.client, limit=1))["next"]
        larger = ("limit=1000", f"limit=101&cursor={cursor}", "limit=999", "limit=101&sort=price")
        statuses = [(await api.client.get(f"/ads?{query}")).status_code for query in larger]
        assert statuses == [200, 200, 429, 429]
        # What is in memory, and pages of the usual size, cost next to nothing.
        for query in (larger[0], "limit=100", f"limit=99&cursor={cursor}", "sort=price"):
            assert (await api.client.get(f"/ads?{query}")).status_code == 200, query


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("mine", "others"),
    [
        (["2001:db8::1", "2001:db8::ffff:1"], "2001:db8:0:1::1"),
        (["192.0.2.9", "::ffff:192.0.2.9"], "192.0.2.10"),
    ],
)
async def test_addresses_of_one_network_count_together(
    start_api: ApiFactory, mine: list[str], others: str
) -> None:
    async with start_api(rate_limits=RateLimits.ON, searches_per_address=1) as api:
        for number, address in enumerate((*mine, others)):
            async with client_at(api.app, address) as client:
                answer = await client.get(f"/ads?q=oak{number}")
                assert answer.status_code == (429 if number == 1 else 200)


@pytest.mark.heavy
async def test_the_networks_around_an_address_count_too(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, searches_per_address=1) as api:
        for around, addresses in (
            ("a /56", [f"2001:db8:1:{n:x}::1" for n in range(6)]),
            ("a /48", [f"2001:db8:2:{n:x}00::1" for n in range(6)]),
            ("a /24", [f"198.51.100.{n}" for n in range(6)]),
        ):
            found = []
            for address in addresses:
                async with client_at(api.app, address) as client:
                    found.append((await client.get(f"/ads?q={address}")).status_code)
            assert found == [200] * 4 + [429] * 2, around
        async with client_at(api.app, "192.0.2.2") as other:
            assert (await other.get("/ads?q=oak")).status_code == 200


@pytest.mark.heavy
async def test_only_a_trusted_proxy_says_whose_search_it_is(start_api: ApiFactory) -> None:
    for proxies, expected in (((), [200, 429]), (("192.0.2.1/32",), [200, 200])):
        async with start_api(
            rate_limits=RateLimits.ON, searches_per_address=1, trusted_proxies=proxies
        ) as api:
            statuses = [
                (
                    await api.client.get(
                        f"/ads?q=oak{number}", headers={"X-Forwarded-For": f"198.51.100.{number}"}
                    )
                ).status_code
                for number in range(2)
            ]
            assert statuses == expected


async def test_searches_leave_room_for_everything_else(api: Api) -> None:
    person = await api.person()
    await api.client.get("/ads")
    with busy(api.state.searches):
        for path in SEARCHES:
            refused = await api.client.get(path.format(7))
            assert refused.status_code == 503
            assert refused.json()["type"] == "/problems#overloaded"
            assert refused.headers["Retry-After"] == "1"
        # Also one whose filter is spelled so that it is understood only later.
        assert (await api.client.get("/ads?%71=oak")).status_code == 503
        assert (await api.client.get("/readyz")).status_code == 200
        assert (await person.get("/users/me")).status_code == 200
        assert (await person.post("/ads", files=ad_form())).status_code == 201
    assert (await api.client.get(SEARCHES[0].format(7))).status_code == 200


async def test_relaxing_leaves_room_for_searches(api: Api) -> None:
    """Whatever is searched for that matches nothing, others go on."""
    person = await api.person()
    await insert_ads(api, person.id, [{"title": "Oak chair"}])
    assert api.state.relaxations.usage.running == 0
    with busy(api.state.relaxations):
        refused = await api.client.get("/ads?q=zzyzxa+zzyzxb")
        assert refused.status_code == 503
        assert (await api.client.get("/ads?q=oak")).json()["count"] == 1
        assert (await api.client.get("/places?q=ber")).status_code == 200
        assert (await api.client.get("/places?q=bxrlin")).status_code == 503
        assert (await api.client.get("/ads/suggest?q=oak")).status_code == 200
    assert (await api.client.get("/ads?q=zzyzxa+zzyzxb")).status_code == 200


@pytest.mark.heavy
async def test_relaxing_holds_no_place_of_searches(start_api: ApiFactory) -> None:
    async with start_api(search_workers=1) as api:
        async with api.state.relaxations.slot():
            waiting = asyncio.create_task(api.client.get("/ads?q=zzyzxa+zzyzxb"))
            async with asyncio.timeout(10):
                while not api.state.relaxations.usage.waiting:  # noqa: ASYNC110
                    await asyncio.sleep(0)
            assert (await api.client.get("/ads/suggest?q=oak")).status_code == 200
        assert (await waiting).status_code == 200


@pytest.mark.heavy
async def test_a_search_waits_for_its_turn_no_longer_than_a_client_does(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start_api(search_workers=1, database_timeout_seconds=60) as api:
        monkeypatch.setattr(api.state.searches, "_queue_timeout", 0)
        async with api.state.searches.slot():
            assert (await api.client.get("/ads?q=oak")).status_code == 503
        assert (await api.client.get("/ads?q=oak")).status_code == 200


async def test_what_means_nothing_makes_no_other_query(api: Api) -> None:
    """Neither is an answer made for it, nor does it come back."""
    person = await api.person()
    await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(5)])
    await settle(api)
    first = await api.client.get("/ads?q=oak&minPrice=1&limit=2")
    add_alias = (
        "/ads?q=oak&minPrice=1&limit=2&_=1", f"/ads?x={'y' * 5000}&limit=2&minPrice=1&q=oak",
        "/ads?limit=9&limit=2&q=chair&q=oak&minPrice=1", "/ads?%71=o%61k&minPrice=1&limit=2&",
        "/ads?limit=2&sort[]=price&minPrice=1&q=oak&_=2&utm=3",
    )  # fmt: skip
    for path in (*add_alias, *add_alias):
        with reads(api) as counted:
            answer = await api.client.get(path)
        assert counted.total() == 0, path
        assert answer.headers["link"] == first.headers["link"]
        assert answer.content == first.content
    cursor = quote(first.json()["next"])
    expected = f'</ads?q=oak&minPrice=1&limit=2&cursor={cursor}>; rel="next"'
    assert first.headers["link"] == expected
    # And what it leads to is kept as it is spelled there.
    following = expected[1:].partition(">")[0]
    assert (await api.client.get(following)).status_code == 200
    assert api.state.responses.listing(following.partition("?")[2].encode()) is not None


async def test_the_way_to_the_next_page_of_other_lists_has_its_place_alone(api: Api) -> None:
    person = await api.person()
    await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(3)])
    answer = await person.get("/ads/me?x=y&limit=1&q=oak")
    link = answer.headers["link"]
    assert link == f'</ads/me?limit=1&cursor={quote(answer.json()["next"])}>; rel="next"'


async def test_aliases_that_anybody_makes_up_take_no_room(api: Api) -> None:
    await settle(api)
    spellings = api.state.responses._aliases
    for number in range(1100):
        api.state.responses.add_alias(b"limit=%d&limit=1" % number, b"limit=1")
        api.state.responses.add_alias(b"x" * 600, b"limit=1")
    assert spellings.size == 1000
    await api.client.get("/ads?limit=1")
    with reads(api) as counted:
        for number in range(3):
            await api.client.get(f"/ads?limit=1&limit={'1' * 3}&limit=1&_={number}")
        await api.client.get("/ads?limit=1")
    assert counted.total() == 0
