"""Decisions: which there are, and how one is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import DecisionAction
from adsvc.repositories.audit_events import Trail
from adsvc.repositories.moderation.decision_sql import (
    APPEAL,
    DECIDE,
    DECIDE_ACCOUNT,
    EFFECTS,
    FOUND,
    OF_USER,
    OF_USER_AFTER,
    REPEATED,
    REPLACED,
    RESTORE_ACCOUNT,
    UNDO,
    UNDOING,
    WAS_APPEALED,
)

Row = Mapping[str, Any]

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

    async def _rows(self, sql: str, **values: object) -> Sequence[Row]:
        found = await self._session.execute(text(sql), values)
        return [dict(row) for row in found.mappings()]

    async def get(self, decision_id: int) -> Row | None:
        found = await self._rows(f"{FOUND} WHERE decisions.id = :id", id=decision_id)
        return found[0] if found else None

    async def of_case(self, case_id: int) -> Sequence[Row]:
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
    ) -> Sequence[Row]:
        """What restricted that account, and what ended that, the newest first."""
        before = BEYOND_ALL if before is None else before
        return await self._rows(OF_USER, user_id=user_id, limit=limit, before=before)

    async def of_user_after(self, user_id: int, limit: int, *, after: int) -> Sequence[Row]:
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
