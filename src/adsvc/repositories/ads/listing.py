"""Listings without search words: one statement for a page with its count, or for one ad.

Rows are JSON already.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from adsvc.enums import AdStatus, PriceType
from adsvc.kit.db.statements import Row, Statements, fitting_records
from adsvc.models.ads import IS_HIDDEN_SQL, PRICE_MAX, PRICE_OR_HIGHEST, SHOWN, SHOWN_SQL
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.criteria import (
    ALL_STATUSES,
    AdFilter,
    Key,
    Sort,
    attribute_sql,
    branch_sql,
    order_of,
)
from adsvc.repositories.ads.facets import FacetRequest, Facets
from adsvc.repositories.ads.places import distance_sql, within_box, within_circle
from adsvc.repositories.ads.projection import (
    RecordKind,
    columns_sql,
    current_status,
    members_sql,
    record_sql,
    seller_sql,
    visible,
)
from adsvc.repositories.ads.search_words import Parameters

# Seconds until the first ad of a page expires; null if none does.
VALID_SECONDS = "extract(epoch FROM min(expires_at) - now())::float AS valid_seconds"

# What ads are filtered by, as its index has it.
PRICE = PRICE_OR_HIGHEST.format("")


class Restriction(NamedTuple):
    """A condition on one column, or on an expression.

    `indexed` says whether it has an index of its own.
    """

    column: str
    sql: str
    indexed: bool = True


def total_sql(ads: AdFilter, bound: int, parameters: Parameters) -> str:
    """How many ads match. All ads, and those of one author, are counted beforehand."""
    if not ads.only_author:
        matching = conditions_sql(ads, parameters)
        # One author's ads are so few that all are counted.
        limit = f"LIMIT {parameters.add(bound + 1)}" if ads.statuses is None else ""
        found = f"SELECT FROM ads WHERE {matching} {index_order(ads)} {limit}"
        return f"SELECT count(*) AS total FROM ({found}) AS counted"
    counted = "ads" if ads.statuses is None else "ads + hidden"
    total = f"SELECT coalesce(sum({counted}), 0)::bigint AS total FROM"
    if ads.author is None:
        return f"{total} ad_totals"
    return f"{total} author_ad_totals WHERE author_id = {parameters.add(ads.author)}"


def index_order(ads: AdFilter) -> str:
    """An order in which some of the matches can be counted or read, no matter which.

    It makes PostgreSQL use a filter's index, which has the matches side by side. By the index of
    shown ads it would assume that they are spread evenly.
    """
    columns = [restriction.column for restriction in restrictions(ads, Parameters())]
    ordered = [column for column in columns if column in {PRICE, "author_id", "created_at"}]
    return f"ORDER BY {ordered[-1]}" if ordered else ""


def shown_sql(ads: AdFilter, parameters: Parameters) -> str:
    """The condition on the status."""
    if ads.statuses is None:
        return visible()
    if ads.statuses == ALL_STATUSES:
        return "TRUE"
    return f"{current_status()} = ANY({parameters.add(list(ads.statuses))}::text[])"


def restrictions(ads: AdFilter, parameters: Parameters) -> list[Restriction]:
    """The conditions of a filter, without its words."""
    all_of_them = (
        ("author_id", "=", ads.author),
        ("external_id", "=", ads.external_id),
        ("created_at", ">", ads.created_after),
        ("created_at", "<", ads.created_before),
    )
    found = [
        Restriction(column, f"{column} {comparison} {parameters.add(value)}")
        for column, comparison, value in all_of_them
        if value is not None
    ]
    if ads.has_price:
        found.append(Restriction(PRICE, _price_sql(ads, parameters)))
    if ads.near is not None:
        found.append(
            Restriction("public_point", within_circle(ads.near, parameters), indexed=False)
        )
    if ads.box is not None:
        found.append(Restriction("public_point", within_box(ads.box, parameters), indexed=False))
    if ads.price_type is not None:
        price_type = f"price_type = {parameters.add(ads.price_type)}"
        found.append(Restriction("price_type", price_type, indexed=False))
    if ads.category is not None:
        category = branch_sql(ads.category, parameters)
        found.append(Restriction("category_id", category, indexed=False))
    for wanted in ads.attributes or ():
        condition = attribute_sql(wanted, parameters)
        found.append(Restriction("attributes", condition, indexed=False))
    return found


def _price_sql(ads: AdFilter, parameters: Parameters) -> str:
    """The condition on the price. Ads on request, which have none, are above the upper end."""
    upper = str(PRICE_MAX) if ads.max_price is None else parameters.add(ads.max_price)
    lower = "" if ads.min_price is None else f"{PRICE} >= {parameters.add(ads.min_price)} AND "
    return f"({lower}{PRICE} <= {upper})"


ADMINISTERED = RecordKind.AD | RecordKind.MINE | RecordKind.ADMINISTERED


def record_of(ads: AdFilter) -> RecordKind:
    if ads.is_administered:
        return ADMINISTERED
    if ads.statuses is not None:
        return RecordKind.AD | RecordKind.MINE
    return RecordKind.AD if ads.near is None else RecordKind.AD | RecordKind.NEAR


def table_sql(ads: AdFilter, parameters: Parameters) -> str:
    """The table of ads, with the distance if the filter is a circle."""
    if ads.near is None:
        return "ads"
    return f"(SELECT *, {distance_sql(ads.near, parameters)} AS distance FROM ads) AS ads"


def conditions_sql(ads: AdFilter, parameters: Parameters) -> str:
    conditions = [restriction.sql for restriction in restrictions(ads, parameters)]
    return " AND ".join([*conditions, shown_sql(ads, parameters)])


def listing_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Key | None, bound: int
) -> tuple[str, Sequence[object]]:
    """A page of records, their keys and their total: one row of arrays."""
    if ads.is_everything:
        values = order_of(AdFilter(), sort).values_of(after) if after else ()
        return _everything_sql(sort, rows, paged=after is not None), values
    return _listing_sql(ads, sort, rows, after, bound)


@lru_cache(maxsize=1024)
def _everything_sql(sort: Sort, rows: int, *, paged: bool) -> str:
    """The listing of all ads, which is the most common one. Its text is made once.

    Its parameters are those of the key alone.
    """
    ads = AdFilter()
    key = [0] * len(order_of(ads, sort).columns) if paged else None
    return _listing_sql(ads, sort, rows, key, 0)[0]


def _listing_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Key | None, bound: int
) -> tuple[str, Sequence[object]]:
    parameters = Parameters()
    order = order_of(ads, sort)
    page = record_sql(page_sql(ads, sort, rows, after, parameters), order.of_page, record_of(ads))
    total = total_sql(ads, bound, parameters)
    # Arrays, because asyncpg makes an object for each row.
    columns = ", ".join(f"array_agg({column}) AS {column}" for column in ("record", *order.names))
    return (
        f"SELECT {columns}, {VALID_SECONDS}, ({total}) AS total FROM ({page}) AS page",
        parameters.values,
    )


def page_sql(
    ads: AdFilter, sort: Sort, rows: int, after: Key | None, parameters: Parameters
) -> str:
    order = order_of(ads, sort)
    where = conditions_sql(ads, parameters)
    if after:
        where = f"{where} AND {order.beyond(after, parameters)}"
    columns, table = columns_sql(record_of(ads)), table_sql(ads, parameters)
    return f"SELECT {columns} FROM {table} WHERE {where} ORDER BY {order.by} LIMIT {rows}"


# How many ads are compared with words, for one page of those that no index has the words of.
EXAMINED = 20_000
WILD, WILD_ESCAPED = re.compile(r"([\\%_])"), r"\\\1"


class Administered(NamedTuple):
    """Ads as administrators look for them. The status is the stored one, which a job keeps."""

    id: int | None = None
    author: int | None = None
    status: AdStatus | None = None
    # Each is a part of the title. Without a status ads that everyone sees are left out then.
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of ads, and their total."""

    ids: Sequence[int]
    # Each ad as the interface's JSON.
    records: Sequence[str]
    # The sort key of the last one, if more follow.
    next_key: Key | None
    # How many matches were counted, and whether these are all.
    count: int
    count_exact: bool
    # For how many seconds all of them are shown; None if without end.
    valid_seconds: float | None = None
    # Whether an engine that should have answered did not, and the search was a bounded one.
    is_partial: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing matches, on any page."""
        return self.count_exact and self.count == 0

    def capped(self, bound: int) -> "Listing":
        """With the count capped at `bound`."""
        if self.count <= bound:
            return self
        return replace(self, count=bound, count_exact=False)


# What an ad cost before its price fell, for 30 days. One that was raised first has not fallen if it
# is not below the lowest of 30 days (as Directive 98/6/EC, article 6a, has it).
FALLEN_UNTIL = (
    f"CASE WHEN price_before > price AND price_type <> '{PriceType.ON_REQUEST}'"
    " AND priced_at > now() - interval '30 days' THEN priced_at + interval '30 days' END"
)


def _blocks_sql(account: str) -> str:
    """An array of the accounts that have blocked the account of that id, or that it has blocked."""
    return f"""ARRAY(
        SELECT blocked_id FROM blocks WHERE owner_id = {account}
        UNION SELECT owner_id FROM blocks WHERE blocked_id = {account}
    )"""


def _one_sql(
    record: RecordKind, *, valid_until: str = "expires_at", blocks: str = "NULL::bigint[]"
) -> str:
    """A single ad: its record, how long it is so, and who has a block with its author."""
    return f"""
        SELECT ads.id, author_id, {current_status()} AS status,
            extract(epoch FROM {valid_until} - now())::float8 AS seconds, (
                SELECT row_to_json(ad)::text FROM (SELECT {members_sql(record)}) AS ad
            ) AS record, CASE WHEN {FALLEN_UNTIL} IS NOT NULL THEN price_before END AS price_before,
            {blocks} AS blocks
        FROM ads JOIN users ON users.id = author_id
        WHERE ads.id = ANY($1::bigint[])
    """


EXTENDED = _one_sql(RecordKind.EXTENDED, blocks=_blocks_sql("author_id"))
CONCEALED = _one_sql(RecordKind.CONCEALED)
DETAILS = _one_sql(RecordKind.DETAILS, valid_until=f"least(expires_at, {FALLEN_UNTIL})")
OWN = _one_sql(RecordKind.OWN)
# An account that has published, sold and bought nothing keeps its name to itself.
IS_SELLER = f"""(
    {NOT_SUSPENDED} AND (
        EXISTS (SELECT FROM ads WHERE author_id = users.id AND status <> '{AdStatus.DRAFT}')
        OR EXISTS (SELECT FROM deals WHERE users.id IN (buyer_id, seller_id))
    )
)"""
SELECT_SELLER = f"""
    SELECT {seller_sql("users")}::text AS record FROM users WHERE id = $1 AND {IS_SELLER}
