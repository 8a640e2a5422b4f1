"""Conversations and messages: pages, and the statements that send and read.

A conversation is one row, which every change locks first. So the ids of its messages ascend in the
order in which they become visible, and serve as positions: of pages and of what was read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.engine import Statements
from adsvc.db.pools import Reader, RowWriter, Writer
from adsvc.enums import AdStatus, AdvisoryLock
from adsvc.repositories.accounts.callers import CALLER, Caller
from adsvc.repositories.ads.projection import (
    MILLISECONDS,
    PATH,
    RecordKind,
    current_status,
    members_sql,
    version_sql,
    visible,
    written_of,
)
from adsvc.repositories.blocks import blocked_sql
from adsvc.repositories.paging import BEYOND_ALL
from adsvc.versions import Written

PARTIES = (("buyer", "seller"), ("seller", "buyer"))

# A page ends before its limit if its texts have more bytes than this.
PAGE_BYTES = 128 * 1024

# A buyer sees what it wrote about for as long as the ad may be seen, and its end.
SEEN_BY_BUYER = ", ".join(
    f"'{status}'"
    for status in (AdStatus.ACTIVE, AdStatus.RESERVED, AdStatus.SOLD, AdStatus.EXPIRED)
)


def _ms(column: str) -> str:
    return MILLISECONDS.format(column)


# Whether the row of `offers` is open, marked or not.
IS_OPEN = "(offers.status = 'open' AND offers.expires_at > now())"


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
    return f"""
        {message}.id, {message}.conversation_id AS conversation, {message}.by = {party} AS mine,
        {message}.kind, {message}.text, {offer_sql(f"offers.id = {message}.offer_id")} AS offer,
        {_ms(f"{message}.at")} AS at, {message}.hints
    """


def seen_by_sql(condition: str) -> str:
    """The conversations of account $1, with the columns of a party by whether it is its own.

    `condition` ends the query of each side; it has `{party}` for that side.
    """
    return " UNION ALL ".join(
        f"""(
            SELECT id, ad_id, title, created_at, '{party}' AS role, {party}_id AS own_id,
                {other}_id AS other_id, {party}_last AS last, {party}_unread AS unread,
                {other}_read AS other_read
            FROM conversations WHERE {party}_id = $1 AND {party}_last IS NOT NULL
                {condition.format(party=party)}
        )"""
        for party, other in PARTIES
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
        ) AS last, page.unread, nullif(page.other_read, 0) AS "readUpTo",
        {offer_sql(f"offers.conversation_id = page.id AND {IS_OPEN}")} AS offer,
        {blocked_sql("page.own_id", "page.other_id")} AS blocked,
        (SELECT {_ms("m.at")} FROM messages AS m WHERE m.id = page.last) AS "updatedAt"
"""
ONE = f"""
    SELECT row_to_json(conversation)::text AS record
    FROM ({seen_by_sql("AND id = $2")}) AS page CROSS JOIN LATERAL ({CONVERSATION}) AS conversation
"""


IS_PARTY = seen_by_sql("AND id = $2")
IS_RECEIVED = f"""
    SELECT by <> role AS received FROM ({IS_PARTY}) AS party
    JOIN messages ON messages.conversation_id = party.id
    WHERE messages.id = $3 AND kind = 'text' AND (NOT held OR by = role)
"""


def _page_sql(*, unread: bool, of_ad: bool) -> str:
    """Parameters: the account, the last message of the last conversation before the page, the
    limit, and the ad.
    """
    condition = "AND NOT {party}_hidden AND {party}_last < $2"
    condition += " AND {party}_unread > 0" if unread else ""
    condition += " AND ad_id = $4" if of_ad else ""
    rows = seen_by_sql(f"{condition} ORDER BY {{party}}_last DESC LIMIT $3")
    return f"""
        SELECT page.last AS key, row_to_json(conversation)::text AS record
        FROM (SELECT * FROM ({rows}) AS found ORDER BY last DESC LIMIT $3) AS page
        CROSS JOIN LATERAL ({CONVERSATION}) AS conversation ORDER BY page.last DESC
    """


