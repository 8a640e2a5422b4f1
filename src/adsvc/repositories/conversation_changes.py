"""What changes a conversation: a message, a marker, and that a party hides it."""

from collections.abc import Sequence

from adsvc import errors
from adsvc.enums import AdvisoryLock, MessageKind, Notice
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.records import Written
from adsvc.repositories.accounts.callers import SELECT_CALLER, Caller
from adsvc.repositories.ads.projection import (
    MILLISECONDS,
    current_status,
    version_sql,
    visible,
    written_of,
)
from adsvc.repositories.conversations import (
    PARTIES,
    blocked_sql,
    message_sql,
)

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
TOUCH_CONVERSATION = f"""
    UPDATE conversations SET updated_at = made.at, {TOUCHED}
    FROM made WHERE conversations.id = made.conversation_id
"""


# For the sale of an ad to an account that has talked about it: its conversation, the deal, and the
# notice, unless one has blocked the other. The account is locked before the conversation, as by its
# deletion.
SELECT_BUYER = """
    SELECT c.id, c.buyer_id FROM before JOIN conversations AS c ON c.ad_id = before.id
    JOIN users ON users.id = c.buyer_id
    WHERE c.buyer_id = {needed}::bigint AND c.seller_last IS NOT NULL
    FOR KEY SHARE OF users FOR NO KEY UPDATE OF c
"""
DEAL_AND_NOTICE = f"""dealt AS (
        INSERT INTO deals (ad_id, title, price, buyer_id, seller_id)
        SELECT changed.id, title, price, buyer_id, author_id FROM needed, changed
    ), made AS (
        INSERT INTO messages (conversation_id, author_id, by, kind, text)
        SELECT needed.id, changed.author_id, 'seller', '{MessageKind.NOTICE}', '{Notice.SOLD}'
        FROM needed, changed WHERE NOT {blocked_sql("changed.author_id", "needed.buyer_id")}
        RETURNING messages.*
    ), noticed AS ({TOUCH_CONVERSATION.replace("updated_at", "sold_at = now(), updated_at", 1)}
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
# Parameters: the caller's account and session, the conversation, the text, its hints, the digest of
# what is compared, and whether it is held whatever that says. A held message opens a case unless
# there is one that waits, about its text.
INSERT_MESSAGE = f"""
    WITH caller AS ({SELECT_CALLER}), found AS MATERIALIZED (
        SELECT c.id, c.ad_id, c.title, CASE caller.id WHEN c.buyer_id THEN 'buyer' ELSE 'seller' END
            AS role, CASE caller.id WHEN c.buyer_id THEN c.seller_id ELSE c.buyer_id END AS other_id
        FROM conversations AS c JOIN caller ON caller.id = c.buyer_id
            OR caller.id = c.seller_id AND c.seller_last IS NOT NULL
        WHERE c.id = $3 FOR NO KEY UPDATE OF c
    ), made AS (
        INSERT INTO messages (conversation_id, author_id, by, text, hints, digest, held)
        SELECT found.id, caller.id, found.role, $4::text, $5::text[], CASE
            WHEN found.role = 'buyer' AND NOT $7::boolean AND (
                SELECT created_at > now() - interval '{YOUNG}' FROM users WHERE id = caller.id
            ) THEN $6::bytea END, $7
        FROM found, caller
        WHERE found.other_id IS NOT NULL AND NOT {blocked_sql("caller.id", "found.other_id")}
        RETURNING messages.*
    ), touched AS ({TOUCH_CONVERSATION}), held AS (
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


async def send(
    db: Statements,
    caller: Caller,
    conversation_id: int,
    text: str,
    hints: Sequence[str],
    digest: bytes,
    *,
    is_held: bool,
) -> Written:
    """`schemas.conversations.Message`, or the error that says why it was not sent."""
    values = caller.user_id, caller.session_id, conversation_id, text, list(hints), digest, is_held
    row = await db.fetchrow(INSERT_MESSAGE, *values)
    if row is None:
        raise errors.UnauthenticatedError
    if row["id"] is None:
        raise errors.ConversationNotFoundError
    if row["other_id"] is None:
        raise errors.ConversationClosedError
    written = written_of(row)
    if written is None:
        raise errors.BlockedError
    return written


async def about(db: Statements, ad_id: int, user_id: int) -> Row | None:
    """The ad's author and status, and the account's conversation about it."""
    sql = f"""
        SELECT ads.author_id, {visible()} AS is_shown, {current_status()} AS status, (
            SELECT id FROM conversations WHERE ad_id = ads.id AND buyer_id = $2
        ) AS conversation_id FROM ads WHERE ads.id = $1
    """
    return await db.fetchrow(sql, ad_id, user_id)


async def lock(db: Statements, lock: AdvisoryLock, user_id: int) -> None:
    """`CONVERSATIONS`: of one account, conversations are begun one after another. `RECEIVERS`:
    with one account, conversations of strangers are.
    """
    await db.fetch(
        f"SELECT pg_advisory_xact_lock({int(lock)}, ($1::bigint % 2147483647)::int)", user_id
    )


async def age(db: Statements, user_id: int) -> float | None:
    """How many seconds ago the account was created; None if it is gone."""
    sql = "SELECT extract(epoch FROM now() - created_at)::float8 FROM users WHERE id = $1"
    seconds: float | None = await db.fetchval(sql, user_id)
    return seconds


# In how many seconds the account's conversation number $2, from the newest, is a day old.
SELECT_WAIT = """
    SELECT ceil(extract(epoch FROM created_at + interval '24 hours' - now()))::int
    FROM conversations WHERE buyer_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1
"""
# The same of the conversations with account $1 that strangers have begun. What an account has begun
# that is deleted by now counts too.
SELECT_WAIT_OF_RECEIVER = f"""
    SELECT ceil(extract(epoch FROM c.created_at + interval '24 hours' - now()))::int
    FROM conversations AS c LEFT JOIN users ON users.id = c.buyer_id
    WHERE c.seller_id = $1 AND c.created_at > now() - interval '24 hours'
        AND (c.buyer_id IS NULL OR users.created_at > c.created_at - interval '{YOUNG}')
    ORDER BY c.id DESC OFFSET $2 LIMIT 1
"""
# Parameters: the conversation, the account, the last message that it has read.
LOCK_MARKER = """
    SELECT CASE $2::bigint WHEN buyer_id THEN 'buyer' ELSE 'seller' END AS role,
        CASE $2::bigint WHEN buyer_id THEN greatest(buyer_read, least($3::bigint, buyer_last))
            ELSE greatest(seller_read, least($3::bigint, seller_last)) END AS read
    FROM conversations WHERE id = $1 AND $2::bigint IN (buyer_id, seller_id) FOR NO KEY UPDATE
"""
COUNT_UNREAD = """
    SELECT count(*)::int FROM messages
    WHERE conversation_id = $1 AND id > $2 AND by <> $3 AND NOT held
"""
MARK_READ = """
    UPDATE conversations SET {party}_read = $2, {party}_unread = $3::int,
        {party}_mail_due = CASE WHEN $3::int > 0 THEN {party}_mail_due END
    WHERE id = $1
"""
READ_NOTIFICATIONS = """
    UPDATE notifications SET read = TRUE
    WHERE conversation_id = $1 AND NOT read AND user_id = $2
"""
# Written down once an ad and account.
READ_PHONE = f"""
    WITH found AS (
        SELECT ads.id, author_id, users.phone, {blocked_sql("users.id", "$2::bigint")} AS blocked
        FROM ads JOIN users ON users.id = author_id WHERE ads.id = $1
    ), noted AS (
        INSERT INTO contacts (ad_id, user_id)
        SELECT id, $2::bigint FROM found WHERE phone <> '' AND NOT blocked
        ON CONFLICT DO NOTHING RETURNING TRUE
    )
    SELECT author_id, phone, blocked, EXISTS (SELECT FROM noted) AS is_first FROM found
"""


async def wait(db: Statements, user_id: int, most: int) -> int:
    """For how many seconds the account, which may begin so many in a day, begins no more."""
    return max(0, await db.fetchval(SELECT_WAIT, user_id, most - 1) or 0)


async def wait_of_receiver(db: Statements, user_id: int, most: int) -> int:
    """For how many seconds no stranger begins a conversation with the account.

    `most` is how many strangers may in a day.
    """
    return max(0, await db.fetchval(SELECT_WAIT_OF_RECEIVER, user_id, most - 1) or 0)


async def begin(db: Statements, ad_id: int, user_id: int) -> int | None:
    """The conversation, new or not; None if the ad is not shown any more."""
    sql = f"""
        INSERT INTO conversations (ad_id, title, buyer_id, seller_id)
        SELECT id, title, $2, author_id FROM ads WHERE id = $1 AND {visible()}
        ON CONFLICT (ad_id, buyer_id) DO UPDATE SET title = conversations.title RETURNING id
    """
    conversation_id: int | None = await db.fetchval(sql, ad_id, user_id)
    return conversation_id


async def read_phone(db: Statements, ad_id: int, user_id: int) -> Row | None:
    """The ad's author and their phone number, whether one has blocked the other, and whether this
    is the account's first read.
    """
    return await db.fetchrow(READ_PHONE, ad_id, user_id)


async def mark_read(db: Statements, user_id: int, conversation_id: int, up_to: int) -> None:
    """Once all is read, its notifications are read too."""
    marker = await db.fetchrow(LOCK_MARKER, conversation_id, user_id, up_to)
    if marker is None:
        return
    read, party = marker["read"], marker["role"]
    # By a statement of its own, which sees all that are there by now.
    unread = await db.fetchval(COUNT_UNREAD, conversation_id, read, party)
    await db.fetch(MARK_READ.format(party=party), conversation_id, read, unread)
    if unread == 0:
        await db.fetch(READ_NOTIFICATIONS, conversation_id, user_id)


async def hide(db: Statements, user_id: int, conversation_id: int) -> None:
    for party, _ in PARTIES:
        sql = f"""
            UPDATE conversations SET {party}_hidden = TRUE, {party}_mail_due = NULL
            WHERE id = $1 AND {party}_id = $2
        """
        await db.fetch(sql, conversation_id, user_id)