"""
# As `schemas.export.AdEvent`, which does not name administrators.
SELECT_EVENTS = """
    SELECT coalesce(json_agg(step ORDER BY step.id), '[]') FROM (
        SELECT id, event, from_status AS "from", to_status AS "to",
            CASE WHEN actor_id = ads.author_id THEN 'author'
                WHEN actor_id IS NULL AND event IN ('expired', 'restored') THEN 'clock'
                WHEN event IN ('suspended', 'removed', 'restored') THEN 'moderator'
                ELSE 'administrator' END AS "by",
            (extract(epoch FROM at) * 1000)::bigint AS at
        FROM ad_events WHERE ad_id = ads.id
    ) AS step
"""
SELECT_EXPORT = f"""
    SELECT id, (
        SELECT row_to_json(ad)::text
        FROM (SELECT {members_sql(RecordKind.EXPORT)}, ({SELECT_EVENTS}) AS events) AS ad
    ) AS record
    FROM ads WHERE author_id = $1 AND id > $2 ORDER BY id LIMIT $3
"""

SELECT_ATTRIBUTE_NAMES = """
    SELECT DISTINCT jsonb_object_keys(attributes) AS name FROM ads WHERE author_id = $1 ORDER BY 1
"""


# Goes from one part to the next with an ad, however far apart their ids are.
SELECT_SITEMAP_PARTS = f"""
    WITH RECURSIVE parts AS (
        (SELECT (id - 1) / $1 AS part FROM ads WHERE {visible()} ORDER BY id LIMIT 1)
        UNION ALL
        SELECT (
            SELECT (id - 1) / $1 FROM ads
            WHERE id > (parts.part + 1) * $1 AND {visible()} ORDER BY id LIMIT 1
        ) FROM parts WHERE parts.part IS NOT NULL
    )
    SELECT part FROM parts WHERE part IS NOT NULL LIMIT $2