PAGES = {
    (unread, of_ad): _page_sql(unread=unread, of_ad=of_ad)
    for unread in (False, True)
    for of_ad in (False, True)
}

# Rows are `schemas.conversations.Message`; `role` is null if the account is no party.
MESSAGES = f"""
    WITH party AS MATERIALIZED ({seen_by_sql("AND id = $2")}), page AS MATERIALIZED (
        SELECT newest.*, sum(octet_length(text)) OVER (ORDER BY id DESC) - octet_length(text)
            AS before
        FROM (
            SELECT m.*, party.role FROM party JOIN messages AS m ON m.conversation_id = party.id
            WHERE m.id < $3 AND (NOT m.held OR m.by = party.role) ORDER BY m.id DESC LIMIT $4
        ) AS newest
    )
    SELECT (SELECT role FROM party) AS role, array_agg(row_to_json(message)::text ORDER BY id DESC)
        AS records, array_agg(id ORDER BY id DESC) AS ids, (SELECT count(*) FROM page) AS found
    FROM (SELECT {message_sql("page", "page.role")} FROM page WHERE before <= {PAGE_BYTES})
        AS message
"""

# For the export: `role` is the account's, as in all rows of `seen_by_sql`.
EXPORTED = f"""
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

UNREAD = " UNION ALL ".join(
    f"SELECT coalesce(sum({party}_unread), 0) AS unread FROM conversations"
    f" WHERE {party}_id = $1 AND {party}_unread > 0 AND NOT {party}_hidden"
    for party, _ in PARTIES
)
UNREAD = f"SELECT sum(unread)::bigint AS unread FROM ({UNREAD}) AS both_sides"


@dataclass(frozen=True, slots=True)
class Page:
    # Each row as JSON.
    records: Sequence[str]
    # The key of the last one, if more follow.
    last: int | None


class ConversationRepository:
    """Reads. What is not the account's is as what does not exist."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def get(self, user_id: int, conversation_id: int) -> str | None:
        """`schemas.conversations.Conversation` in JSON."""
        row = await self._reader.fetchrow(ONE, user_id, conversation_id, keep_plan=True)
        return None if row is None else row["record"]

    async def is_party(self, caller: Caller, conversation_id: int) -> bool:
        row = await self._reader.fetchrow(IS_PARTY, caller.user_id, conversation_id, keep_plan=True)
        return row is not None

    async def is_received(
        self, caller: Caller, conversation_id: int, message_id: int
    ) -> bool | None:
        """Whether the other party wrote it; None if the account sees no such text."""
        values = caller.user_id, conversation_id, message_id
        row = await self._reader.fetchrow(IS_RECEIVED, *values, keep_plan=True)
        return None if row is None else bool(row["received"])

    async def page(
        self, user_id: int, limit: int, *, before: int | None, unread: bool, ad_id: int | None
    ) -> Page:
        """Those that are not hidden, by their last message."""
        values = [user_id, BEYOND_ALL if before is None else before, limit + 1]
        values += [] if ad_id is None else [ad_id]
        sql = PAGES[unread, ad_id is not None]
        rows = await self._reader.fetch(sql, *values, keep_plan=True)
        shown = rows[:limit]
        last = shown[-1]["key"] if len(rows) > limit else None
        return Page([row["record"] for row in shown], last)

    async def messages(
        self, user_id: int, conversation_id: int, limit: int, *, before: int | None
    ) -> Page | None:
        """The newest first; None if the account is no party."""
        key = BEYOND_ALL if before is None else before
        values = user_id, conversation_id, key, limit + 1
        row = await self._reader.fetchrow(MESSAGES, *values, keep_plan=True)
        if row is None or row["role"] is None:
            return None
        records, ids = row["records"] or (), row["ids"] or ()
        shown = min(limit, len(ids))
        return Page(records[:limit], ids[shown - 1] if row["found"] > shown else None)

    async def exported(self, user_id: int, limit: int, *, after: int) -> Sequence[tuple[int, str]]:
        """The conversations with an id above `after`, each as its id and its JSON."""
        rows = await self._reader.fetch(EXPORTED, user_id, after, limit, keep_plan=True)
        return [(row["id"], row["record"]) for row in rows]

    async def exported_blocks(
        self, user_id: int, limit: int, *, after: int
    ) -> Sequence[tuple[int, str]]:
        rows = await self._reader.fetch(EXPORTED_BLOCKS, user_id, after, limit, keep_plan=True)
        return [(row["id"], row["record"]) for row in rows]

    async def exported_contacts(
        self, user_id: int, limit: int, *, after: int
    ) -> Sequence[tuple[int, str]]:
        rows = await self._reader.fetch(EXPORTED_CONTACTS, user_id, after, limit, keep_plan=True)
        return [(row["id"], row["record"]) for row in rows]

    async def exported_messages(
        self, user_id: int, limit: int, *, after: tuple[int, int]
    ) -> Sequence[tuple[int, int, str]]:
        """Messages of both parties: conversation, id and JSON, in this order."""
        rows = await self._reader.fetch(EXPORTED_MESSAGES, user_id, *after, limit, keep_plan=True)
        return [(row["conversation"], row["id"], row["record"]) for row in rows]

    async def unread(self, user_id: int) -> int:
        """How many messages the account has not read, in conversations that are not hidden."""
        row = await self._reader.fetchrow(UNREAD, user_id, keep_plan=True)
        return 0 if row is None else int(row["unread"])


