"""Conversations and their messages as the parties see them.

A conversation is one row, which every change locks first. So the ids of its messages ascend in the
order in which they become visible, and serve as positions: of pages and of what was read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from adsvc.enums import AdStatus, MessageKind
from adsvc.errors import UnauthenticatedError
from adsvc.kit.db.statements import (
    BEYOND_ALL,
    MOST_LARGE_RECORDS,
    PAGE_BYTES,
    Paged,
    Row,
    Statements,
    page_of_records,
    paged,
)
from adsvc.repositories.accounts.callers import SELECT_CALLER, Caller
from adsvc.repositories.ads.projection import (
    MILLISECONDS,
    PATH,
    RecordKind,
    current_status,
    members_sql,
    visible,
)

PARTIES = (("buyer", "seller"), ("seller", "buyer"))

# A buyer sees what it wrote about for as long as the ad may be seen, and its end.
SEEN_BY_BUYER = ", ".join(
    f"'{status}'"
    for status in (AdStatus.ACTIVE, AdStatus.RESERVED, AdStatus.SOLD, AdStatus.EXPIRED)
)


def blocked_sql(one: str, other: str) -> str:
    """Whether one of these accounts has blocked the other."""
    return (
        f"EXISTS (SELECT FROM blocks WHERE owner_id = {one} AND blocked_id = {other}"
        f" OR owner_id = {other} AND blocked_id = {one})"
    )


def _ms(column: str) -> str:
    return MILLISECONDS.format(column)


# Whether the row of `offers` is open, marked or not.
IS_OPEN = "(offers.status = 'open' AND offers.expires_at > now())"


# Whether the receiver of the row of `offers` does not see it.
IS_HELD = f"""EXISTS (
    SELECT FROM messages AS made WHERE made.conversation_id = offers.conversation_id
        AND made.offer_id = offers.id AND made.kind = '{MessageKind.OFFER}' AND made.held
)"""


def offer_sql(where: str) -> str:
    """`schemas.conversations.Offer` in JSON, or null."""
    return f"""(
        SELECT row_to_json(record) FROM (
            SELECT offers.id, offers.price, offers.by, CASE WHEN offers.status = 'open'
                AND offers.expires_at <= now() THEN 'expired' ELSE offers.status END AS status,
                {_ms("offers.expires_at")} AS "expiresAt"
            FROM offers WHERE {where}
        ) AS record
    )"""


def message_sql(message: str, party: str) -> str:
    """What to select so that `row_to_json` makes `schemas.conversations.Message` for the party."""
    gone = f"{message}.removed AND {message}.by <> {party}"
    return f"""
        {message}.id, {message}.conversation_id AS conversation, {message}.by = {party} AS mine,
        {message}.kind, CASE WHEN {gone} THEN '' ELSE {message}.text END AS text,
        {offer_sql(f"offers.id = {message}.offer_id")} AS offer, {_ms(f"{message}.at")} AS at,
        CASE WHEN {gone} THEN '{{}}' ELSE {message}.hints END AS hints, {message}.removed
    """


def seen_by_sql(condition: str) -> str:
    """The conversations of account $1, with the columns of a party by whether it is its own.

    `condition` ends the query of each side; it has `{party}` for that side.
    """
    return " UNION ALL ".join(
        f"""(
            SELECT id, ad_id, title, created_at, '{party}' AS role, {party}_id AS own_id,
                {other}_id AS other_id, {party}_last AS last, {party}_unread AS unread,
                {party}_read AS own_read, {other}_read AS other_read
            FROM conversations WHERE {party}_id = $1 AND {party}_last IS NOT NULL
                {condition.format(party=party)}
        )"""
        for party, other in PARTIES
    )


# The open offer, unless it is the other party's and held.
SHOWN_OFFER = (
    f"offers.conversation_id = page.id AND {IS_OPEN} AND (offers.by = page.role OR NOT {IS_HELD})"
)
# `schemas.conversations.Conversation` of rows of `_seen_by`.
CONVERSATION = f"""
    SELECT page.id, (
            SELECT row_to_json(ad) FROM ads AS found
            CROSS JOIN LATERAL (SELECT {members_sql(RecordKind.AD, ads="found")}) AS ad
            WHERE found.id = page.ad_id
                AND (page.role = 'seller' OR {current_status("found")} IN ({SEEN_BY_BUYER}))
        ) AS ad, page.title, (
            SELECT row_to_json(party) FROM (
                SELECT users.id, first_name AS "firstName", {PATH.format("users.image")} AS image,
                    {_ms("users.created_at")} AS since
                FROM users WHERE users.id = page.other_id
            ) AS party
        ) AS other, page.role, (
            SELECT row_to_json(message) FROM (
                SELECT {message_sql("m", "page.role")} FROM messages AS m WHERE m.id = page.last
            ) AS message
        ) AS last, page.unread, CASE WHEN NOT {blocked_sql("page.own_id", "page.other_id")}
            THEN nullif(page.other_read, 0) END AS "readUpTo",
        {offer_sql(SHOWN_OFFER)} AS offer,
        {blocked_sql("page.own_id", "page.other_id")} AS blocked,
        (SELECT {_ms("m.at")} FROM messages AS m WHERE m.id = page.last) AS "updatedAt"
