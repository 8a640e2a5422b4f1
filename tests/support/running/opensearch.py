"""A real OpenSearch behind the tests' service."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from adsvc.invalidation import new_bus
from adsvc.kit.db.database import Database
from adsvc.repositories.ads.opensearch import index
from adsvc.repositories.ads.opensearch.backend import OpenSearch
from adsvc.repositories.ads.opensearch.cluster import SearchCluster
from adsvc.repositories.events import LAST_EVENT
from adsvc.services import search_index
from adsvc.settings import Settings
from adsvc.worker.search_index import feeding

# The part of searches before which the index is fed.
FED = 0.8


@asynccontextmanager
async def answering(settings: Settings) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """In the block OpenSearch answers the searches of the database. Yields what empties it.

    Before most searches the index is brought up to the log, so that it answers; before the others
    it lags behind, and changes are merged from PostgreSQL.
    """
    database = Database.of(settings, new_bus())
    cluster = SearchCluster(settings.search_nodes, seconds=30)
    step, chance = feeding(database, cluster), random.Random(47)
    answer = OpenSearch._answer

    async def answer_after_feeding(self: OpenSearch, *of: object) -> object:
        if chance.random() < FED:
            while await step():
                pass
        return await answer(self, *of)  # type: ignore[arg-type]

    async def clear() -> None:
        """What the tests' database has lost without an event."""
        everything = {"size": 10_000, "sort": [{"id": "asc"}], "_source": False}
        found = await cluster.request("POST", f"/{name}/_search", everything)
        if ids := [hit["sort"][0] for hit in found["hits"]["hits"]]:
            last: int = await database.reader.fetchval(LAST_EVENT)
            await index.write(cluster, name, dict.fromkeys(ids, last), {})
            await index.refresh(cluster, name)

    try:
        name, _ = await search_index.rebuild(database, cluster)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(OpenSearch, "_answer", answer_after_feeding)
            yield clear
        await index.drop(database.writer, cluster, name)
    finally:
        await cluster.close()
        await database.close()
