"""Decisions, and what they change: ads, comments, messages, ratings and accounts.

The caller of a function that changes something has locked the thing, and then its case.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adsvc.enums import AdStatus, DecisionAction
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Row, Statements, paged
from adsvc.models.ads import SHOWN_SQL
from adsvc.repositories.accounts import users
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.conversation_changes import MAIL_AFTER
from adsvc.schemas.console import DecideAds
from adsvc.schemas.moderation import Expulsion, MakeDecision, Statement

APPEAL_DAYS = 180

# Decisions that restrict an account or what it published, and can be undone.
RESTRICTIONS = (
    DecisionAction.SUSPEND_AD,
    DecisionAction.REMOVE_AD,
    DecisionAction.REMOVE_COMMENT,
    DecisionAction.REMOVE_MESSAGE,
    DecisionAction.REMOVE_RATING,
    DecisionAction.SUSPEND_ACCOUNT,
)

ABOUT_ADS = (DecisionAction.SUSPEND_AD, DecisionAction.REMOVE_AD)
# Decisions of the same case that end when one of this kind is made, beside dismissals.
REPLACED = {action: (action,) for action in RESTRICTIONS} | {
    DecisionAction.DISMISS: RESTRICTIONS,
    DecisionAction.SUSPEND_AD: ABOUT_ADS,
    DecisionAction.REMOVE_AD: ABOUT_ADS,
}

APPEALABLE = f"""(
    decisions.action IN ({", ".join(f"'{action}'" for action in RESTRICTIONS)})
    AND ended_at IS NULL AND appealed_at IS NULL AND NOT final
    AND at > now() - interval '{APPEAL_DAYS} days'
)"""

SELECT_DECISIONS = f"""
    SELECT decisions.id, at, action, ground, reference, explanation, until, undoes_id, actor_id,
        user_id, case_id, ad_id, appealed_at, appeal, final,
        ended_at IS NULL AS not_ended,
        ended_at IS NULL AND (until IS NULL OR until > now()) AS holds,
        CASE WHEN cases.id IS NULL OR action = 'suspendAccount' THEN 'account' ELSE kind END
            AS kind,
        CASE WHEN cases.id IS NULL OR action = 'suspendAccount' THEN user_id ELSE target_id END
            AS target_id,
        left(coalesce(snapshot->>'title', snapshot->>'text'), 150) AS excerpt,
        CASE WHEN {APPEALABLE} THEN at + interval '{APPEAL_DAYS} days' END AS appeal_until
    FROM decisions LEFT JOIN cases ON cases.id = case_id
"""

# Dismissed reports do not concern the author, unless the dismissal ended a restriction.
SELECT_DECISIONS_ON = f"""
    {SELECT_DECISIONS} WHERE user_id = $1
    AND (action <> 'dismiss' OR decisions.undoes_id IS NOT NULL) AND NOT EXISTS (
        SELECT FROM decisions AS undone
        WHERE undone.id = decisions.undoes_id AND undone.action = 'dismiss'
    )
"""


@dataclass(frozen=True, slots=True)
class Reasons:
    """A decision and its reasons."""

    action: DecisionAction
    ground: str | None = None
    reference: str = ""
    explanation: str = ""
    # The days of an account's suspension; None means without end.
    days: int | None = None

    @classmethod
    def of(
        cls,
        action: str,
        sent: MakeDecision | DecideAds | Statement | Expulsion,
        days: int | None = None,
    ) -> "Reasons":
        explanation = sent.explanation or ""
        return cls(DecisionAction(action), sent.ground, sent.reference, explanation, days)

    @property
    def values(self) -> tuple[object, ...]:
        return self.action.value, self.ground, self.reference, self.explanation, self.days


class Subject(NamedTuple):
    """What a decision is about."""

    # None if the account was deleted.
    user_id: int | None
    # None for a decision about an account without a report.
    case_id: int | None = None
    # The decision that it undoes.
    undoes_id: int | None = None


async def get(db: Statements, decision_id: int) -> Row | None:
    return await db.fetchrow(f"{SELECT_DECISIONS} WHERE decisions.id = $1", decision_id)


async def of_case(db: Statements, case_id: int) -> Sequence[Row]:
    """The newest first."""
    sql = f"{SELECT_DECISIONS} WHERE case_id = $1 ORDER BY decisions.id DESC"
    return await db.fetch(sql, case_id)


async def of_user(
    db: Statements, user_id: int, limit: int, *, before: int | None = None
) -> Paged[Row]:
    """The restrictions of that account and their ends, newest first."""
    sql = f"{SELECT_DECISIONS_ON} AND decisions.id < $2 ORDER BY decisions.id DESC LIMIT $3"
    before = BEYOND_ALL if before is None else before
    return paged(await db.fetch(sql, user_id, before, limit + 1), limit)


async def of_user_after(db: Statements, user_id: int, limit: int, *, after: int) -> Sequence[Row]:
    """The same with ids above `after`, oldest first."""
    sql = f"{SELECT_DECISIONS_ON} AND decisions.id > $2 ORDER BY decisions.id LIMIT $3"
    return await db.fetch(sql, user_id, after, limit)


async def was_appealed(db: Statements, case_id: int, actor_id: int) -> bool:
    """Whether there was an appeal against that account's decision about the case."""
    sql = """
        SELECT TRUE FROM decisions WHERE case_id = $1 AND actor_id = $2 AND appealed_at IS NOT NULL
    """
    return await db.fetchrow(sql, case_id, actor_id) is not None


