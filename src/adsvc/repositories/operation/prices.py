"""Conversion of all prices that the database has, when the smallest unit of prices changes."""

from collections.abc import Iterator, Sequence

from adsvc.enums import EventType, NotificationType
from adsvc.kit.db.statements import Row, Statements
from adsvc.limits import LARGEST_PRICE

# Columns that are numbers, by table.
PRICED = {
    "ads": ("price", "price_before"),
    "changed_ads": ("price",),
    "deals": ("price",),
    "favorites": ("price",),
    "offers": ("price",),
    "price_changes": ("price",),
    "saved_queries": ("min_price", "max_price"),
}
# Triggers that would see changes of the price.
TRIGGERS = ("keep_changed", "keep_price_before", "tell_ads_update")
CHANGED = f"= '{EventType.AD_PRICE_CHANGED}'"
DROPPED = f"= '{NotificationType.PRICE_DROPPED}'"
OFFERED = f"= '{EventType.OFFER_MADE}'"
SPAN = ("from", "to")
# Columns of JSON: the table, the column, its member that has the prices, if it is not the column
# itself, the names of the prices, and which rows have them.
RECORDED = (
    ("cases", "snapshot", "", ("price",), "TRUE"),
    ("reports", "snapshot", "", ("price",), "snapshot IS NOT NULL"),
    ("import_rows", "sent", "", ("price",), "sent IS NOT NULL"),
    ("deleted_rows", "content", "", ("price", "price_before"), "TRUE"),
    ("deleted_rows", "content", "snapshot", ("price",), "TRUE"),
    ("deleted_rows", "content", "data", SPAN, f"content->>'type' {DROPPED}"),
    ("events", "data", "", ("price",), f"type {OFFERED}"),
    ("changes", "data", "", ("price",), f"type {OFFERED}"),
    ("events", "data", "", SPAN, f"type {CHANGED}"),
    ("changes", "data", "", SPAN, f"type {CHANGED}"),
    ("fan_outs", "data", "", SPAN, f"type {DROPPED}"),
    ("notifications", "data", "", SPAN, f"type {DROPPED}"),
    ("outbox", "payload", "data", SPAN, f"payload->>'type' {DROPPED}"),
    ("digested_notices", "payload", "data", SPAN, f"payload->>'type' {DROPPED}"),
    ("push_messages", "payload", "data", SPAN, f"payload->>'type' {DROPPED}"),
)
# The canonical queries have the bounds too. Where two become the same query, both stay.
QUERIES = """
    UPDATE saved_queries SET keyed_at = '-infinity', query = regexp_replace(
        regexp_replace(query, '(^|&)minPrice=\\d+', concat('\\1minPrice=', min_price)),
        '(^|&)maxPrice=\\d+', concat('\\1maxPrice=', max_price)
    ), digest = sha256(convert_to(concat('old ', id), 'UTF8'))
    WHERE min_price IS NOT NULL OR max_price IS NOT NULL
"""
DIGESTS = """
    UPDATE saved_queries SET digest = sha256(convert_to(
        concat(saved_queries.query, CASE WHEN nth > 1 THEN concat(' ', numbered.id) END), 'UTF8'
    )) FROM (
        SELECT id, row_number() OVER (PARTITION BY query ORDER BY id) AS nth FROM saved_queries
    ) AS numbered
    WHERE numbered.id = saved_queries.id AND (min_price IS NOT NULL OR max_price IS NOT NULL)
"""


def _converted(price: str, power: int) -> str:
    """The price times ten to that power; half of a unit is rounded up."""
    factor = 10 ** abs(power)
    if power < 0:
        return f"({price}::bigint + {factor // 2}) / {factor}"
    return (
        f"CASE WHEN {price}::bigint > {LARGEST_PRICE // factor} THEN {LARGEST_PRICE}"
        f" ELSE {price}::bigint * {factor} END"
    )


async def has_ads(db: Statements) -> bool:
    """Others cannot add one until the end of the transaction. Deleted ones can be restored."""
    await db.fetch("LOCK TABLE ads IN SHARE ROW EXCLUSIVE MODE")
    found = await db.fetch(
        "SELECT 1 WHERE EXISTS (SELECT FROM ads)"
        " OR EXISTS (SELECT FROM deleted_rows WHERE place = 'ads')"
    )
    return bool(found)


async def survey(db: Statements, power: int) -> Sequence[Row]:
    """By column: prices, those that would be rounded, and those that would be too large."""
    rounded, most = 10 ** max(-power, 0), LARGEST_PRICE // 10 ** max(power, 0)
    counts = (
        f"SELECT '{table}.{name}' AS name, count({name}) AS prices,"  # noqa: S608 - no input
        f" count(*) FILTER (WHERE {name} % {rounded} <> 0) AS rounded,"
        f" count(*) FILTER (WHERE {name} > {most}) AS too_large FROM {table}"
        for table, names in PRICED.items()
        for name in names
    )
    return await db.fetch(" UNION ALL ".join(counts), keep_plan=False)


async def convert(db: Statements, power: int) -> None:
    """In all tables. Locks ads against changes until the end of the transaction."""
    for sql in (_switch("DISABLE"), *_updates(power), QUERIES, DIGESTS, _switch("ENABLE")):
        await db.fetch(sql, keep_plan=False)


def _switch(state: str) -> str:
    return f"ALTER TABLE ads {', '.join(f'{state} TRIGGER {name}' for name in TRIGGERS)}"


def _updates(power: int) -> Iterator[str]:
    for table, names in PRICED.items():
        changes = ", ".join(f"{name} = {_converted(name, power)}" for name in names)
        yield f"UPDATE {table} SET {changes}"  # noqa: S608 - no input
    for table, column, member, names, rows in RECORDED:
        value = f"{column}->'{member}'" if member else column
        changed = f"""({value}) || (
            SELECT coalesce(jsonb_object_agg(key, {_converted("value", power)}), '{{}}')
            FROM jsonb_each_text({value})
            WHERE key = ANY ('{{{",".join(names)}}}') AND value ~ '^[0-9]{{1,10}}$'
        )"""  # noqa: S608 - no input
        if member:
            changed = f"jsonb_set({column}, '{{{member}}}', {changed})"
        yield f"""
            UPDATE {table} SET {column} = {changed}
            WHERE {rows} AND jsonb_typeof({value}) = 'object'
        """  # noqa: S608 - no input
