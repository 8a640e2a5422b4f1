"""Decisions: their kinds, and the statements that make them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row
from adsvc.models import DecisionAction
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.repositories.conversation_changes import MAIL_AFTER
from adsvc.repositories.outbox import OUTBOX_COLUMNS
from adsvc.repositories.paging import BEYOND_ALL, Paged, paged

APPEAL_DAYS = 180

# Decisions that restrict an account or what it published, and can be undone.
RESTRICTIONS = (
    DecisionAction.SUSPEND_AD,
    DecisionAction.REMOVE_AD,
    DecisionAction.REMOVE_COMMENT,
    DecisionAction.REMOVE_MESSAGE,
    DecisionAction.SUSPEND_ACCOUNT,
)

# Decisions of the same case that end when one of this kind is made.
REPLACED = {
    DecisionAction.DISMISS: (DecisionAction.DISMISS, *RESTRICTIONS),
    DecisionAction.SUSPEND_AD: (
        DecisionAction.DISMISS,
        DecisionAction.SUSPEND_AD,
        DecisionAction.REMOVE_AD,
    ),
    DecisionAction.REMOVE_AD: (
        DecisionAction.DISMISS,
        DecisionAction.SUSPEND_AD,
        DecisionAction.REMOVE_AD,
    ),
    DecisionAction.REMOVE_COMMENT: (DecisionAction.DISMISS, DecisionAction.REMOVE_COMMENT),
    DecisionAction.REMOVE_MESSAGE: (DecisionAction.DISMISS, DecisionAction.REMOVE_MESSAGE),
    DecisionAction.SUSPEND_ACCOUNT: (DecisionAction.DISMISS, DecisionAction.SUSPEND_ACCOUNT),
}

APPEALABLE = f"""(
    decisions.action IN ({", ".join(f"'{action}'" for action in RESTRICTIONS)})
    AND ended_at IS NULL AND appealed_at IS NULL AND NOT final
    AND at > now() - interval '{APPEAL_DAYS} days'
)"""

FOUND = f"""
    SELECT decisions.id, at, action, ground, reference, explanation, until, undoes_id, actor_id,
        user_id, case_id, appealed_at, appeal, final,
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

WAS_APPEALED = """
    SELECT EXISTS (
        SELECT FROM decisions
        WHERE case_id = $1 AND actor_id = $2 AND appealed_at IS NOT NULL
    )
"""

# Dismissed reports do not concern the author, unless the dismissal ended a restriction.
CONCERNS = f"""
    {FOUND} WHERE user_id = $1
    AND (action <> 'dismiss' OR decisions.undoes_id IS NOT NULL) AND NOT EXISTS (
        SELECT FROM decisions AS undone
        WHERE undone.id = decisions.undoes_id AND undone.action = 'dismiss'
    )
"""
OF_USER = f"{CONCERNS} AND decisions.id < $2 ORDER BY decisions.id DESC LIMIT $3"
OF_USER_AFTER = f"{CONCERNS} AND decisions.id > $2 ORDER BY decisions.id LIMIT $3"

