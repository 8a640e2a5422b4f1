"""What stands against reports, decisions and those who are concerned by them."""

from adsvc.errors.base import RefusalError
from adsvc.errors.requests import ForbiddenError, NotFoundError


class AccountSuspendedError(RefusalError):
    """`until` is in milliseconds since 1970; None for ever."""

    detail = "This account is suspended."

    def __init__(self, until: int | None, explanation: str) -> None:
        super().__init__()
        self.members = {"until": until, "explanation": explanation}


class OwnThingError(ForbiddenError):
    detail = "Nobody reports what is their own."


class OwnCaseError(ForbiddenError):
    detail = "Somebody else has to decide this."


class AdministratorConcernedError(ForbiddenError):
    detail = "Only an administrator decides about an administrator."


class CaseNotFoundError(NotFoundError):
    detail = "There is no case with this id."


class DecisionNotFoundError(NotFoundError):
    detail = "There is no decision with this id, or it does not concern you."


class AccountNotFoundError(NotFoundError):
    detail = "There is no account with this id."


class CaseDecidedError(RefusalError):
    detail = "This case is decided."


class ThingGoneError(RefusalError):
    detail = "What this case is about is not there any more."


class DecisionEndedError(RefusalError):
    detail = "This decision does not hold any more, or is none that can be undone."


class AppealNotPossibleError(RefusalError):
    detail = "Against this decision there is no appeal, or not any more."
