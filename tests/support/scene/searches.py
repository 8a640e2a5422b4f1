"""Saved searches, and the step of the worker that matches ads with them."""

from dataclasses import dataclass, field

from adsvc.enums import Notify
from adsvc.kit.db.statements import Statements
from adsvc.repositories.events import MOVE_CONSUMER
from adsvc.services.following import Percolation
from support.scene.api import Api, Person
from support.scene.warmth import settle


@dataclass
class Matching:
    """The step of the worker, by hand."""

    api: Api
    position: int = 0
    percolation: Percolation = field(init=False)

    def __post_init__(self) -> None:
        self.percolation = Percolation(self.api.state.database)

    async def _last(self) -> int:
        await settle(self.api)
        [last] = await self.api.sql("SELECT max(last_event_id) FROM event_batches")
        return int(last)

    async def _move(self, db: Statements) -> None:
        await db.fetch(MOVE_CONSUMER, "searches", self.position)

    async def begin(self) -> None:
        self.position = await self._last()
        await self._move(self.api.state.database.writer)

    async def step(self) -> set[tuple[int, int]]:
        """The new matches: ads and queries."""
        before, self.position = self.position, await self._last()
        if self.position == before:
            return set()
        while await self.percolation.renew_wrong_keys():
            pass
        async with self.api.state.database.lasting_transaction() as transaction:
            await self.percolation.handle(transaction, range(before + 1, self.position + 1))
            # Streams that see the matches see how far they go.
            await self._move(transaction)
        found = await self.api.sql(
            "SELECT ad_id || ':' || query_id FROM query_matches WHERE event_id > :after",
            after=before,
        )
        return {(int(ad), int(query)) for ad, _, query in (each.partition(":") for each in found)}


async def save(api: Api, person: Person, query: str, notify: Notify = Notify.DAILY) -> int:
    """The query's id."""
    answer = await person.post(
        "/users/me/searches", json={"query": query, "name": "Something", "notify": notify}
    )
    assert answer.status_code in {200, 201}, answer.text
    [found] = await api.sql(
        "SELECT query_id FROM saved_searches WHERE id = :id", id=answer.json()["id"]
    )
    return int(found)
