"""The index: how far it is in the log of events, what has changed since, and its feeding.

An index is named after the log that it follows, and the alias of the one that answers is the name's
first part. Each index is a consumer of the log by its name, so a restored database finds none that
is of another history.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from adsvc.kit.db.statements import Statements
from adsvc.repositories.ads.opensearch import documents
from adsvc.repositories.ads.opensearch.cluster import ClusterRefusedError, SearchCluster
from adsvc.repositories.events import NOT_IN_LOG

# With more, the index is too far behind to be of use.
MOST_CHANGED = 2000
# Done, not there to be deleted, or there in a newer version already.
WRITTEN = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT})

ALIAS = "(SELECT 'adsvc-' || epoch FROM event_log)"
# Ads with events that not every index has, and those with changes that are not in the log yet.
SELECT_STATE = f"""
    SELECT {ALIAS} AS alias, position, CASE WHEN position IS NOT NULL THEN ARRAY(
        SELECT ad_id FROM (
            SELECT ad_id FROM events WHERE id > position AND type LIKE 'ad.%'
            ORDER BY id LIMIT {MOST_CHANGED + 1}
        ) AS late
        UNION SELECT ad_id FROM changes WHERE id = ANY({NOT_IN_LOG}) AND type LIKE 'ad.%'
    ) ELSE '{{}}' END AS changed
    FROM (
        SELECT min(position) AS position FROM consumers WHERE name LIKE {ALIAS} || '-%'
    ) AS slowest
"""
SELECT_INDEXES = f"SELECT name FROM consumers WHERE name LIKE {ALIAS} || '-%' ORDER BY name"
# Of each ad the last event.
SELECT_EVENTS = """
    SELECT ad_id, max(id) AS version FROM events
    WHERE id >= $1 AND id <= $2 AND type LIKE 'ad.%' GROUP BY ad_id
"""
SELECT_ALIAS = f"SELECT {ALIAS}"
INSERT_CONSUMER = """
    INSERT INTO consumers (name, position) SELECT $1, last_event_id FROM event_batches
    ORDER BY id DESC LIMIT 1 RETURNING position
"""
# Of databases that this one was restored from.
DELETE_FOREIGN = (
    f"DELETE FROM consumers WHERE name LIKE 'adsvc-%' AND name NOT LIKE {ALIAS} || '-%'"
)
DELETE_CONSUMER = "DELETE FROM consumers WHERE name = $1"


class IndexState(NamedTuple):
    alias: str
    # None if there is no index.
    position: int | None
    changed: Sequence[int]

    @property
    def is_usable(self) -> bool:
        return self.position is not None and len(self.changed) <= MOST_CHANGED


async def state(db: Statements) -> IndexState:
    [row] = await db.fetch(SELECT_STATE, keep_plan=True)
    return IndexState(row["alias"], row["position"], row["changed"])


async def names(db: Statements) -> Sequence[str]:
    return [row["name"] for row in await db.fetch(SELECT_INDEXES, keep_plan=True)]


async def feed(db: Statements, cluster: SearchCluster, index: str, events: range) -> None:
    """Writes the ads of these events as they are now. It may be repeated.

    They may have changed since: the version is that of an event which is not older than what the
    index has, and the events of later changes follow.
    """
    rows = await db.fetch(SELECT_EVENTS, events.start, events[-1], keep_plan=True)
    versions = {row["ad_id"]: row["version"] for row in rows}
    if versions:
        await write(cluster, index, versions, await documents.of_ads(db, versions))
        await refresh(cluster, index)


async def refresh(cluster: SearchCluster, index: str) -> None:
    await cluster.request("POST", f"/{index}/_refresh")


async def write(
    cluster: SearchCluster,
    index: str,
    versions: Mapping[int, int],
    found: Mapping[int, Mapping[str, object]],
) -> None:
    """Ads by id with their versions; those not found are deleted. Older versions change nothing."""
    lines = _bulk_lines(versions, found)
    answer = await cluster.request("POST", f"/{index}/_bulk", lines=lines)
    if answer["errors"]:
        for item in _items(answer):
            if item["status"] not in WRITTEN:
                raise ClusterRefusedError(item["status"], str(item.get("error"))[:500])


def _items(answer: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - JSON
    for item in answer["items"]:
        yield from item.values()


def _bulk_lines(
    versions: Mapping[int, int], found: Mapping[int, Mapping[str, object]]
) -> Iterator[object]:
    for ad_id, version in versions.items():
        document = found.get(ad_id)
        action = "delete" if document is None else "index"
        yield {action: {"_id": str(ad_id), "version": version, "version_type": "external_gte"}}
        if document is not None:
            yield document


async def create(db: Statements, cluster: SearchCluster, index: str) -> int:
    """Returns the position in the log from which on the feeder writes to it."""
    await cluster.request("PUT", f"/{index}", documents.MAPPING)
    position: int = await db.fetchval(INSERT_CONSUMER, index)
    return position


async def drop(db: Statements, cluster: SearchCluster, index: str) -> None:
    await db.fetch(DELETE_CONSUMER, index)
    await cluster.request("DELETE", f"/{index}?ignore_unavailable=true")


async def answering(cluster: SearchCluster, alias: str) -> str | None:
    """The index that the alias leads to."""
    try:
        found = await cluster.request("GET", f"/_alias/{alias}")
    except ClusterRefusedError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return None
    return next(iter(found), None)


async def answer_by(cluster: SearchCluster, alias: str, index: str) -> None:
    """Moves the alias, at once."""
    removed = {"remove": {"index": f"{alias}-*", "alias": alias, "must_exist": False}}
    added = {"add": {"index": index, "alias": alias}}
    await cluster.request("POST", "/_aliases", {"actions": [removed, added]})


async def count(cluster: SearchCluster, index: str) -> int:
    found = await cluster.request("GET", f"/{index}/_count")
    number: int = found["count"]
    return number


async def different(
    cluster: SearchCluster, index: str, documents: Mapping[int, Mapping[str, Any]]
) -> Collection[int]:
    """Those ads of which the index has other words, or what they were before their last change."""
    body = {
        "size": len(documents),
        "query": {"terms": {"id": [*documents]}},
        "docvalue_fields": ["id", "updated", "words"],
    }
    found = await cluster.request("POST", f"/{index}/_search", body)
    indexed = {hit["fields"]["id"][0]: hit["fields"] for hit in found["hits"]["hits"]}
    return [
        ad_id
        for ad_id, document in documents.items()
        if ad_id not in indexed
        or indexed[ad_id]["updated"][0] < document["updated"]
        # It may be newer.
        or (
            indexed[ad_id]["updated"][0] == document["updated"]
            and {*indexed[ad_id].get("words", ())} != {*document["words"]}
        )
    ]