"""


def _of_caller(sql: str) -> str:
    """The rows of that query, which has the caller's account and session as parameters 1 and 2.

    There is no row for a caller who is not known any more, and one of nulls instead of none.
    """
    return f"SELECT found.* FROM ({SELECT_CALLER}) AS caller LEFT JOIN ({sql}) AS found ON TRUE"


SELECT_ONE = _of_caller(f"""
    SELECT row_to_json(conversation)::text AS record
    FROM ({seen_by_sql("AND id = $3")}) AS page CROSS JOIN LATERAL ({CONVERSATION}) AS conversation
""")


IS_PARTY = seen_by_sql("AND id = $2")
IS_RECEIVED = f"""
    SELECT by <> role AS received FROM ({IS_PARTY}) AS party
    JOIN messages ON messages.conversation_id = party.id
    WHERE messages.id = $3 AND kind = 'text' AND (by = role OR NOT (held OR removed))
"""


# The limit is in the text. With a parameter, a plan that is kept would be one for a tenth of all
# rows. PostgreSQL would plan each request by itself instead, which takes longer than the read.
@lru_cache(maxsize=100)
def _page_sql(rows: int, *, unread: bool, of_ad: bool) -> str:
    """Parameters: the caller's account and session, the last message of the last conversation
    before the page, and the ad.
    """
    condition = "AND NOT {party}_hidden AND {party}_last < $3"
    condition += " AND {party}_unread > 0" if unread else ""
    condition += " AND ad_id = $4" if of_ad else ""
    found = seen_by_sql(f"{condition} ORDER BY {{party}}_last DESC LIMIT {rows}")
    return (
        _of_caller(f"""
        SELECT page.last AS key, row_to_json(conversation)::text AS record
        FROM (SELECT * FROM ({found}) AS found ORDER BY last DESC LIMIT {rows}) AS page
        CROSS JOIN LATERAL ({CONVERSATION}) AS conversation
    """)
        + " ORDER BY key DESC"
    )


@lru_cache(maxsize=100)
def _messages_sql(rows: int) -> str:
    """Parameters: the caller's account and session, the conversation, and the message before the
    page. Rows are `schemas.conversations.Message`; `role` is null if the account is no party.
    """
    return _of_caller(f"""
    WITH party AS MATERIALIZED ({seen_by_sql("AND id = $3")}), page AS MATERIALIZED (
        SELECT newest.*, sum(octet_length(text)) OVER (ORDER BY id DESC) - octet_length(text)
            AS before
        FROM (
            SELECT m.*, party.role FROM party JOIN messages AS m ON m.conversation_id = party.id
            WHERE m.id < $4 AND (NOT m.held OR m.by = party.role) ORDER BY m.id DESC LIMIT {rows}
        ) AS newest
    )
    SELECT (SELECT role FROM party) AS role, array_agg(row_to_json(message)::text ORDER BY id DESC)
        AS records, array_agg(id ORDER BY id DESC) AS ids, (SELECT count(*) FROM page) AS found
    FROM (SELECT {message_sql("page", "page.role")} FROM page WHERE before <= {PAGE_BYTES})
        AS message
