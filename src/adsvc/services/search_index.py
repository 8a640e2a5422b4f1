"""The index of OpenSearch: a new one beside the one that answers, and the way back."""

import random
import time
from typing import NamedTuple

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.repositories.ads.opensearch import documents, index
from adsvc.repositories.ads.opensearch.cluster import SearchCluster

ADS_AT_ONCE = 500
# Ads that are compared before the new index answers.
COMPARED = 1000
COMPARED_AT_ONCE = 100
# Of a request that writes many ads.
WRITE_SECONDS = 30.0


class Rebuilt(NamedTuple):
    name: str
    ads: int


async def rebuild(database: Database, cluster: SearchCluster) -> Rebuilt:
    """Fills a new index, compares it with PostgreSQL, and has it answer from then on.

    The index that answered stays for `back`; older ones, and one that was not completed, are
    deleted. Workers feed all of them meanwhile.
    """
    writer = database.writer
    alias: str = await writer.fetchval(index.SELECT_ALIAS)
    before = await index.answering(cluster, alias)
    await writer.fetch(index.DELETE_FOREIGN)
    for name in await index.names(writer):
        if name != before:
            await index.drop(writer, cluster, name)
    name = f"{alias}-{int(time.time())}"
    position = await index.create(writer, cluster, name)
    try:
        await _fill(database, cluster, name, position)
        await index.answer_by(cluster, alias, name)
    except BaseException:
        await index.drop(writer, cluster, name)
        raise
    return Rebuilt(name, await index.count(cluster, name))


async def _fill(database: Database, cluster: SearchCluster, name: str, position: int) -> None:
    """What changes after `position` is the feeder's, and newer."""
    after = 0
    while rows := await documents.following(database.writer, after, ADS_AT_ONCE):
        after = rows[-1][0]
        await index.write(cluster, name, dict.fromkeys(dict(rows), position), dict(rows))
    await index.refresh(cluster, name)
    compared, other = await different(database, cluster, name, COMPARED)
    if other:
        raise OperatorError(f"The new index has {other} of {compared} ads otherwise.")


async def different(
    database: Database, cluster: SearchCluster, name: str, ads: int
) -> tuple[int, int]:
    """Of some random ads: how many were compared, and how many the index has otherwise.

    Words of ads change with those of their categories, and with the language of the search.
    """
    reader, compared, found = database.reader, 0, 0
    last: int = await reader.fetchval(documents.SELECT_LAST_ID)
    for _ in range(0, ads, COMPARED_AT_ONCE):
        # No secret.
        start = random.randint(0, max(0, last - COMPARED_AT_ONCE))  # noqa: S311
        sample = dict(await documents.following(reader, start, COMPARED_AT_ONCE))
        if not sample:
            continue
        # Read afterwards: what changes meanwhile is the feeder's.
        other = await index.different(cluster, name, sample)
        late = {*(await index.state(reader)).changed}
        compared += len(sample)
        found += sum(ad_id not in late for ad_id in other)
    return compared, found


async def back(database: Database, cluster: SearchCluster) -> str:
    """Has the index answer that did so before. Returns its name."""
    alias: str = await database.reader.fetchval(index.SELECT_ALIAS)
    now = await index.answering(cluster, alias)
    others = [name for name in await index.names(database.reader) if name != now]
    if not others:
        raise OperatorError("There is no other index to go back to.")
    await index.answer_by(cluster, alias, others[-1])
    return others[-1]


async def answering(database: Database, cluster: SearchCluster) -> str | None:
    """The index that answers; None if there is none that follows this database's log."""
    alias: str = await database.reader.fetchval(index.SELECT_ALIAS)
    found = await index.answering(cluster, alias)
    return found if found in await index.names(database.reader) else None
