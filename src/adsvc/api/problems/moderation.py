"""What the errors about reports and decisions mean in HTTP; a part of the table in `types`."""

from collections.abc import Mapping

from adsvc import errors
from adsvc.api.problems.problem_type import ProblemType

MODERATION_TYPES: Mapping[type[errors.RefusalError], ProblemType] = {
    errors.AccountSuspendedError: ProblemType(
        403,
        "suspended",
        "The account is suspended",
        "User name and password are right. `until` is when the suspension ends, in milliseconds "
        "since 1970-01-01T00:00Z and absent for ever, and `explanation` says why it was decided.",
    ),
    errors.CaseNotFoundError: ProblemType(
        404,
        "case-not-found",
        "There is no such case",
        "It was deleted with the account that it concerned, or after its time.",
    ),
    errors.DecisionNotFoundError: ProblemType(
        404,
        "decision-not-found",
        "There is no such decision",
        "It was deleted after its time, or concerns somebody else.",
    ),
    errors.AccountNotFoundError: ProblemType(
        404, "account-not-found", "There is no such account", "It never existed, or was deleted."
    ),
    errors.CaseDecidedError: ProblemType(
        409,
        "case-decided",
        "The case is decided",
        "Somebody may have been quicker. A decision is changed by undoing it, or upon an appeal.",
    ),
    errors.ThingGoneError: ProblemType(
        409,
        "thing-gone",
        "What the case is about is gone",
        "Its author has deleted it. The case can still be dismissed, or the account suspended.",
    ),
    errors.DecisionEndedError: ProblemType(
        409,
        "decision-ended",
        "The decision does not hold any more",
        "It was undone, another one came in its place, or it is itself what undid one.",
    ),
    errors.AppealNotPossibleError: ProblemType(
        409,
        "appeal-not-possible",
        "There is no appeal",
        "One appeal is possible against a decision, while it holds and for 180 days, and none "
        "against what was decided upon an appeal.",
    ),
}
