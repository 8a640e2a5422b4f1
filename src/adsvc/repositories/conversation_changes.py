"""What changes a conversation: a message, a marker, and that a party hides it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Statements
from adsvc.enums import AdvisoryLock, MessageKind, Notice
from adsvc.repositories.accounts.callers import CALLER, Caller
from adsvc.repositories.ads.projection import (
    MILLISECONDS,
    current_status,
    version_sql,
    visible,
    written_of,
)
from adsvc.repositories.blocks import blocked_sql
from adsvc.repositories.conversations import (
    PARTIES,
    message_sql,
)
from adsvc.versions import Written

# What a new message of the row `made` changes in its conversation: for the other party only if it
# is not held. A mail is due two minutes after the first message that is not read, or that shows a
# hidden conversation again: who hides it gets no mail about what is in it.
MAIL_AFTER = "2 minutes"
TOUCHED = ", ".join(
    f"""
        {party}_last = CASE WHEN {{seen}} THEN made.id ELSE {party}_last END,
        {party}_hidden = {party}_hidden AND NOT {{seen}},
        {party}_unread = {party}_unread + ({{seen}} AND made.by <> '{party}')::int,
        {party}_mail_due = CASE
            WHEN {{seen}} AND made.by <> '{party}' AND ({party}_unread = 0 OR {party}_hidden)
            THEN now() + interval '{MAIL_AFTER}' ELSE {party}_mail_due END
    """.format(seen=f"(NOT made.held OR made.by = '{party}')")
    for party, _ in PARTIES
)
TOUCH = f"""
    UPDATE conversations SET updated_at = made.at, {TOUCHED}
    FROM made WHERE conversations.id = made.conversation_id
"""


# For the sale of an ad to an account that has talked about it: its conversation, and the notice,
# unless one has blocked the other.
BOUGHT = """
    SELECT c.id, c.buyer_id FROM before JOIN conversations AS c ON c.ad_id = before.id
    WHERE c.buyer_id = {needed}::bigint AND c.seller_last IS NOT NULL FOR NO KEY UPDATE OF c
"""
NOTICE_OF_SALE = f"""made AS (
        INSERT INTO messages (conversation_id, author_id, by, kind, text)
        SELECT needed.id, changed.author_id, 'seller', '{MessageKind.NOTICE}', '{Notice.SOLD}'
        FROM needed, changed WHERE NOT {blocked_sql("changed.author_id", "needed.buyer_id")}
        RETURNING messages.*
    ), noticed AS ({TOUCH.replace("updated_at", "sold_at = now(), updated_at", 1)}
    ), unnoticed AS (
        UPDATE conversations SET sold_at = now() FROM needed, changed
        WHERE conversations.id = needed.id AND NOT EXISTS (SELECT FROM made)
    )
"""


def message_content(message: str) -> str:
    """What moderators see of the reported message of that name: it, and the ten before it."""
    return f"""jsonb_build_object('text', {message}.text, 'messages', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', before.id, 'by', before.by, 'kind', before.kind, 'text', before.text,
            'at', {MILLISECONDS.format("before.at")}
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
# of what is compared. A held message opens a case unless there is one that waits, about its text.
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
            SELECT FROM messages AS known JOIN cases AS waiting
                ON waiting.kind = 'message' AND waiting.target_id = known.id
            WHERE known.author_id = made.author_id AND known.digest = made.digest AND known.held
                AND waiting.status <> 'decided'
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

    def __init__(self, writer: Statements) -> None:
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
LOCK = "SELECT pg_advisory_xact_lock({}, ($1::bigint % 2147483647)::int)"
LOCK_BUYER = LOCK.format(int(AdvisoryLock.CONVERSATIONS))
LOCK_RECEIVER = LOCK.format(int(AdvisoryLock.RECEIVERS))
# How many seconds ago the account was created.
AGE = "SELECT extract(epoch FROM now() - created_at)::float8 FROM users WHERE id = $1"
# In how many seconds the account's conversation number $2, from the newest, is a day old.
WAIT = """
    SELECT ceil(extract(epoch FROM created_at + interval '24 hours' - now()))::int
    FROM conversations WHERE buyer_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1
"""
# The same of the conversations with account $1 that strangers have begun. What an account has begun
# that is deleted by now counts too.
WAIT_OF_RECEIVER = f"""
    SELECT ceil(extract(epoch FROM c.created_at + interval '24 hours' - now()))::int
    FROM conversations AS c LEFT JOIN users ON users.id = c.buyer_id
    WHERE c.seller_id = $1 AND c.created_at > now() - interval '24 hours'
        AND (c.buyer_id IS NULL OR users.created_at > c.created_at - interval '{YOUNG}')
    ORDER BY c.id DESC OFFSET $2 LIMIT 1
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
    RETURNING moved.unread
"""
READ_NOTIFICATIONS = """
    UPDATE notifications SET read = TRUE
    WHERE conversation_id = $2 AND NOT read AND user_id = $1
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


async def delete_old_conversations(writer: Statements, days: int) -> int:
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

    def __init__(self, session: DatabaseSession) -> None:
        self._statements = session

    @property
    def messages(self) -> MessageWriter:
        return MessageWriter(self._statements)

    async def about(self, ad_id: int, user_id: int) -> Mapping[str, Any] | None:
        """The ad's author and status, and the account's conversation about it."""
        return await self._statements.fetchrow(ABOUT, ad_id, user_id)

    async def lock_account(self, user_id: int) -> None:
        """Of one account, conversations are begun one after another."""
        await self._statements.fetch(LOCK_BUYER, user_id)

    async def age(self, user_id: int) -> float | None:
        """In seconds; None if the account is gone."""
        age: float | None = await self._statements.fetchval(AGE, user_id)
        return age

    async def wait(self, user_id: int, most: int) -> int:
        """For how many seconds the account, which may begin so many in a day, begins no more."""
        return max(0, await self._statements.fetchval(WAIT, user_id, most - 1) or 0)

    async def lock_receiver(self, user_id: int) -> None:
        """Of one account, conversations of strangers are begun one after another."""
        await self._statements.fetch(LOCK_RECEIVER, user_id)

    async def wait_of_receiver(self, user_id: int, most: int) -> int:
        """For how many seconds no stranger begins a conversation with the account.

        `most` is how many strangers may in a day.
        """
        return max(0, await self._statements.fetchval(WAIT_OF_RECEIVER, user_id, most - 1) or 0)

    async def begin(self, ad_id: int, user_id: int) -> int | None:
        """The conversation, new or not; None if the ad is not shown any more."""
        found: int | None = await self._statements.fetchval(BEGIN, ad_id, user_id)
        return found

    async def read_phone(self, ad_id: int, user_id: int) -> Mapping[str, Any] | None:
        """The phone number of the ad's author, and whether one has blocked the other."""
        return await self._statements.fetchrow(READ_PHONE, ad_id, user_id)

    async def mark_read(self, user_id: int, conversation_id: int, up_to: int) -> None:
        """Once all is read, its notifications are read too."""
        # The messages are counted by a statement that sees all that are there by now.
        await self._statements.fetch(LOCK_ONE, conversation_id)
        if await self._statements.fetchval(READ, user_id, conversation_id, up_to) == 0:
            await self._statements.fetch(READ_NOTIFICATIONS, user_id, conversation_id)

    async def hide(self, user_id: int, conversation_id: int) -> None:
        await self._statements.fetch(HIDE, user_id, conversation_id)
