"""Decisions: which there are, and how one is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import DecisionAction
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.repositories.outbox import OUTBOX_COLUMNS

APPEAL_DAYS = 180

# What restricts somebody, and can be undone.
RESTRICTIONS = (
    DecisionAction.SUSPEND_AD,
    DecisionAction.REMOVE_AD,
    DecisionAction.REMOVE_COMMENT,
    DecisionAction.SUSPEND_ACCOUNT,
)

# Which decisions of the same case end when another of that kind is made.
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
    DecisionAction.SUSPEND_ACCOUNT: (DecisionAction.DISMISS, DecisionAction.SUSPEND_ACCOUNT),
}

APPEALABLE = f"""(
    decisions.action IN ({", ".join(f"'{action}'" for action in RESTRICTIONS)})
    AND ended_at IS NULL AND appealed_at IS NULL AND NOT final AND case_id IS NOT NULL
    AND at > now() - interval '{APPEAL_DAYS} days'
)"""

FOUND = f"""
    SELECT decisions.id, at, action, ground, reference, explanation, until, undoes_id, actor_id,
        user_id, case_id, appealed_at, appeal, final,
        ended_at IS NULL AS stands,
        ended_at IS NULL AND (until IS NULL OR until > now()) AS holds,
        CASE WHEN cases.id IS NULL OR action = 'suspendAccount' THEN 'account' ELSE kind END
            AS kind,
        CASE WHEN cases.id IS NULL OR action = 'suspendAccount' THEN user_id ELSE target_id END
            AS target_id,
        left(coalesce(snapshot->>'title', snapshot->>'text'), 150) AS excerpt,
        CASE WHEN {APPEALABLE} THEN at + interval '{APPEAL_DAYS} days' END AS appeal_until
    FROM decisions LEFT JOIN cases ON cases.id = case_id
"""

WAS_APPEALED = text("""
    SELECT EXISTS (
        SELECT FROM decisions
        WHERE case_id = :case_id AND actor_id = :actor_id AND appealed_at IS NOT NULL
    )
""")

# Reports that came to nothing do not concern whoever was reported, unless that ended something.
CONCERNS = f"""
    {FOUND} WHERE user_id = :user_id
    AND (action <> 'dismiss' OR decisions.undoes_id IS NOT NULL) AND NOT EXISTS (
        SELECT FROM decisions AS undone
        WHERE undone.id = decisions.undoes_id AND undone.action = 'dismiss'
    )
"""
OF_USER = f"{CONCERNS} AND decisions.id < :before ORDER BY decisions.id DESC LIMIT :limit"
OF_USER_AFTER = f"{CONCERNS} AND decisions.id > :after ORDER BY decisions.id LIMIT :limit"

# The status that a decision gives an ad. `before` is the ad as it was; its row is locked.
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
    ), kept AS (
        INSERT INTO removed_comments ({COMMENT}) SELECT {COMMENT} FROM gone
    )
"""
RESTORE_COMMENT = f"""
    gone AS (
        DELETE FROM removed_comments USING taken
        WHERE taken.kind = 'comment' AND removed_comments.id = taken.target_id
        RETURNING removed_comments.*
    ), kept AS (
        INSERT INTO comments ({COMMENT}) SELECT {COMMENT} FROM gone
    )
"""
EFFECTS = {
    DecisionAction.DISMISS: f"{SHOW_AD}, {RESTORE_COMMENT}",
    DecisionAction.SUSPEND_AD: HIDE_AD.format(status="suspended"),
    DecisionAction.REMOVE_AD: HIDE_AD.format(status="removed"),
    DecisionAction.REMOVE_COMMENT: f"{LEAVE_AD}, {REMOVE_COMMENT}",
    DecisionAction.SUSPEND_ACCOUNT: LEAVE_AD,
}
# By what they undo.
UNDOING = {
    DecisionAction.DISMISS: LEAVE_AD,
    DecisionAction.SUSPEND_AD: SHOW_AD,
    DecisionAction.REMOVE_AD: SHOW_AD,
    DecisionAction.REMOVE_COMMENT: f"{LEAVE_AD}, {RESTORE_COMMENT}",
    DecisionAction.SUSPEND_ACCOUNT: LEAVE_AD,
}
# What is written along with every decision, whatever it does. Nobody is told of reports that came
# to nothing. The history of an ad tells what it has become: it stays hidden with its author.
WRITTEN = f"""
    history AS (
        INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
        SELECT id, CAST(:actor_id AS bigint), CASE WHEN status IN ('suspended', 'removed')
            THEN status ELSE 'restored' END, was, status
        FROM changed WHERE was <> status
    ), trail AS (
        INSERT INTO audit_events ({TRAIL_COLUMNS})
        SELECT :event, CAST(:actor_id AS text), decided.id::text,
            (SELECT ad_id FROM cases WHERE cases.id = decided.case_id), decided.user_id,
            :request_id, :address
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
                'is_final', decided.final
            )
        )
        FROM decided LEFT JOIN cases ON cases.id = decided.case_id
        LEFT JOIN decisions AS undone ON undone.id = decided.undoes_id
        WHERE coalesce(undone.action, decided.action) NOT IN ('dismiss', 'restore')
    )
    SELECT id FROM decided
"""
COLUMNS = """case_id, user_id, actor_id, action, ground, reference, explanation, until, final,
    undoes_id"""