# The end of a suspension: NULL without `days`.
UNTIL = "now() + make_interval(days => {days}::int)"
# A suspension for the same reasons is a repetition if it moves the end by no more than this.
REPEATED_WITHIN = "interval '1 hour'"
# Parameters: the actor, the account, then the `Reasons`.
SELECT_REPEATED = f"""
    SELECT TRUE FROM decisions
    WHERE user_id = $2 AND actor_id = $1 AND case_id IS NULL
        AND action = $3 AND ended_at IS NULL AND (until IS NULL OR until > now())
        AND ground = $4 AND reference = $5 AND explanation = $6
        AND coalesce({UNTIL.format(days="$7")}, 'infinity') BETWEEN coalesce(until, 'infinity')
            AND coalesce(until, 'infinity') + {REPEATED_WITHIN}
"""


async def repeats(db: Statements, user_id: int, actor_id: int, reasons: Reasons) -> bool:
    """Whether a decision of that actor with the same reasons is in force."""
    return await db.fetchrow(SELECT_REPEATED, actor_id, user_id, *reasons.values) is not None


INSERT_DECISIONS = f"""
    INSERT INTO decisions (user_id, case_id, undoes_id, actor_id, action, ground, reference,
        explanation, until, final)
    SELECT user_id, case_id, undoes_id, $4::bigint, $5::text, $6::text, $7::text, $8::text,
        {UNTIL.format(days="$9")}, $10::bool
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS subject (user_id, case_id, undoes_id)
    RETURNING id
"""


async def add(
    db: Statements,
    actor_id: int,
    reasons: Reasons,
    subjects: Collection[Subject],
    *,
    final: bool = False,
) -> Sequence[Row]:
    """Makes the same decision about each subject. `final` excludes appeals against them."""
    columns = zip(*subjects, strict=True)
    added = await db.fetch(INSERT_DECISIONS, *columns, actor_id, *reasons.values, final)
    ids = [row["id"] for row in added]
    return await db.fetch(f"{SELECT_DECISIONS} WHERE decisions.id = ANY ($1::bigint[])", ids)


END_DECISIONS = """
    UPDATE decisions SET ended_at = now() WHERE ended_at IS NULL AND {which}
    RETURNING id, user_id, case_id, action,
        until IS NULL OR until > now() OR appealed_at IS NOT NULL AS mattered
"""


async def end(db: Statements, decision_ids: Collection[int]) -> Sequence[Row]:
    return await db.fetch(END_DECISIONS.format(which="id = ANY ($1::bigint[])"), [*decision_ids])


async def end_replaced(
    db: Statements, case_ids: Collection[int], action: DecisionAction
) -> Sequence[Row]:
    """Ends the decisions that one of this kind replaces. `mattered` says whether one was in force,
    or the author had appealed against it.
    """
    sql = END_DECISIONS.format(which="case_id = ANY ($1::bigint[]) AND action = ANY ($2::text[])")
    replaced = [DecisionAction.DISMISS.value, *(each.value for each in REPLACED[action])]
    return await db.fetch(sql, [*case_ids], replaced)


async def end_suspensions(db: Statements, user_id: int) -> Sequence[Row]:
    return await db.fetch(
        END_DECISIONS.format(which="user_id = $1 AND action = 'suspendAccount'"), user_id
    )


async def appeal(db: Statements, decision_id: int, user_id: int, words: str) -> bool:
    """Adds the appeal, for which its case waits. False if none is possible."""
    sql = f"""
        UPDATE decisions SET appealed_at = now(), appeal = $3
        WHERE id = $1 AND user_id = $2 AND {APPEALABLE} RETURNING case_id
    """
    appealed = await db.fetchrow(sql, decision_id, user_id, words)
    if appealed is None:
        return False
    sql = "UPDATE cases SET status = 'appealed', changed_at = now() WHERE id = $1"
    await db.fetch(sql, appealed["case_id"])
    return True