""")


# For the export: `role` is the account's, as in all rows of `seen_by_sql`.
SELECT_EXPORT = f"""
    SELECT id, row_to_json(conversation)::text AS record FROM (
        SELECT id, ad_id AS ad, title, role, {_ms("created_at")} AS "createdAt"
        FROM ({seen_by_sql("AND id > $2 ORDER BY id LIMIT $3")}) AS found ORDER BY id LIMIT $3
    ) AS conversation ORDER BY id
"""
EXPORTED_BLOCKS = f"""
    SELECT blocked_id AS id, row_to_json(record)::text AS record FROM blocks
    CROSS JOIN LATERAL (SELECT blocked_id AS "user", {_ms("created_at")} AS at) AS record
    WHERE owner_id = $1 AND blocked_id > $2 ORDER BY blocked_id LIMIT $3
"""
EXPORTED_CONTACTS = f"""
    SELECT ad_id AS id, row_to_json(record)::text AS record FROM contacts
    CROSS JOIN LATERAL (SELECT ad_id AS ad, {_ms("contacts.at")} AS at) AS record
    WHERE user_id = $1 AND ad_id > $2 ORDER BY ad_id LIMIT $3
"""
EXPORTED_MESSAGES = f"""
    SELECT conversation, id, row_to_json(message)::text AS record FROM (
        SELECT {message_sql("m", "found.role")}
        FROM ({seen_by_sql("AND id >= $2 ORDER BY id LIMIT $4 + 1")}) AS found
        JOIN messages AS m ON m.conversation_id = found.id AND (NOT m.held OR m.by = found.role)
            AND (m.conversation_id, m.id) > ($2, $3)
        ORDER BY m.conversation_id, m.id LIMIT $4
    ) AS message ORDER BY conversation, id
"""

COUNT_UNREAD = " UNION ALL ".join(
    f"SELECT coalesce(sum({party}_unread), 0) AS unread FROM conversations"
    f" WHERE {party}_id = $1 AND {party}_unread > 0 AND NOT {party}_hidden"
    for party, _ in PARTIES
)
COUNT_UNREAD = f"SELECT sum(unread)::bigint AS unread FROM ({COUNT_UNREAD}) AS both_sides"


# What the streams of an account send: of conversations that are not hidden, and of the other party
# nothing while one has blocked the other. Parameters: the account, an id, the limit.
SELECT_NEW_MESSAGES = f"""
    SELECT m.id, CASE WHEN m.offer_id IS NULL THEN 'message' ELSE 'offer' END AS name, (
        SELECT row_to_json(message)::text FROM (SELECT {message_sql("m", "found.role")}) AS message
    ) AS record
    FROM ({seen_by_sql("AND NOT {party}_hidden AND {party}_last > $2")}) AS found
    JOIN messages AS m ON m.conversation_id = found.id AND m.id > $2
        AND (NOT m.held OR m.by = found.role)
    WHERE m.by = found.role OR NOT {blocked_sql("found.own_id", "found.other_id")}
    ORDER BY m.id LIMIT $3
"""
# How far the other parties have read, of so many conversations. Parameter: the account.
FOLLOWED = 50
SELECT_READ_MARKERS = f"""
    SELECT id, other_read FROM (
        {seen_by_sql(f"AND NOT {{party}}_hidden ORDER BY {{party}}_last DESC LIMIT {FOLLOWED}")}
    ) AS newest WHERE NOT {blocked_sql("own_id", "other_id")} ORDER BY last DESC LIMIT {FOLLOWED}
"""
# What changes with each message, and each marker of either party. Parameter: accounts.
SELECT_POSITIONS = f"""
    SELECT account AS id, max(last) AS last, sum(unread) AS unread, sum(other_read) AS read
    FROM unnest($1::bigint[]) AS account LEFT JOIN LATERAL ({
    " UNION ALL ".join(
        f"SELECT {party}_last AS last, {party}_unread * (NOT {party}_hidden)::int AS unread,"
        f" {other}_read AS other_read FROM conversations WHERE {party}_id = account"
        for party, other in PARTIES
    )
}) AS own ON TRUE GROUP BY account
"""
# Far more than are written at the same moment. What comes later has a greater id than all others.
AT_ONCE = 200
SELECT_NEWEST = f"""
    WITH newest AS MATERIALIZED (SELECT * FROM messages ORDER BY id DESC LIMIT {AT_ONCE})
    SELECT coalesce((SELECT min(id) FROM newest), 1) - 1 AS before, ARRAY(
        SELECT m.id FROM newest AS m JOIN conversations AS c ON c.id = m.conversation_id
        WHERE $1 IN (c.buyer_id, c.seller_id) AND (NOT m.held OR m.author_id = $1)
        ORDER BY m.id DESC LIMIT $2
    ) AS ids