"""
# Arrays, because asyncpg makes an object for each row.
SELECT_SITEMAP_IDS = f"""
    SELECT array_agg(id ORDER BY id) AS ids, array_agg(day ORDER BY id) AS days,
        array_agg(title ORDER BY id) AS titles
    FROM (
        SELECT id, title, (updated_at AT TIME ZONE 'UTC')::date - DATE '1970-01-01' AS day
        FROM ads WHERE id > $1 AND id <= $2 AND {visible()} ORDER BY id LIMIT $3
    ) AS shown
"""


class ShownIds(NamedTuple):
    """Ids and titles of ads that everyone sees, and the days since 1970 on which each was last
    changed.
    """

    ids: Sequence[int]
    days: Sequence[int]
    titles: Sequence[str]


class OneAd(NamedTuple):
    author_id: int
    # The status now.
    status: AdStatus
    # Seconds until it expires, or its details change by themselves; None if they do not, or if only
    # its author and administrators see it.
    seconds: float | None
    # The record as JSON.
    record: str
    # What it cost before, if its price has fallen.
    price_before: int | None
    # Accounts that do not see the contact in it, as one has blocked the other.
    blocks: Sequence[int] = ()

    @property
    def is_shown(self) -> bool:
        """To everybody."""
        return self.status in SHOWN


def _one_ad(row: Row | None) -> OneAd | None:
    if row is None:
        return None
    status = AdStatus(row["status"])
    seconds = row["seconds"] if status in SHOWN else None
    return OneAd(
        row["author_id"], status, seconds, row["record"], row["price_before"], row["blocks"] or ()
    )


# By indexes alone: the ads are not read.
COUNT_BY_STATUS = f"""
    SELECT {current_status()} AS status, count(*) AS ads FROM ads
    WHERE author_id = $1 AND status IN ({SHOWN_SQL}) GROUP BY 1
    UNION ALL
    SELECT status, count(*) FROM ads WHERE author_id = $1 AND {IS_HIDDEN_SQL} GROUP BY 1
