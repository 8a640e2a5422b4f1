"""Which ads match saved searches: exactly those that `GET /ads` answers, and were not before."""

import json
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from adsvc import migrations
from adsvc.api.input.filters import FilterQuery
from adsvc.api.input.parameters import pairs_of
from adsvc.errors import InvalidRequestError
from adsvc.repositories.ads.criteria import Sort
from adsvc.services.ads import listing
from adsvc.services.categories import changes
from adsvc.settings import Jobs
from conftest import ApiFactory, DatabaseFactory
from support.scene.api import Api
from support.scene.category_tree import TREE
from support.scene.listings import analyze
from support.scene.random_queries import (
    POINTS,
    PRICE_TYPES,
    PRICES,
    WORDS,
    Ad,
    attributes_of,
    make_ads,
    random_query,
)
from support.scene.searches import Matching


async def answered(api: Api, query: str) -> frozenset[int]:
    """The ads that `GET /ads` answers."""
    pairs = pairs_of(query.encode())
    tree = await api.state.categories.tree()
    try:
        ads = FilterQuery.from_pairs(pairs).filter(tree, most_words=12)
    except InvalidRequestError:
        return frozenset()
    found: list[int] = []
    after = None
    while True:
        page = await listing.page(
            api.state.database.reader, ads, Sort.NEWEST, limit=1000, after=after, bound=1000
        )
        found += [json.loads(record)["pk"] for record in page.records]
        if page.next_key is None:
            return frozenset(found)
        after = page.next_key


async def all_answered(api: Api, queries: Mapping[int, str]) -> set[tuple[int, int]]:
    return {(ad, number) for number, query in queries.items() for ad in await answered(api, query)}


async def save_random(api: Api, random: Random, ads: list[Ad], count: int) -> dict[int, str]:
    """Queries by their ids. As many people as they need."""
    found: dict[int, str] = {}
    person, saved = await api.person(), 0
    while len(found) < count:
        query, _, _ = random_query(random, ads)
        spelled = urlencode(query, doseq=True)
        answer = await person.post("/users/me/searches", json={"query": spelled, "name": "Any"})
        if answer.status_code == 400:
            assert answer.json()["errors"][0]["code"] == "too-broad", answer.text
            continue
        canonical = answer.json()["query"]
        [number] = await api.sql(
            "SELECT id FROM saved_queries WHERE query = :query", query=canonical
        )
        found[number] = canonical
        saved += 1
        if saved % 50 == 0:
            person = await api.person()
    return found


CHANGE = """
    UPDATE ads SET title = coalesce(:title, title), price = coalesce(:price, price),
        price_type = coalesce(:price_type, price_type), status = coalesce(:status, status),
        category_id = CASE WHEN :category = '' THEN category_id
            ELSE (SELECT id FROM categories WHERE slug = :category) END,
        attributes = coalesce(CAST(:attributes AS jsonb), attributes),
        latitude = :latitude, longitude = :longitude, public_latitude = :latitude,
        public_longitude = :longitude, updated_at = now()
    WHERE id = :id
"""


async def change(api: Api, random: Random, ads: Iterable[int]) -> None:
    """Each in a transaction of its own, which may change several things."""
    async with api.state.database.autocommit() as session:
        for ad_id in ads:
            category = random.choice(("", *TREE)) if random.random() < 0.3 else ""
            attributes = attributes_of(random, category) if category else None
            point = random.choice((None, *POINTS)) if random.random() < 0.4 else None
            values: dict[str, Any] = {
                "id": ad_id,
                "title": " ".join(random.sample(WORDS, 2)) if random.random() < 0.4 else None,
                "price": random.choice(PRICES) if random.random() < 0.4 else None,
                "price_type": random.choice(PRICE_TYPES) if random.random() < 0.2 else None,
                "status": random.choice(("active", "active", "reserved", "sold", "draft"))
                if random.random() < 0.4 else None,
                "category": category,
                "attributes": None if attributes is None else json.dumps(attributes),
                "latitude": point and point[0],
                "longitude": point and point[1],
            }  # fmt: skip
            await session.execute(text(CHANGE), values)
    api.state.database.changes.apply_all()


async def compare(
    api: Api, matching: Matching, random: Random, ids: list[int], saved: Mapping[int, str]
) -> int:
    """Changes half of the ads. How many matches that made."""
    before = await all_answered(api, saved)
    await change(api, random, random.sample(ids, len(ids) // 2))
    expected = await all_answered(api, saved) - before
    found = await matching.step()
    for kind, differing in (("extra", found - expected), ("missing", expected - found)):
        assert not differing, (kind, {(ad, saved[query]) for ad, query in differing})
    return len(expected)


async def oracle(
    start_api: ApiFactory, database: DatabaseFactory, *, queries: int, ads: int, rounds: int,
    seed: int,
) -> None:  # fmt: skip
    """Some rounds; then categories move, keys are chosen anew, and the language changes."""
    random = Random(seed)
    async with database() as url:
        address = SecretStr(url.render_as_string(hide_password=False))
        async with start_api(database_url=address, jobs=Jobs.OFF) as api:
            made = await make_ads(api, random, ads)
            ids = [ad.id for ad in made]
            if seed % 2:
                # Keys by statistics, and pairs.
                await analyze(api)
            saved = await save_random(api, random, made, queries)
            matching = Matching(api)
            await matching.begin()
            met = sum([await compare(api, matching, random, ids, saved) for _ in range(rounds)])
            assert met > 9
            [fashion] = await api.sql("SELECT id FROM categories WHERE slug = 'fashion'")
            await api.sql(
                "UPDATE categories SET parent_id = :id WHERE slug IN ('cars', 'flats')", id=fashion
            )
            assert not await matching.step()
            # What a category is called makes its ads match, and is no event of theirs.
            await api.sql(
                "UPDATE categories SET synonyms = CAST(:words AS jsonb) WHERE slug = 'fashion'",
                words=json.dumps({"en": list(WORDS[:2]), "de": ["Mode"]}),
            )
            assert await changes.add_words(api.state.database)
            assert not await matching.step()
            await compare(api, matching, random, ids, saved)
            await analyze(api)
            await api.sql("UPDATE saved_queries SET keyed_at = '-infinity'")
            await compare(api, matching, random, ids, saved)
            # Of a change before the language only the words are known.
            before = await all_answered(api, saved)
            await change(api, random, ids)
        await migrations.upgrade(url, language="german")
        async with start_api(database_url=address, jobs=Jobs.OFF) as api:
            matching = Matching(api, matching.position)
            expected = await all_answered(api, saved) - before
            # What both languages call the same.
            assert await matching.step() == expected
            assert not await matching.step()
            await compare(api, matching, random, ids, saved)
            assert not await api.sql("SELECT id FROM changed_ads")


@pytest.mark.heavy
async def test_matches_are_what_get_ads_answers(
    start_api: ApiFactory, new_database: DatabaseFactory
) -> None:
    await oracle(start_api, new_database, queries=40, ads=60, rounds=1, seed=3)


@pytest.mark.long
@pytest.mark.heavy
@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.large)])
async def test_more_matches_are_what_get_ads_answers(
    start_api: ApiFactory, new_database: DatabaseFactory, seed: int
) -> None:
    await oracle(start_api, new_database, queries=60, ads=60, rounds=2, seed=seed)


@pytest.mark.large
async def test_a_thousand_queries_among_a_thousand_ads(
    start_api: ApiFactory, new_database: DatabaseFactory
) -> None:
    await oracle(start_api, new_database, queries=1000, ads=1000, rounds=4, seed=5)