"""


@dataclass(frozen=True, slots=True)
class ConversationPage:
    # Each row as JSON.
    records: Sequence[str]
    # The key of the last one, if more follow.
    last: int | None


# What is not the account's is as what does not exist. Functions with a caller raise
# `UnauthenticatedError` for one who is not known any more.


async def get(db: Statements, caller: Caller, conversation_id: int) -> str | None:
    """`schemas.conversations.Conversation` in JSON."""
    [row] = await _rows(db, SELECT_ONE, caller, conversation_id)
    record: str | None = row["record"]
    return record


async def is_party(db: Statements, caller: Caller, conversation_id: int) -> bool:
    row = await db.fetchrow(IS_PARTY, caller.user_id, conversation_id, keep_plan=True)
    return row is not None


async def is_received(
    db: Statements, caller: Caller, conversation_id: int, message_id: int
) -> bool | None:
    """Whether the other party wrote it; None if the account sees no such text."""
    values = caller.user_id, conversation_id, message_id
    row = await db.fetchrow(IS_RECEIVED, *values, keep_plan=True)
    return None if row is None else bool(row["received"])


async def _rows(db: Statements, sql: str, caller: Caller, *values: int) -> Sequence[Row]:
    """At least one."""
    parameters = caller.user_id, caller.session_id, *values
    rows = await db.fetch(sql, *parameters, keep_plan=True)
    if not rows:
        raise UnauthenticatedError
    return rows


async def page(
    db: Statements,
    caller: Caller,
    limit: int,
    *,
    before: int | None,
    unread: bool,
    ad_id: int | None,
) -> ConversationPage:
    """Those that are not hidden, by their last message. A page has at most `PAGE_BYTES`."""
    values = [BEYOND_ALL if before is None else before]
    values += [] if ad_id is None else [ad_id]
    limit = min(limit, MOST_LARGE_RECORDS)
    sql = _page_sql(limit + 1, unread=unread, of_ad=ad_id is not None)
    found = await _rows(db, sql, caller, *values)
    rows = [row for row in found if row["key"] is not None]
    records, keys = [row["record"] for row in rows], [row["key"] for row in rows]
    return ConversationPage(*page_of_records(records, keys, limit))


async def messages(
    db: Statements, caller: Caller, conversation_id: int, limit: int, *, before: int | None
) -> ConversationPage | None:
    """The newest first; None if the account is no party."""
    key = BEYOND_ALL if before is None else before
    [row] = await _rows(db, _messages_sql(limit + 1), caller, conversation_id, key)
    if row["role"] is None:
        return None
    records, ids = row["records"] or (), row["ids"] or ()
    shown = min(limit, len(ids))
    return ConversationPage(records[:limit], ids[shown - 1] if row["found"] > shown else None)


async def exported_messages(
    db: Statements, user_id: int, limit: int, *, after: tuple[int, int]
) -> Sequence[tuple[int, int, str]]:
    """Messages of both parties: conversation, id and JSON, in this order."""
    rows = await db.fetch(EXPORTED_MESSAGES, user_id, *after, limit, keep_plan=True)
    return [(row["conversation"], row["id"], row["record"]) for row in rows]


async def news(
    db: Statements, user_id: int, limit: int, *, after: int
) -> Sequence[tuple[int, str, str]]:
    """Messages of both parties with an id above `after`, oldest first: id, kind and JSON.

    The kind is `offer` for what is about an offer, else `message`.
    """
    rows = await db.fetch(SELECT_NEW_MESSAGES, user_id, after, limit, keep_plan=True)
    return [(row["id"], row["name"], row["record"]) for row in rows]


async def read_by_others(db: Statements, user_id: int) -> dict[int, int]:
    """The last message that the other party has read, by conversation; 0 for none.

    Of the conversations with the newest messages.
    """
    rows = await db.fetch(SELECT_READ_MARKERS, user_id, keep_plan=True)
    return {row["id"]: row["other_read"] for row in rows}


async def positions(db: Statements, user_ids: Sequence[int]) -> Mapping[int, Row]:
    """By account what differs as soon as its messages or their markers do."""
    rows = await db.fetch(SELECT_POSITIONS, user_ids, keep_plan=True)
    return {row["id"]: row for row in rows}


async def newest_messages(db: Statements, user_id: int, limit: int) -> tuple[int, Sequence[int]]:
    """Ids of the account's newest messages, all above the id that comes first.

    A message that is committed later has a greater id than that one.
    """
    row = await db.fetchrow(SELECT_NEWEST, user_id, limit, keep_plan=True)
    return (0, ()) if row is None else (row["before"], row["ids"])


async def unread(db: Statements, user_id: int) -> int:
    """How many messages the account has not read, in conversations that are not hidden."""
    return int(await db.fetchval(COUNT_UNREAD, user_id, keep_plan=True))


# Blocks: accounts that others do not want to hear from.

# Whether account $1 has met account $2: they have a conversation that both see, or $1 sees an ad
# or a comment of $2.
MET = f"""(
    EXISTS (
        SELECT FROM conversations WHERE buyer_id = $1 AND seller_id = $2
            OR seller_id = $1 AND buyer_id = $2 AND seller_last IS NOT NULL
    ) OR EXISTS (SELECT FROM ads WHERE author_id = $2 AND {visible()}) OR EXISTS (
        SELECT FROM comments JOIN ads ON ads.id = ad_id
        WHERE comments.author_id = $2 AND ({visible()} OR ads.author_id = $1)
    )
)"""
ADD_BLOCK = f"""
    WITH found AS (
        SELECT id FROM users WHERE id = $2 AND (
            EXISTS (SELECT FROM blocks WHERE owner_id = $1 AND blocked_id = $2) OR {MET}
        )
    ), added AS (
        INSERT INTO blocks (owner_id, blocked_id)
        SELECT $1, id FROM found
        WHERE (SELECT count(*) FROM blocks WHERE owner_id = $1) < $3
        ON CONFLICT DO NOTHING RETURNING TRUE
    )
    SELECT EXISTS (SELECT FROM added)
        OR EXISTS (SELECT FROM blocks WHERE owner_id = $1 AND blocked_id = $2) AS blocked
    FROM found
