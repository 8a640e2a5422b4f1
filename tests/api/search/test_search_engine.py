"""OpenSearch as the backend of searches: what holds while it is away, late, or built anew."""

import json
from asyncio import create_task, sleep
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import SecretStr

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from conftest import SEARCH_URL, ApiFactory
from support.outside.receiver import receiving
from support.scene.api import Api
from support.scene.listings import insert_ads, listed

real = pytest.mark.skipif(SEARCH_URL is None, reason="needs OpenSearch: make test-search")
# Nothing listens there.
AWAY = "http://127.0.0.1:9,http://127.0.0.1:9"
FOLLOW = """
    INSERT INTO consumers (name, position)
    SELECT 'adsvc-' || epoch || '-1', last_event_id FROM event_log, event_batches
    ORDER BY id DESC LIMIT 1 ON CONFLICT DO NOTHING
"""


def _titles(found: Mapping[str, Any]) -> list[str]:
    return [ad["title"] for ad in found["results"]]


def _database(api: Api) -> Database:
    database: Database = api.app.state.service.database
    return database


@pytest.mark.heavy
async def test_postgresql_answers_while_the_engine_is_away(start_own_api: ApiFactory) -> None:
    async with start_own_api(search_url=SecretStr(AWAY)) as api:
        person = await api.person()
        await insert_ads(api, person.id, [{"title": "Oak table"}, {"title": "Lamp"}])
        for follows in (False, True):
            if follows:
                # As after `adsvc search rebuild`.
                await _database(api).writer.fetch(FOLLOW)
            # With the last one the circuit is open.
            for words in ("oak", "oak table", "table", "tables"):
                response = await api.client.get(
                    "/ads", params={"q": words, "minPrice": int(follows)}
                )
                assert response.headers["x-search"] == "partial"
                assert _titles(response.json()) == ["Oak table"]
            facets = await listed(api.client, "/ads/facets", q="oak")
            assert facets["count"] == 1
        counts = api.app.state.service.work_counts.searches
        assert (counts.answered, counts.behind, counts.away) == (0, 5, 5)
        response = await api.client.get("/ads", params={"sort": "distance", "near": "47.1,9.5"})
        assert "x-search" not in response.headers


@pytest.mark.heavy
async def test_postgresql_answers_where_a_node_answers_something_else(
    start_own_api: ApiFactory,
) -> None:
    """A proxy, another service, or a node that was broken into."""
    whole = {"timed_out": False, "_shards": {"failed": 0}}
    hits: list[dict[str, Any]] = [{}, {"hits": [], "total": 1}]
    for sort in ([], [None, 1], ["x", "y"], {"a": 1}):
        total = {"value": 1, "relation": "eq"}
        hits.append({"hits": [{"sort": sort}], "total": total})
    bodies = [
        *(b"[]", b"{}", b"7", b'"x"', b"null", b"<html>", b"", json.dumps(whole).encode()),
        *(json.dumps({**whole, "hits": each}).encode() for each in hits),
        json.dumps({**whole, "aggregations": {"prices": []}}).encode(),
        # Of 20 MB only the beginning is read.
        b"[" + b"1," * 10_000_000 + b"1]",
    ]
    async with receiving(status=200) as node:
        url = SecretStr(node.url.removesuffix("/hook"))
        async with start_own_api(search_url=url) as api:
            await insert_ads(api, (await api.person()).id, [{"title": "Oak table"}])
            await _database(api).writer.fetch(FOLLOW)
            for number, body in enumerate(bodies):
                node.body = body
                # None is in a cache, and the circuit is closed again.
                api.app.state.service.search._cluster._failures = 0
                query = {"q": "oak", "maxPrice": str(10_000 + number)}
                response = await api.client.get("/ads", params=query)
                assert response.headers.get("x-search") == "partial", body[:80]
                assert _titles(response.json()) == ["Oak table"], body[:80]
                assert (await listed(api.client, "/ads/facets", **query))["count"] == 1