# What a new message of the row `made` changes in its conversation: for the other party only if it
# is not held. A mail is due two minutes after the first message that is not read.
MAIL_AFTER = "2 minutes"
TOUCHED = ", ".join(
    f"""
        {party}_last = CASE WHEN {{seen}} THEN made.id ELSE {party}_last END,
        {party}_hidden = {party}_hidden AND NOT {{seen}},
        {party}_unread = {party}_unread + ({{seen}} AND made.by <> '{party}')::int,
        {party}_mail_due = CASE WHEN {{seen}} AND made.by <> '{party}' AND {party}_unread = 0
            THEN now() + interval '{MAIL_AFTER}' ELSE {party}_mail_due END
    """.format(seen=f"(NOT made.held OR made.by = '{party}')")
    for party, _ in PARTIES
)
TOUCH = f"""
    UPDATE conversations SET updated_at = made.at, {TOUCHED}
    FROM made WHERE conversations.id = made.conversation_id
"""


def message_content(message: str) -> str:
    """What moderators see of the reported message of that name: it, and the ten before it."""
    return f"""jsonb_build_object('text', {message}.text, 'messages', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', before.id, 'by', before.by, 'kind', before.kind, 'text', before.text,
            'at', {_ms("before.at")}
        ) ORDER BY before.id), '[]') FROM (
            SELECT id, by, kind, text, at FROM messages AS earlier
            WHERE earlier.conversation_id = {message}.conversation_id
                AND earlier.id < {message}.id AND NOT earlier.held
            ORDER BY id DESC LIMIT 10
        ) AS before
    ))"""


# Texts of accounts that are younger than this are compared.
YOUNG = "7 days"
# Parameters: the caller's account and session, the conversation, the text, its hints and the digest
# of what is compared. The first held message with a text opens a case.
SEND = f"""
    WITH caller AS ({CALLER}), found AS MATERIALIZED (
        SELECT c.id, c.ad_id, c.title, CASE caller.id WHEN c.buyer_id THEN 'buyer' ELSE 'seller' END
            AS role, CASE caller.id WHEN c.buyer_id THEN c.seller_id ELSE c.buyer_id END AS other_id
        FROM conversations AS c JOIN caller ON caller.id = c.buyer_id
            OR caller.id = c.seller_id AND c.seller_last IS NOT NULL
        WHERE c.id = $3 FOR NO KEY UPDATE OF c
    ), made AS (
        INSERT INTO messages (conversation_id, author_id, by, text, hints, digest)
        SELECT found.id, caller.id, found.role, $4::text, $5::text[], CASE
            WHEN found.role = 'buyer' AND (
                SELECT created_at > now() - interval '{YOUNG}' FROM users WHERE id = caller.id
            ) THEN $6::bytea END
        FROM found, caller
        WHERE found.other_id IS NOT NULL AND NOT {blocked_sql("caller.id", "found.other_id")}
        RETURNING messages.*
    ), touched AS ({TOUCH}), held AS (
        INSERT INTO cases (kind, target_id, ad_id, author_id, snapshot)
        SELECT 'message', made.id, found.ad_id, made.author_id, {message_content("made")}
        FROM made, found WHERE made.held AND NOT EXISTS (
            SELECT FROM messages
            WHERE author_id = made.author_id AND digest = made.digest AND messages.held
        )
    ), written AS MATERIALIZED (
        SELECT row_to_json(message)::text AS record
        FROM (SELECT {message_sql("made", "made.by")} FROM made) AS message
    )
    SELECT found.id, found.other_id, (SELECT record FROM written),
        (SELECT {version_sql("record")} FROM written) AS version
    FROM caller LEFT JOIN found ON TRUE
"""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """What became of a message."""

    # False if the account is gone or suspended, or its session has ended.
    is_known: bool
    # Whether there is such a conversation of the account.
    is_party: bool = False
    # Whether the account of the other party was deleted.
    is_closed: bool = False
    # `schemas.conversations.Message`; None if it was not sent.
    written: Written | None = None