"""


async def add_block(db: Statements, owner_id: int, blocked_id: int, most: int) -> bool | None:
    """False if the account has blocked so many; None if it has met no such account.

    Of one account, blocks are added one after another.
    """
    await db.fetch("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", owner_id)
    blocked: bool | None = await db.fetchval(ADD_BLOCK, owner_id, blocked_id, most)
    if blocked:
        await _note_block(db, owner_id, blocked_id)
    return blocked


async def remove_block(db: Statements, owner_id: int, blocked_id: int) -> None:
    sql = "DELETE FROM blocks WHERE owner_id = $1 AND blocked_id = $2"
    await db.fetch(sql, owner_id, blocked_id)
    await _note_block(db, owner_id, blocked_id)


async def _note_block(db: Statements, *accounts: int) -> None:
    """What others see of the ads of either account may have changed, in all processes."""
    await db.fetch("SELECT note_changes('user', ARRAY[$1::text, $2::text])", *map(str, accounts))


async def blocked_accounts(
    db: Statements, owner_id: int, limit: int, *, before: tuple[datetime, int] | None
) -> Paged[Row]:
    """Blocked accounts, the latest first, behind the one that was blocked then."""
    limit = min(limit, MOST_LARGE_RECORDS)
    sql = """
        SELECT users.id, first_name, image, blocks.created_at AS at
        FROM blocks JOIN users ON users.id = blocked_id
        WHERE owner_id = $1
            AND ($2::timestamptz IS NULL OR (blocks.created_at, users.id) < ($2, $3::bigint))
        ORDER BY blocks.created_at DESC, users.id DESC LIMIT $4
    """
    return paged(await db.fetch(sql, owner_id, *(before or (None, None)), limit + 1), limit)
