"""What moderators are told of cases."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import Case
from adsvc.repositories.moderation.cases import CaseRepository, Row
from adsvc.repositories.moderation.decisions import DecisionRepository
from adsvc.schemas.moderation.cases import Case as CaseRecord
from adsvc.schemas.moderation.cases import CaseAuthor
from adsvc.services.moderation.statements import made_decisions
from adsvc.versions import Written, version_of

# Of an author's history.
LATEST = 50


async def described(session: AsyncSession, case: Case) -> Written:
    """`schemas.moderation.cases.Case`: with its reports, what it is about as it was and as it is,
    and its author's history.
    """
    cases, decisions = CaseRepository(session), DecisionRepository(session)
    made = await decisions.of_case(case.id)
    author = await _author(cases, await decisions.of_user(case.author_id, LATEST), case.author_id)
    record = CaseRecord.model_validate({
        **{name: getattr(case, name) for name in COLUMNS},
        "appeal": _appeal(made),
        "reports": await cases.reports(case.id),
        "current": await cases.current(case),
        "author": author,
        "decisions": made_decisions(made),
    })  # fmt: skip
    text = record.model_dump_json(by_alias=True)
    return Written(text, version_of(text.encode()))


COLUMNS = ("id", "status", "kind", "target_id", "ad_id", "snapshot", "created_at")


def _appeal(made: Iterable[Row]) -> str | None:
    """The one that is to be decided."""
    appeals = (row["appeal"] for row in made if row["stands"] and row["appeal"] is not None)
    return next(appeals, None)


async def _author(cases: CaseRepository, made: Iterable[Row], user_id: int) -> CaseAuthor:
    found = await cases.author(user_id)
    return CaseAuthor.model_validate({**(found or {}), "decisions": made_decisions(made)})
