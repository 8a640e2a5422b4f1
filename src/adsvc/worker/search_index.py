"""Writes what happens to ads to each index of OpenSearch that follows the log."""

from contextlib import suppress
from functools import partial

from adsvc.kit.db.database import Database, Transaction
from adsvc.repositories.ads.opensearch import index
from adsvc.repositories.ads.opensearch.cluster import ClusterUnavailableError, SearchCluster
from adsvc.worker.consumers import Step, following


def feeding(database: Database, cluster: SearchCluster) -> Step:
    """A step that does so, for one index after another.

    What an index has is written before its position is: a step that fails is taken again, and an
    older version of an ad never replaces a newer one.
    """
    steps: dict[str, Step] = {}

    async def feed(name: str, transaction: Transaction, events: range) -> None:
        await index.feed(transaction, cluster, name, events)

    async def step() -> bool:
        names = await index.names(database.reader)
        for gone in steps.keys() - names:
            del steps[gone]
        more = False
        for name in names:
            if name not in steps:
                steps[name] = following(database, name, partial(feed, name))
            # The cluster has logged it. The events wait.
            with suppress(ClusterUnavailableError):
                more |= await steps[name]()
        return more

    return step