UNTIL = """CASE WHEN CAST(:days AS int) IS NOT NULL
    THEN now() + make_interval(days => CAST(:days AS int)) END"""
DECIDE = f"""
    WITH taken AS (
        UPDATE cases SET status = 'decided', changed_at = now() WHERE id = :case_id RETURNING *
    ), ended AS (
        UPDATE decisions SET ended_at = now() FROM taken
        WHERE decisions.case_id = taken.id AND ended_at IS NULL
            AND decisions.action = ANY (CAST(:replaced AS text[]))
        RETURNING decisions.*
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        SELECT id, author_id, CAST(:actor_id AS bigint), CAST(:action AS text),
            CAST(:ground AS text), :reference, :explanation, {UNTIL}, CAST(:final AS bool),
            (
                SELECT max(ended.id) FROM ended
                WHERE CAST(:action AS text) = 'dismiss' AND ended.action <> 'dismiss'
                    AND (ended.until IS NULL OR ended.until > now() OR appealed_at IS NOT NULL)
            )
        FROM taken RETURNING *
    ), {{effects}}, {WRITTEN}
"""
UNDO = f"""
    WITH undone AS (
        UPDATE decisions SET ended_at = now() WHERE id = :decision_id AND ended_at IS NULL
        RETURNING *
    ), taken AS (
        UPDATE cases SET changed_at = now(),
            status = CASE WHEN undone.action = 'dismiss' OR cases.status = 'open'
                THEN 'open' ELSE 'decided' END
        FROM undone WHERE cases.id = undone.case_id RETURNING cases.*
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        SELECT case_id, user_id, CAST(:actor_id AS bigint), 'restore', NULL, '', '', NULL, false,
            undone.id
        FROM undone RETURNING *
    ), {{effects}}, {WRITTEN}
"""
# A suspension by the same statement that would move the end of the one that holds by no more.
REPEATED_WITHIN = "interval '1 hour'"
REPEATED = text(f"""
    SELECT EXISTS (
        SELECT FROM decisions
        WHERE user_id = :user_id AND actor_id = :actor_id AND case_id IS NULL
            AND action = :action AND ended_at IS NULL AND (until IS NULL OR until > now())
            AND ground = :ground AND reference = :reference AND explanation = :explanation
            AND coalesce({UNTIL}, 'infinity') BETWEEN coalesce(until, 'infinity')
                AND coalesce(until, 'infinity') + {REPEATED_WITHIN}
    )
""")
# About an account, without a case.
DECIDE_ACCOUNT = f"""
    WITH ended AS (
        UPDATE decisions SET ended_at = now()
        WHERE user_id = :user_id AND action = 'suspendAccount' AND ended_at IS NULL
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        VALUES (NULL, CAST(:user_id AS bigint), CAST(:actor_id AS bigint), CAST(:action AS text),
            CAST(:ground AS text), :reference, :explanation, {UNTIL}, false, NULL)
        RETURNING *
    ), {LEAVE_AD}, {WRITTEN}
"""
# Whatever has suspended it.
RESTORE_ACCOUNT = f"""
    WITH ended AS (
        UPDATE decisions SET ended_at = now()
        WHERE user_id = :user_id AND action = 'suspendAccount' AND ended_at IS NULL
        RETURNING id
    ), decided AS (
        INSERT INTO decisions ({COLUMNS})
        VALUES (NULL, CAST(:user_id AS bigint), CAST(:actor_id AS bigint), 'restore', NULL, '', '',
            NULL, false, (SELECT max(id) FROM ended))
        RETURNING *
    ), {LEAVE_AD}, {WRITTEN}
"""
APPEAL = text(f"""
    WITH appealed AS (
        UPDATE decisions SET appealed_at = now(), appeal = :appeal
        WHERE id = :decision_id AND user_id = :user_id AND {APPEALABLE}
        RETURNING case_id
    ), taken AS (
        UPDATE cases SET status = 'appealed', changed_at = now() FROM appealed
        WHERE cases.id = appealed.case_id RETURNING cases.id
    )
    SELECT id FROM taken
""")