# The column `hidden_from` is the status that an ad had before it was hidden, and gets again; it
# stays hidden while its author is suspended. `which` has the parameters from $2 on.
CHANGE_ADS = """
    WITH before AS (
        SELECT id, status FROM ads WHERE {which}
    ), changed AS (
        UPDATE ads SET {change} FROM before WHERE ads.id = before.id
        RETURNING ads.id, author_id, title, before.status AS was, ads.status
    ), history AS (
        INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
        SELECT id, $1::bigint, CASE WHEN status IN ('suspended', 'removed')
            THEN status ELSE 'restored' END, was, status
        FROM changed WHERE was <> status
    )
    SELECT id, author_id, title, status FROM changed
"""
HIDE_ADS = CHANGE_ADS.format(
    which="id = ANY ($2::bigint[]) AND {which}",
    change="""status = $3, hidden_from = coalesce(hidden_from, before.status),
        hidden_with_author = false""",
)
SHOW_ADS = CHANGE_ADS.format(
    which="id = ANY ($2::bigint[]) AND hidden_from IS NOT NULL AND NOT hidden_with_author",
    change="status = hidden_from, hidden_from = NULL",
)
# Locked in the order of other statements. An ad that many reports have hidden is from now on hidden
# with its author, if its case was decided and no decision about the ad is in force.
HIDE_ADS_OF = CHANGE_ADS.format(
    which=f"""author_id = $2 AND (status IN ({SHOWN_SQL}) OR (
            status = 'suspended' AND NOT hidden_with_author AND NOT EXISTS (
                SELECT FROM cases LEFT JOIN decisions ON case_id = cases.id
                    AND action IN ('suspendAd', 'removeAd') AND ended_at IS NULL
                WHERE kind = 'ad' AND target_id = ads.id
                    AND (cases.status = 'open' OR decisions.id IS NOT NULL)
            )
        )) ORDER BY id LIMIT $3::bigint FOR NO KEY UPDATE""",
    change="""status = 'suspended', hidden_from = coalesce(hidden_from, before.status),
        hidden_with_author = true""",
)
SHOW_ADS_OF = CHANGE_ADS.format(
    which="""author_id = $2 AND hidden_with_author
        ORDER BY id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED""",
    change="status = hidden_from, hidden_from = NULL, hidden_with_author = false",
)


async def hide_ads(
    db: Statements,
    ad_ids: Collection[int],
    status: AdStatus,
    *,
    actor_id: int | None,
    only_visible: bool = False,
) -> Sequence[Row]:
    """Returns the ads that it has hidden."""
    sql = HIDE_ADS.format(which=visible() if only_visible else "TRUE")
    return await db.fetch(sql, actor_id, [*ad_ids], status.value)


async def show_ads(db: Statements, ad_ids: Collection[int], *, actor_id: int) -> Sequence[Row]:
    """Gives the ads the status that they had. Returns those that are no longer hidden."""
    rows = await db.fetch(SHOW_ADS, actor_id, [*ad_ids])
    return [row for row in rows if row["status"] not in (AdStatus.SUSPENDED, AdStatus.REMOVED)]


async def hide_ads_of(db: Statements, user_id: int, actor_id: int, limit: int | None = None) -> int:
    """Returns how many ads it has hidden."""
    return len(await db.fetch(HIDE_ADS_OF, actor_id, user_id, limit))


async def show_ads_of(db: Statements, user_id: int, limit: int) -> int:
    """Shows ads again after the suspension. Returns how many.

    Ads that other transactions have locked are skipped.
    """
    return len(await db.fetch(SHOW_ADS_OF, None, user_id, limit))


COMMENT = "id, ad_id, author_id, text, created_at, updated_at"
MOVE_COMMENTS = f"""
    WITH gone AS (DELETE FROM {{source}} WHERE {{which}} RETURNING {COMMENT})
    INSERT INTO {{target}} ({COMMENT}) SELECT {COMMENT} FROM gone
"""


async def remove_comment(db: Statements, comment_id: int) -> None:
    sql = MOVE_COMMENTS.format(source="comments", target="removed_comments", which="id = $1")
    await db.fetch(sql, comment_id)


async def restore_comment(db: Statements, comment_id: int) -> None:
    sql = MOVE_COMMENTS.format(source="removed_comments", target="comments", which="id = $1")
    await db.fetch(sql, comment_id)


