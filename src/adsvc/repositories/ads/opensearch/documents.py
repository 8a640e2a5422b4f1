"""What the index has of an ad: its lexemes, as PostgreSQL made them, and what it is filtered by.

So a word means the same in both, in every language. The index has no text, and nothing that is not
public.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adsvc.kit.db.statements import Row, Statements
from adsvc.models.ads import PRICE_OR_HIGHEST, PRICE_OR_LOWEST
from adsvc.repositories.ads.criteria import Value
from adsvc.repositories.ads.projection import MILLISECONDS, visible

# Of the terms that PostgreSQL's index has beside words.
TERMS = ("@", "=", "$", "%")
NEVER = 2**53
SHARDS = 3
LONGS = ("id", "author", "price", "lowest", "expires", "category", "updated")
KEYWORDS = ("words", "title", "spelling", "price_type")

MAPPING: Mapping[str, object] = {
    "settings": {
        "index": {
            "number_of_shards": SHARDS,
            "auto_expand_replicas": "0-1",
            # The feeder does it after each batch.
            "refresh_interval": -1,
            # The newest ads are a page's most often.
            "sort": {"field": "id", "order": "desc"},
            "mapping.total_fields.limit": 10_000,
            # A deletion is remembered for as long as a filling may bring an older row.
            "gc_deletes": "1d",
        }
    },
    "mappings": {
        "dynamic": False,
        "_source": {"enabled": False},
        "properties": {
            **{name: {"type": "long"} for name in LONGS},
            **{name: {"type": "keyword"} for name in KEYWORDS},
            "created": {"type": "date", "format": "epoch_millis"},
            "latitude": {"type": "double"},
            "longitude": {"type": "double"},
            "point": {"type": "geo_point"},
            "numbers": {"type": "object", "dynamic": True},
            "choices": {"type": "object", "dynamic": True},
        },
        "dynamic_templates": [
            {"numbers": {"path_match": "numbers.*", "mapping": {"type": "double"}}},
            {"choices": {"path_match": "choices.*", "mapping": {"type": "keyword"}}},
        ],
    },
}

SELECT_DOCUMENTS = f"""
    SELECT id, author_id AS author, category_id AS category, price_type,
        {MILLISECONDS.format("created_at")} AS created,
        {MILLISECONDS.format("updated_at")} AS updated,
        coalesce({MILLISECONDS.format("expires_at")}, {NEVER}) AS expires,
        {PRICE_OR_HIGHEST.format("")} AS price, {PRICE_OR_LOWEST.format("")} AS lowest,
        public_latitude AS latitude, public_longitude AS longitude,
        attributes::text AS attributes, tsvector_to_array(search) AS words,
        tsvector_to_array(title_search) AS title,
        tsvector_to_array(ts_filter(title_search, '{{{{a}}}}')) AS spelling
    FROM ads WHERE {{}} AND {visible()}
"""
DOCUMENTS_BY_ID = SELECT_DOCUMENTS.format("id = ANY($1::bigint[])")
DOCUMENTS_IN_ORDER = SELECT_DOCUMENTS.format("id > $1") + " ORDER BY id LIMIT $2"
# Ids of ads may have gaps.
SELECT_LAST_ID = "SELECT coalesce(max(id), 0) FROM ads"


async def of_ads(db: Statements, ids: Iterable[int]) -> Mapping[int, Mapping[str, object]]:
    """By id those that are shown."""
    rows = await db.fetch(DOCUMENTS_BY_ID, list(ids))
    return {row["id"]: _document(row) for row in rows}


async def following(
    db: Statements, after: int, limit: int
) -> Sequence[tuple[int, Mapping[str, object]]]:
    """The next ads that are shown, in the order of their ids."""
    rows = await db.fetch(DOCUMENTS_IN_ORDER, after, limit)
    return [(row["id"], _document(row)) for row in rows]


def _document(row: Row) -> Mapping[str, object]:
    given: dict[str, Any] = dict(row)
    attributes: Mapping[str, Value] = json.loads(given.pop("attributes"))
    given["words"] = [word for word in given["words"] if not word.startswith(TERMS)]
    if given["latitude"] is not None:
        given["point"] = {"lat": given["latitude"], "lon": given["longitude"]}
    given["numbers"] = {name: value for name, value in attributes.items() if is_number(value)}
    given["choices"] = {
        name: json.dumps(value) for name, value in attributes.items() if not is_number(value)
    }
    return {name: value for name, value in given.items() if value is not None}


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