DecisionRow = Mapping[str, Any]

BEYOND_ALL = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Reasons:
    """What is decided, and why."""

    action: DecisionAction
    ground: str | None = None
    reference: str = ""
    explanation: str = ""
    # Of a suspended account; None for ever.
    days: int | None = None

    @property
    def values(self) -> dict[str, object]:
        return {
            "action": self.action.value,
            "ground": self.ground,
            "reference": self.reference,
            "explanation": self.explanation,
            "days": self.days,
        }


class DecisionRepository:
    """Whoever decides has locked the thing, and then its case."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def _rows(self, sql: str, **values: object) -> Sequence[DecisionRow]:
        found = await self._session.execute(text(sql), values)
        return [dict(row) for row in found.mappings()]

    async def get(self, decision_id: int) -> DecisionRow | None:
        found = await self._rows(f"{FOUND} WHERE decisions.id = :id", id=decision_id)
        return found[0] if found else None

    async def of_case(self, case_id: int) -> Sequence[DecisionRow]:
        """The newest first."""
        return await self._rows(
            f"{FOUND} WHERE case_id = :case_id ORDER BY decisions.id DESC", case_id=case_id
        )

    async def was_appealed(self, case_id: int, actor_id: int) -> bool:
        """Whether there was an appeal against what that account has decided about the case."""
        values = {"case_id": case_id, "actor_id": actor_id}
        return bool(await self._session.scalar(WAS_APPEALED, values))

    async def of_user(
        self, user_id: int, limit: int, *, before: int | None = None
    ) -> Sequence[DecisionRow]:
        """What restricted that account, and what ended that, the newest first."""
        before = BEYOND_ALL if before is None else before
        return await self._rows(OF_USER, user_id=user_id, limit=limit, before=before)

    async def of_user_after(self, user_id: int, limit: int, *, after: int) -> Sequence[DecisionRow]:
        """The same, the oldest first, only those with an id above `after`."""
        return await self._rows(OF_USER_AFTER, user_id=user_id, limit=limit, after=after)

    async def decide(
        self, case_id: int, actor_id: int, reasons: Reasons, trail: Trail, *, final: bool
    ) -> int:
        """The id of the decision. `final` if there is to be no appeal against it."""
        sql = DECIDE.format(effects=EFFECTS[reasons.action])
        replaced = [action.value for action in REPLACED[reasons.action]]
        values = {"case_id": case_id, "replaced": replaced, "final": final, **reasons.values}
        return await self._written(sql, actor_id, trail, **values)

    async def repeats(self, user_id: int, actor_id: int, reasons: Reasons) -> bool:
        """Whether a decision of that account, which holds, says the same already."""
        values = {"user_id": user_id, "actor_id": actor_id, **reasons.values}
        return bool(await self._session.scalar(REPEATED, values))

    async def decide_account(
        self, user_id: int, actor_id: int, reasons: Reasons, trail: Trail
    ) -> int:
        values = {"user_id": user_id, **reasons.values}
        return await self._written(DECIDE_ACCOUNT, actor_id, trail, **values)

    async def restore_account(self, user_id: int, actor_id: int, trail: Trail) -> int:
        return await self._written(RESTORE_ACCOUNT, actor_id, trail, user_id=user_id)

    async def undo(
        self, decision_id: int, action: DecisionAction, actor_id: int, trail: Trail
    ) -> int:
        """The id of the decision that undoes the other one, which holds and is of that kind."""
        sql = UNDO.format(effects=UNDOING[action])
        return await self._written(sql, actor_id, trail, decision_id=decision_id)

    async def appeal(self, decision_id: int, user_id: int, words: str) -> bool:
        """False if there is no appeal against it. The case is locked."""
        values = {"decision_id": decision_id, "user_id": user_id, "appeal": words}
        return await self._session.scalar(APPEAL, values) is not None

    async def _written(self, sql: str, actor_id: int, trail: Trail, **values: object) -> int:
        about = {"actor_id": actor_id, **trail._asdict()}
        made = await self._session.execute(text(sql), {**values, **about})
        return int(made.scalar_one())