# The message, and those with the same text of the same author.
LOCK_SAME_TEXT = """
    SELECT id, held FROM messages WHERE id IN (
        SELECT $1
        UNION ALL
        SELECT alike.id FROM messages AS target JOIN messages AS alike
            ON alike.author_id = target.author_id AND alike.digest = target.digest
        WHERE target.id = $1
    ) FOR NO KEY UPDATE
"""
# Offers that are held because of these messages alone.
LOCK_HELD_OFFERS = """
    SELECT id FROM messages WHERE held AND offer_id IS NOT NULL AND EXISTS (
        SELECT FROM messages AS text WHERE text.id = ANY ($1::bigint[])
            AND text.conversation_id = messages.conversation_id
            AND text.author_id = messages.author_id
    ) AND NOT EXISTS (
        SELECT FROM messages AS other WHERE other.conversation_id = messages.conversation_id
            AND other.author_id = messages.author_id AND other.held AND other.offer_id IS NULL
            AND NOT other.removed AND other.id <> ALL ($1::bigint[])
    ) FOR NO KEY UPDATE
"""
# A text that is compared no more is counted anew. $2 are those that are shown again.
RELEASE_MESSAGES = """
    UPDATE messages SET held = false, digest = NULL,
        removed = removed AND id <> ALL ($2::bigint[])
    WHERE id = ANY ($1::bigint[])
"""
# A mail is due as after any other message (`conversation_changes.TOUCHED`).
COUNT_RELEASED = f"""
    UPDATE conversations SET seller_last = greatest(seller_last, fresh.last),
        seller_unread = seller_unread + fresh.messages, seller_hidden = false,
        seller_mail_due = CASE WHEN seller_mail_due IS NULL
            AND (seller_unread = 0 OR seller_hidden) THEN now() + interval '{MAIL_AFTER}'
            ELSE seller_mail_due END
    FROM (
        SELECT conversation_id, max(id) AS last, count(*)::int AS messages
        FROM messages WHERE id = ANY ($1::bigint[]) GROUP BY conversation_id
    ) AS fresh
    WHERE conversations.id = fresh.conversation_id
"""


async def remove_rating(db: Statements, rating_id: int) -> None:
    await db.fetch("UPDATE ratings SET removed = true WHERE id = $1", rating_id)


async def restore_rating(db: Statements, rating_id: int) -> None:
    """While its author is suspended it stays hidden."""
    sql = f"""
        UPDATE ratings SET removed = false WHERE id = $1 AND (
            author_id IS NULL OR author_id IN (SELECT id FROM users WHERE {NOT_SUSPENDED})
        )
    """
    await db.fetch(sql, rating_id)


async def remove_message(db: Statements, message_id: int) -> None:
    """With those of the same text that are held: the case is about them all."""
    same = await db.fetch(LOCK_SAME_TEXT, message_id)
    ids = [row["id"] for row in same if row["held"] or row["id"] == message_id]
    await db.fetch("UPDATE messages SET removed = true WHERE id = ANY ($1::bigint[])", ids)


async def release_messages(db: Statements, message_id: int) -> None:
    """Shows the message again, and delivers what is held because of the same text."""
    same = await db.fetch(LOCK_SAME_TEXT, message_id)
    ids = [row["id"] for row in same]
    held = [row["id"] for row in same if row["held"]]
    held += [row["id"] for row in await db.fetch(LOCK_HELD_OFFERS, ids)]
    await db.fetch(RELEASE_MESSAGES, [*ids, *held], [message_id, *held])
    await db.fetch(COUNT_RELEASED, held)


# The suspension ends with the last decision in force.
SYNC_SUSPENSION = """
    UPDATE users SET suspended_until = coalesce(
        (
            SELECT max(coalesce(until, 'infinity')) FROM decisions
            WHERE user_id = users.id AND action = 'suspendAccount' AND ended_at IS NULL
                AND (until IS NULL OR until > now())
        ),
        least(suspended_until, date_trunc('milliseconds', now()))
    )
    WHERE id = $1
"""
# A deletion of an ad locks it before its comments.
LOCK_ADS_OF_COMMENTS = """
    SELECT FROM ads WHERE id IN (SELECT ad_id FROM {table} WHERE author_id = $1)
    ORDER BY id FOR KEY SHARE
"""
# What a decision of its own has removed.
IS_DECIDED = """EXISTS (
    SELECT FROM cases JOIN decisions ON case_id = cases.id
    WHERE kind = '{kind}' AND target_id = {table}.id
        AND action IN ('removeComment', 'removeMessage', 'removeRating') AND ended_at IS NULL
)"""
COMMENT_IS_DECIDED = IS_DECIDED.format(kind="comment", table="removed_comments")
# Messages that are held have the text of a removed one.
RESTORE_MESSAGES = f"""
    UPDATE messages SET removed = false WHERE author_id = $1 AND removed AND NOT held
        AND NOT {IS_DECIDED.format(kind="message", table="messages")}
"""
# Everyone sees the average of what others have said.
HIDE_RATINGS = "UPDATE ratings SET removed = true WHERE author_id = $1 AND NOT removed"
SHOW_RATINGS = f"""
    UPDATE ratings SET removed = false WHERE author_id = $1 AND removed
        AND NOT {IS_DECIDED.format(kind="rating", table="ratings")}
"""