class MessageWriter:
    """Sends messages, by one statement outside of any transaction or in one."""

    def __init__(self, writer: RowWriter | Statements) -> None:
        self._writer = writer

    async def send(
        self, caller: Caller, conversation_id: int, text: str, hints: Sequence[str], digest: bytes
    ) -> SentMessage:
        values = caller.user_id, caller.session_id, conversation_id, text, list(hints), digest
        row = await self._writer.fetchrow(SEND, *values)
        if row is None:
            return SentMessage(is_known=False)
        if row["id"] is None:
            return SentMessage(is_known=True)
        return SentMessage(True, True, row["other_id"] is None, written_of(row))  # noqa: FBT003


# The ad as the account would write about it, and the account's conversation about it.
ABOUT = f"""
    SELECT ads.author_id, {visible()} AS is_shown, {current_status()} AS status, (
        SELECT id FROM conversations WHERE ad_id = ads.id AND buyer_id = $2
    ) AS conversation_id FROM ads WHERE ads.id = $1
"""
# Until the transaction ends, no other one begins a conversation of the account.
LOCK = f"SELECT pg_advisory_xact_lock({AdvisoryLock.CONVERSATIONS}, ($1::bigint % 2147483647)::int)"
# How many seconds ago the account was created.
AGE = "SELECT extract(epoch FROM now() - created_at)::float8 FROM users WHERE id = $1"
# In how many seconds the account's conversation number $2, from the newest, is a day old.
WAIT = """
    SELECT ceil(extract(epoch FROM created_at + interval '24 hours' - now()))::int
    FROM conversations WHERE buyer_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1
"""
BEGIN = f"""
    INSERT INTO conversations (ad_id, title, buyer_id, seller_id)
    SELECT id, title, $2, author_id FROM ads WHERE id = $1 AND {visible()}
    ON CONFLICT (ad_id, buyer_id) DO UPDATE SET title = conversations.title RETURNING id
"""
LOCK_ONE = "SELECT id FROM conversations WHERE id = $1 FOR NO KEY UPDATE"
MARK_READ = ", ".join(
    f"""
    {party}_read = CASE {party}_id WHEN $1::bigint THEN moved.read ELSE {party}_read END,
    {party}_unread = CASE {party}_id WHEN $1::bigint THEN moved.unread ELSE {party}_unread END,
    {party}_mail_due = CASE WHEN {party}_id = $1::bigint AND moved.unread = 0 THEN NULL
        ELSE {party}_mail_due END
    """
    for party, _ in PARTIES
)
READ = f"""
    WITH marker AS (
        SELECT id, role, greatest(before, least($3::bigint, last)) AS read FROM (
            SELECT c.id, CASE $1::bigint WHEN buyer_id THEN 'buyer' ELSE 'seller' END AS role,
                CASE $1::bigint WHEN buyer_id THEN buyer_read ELSE seller_read END AS before,
                CASE $1::bigint WHEN buyer_id THEN buyer_last ELSE seller_last END AS last
            FROM conversations AS c WHERE c.id = $2 AND $1::bigint IN (c.buyer_id, c.seller_id)
        ) AS own
    ), moved AS (
        SELECT *, (
            SELECT count(*) FROM messages
            WHERE conversation_id = marker.id AND messages.id > marker.read
                AND by <> marker.role AND NOT held
        )::int AS unread FROM marker
    )
    UPDATE conversations SET {MARK_READ} FROM moved WHERE conversations.id = moved.id
"""
HIDE = """
    UPDATE conversations SET
        buyer_hidden = buyer_hidden OR $1::bigint IS NOT DISTINCT FROM buyer_id,
        seller_hidden = seller_hidden OR $1::bigint IS NOT DISTINCT FROM seller_id,
        buyer_mail_due = CASE buyer_id WHEN $1::bigint THEN NULL ELSE buyer_mail_due END,
        seller_mail_due = CASE seller_id WHEN $1::bigint THEN NULL ELSE seller_mail_due END
    WHERE id = $2 AND $1::bigint IN (buyer_id, seller_id)
"""


