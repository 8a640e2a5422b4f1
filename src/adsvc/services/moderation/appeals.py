"""What whoever is concerned says against a decision."""

from adsvc.db.database import Transaction
from adsvc.errors import AppealNotPossibleError
from adsvc.repositories.moderation.cases import CaseRepository
from adsvc.repositories.moderation.decisions import DecisionRepository, Row
from adsvc.schemas.moderation.decisions import Decision
from adsvc.services.moderation.statements import decisions


async def appeal(transaction: Transaction, decision: Row, words: str) -> Decision:
    """The decision about the caller, with the appeal; its case is to be decided again."""
    made = DecisionRepository(transaction.session)
    if decision["case_id"] is not None:
        await CaseRepository(transaction.session).lock(decision["case_id"])
    if not await made.appeal(decision["id"], decision["user_id"], words):
        raise AppealNotPossibleError
    found = await made.get(decision["id"])
    [told] = decisions([found] if found else [])
    return told