async def begin_suspension(db: Statements, user_id: int, actor_id: int) -> Sequence[int]:
    """Begins a suspension after its decision, and hides the account's ads and the ratings that it
    gave. Its reports no longer count. Account and ads are locked.

    Returns the ids of the sessions that ended.
    """
    await db.fetch(SYNC_SUSPENSION, user_id)
    sessions = await db.fetch("DELETE FROM sessions WHERE user_id = $1 RETURNING id", user_id)
    await hide_ads_of(db, user_id, actor_id)
    await db.fetch(HIDE_RATINGS, user_id)
    sql = """
        UPDATE reports SET counts = false WHERE reporter_id = $1 AND counts RETURNING case_id
    """
    cases = [row["case_id"] for row in await db.fetch(sql, user_id)]
    sql = "SELECT FROM cases WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"
    await db.fetch(sql, cases)
    await db.fetch("UPDATE cases SET reports = reports - 1 WHERE id = ANY ($1::bigint[])", cases)
    return [row["id"] for row in sessions]


async def end_suspension(db: Statements, user_id: int) -> bool:
    """Ends a suspension whose decision was undone. False if another one is in force. Account and
    ads are locked.
    """
    await db.fetch(SYNC_SUSPENSION, user_id)
    return await users.suspension_of(db, user_id) is None


async def shown_ads(db: Statements, user_id: int) -> int:
    return await db.fetchval("SELECT ads FROM author_ad_totals WHERE author_id = $1", user_id) or 0


async def remove_content(db: Statements, user_id: int) -> None:
    """Removes comments and messages; the suspension has hidden the ads. Account and ads are locked.

    Removed comments are kept as long as those that a decision of their own has removed.
    """
    await db.fetch(LOCK_ADS_OF_COMMENTS.format(table="comments"), user_id)
    own = "author_id = $1"
    sql = MOVE_COMMENTS.format(source="comments", target="removed_comments", which=own)
    await db.fetch(sql, user_id)
    sql = """
        UPDATE messages SET removed = true WHERE author_id = $1 AND kind = 'text' AND NOT removed
    """
    await db.fetch(sql, user_id)


async def restore_content(db: Statements, user_id: int) -> None:
    """Undoes `remove_content`. What a decision of its own has removed stays removed."""
    await db.fetch(LOCK_ADS_OF_COMMENTS.format(table="removed_comments"), user_id)
    which = f"author_id = $1 AND NOT {COMMENT_IS_DECIDED}"
    sql = MOVE_COMMENTS.format(source="removed_comments", target="comments", which=which)
    await db.fetch(sql, user_id)
    await db.fetch(RESTORE_MESSAGES, user_id)


async def suspend_provisionally(db: Statements, user_id: int, seconds: float) -> None:
    """Suspends the account for at least this time. It expires if no decision follows."""
    sql = """
        UPDATE users SET suspended_until = greatest(
            suspended_until, now() + make_interval(secs => $2)
        ) WHERE id = $1
    """
    await db.fetch(sql, user_id, seconds)


async def forget_suspension(db: Statements, user_id: int) -> None:
    """Removes the end of a past suspension, if all ads are shown again, and shows the ratings."""
    sql = """
        UPDATE users SET suspended_until = NULL WHERE id = $1 AND suspended_until <= now()
            AND NOT EXISTS (SELECT FROM ads WHERE author_id = users.id AND hidden_with_author)
        RETURNING id
    """
    # The account is locked now: no other suspension begins.
    if await db.fetchval(sql, user_id) is not None:
        await db.fetch(SHOW_RATINGS, user_id)


async def ended_suspensions(db: Statements, limit: int) -> Sequence[int]:
    """Accounts whose suspension has ended, but whose ads may still be hidden."""
    sql = "SELECT id FROM users WHERE suspended_until <= now() ORDER BY suspended_until LIMIT $1"
    return [row["id"] for row in await db.fetch(sql, limit)]