"""


async def page(
    db: Statements, ads: AdFilter, sort: Sort, limit: int, after: Key | None, bound: int
) -> Listing:
    """The ads that follow the key `after` in that order, at most `limit`.

    A key is `id` for orders by time, and `(value, id)` for the others. The same statement
    counts the matches, those of a filter up to `bound`.
    """
    # One more row than the page shows whether another page follows.
    sql, values = listing_sql(ads, sort, limit + 1, after, bound)
    [found] = await db.fetch(sql, *values, keep_plan=ads.only_author)
    order = order_of(ads, sort)
    records, next_key = found["record"] or (), None
    # Only its author's own list is made anew for each request.
    shown = limit if ads.statuses is None else fitting_records(records, limit)
    if len(records) > shown:
        next_key = order.key_of([found[name][shown - 1] for name in order.names])
    listing = Listing(
        (found["id"] or ())[:shown],
        records[:shown],
        next_key,
        found["total"],
        count_exact=True,
        valid_seconds=found["valid_seconds"],
    )
    exact = ads.only_author or ads.statuses is not None
    return listing if exact else listing.capped(bound)


async def administered(
    db: Statements, sought: Administered, limit: int, before: int | None
) -> Listing:
    """The newest ads with an id below `before`, whatever their status. They are not counted.

    With words a page may be short, and still have a next one.
    """
    parameters = Parameters()
    wanted = (
        ("id <", before),
        ("id =", sought.id),
        ("author_id =", sought.author),
        ("status =", sought.status),
    )
    conditions = [f"{left} {parameters.add(v)}" for left, v in wanted if v is not None]
    record = ADMINISTERED
    ads = f"FROM ads WHERE {' AND '.join(conditions) or 'TRUE'} ORDER BY id DESC"
    known = list(parameters.values)
    examined = EXAMINED if sought.words else limit + 1
    page = f"SELECT {columns_sql(record)} {ads} LIMIT {examined}"
    if sought.words:
        patterns = [f"%{WILD.sub(WILD_ESCAPED, word)}%" for word in sought.words]
        fits = [f"title ILIKE ALL ({parameters.add(patterns)}::text[])"]
        if sought.status is None:
            fits.append(f"status NOT IN ({SHOWN_SQL})")
        page = f"""
            SELECT * FROM ({page}) AS examined WHERE {" AND ".join(fits)}
            ORDER BY id DESC LIMIT {limit + 1}
        """
    sql = f"{record_sql(page, ('page.id',), record)} ORDER BY page.id DESC"
    rows = await db.fetch(sql, *parameters.values)
    found = rows[:limit]
    last = found[-1]["id"] if len(rows) > limit else None
    if last is None and sought.words:
        row = await db.fetchrow(f"SELECT id {ads} OFFSET {EXAMINED - 1} LIMIT 1", *known)
        last = row and row["id"]
    return Listing(
        [row["id"] for row in found],
        [row["record"] for row in found],
        None if last is None else [last],
        len(found),
        count_exact=False,
    )


async def count_by_status(db: Statements, author_id: int) -> dict[str, int]:
    """How many ads of that author have each status."""
    rows = await db.fetch(COUNT_BY_STATUS, author_id)
    counts = Counter[str]()
    for row in rows:
        # Shown ads that have expired are beside those that were marked as such.
        counts[row["status"]] += row["ads"]
    return counts


async def facets(db: Statements, ads: AdFilter, counted: FacetRequest, bound: int) -> Facets:
    """Counts of the newest matches, at most `bound`, without attributes: searches count those.

    Which attributes ads have depends on their category, and a filter by category is a search.
    """
    parameters = Parameters()
    found = page_sql(ads, Sort.NEWEST, bound + 1, None, parameters)
    [row] = await db.fetch(
        f"""
        WITH found AS MATERIALIZED ({found}),
            newest AS MATERIALIZED (SELECT * FROM found LIMIT {bound})
        SELECT (SELECT count(*) FROM found) > {bound} AS more,
            {counted.sql("newest", parameters)} AS counts
        """,
        *parameters.values,
    )
    return Facets.of_row(row, exact=not row["more"])


async def get_extended(db: Statements, ad_id: int, *, has_contact: bool) -> OneAd | None:
    """`schemas.ads.ExtendedAd` for callers other than the author, whatever its status."""
    sql = EXTENDED if has_contact else CONCEALED
    return _one_ad(await db.fetch_by_id(sql, ad_id))


async def get_own(db: Statements, ad_id: int) -> OneAd | None:
    """`schemas.ads.ExtendedAd` for its author: with the exact point."""
    return _one_ad(await db.fetch_by_id(OWN, ad_id))


async def get_details(db: Statements, ad_id: int) -> OneAd | None:
    """`schemas.ads.AdDetails`, whatever its status."""
    return _one_ad(await db.fetch_by_id(DETAILS, ad_id))


async def get_seller(db: Statements, user_id: int) -> str | None:
    """The JSON of `schemas.ads.Seller`; None if there is none, or it is suspended."""
    row = await db.fetchrow(SELECT_SELLER, user_id, keep_plan=True)
    return None if row is None else row["record"]


async def attribute_names(db: Statements, author_id: int) -> Sequence[str]:
    """Those that an ad of the author has, in the order of the alphabet."""
    rows = await db.fetch(SELECT_ATTRIBUTE_NAMES, author_id, keep_plan=True)
    return [row["name"] for row in rows]


async def shown_parts(db: Statements, size: int, most: int = 50_000) -> Sequence[int]:
    """The numbers of parts of `size` ids that have a shown ad; part 0 begins with id 1."""
    rows = await db.fetch(SELECT_SITEMAP_PARTS, size, most, keep_plan=True)
    return [row["part"] for row in rows]


async def shown_ids(db: Statements, after: int, last: int, limit: int) -> ShownIds:
    """Shown ids in order, at most `limit`, from above `after` up to `last`."""
    row = await db.fetchrow(SELECT_SITEMAP_IDS, after, last, limit, keep_plan=True)
    return ShownIds(*(column or () for column in row.values()) if row else ((), (), ()))