OLD = """
    WITH old AS (
        (SELECT id FROM conversations WHERE updated_at < now() - make_interval(days => $1)
            ORDER BY updated_at LIMIT 100)
        UNION
        (SELECT id FROM conversations WHERE buyer_id IS NULL AND seller_id IS NULL
            ORDER BY id LIMIT 100)
    ), gone AS (
        DELETE FROM conversations USING old WHERE conversations.id = old.id RETURNING TRUE
    )
    SELECT count(*)::int AS done FROM gone
"""


async def delete_old_conversations(writer: Writer, days: int) -> int:
    """Deletes some whose last message is older, and some without parties. Returns their number."""
    row = await writer.fetchrow(OLD, days)
    return 0 if row is None else int(row["done"])


# Written down once an ad and account.
READ_PHONE = f"""
    WITH found AS (
        SELECT ads.id, users.phone, {blocked_sql("users.id", "$2::bigint")} AS blocked
        FROM ads JOIN users ON users.id = author_id WHERE ads.id = $1
    ), noted AS (
        INSERT INTO contacts (ad_id, user_id)
        SELECT id, $2::bigint FROM found WHERE phone <> '' AND NOT blocked
        ON CONFLICT DO NOTHING
    )
    SELECT phone, blocked FROM found
"""


class ConversationChangeRepository:
    """Changes, in a transaction."""

    def __init__(self, session: AsyncSession) -> None:
        self._statements = Statements(session)

    @property
    def messages(self) -> MessageWriter:
        return MessageWriter(self._statements)

    async def about(self, ad_id: int, user_id: int) -> Mapping[str, Any] | None:
        """The ad's author and status, and the account's conversation about it."""
        return await self._statements.fetchrow(ABOUT, ad_id, user_id)

    async def lock_account(self, user_id: int) -> None:
        """Of one account, conversations are begun one after another."""
        await self._statements.fetch(LOCK, user_id)

    async def age(self, user_id: int) -> float | None:
        """In seconds; None if the account is gone."""
        age: float | None = await self._statements.fetchval(AGE, user_id)
        return age

    async def wait(self, user_id: int, most: int) -> int:
        """For how many seconds the account, which may begin so many in a day, begins no more."""
        return max(0, await self._statements.fetchval(WAIT, user_id, most - 1) or 0)

    async def begin(self, ad_id: int, user_id: int) -> int | None:
        """The conversation, new or not; None if the ad is not shown any more."""
        found: int | None = await self._statements.fetchval(BEGIN, ad_id, user_id)
        return found

    async def read_phone(self, ad_id: int, user_id: int) -> Mapping[str, Any] | None:
        """The phone number of the ad's author, and whether one has blocked the other."""
        return await self._statements.fetchrow(READ_PHONE, ad_id, user_id)

    async def mark_read(self, user_id: int, conversation_id: int, up_to: int) -> None:
        # The messages are counted by a statement that sees all that are there by now.
        await self._statements.fetch(LOCK_ONE, conversation_id)
        await self._statements.fetch(READ, user_id, conversation_id, up_to)

    async def hide(self, user_id: int, conversation_id: int) -> None:
        await self._statements.fetch(HIDE, user_id, conversation_id)