@real
async def test_a_late_index_shows_what_was_committed_and_nothing_hidden(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index has the ads as they were; no feeder runs from then on."""
    from adsvc.repositories.ads.opensearch.backend import OpenSearch

    person = await api.person()
    titles = [f"Oak table {number}" for number in range(6)]
    await insert_ads(api, person.id, [{"title": title, "price": 5} for title in titles])
    backend = api.app.state.service.search
    assert isinstance(backend, OpenSearch)
    monkeypatch.setattr("support.running.opensearch.FED", 1)
    found = await listed(api.client, q="oak", limit=2)
    monkeypatch.setattr("support.running.opensearch.FED", 0)
    assert _titles(found) == ["Oak table 5", "Oak table 4"]

    writer = _database(api).writer
    await writer.fetch("UPDATE ads SET status = 'suspended' WHERE title LIKE '%3'")
    await writer.fetch("UPDATE ads SET title = 'Lamp' WHERE title LIKE '%2'")
    await writer.fetch("UPDATE ads SET price = 7 WHERE title LIKE '%1'")
    await writer.fetch("DELETE FROM ads WHERE title LIKE '%0'")
    await insert_ads(api, person.id, [{"title": "Oak table 6", "price": 6}])
    for query, expected in (
        ({"q": "oak"}, ["6", "5", "4", "1"]),
        ({"q": "oak", "sort": "price"}, ["4", "5", "6", "1"]),
        ({"q": "oak", "sort": "-price", "minPrice": 6}, ["1", "6"]),
    ):
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await listed(api.client, **query, limit=1, **cursor)
            assert (page["count"], page["countExact"]) == (len(expected), True)
            seen += [title.removeprefix("Oak table ") for title in _titles(page)]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert seen == expected, query
    facets = await listed(api.client, "/ads/facets", q="oak")
    assert facets["count"] == 4
    assert api.app.state.service.work_counts.searches.away == 0


@real
async def test_a_new_index_is_filled_while_ads_change(start_own_api: ApiFactory) -> None:
    from adsvc.repositories.ads.opensearch import index
    from adsvc.repositories.ads.opensearch.cluster import SearchCluster
    from adsvc.services import search_index
    from adsvc.worker.search_index import feeding

    async with start_own_api() as api:
        person, database = await api.person(), _database(api)
        assert SEARCH_URL is not None
        cluster = SearchCluster(SEARCH_URL.split(","), seconds=30)
        ads = [{"title": f"Oak table {number}"} for number in range(3 * search_index.ADS_AT_ONCE)]
        await insert_ads(api, person.id, ads)

        async def change() -> None:
            for number in range(50):
                one = f"WHERE id = {1 + number * 30}"
                await database.writer.fetch(f"UPDATE ads SET title = 'Lamp' {one}")  # noqa: S608
                await database.writer.fetch(f"DELETE FROM ads {one.replace('= ', '= 1 + ')}")  # noqa: S608
                await sleep(0)

        try:
            changing = create_task(change())
            first = await search_index.rebuild(database, cluster)
            await changing
            step = feeding(database, cluster)
            while (await index.state(database.reader)).changed:
                await step()
            assert await index.count(cluster, first.name) == len(ads) - 50
            compared, other = await search_index.different(database, cluster, first.name, 2000)
            assert other == 0 < compared
            found = await listed(api.client, q="lamp")
            assert (found["count"], found["countExact"]) == (50, True)
            assert api.app.state.service.work_counts.searches.answered == 1

            second = await search_index.rebuild(database, cluster)
            assert await search_index.answering(database, cluster) == second.name
            assert await search_index.back(database, cluster) == first.name
            assert await search_index.answering(database, cluster) == first.name
            await index.drop(database.writer, cluster, second.name)
            with pytest.raises(OperatorError):
                await search_index.back(database, cluster)
            await index.drop(database.writer, cluster, first.name)
        finally:
            await cluster.close()