# The effect of a decision on an ad. `before` is the ad as it was; its row is locked. The column
# `hidden_from` is the status that it had before it was hidden, and gets again.
HIDE_AD = """
    changed AS (
        UPDATE ads SET status = '{status}', hidden_from = coalesce(hidden_from, before.was),
            hidden_with_author = false
        FROM taken JOIN LATERAL (
            SELECT id, status AS was FROM ads WHERE taken.kind = 'ad' AND id = taken.target_id
        ) AS before ON TRUE
        WHERE ads.id = before.id RETURNING ads.id, before.was, ads.status
    )
"""
SHOW_AD = """
    changed AS (
        UPDATE ads SET status = hidden_from, hidden_from = NULL
        FROM taken JOIN LATERAL (
            SELECT id, status AS was FROM ads WHERE taken.kind = 'ad' AND id = taken.target_id
        ) AS before ON TRUE
        WHERE ads.id = before.id AND hidden_from IS NOT NULL AND NOT hidden_with_author
        RETURNING ads.id, before.was, ads.status
    )
"""
LEAVE_AD = "changed AS (SELECT NULL::bigint AS id, '' AS was, '' AS status WHERE FALSE)"
COMMENT = "id, ad_id, author_id, text, created_at, updated_at"
REMOVE_COMMENT = f"""
    gone AS (
        DELETE FROM comments USING taken
        WHERE taken.kind = 'comment' AND comments.id = taken.target_id
        RETURNING comments.*
    ), removed AS (
        INSERT INTO removed_comments ({COMMENT}) SELECT {COMMENT} FROM gone
    )
"""
RESTORE_COMMENT = f"""
    gone AS (
        DELETE FROM removed_comments USING taken
        WHERE taken.kind = 'comment' AND removed_comments.id = taken.target_id
        RETURNING removed_comments.*
    ), restored AS (
        INSERT INTO comments ({COMMENT}) SELECT {COMMENT} FROM gone
    )
"""
# The message, and those with the same text of the same author.
SAME = """
    same AS MATERIALIZED (
        SELECT messages.id, messages.held, messages.id = taken.target_id AS is_target
        FROM taken JOIN messages ON messages.id IN (
            SELECT taken.target_id
            UNION ALL
            SELECT alike.id FROM messages AS target JOIN messages AS alike
                ON alike.author_id = target.author_id AND alike.digest = target.digest
            WHERE target.id = taken.target_id
        )
        WHERE taken.kind = 'message' FOR NO KEY UPDATE OF messages
    )
"""
# Of those with the same text, the ones that are held: the case stands for them all.
REMOVE_MESSAGE = f"""
    {SAME}, removed AS (
        UPDATE messages SET removed = true FROM same
        WHERE messages.id = same.id AND (same.is_target OR same.held)
    )
"""
# Shows the message again, lets through what is held because of the same text, with the offers that
# were held because of it, and counts that text anew. A mail is due as after any other message
# (`conversation_changes.TOUCHED`).
RELEASE_MESSAGES = f"""
    {SAME}, offers_held AS MATERIALIZED (
        SELECT messages.id, TRUE AS held, FALSE AS is_target
        FROM messages WHERE held AND offer_id IS NOT NULL AND EXISTS (
            SELECT FROM same JOIN messages AS text ON text.id = same.id
            WHERE text.conversation_id = messages.conversation_id
                AND text.author_id = messages.author_id
        ) AND NOT EXISTS (
            SELECT FROM messages AS other WHERE other.conversation_id = messages.conversation_id
                AND other.author_id = messages.author_id AND other.held AND other.offer_id IS NULL
                AND NOT other.removed AND other.id NOT IN (SELECT id FROM same)
        ) FOR NO KEY UPDATE OF messages
    ), released AS (
        UPDATE messages SET held = false, digest = NULL,
            removed = removed AND NOT (freed.is_target OR freed.held)
        FROM (SELECT * FROM same UNION ALL SELECT * FROM offers_held) AS freed
        WHERE messages.id = freed.id
        RETURNING messages.id, conversation_id, freed.held AS was_held
    ), received AS (
        UPDATE conversations SET seller_last = greatest(seller_last, fresh.last),
            seller_unread = seller_unread + fresh.messages, seller_hidden = false,
            seller_mail_due = CASE WHEN seller_mail_due IS NULL
                AND (seller_unread = 0 OR seller_hidden) THEN now() + interval '{MAIL_AFTER}'
                ELSE seller_mail_due END
        FROM (
            SELECT conversation_id, max(id) AS last, count(*)::int AS messages
            FROM released WHERE was_held GROUP BY conversation_id
        ) AS fresh
        WHERE conversations.id = fresh.conversation_id
    )
"""
EFFECTS = {
    DecisionAction.DISMISS: f"{SHOW_AD}, {RESTORE_COMMENT}, {RELEASE_MESSAGES}",
    DecisionAction.SUSPEND_AD: HIDE_AD.format(status="suspended"),
    DecisionAction.REMOVE_AD: HIDE_AD.format(status="removed"),
    DecisionAction.REMOVE_COMMENT: f"{LEAVE_AD}, {REMOVE_COMMENT}",
    DecisionAction.REMOVE_MESSAGE: f"{LEAVE_AD}, {REMOVE_MESSAGE}",
    # `services.moderation.suspending.begin` hides the ads.
    DecisionAction.SUSPEND_ACCOUNT: LEAVE_AD,
}
# Effects of undoing, by the decision that is undone.
UNDOING = {
    DecisionAction.DISMISS: LEAVE_AD,
    DecisionAction.SUSPEND_AD: SHOW_AD,
    DecisionAction.REMOVE_AD: SHOW_AD,
    DecisionAction.REMOVE_COMMENT: f"{LEAVE_AD}, {RESTORE_COMMENT}",
    DecisionAction.REMOVE_MESSAGE: f"{LEAVE_AD}, {RELEASE_MESSAGES}",
    DecisionAction.SUSPEND_ACCOUNT: LEAVE_AD,
}
# Written with every decision: the ad's history with its new status (the ad stays hidden while its
# author is suspended), the audit row, and the mail. Dismissed reports send no mail, unless their
# number had hidden the ad; the letters are `Letter.DECISION` and `Letter.AD_SHOWN`. Parameters: the
# actor, then the `Trail`.
WRITTEN = f"""
    history AS (
        INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
        SELECT id, $1::bigint, CASE WHEN status IN ('suspended', 'removed')
            THEN status ELSE 'restored' END, was, status
        FROM changed WHERE was <> status
    ), trail AS (
        INSERT INTO audit_events ({TRAIL_COLUMNS})
        SELECT $2::text, $1::bigint::text, decided.id::text,
            (SELECT ad_id FROM cases WHERE cases.id = decided.case_id), decided.user_id,
            $3::text, $4::text
        FROM decided
    ), mailed AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS})
        SELECT 'letter', jsonb_build_object(
            'letter', 'decision', 'user_id', decided.user_id, 'values', jsonb_build_object(
                'action', coalesce(undone.action, decided.action),
                'is_undone', undone.id IS NOT NULL,
                'excerpt', left(coalesce(snapshot->>'title', snapshot->>'text', ''), 150),
                'ground', decided.ground, 'reference', decided.reference,
                'explanation', decided.explanation,
                'until', to_char(decided.until AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
                'is_final', decided.final, 'decision', decided.id
            )
        )
        FROM decided LEFT JOIN cases ON cases.id = decided.case_id
        LEFT JOIN decisions AS undone ON undone.id = decided.undoes_id
        WHERE coalesce(undone.action, decided.action) NOT IN ('dismiss', 'restore')
    ), mailed_about_reports AS (
        INSERT INTO outbox ({OUTBOX_COLUMNS})
        SELECT 'letter', jsonb_build_object(
            'letter', 'ad-shown', 'user_id', decided.user_id, 'values', jsonb_build_object(
                'excerpt', left(title, 150)
            )
        )
        FROM decided JOIN cases ON cases.id = decided.case_id
        JOIN changed ON changed.id = cases.target_id
            AND changed.status NOT IN ('suspended', 'removed')
        JOIN ads ON ads.id = changed.id
        WHERE decided.action = 'dismiss' AND decided.undoes_id IS NULL
    )
    SELECT id, case_id FROM decided
"""
COLUMNS = """case_id, user_id, actor_id, action, ground, reference, explanation, until, final,
    undoes_id"""
