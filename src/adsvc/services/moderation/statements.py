"""Decisions as statements of reasons."""

from collections.abc import Iterable, Mapping
from typing import Any

from adsvc.models import DecisionAction
from adsvc.repositories.moderation.decision_sql import RESTRICTIONS
from adsvc.repositories.moderation.decisions import Row
from adsvc.schemas.moderation.decisions import Appeal, Decision, MadeDecision

# Regulation (EU) 2022/2065, Articles 20 and 21, and any court.
OUTSIDE = ("disputeSettlement", "court")


def decisions(rows: Iterable[Row]) -> list[Decision]:
    """As whoever is concerned is told of them: not who decided."""
    return [Decision.model_validate(_members(row)) for row in rows]


def made_decisions(rows: Iterable[Row]) -> list[MadeDecision]:
    """As moderators are told of them."""
    return [made_decision(row) for row in rows]


def made_decision(row: Row) -> MadeDecision:
    return MadeDecision.model_validate(_members(row))


def _members(row: Row) -> Mapping[str, Any]:
    appeal = None
    if row["appealed_at"] is not None:
        appeal = Appeal(at=row["appealed_at"], text=row["appeal"])
    redress: list[str] = []
    if DecisionAction(row["action"]) in RESTRICTIONS:
        redress = ["appeal", *OUTSIDE] if row["appeal_until"] is not None else [*OUTSIDE]
    return {**row, "appeal": appeal, "redress": redress}