# NULL without `days`.
UNTIL = "now() + make_interval(days => {days}::int)"
# Parameters: those of `WRITTEN`, the `Reasons`, then the cases, the actions that end, and `final`.
DECIDE = f"""
    WITH taken AS (
        UPDATE cases SET status = 'decided', changed_at = now()
        WHERE id = ANY ($10::bigint[]) RETURNING *
    ), ended AS (
        UPDATE decisions SET ended_at = now() FROM taken
        WHERE decisions.case_id = taken.id AND ended_at IS NULL
            AND decisions.action = ANY ($11::text[])
        RETURNING decisions.*
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        SELECT id, author_id, $1::bigint, $5::text, $6::text, $7::text, $8::text,
            {UNTIL.format(days="$9")}, $12::bool,
            (
                SELECT max(ended.id) FROM ended
                WHERE ended.case_id = taken.id
                    AND $5::text = 'dismiss' AND ended.action <> 'dismiss'
                    AND (ended.until IS NULL OR ended.until > now() OR appealed_at IS NOT NULL)
            )
        FROM taken RETURNING *
    ), {{effects}}, {WRITTEN}
"""
# Parameters: those of `WRITTEN`, then the decisions that are undone.
UNDO = f"""
    WITH undone AS (
        UPDATE decisions SET ended_at = now()
        WHERE id = ANY ($5::bigint[]) AND ended_at IS NULL RETURNING *
    ), taken AS (
        UPDATE cases SET changed_at = now(),
            status = CASE WHEN undone.action = 'dismiss' OR cases.status = 'open'
                THEN 'open' ELSE 'decided' END
        FROM undone WHERE cases.id = undone.case_id RETURNING cases.*
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        SELECT case_id, user_id, $1::bigint, 'restore', NULL, '', '', NULL, false,
            undone.id
        FROM undone RETURNING *
    ), {{effects}}, {WRITTEN}
"""
# A suspension for the same reasons is a repetition if it moves the end by no more than this.
REPEATED_WITHIN = "interval '1 hour'"
# Parameters: the actor, the account, then the `Reasons`.
REPEATED = f"""
    SELECT EXISTS (
        SELECT FROM decisions
        WHERE user_id = $2 AND actor_id = $1 AND case_id IS NULL
            AND action = $3 AND ended_at IS NULL AND (until IS NULL OR until > now())
            AND ground = $4 AND reference = $5 AND explanation = $6
            AND coalesce({UNTIL.format(days="$7")}, 'infinity') BETWEEN coalesce(until, 'infinity')
                AND coalesce(until, 'infinity') + {REPEATED_WITHIN}
    )
"""
# A decision about an account without a case. Parameters: those of `WRITTEN`, the `Reasons`, the
# account.
DECIDE_ACCOUNT = f"""
    WITH ended AS (
        UPDATE decisions SET ended_at = now()
        WHERE user_id = $10 AND action = 'suspendAccount' AND ended_at IS NULL
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        VALUES (NULL, $10::bigint, $1::bigint, $5::text, $6::text, $7::text, $8::text,
            {UNTIL.format(days="$9")}, false, NULL)
        RETURNING *
    ), {LEAVE_AD}, {WRITTEN}
"""
# Ends every suspension of the account. Parameters: those of `WRITTEN`, then the account.
RESTORE_ACCOUNT = f"""
    WITH ended AS (
        UPDATE decisions SET ended_at = now()
        WHERE user_id = $5 AND action = 'suspendAccount' AND ended_at IS NULL
        RETURNING id
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        VALUES (NULL, $5::bigint, $1::bigint, 'restore', NULL, '', '',
            NULL, false, (SELECT max(id) FROM ended))
        RETURNING *
    ), {LEAVE_AD}, {WRITTEN}
"""
APPEAL = f"""
    WITH appealed AS (
        UPDATE decisions SET appealed_at = now(), appeal = $3
        WHERE id = $1 AND user_id = $2 AND {APPEALABLE}
        RETURNING case_id
    ), taken AS (
        UPDATE cases SET status = 'appealed', changed_at = now() FROM appealed
        WHERE cases.id = appealed.case_id RETURNING cases.id
    )
    SELECT TRUE FROM appealed
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

    @property
    def values(self) -> tuple[object, ...]:
        return self.action.value, self.ground, self.reference, self.explanation, self.days


class DecisionRepository:
    """Reads decisions, and makes them.

    Before `decide` and `undo` the caller must have locked the thing, and then its case; before
    `appeal`, the case.
    """

    def __init__(self, session: DatabaseSession) -> None:
        self._statements = session

    async def get(self, decision_id: int) -> Row | None:
        return await self._statements.fetchrow(f"{FOUND} WHERE decisions.id = $1", decision_id)

    async def of_case(self, case_id: int) -> Sequence[Row]:
        """The newest first."""
        return await self._statements.fetch(
            f"{FOUND} WHERE case_id = $1 ORDER BY decisions.id DESC", case_id
        )

    async def was_appealed(self, case_id: int, actor_id: int) -> bool:
        """Whether there was an appeal against that account's decision about the case."""
        return bool(await self._statements.fetchval(WAS_APPEALED, case_id, actor_id))

    async def of_user(self, user_id: int, limit: int, *, before: int | None = None) -> Paged[Row]:
        """The restrictions of that account and their ends, newest first."""
        before = BEYOND_ALL if before is None else before
        return paged(await self._statements.fetch(OF_USER, user_id, before, limit + 1), limit)

    async def of_user_after(self, user_id: int, limit: int, *, after: int) -> Sequence[Row]:
        """The same with ids above `after`, oldest first."""
        return await self._statements.fetch(OF_USER_AFTER, user_id, after, limit)

    async def decide(
        self,
        case_ids: Collection[int],
        actor_id: int,
        reasons: Reasons,
        trail: Trail,
        *,
        final: bool = False,
    ) -> Mapping[int | None, int]:
        """Makes the same decision about each case, and returns their ids by case. `final` excludes
        appeals against them.
        """
        sql = DECIDE.format(effects=EFFECTS[reasons.action])
        replaced = [action.value for action in REPLACED[reasons.action]]
        return await self._write(
            sql, actor_id, trail, *reasons.values, [*case_ids], replaced, final
        )

    async def repeats(self, user_id: int, actor_id: int, reasons: Reasons) -> bool:
        """Whether a decision of that actor with the same reasons is in force."""
        values = (actor_id, user_id, *reasons.values)
        return bool(await self._statements.fetchval(REPEATED, *values))

    async def decide_account(
        self, user_id: int, actor_id: int, reasons: Reasons, trail: Trail
    ) -> int:
        made = await self._write(DECIDE_ACCOUNT, actor_id, trail, *reasons.values, user_id)
        return made[None]

    async def restore_account(self, user_id: int, actor_id: int, trail: Trail) -> int:
        return (await self._write(RESTORE_ACCOUNT, actor_id, trail, user_id))[None]

    async def undo(
        self, decision_ids: Collection[int], action: DecisionAction, actor_id: int, trail: Trail
    ) -> Mapping[int | None, int]:
        """Undoes decisions in force of that kind. Returns the ids of the new ones by case."""
        sql = UNDO.format(effects=UNDOING[action])
        return await self._write(sql, actor_id, trail, [*decision_ids])

    async def appeal(self, decision_id: int, user_id: int, words: str) -> bool:
        """Adds the appeal. False if none is possible. The case is locked."""
        return await self._statements.fetchval(APPEAL, decision_id, user_id, words) is not None

    async def _write(
        self, sql: str, actor_id: int, trail: Trail, *values: object
    ) -> Mapping[int | None, int]:
        rows = await self._statements.fetch(sql, actor_id, *trail, *values)
        return {row["case_id"]: row["id"] for row in rows}
