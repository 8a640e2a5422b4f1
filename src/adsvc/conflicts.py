"""Refusals of what is not possible as things are now: 409, and 410. `adsvc.errors` has them."""

from collections.abc import Sequence

from adsvc.kit.errors import ConflictError, GoneError


class UsernameTakenError(ConflictError):
    """User names are unique without regard to case."""

    title = "The user name is taken"
    detail = "This user name is taken."


class FactorAlreadySetError(ConflictError):
    """Send its `code`, or a recovery code, along to replace it."""

    slug = "already-set"
    title = "An authenticator app is set up"
    detail = "An authenticator app is set up; send its code to replace it."


class IdentityTakenError(ConflictError):
    """Remove it from the account that signs in with it, or log in with it there."""

    slug = "identity-taken"
    title = "An account signs in with it already"
    detail = "An account of the site, perhaps yours, signs in with it already."


class LinkRequiredError(ConflictError):
    """Confirm that it is yours: send `challenge` and `currentPassword` to `POST /login/oidc/link`
    within an hour, or follow the link in the mail. Both count in the browser that began the login.
    """

    title = "The mail address is that of an account"
    detail = "An account has this mail address. Confirm that it is yours."

    def __init__(self, challenge: str = "") -> None:
        super().__init__()
        self.members = {"challenge": challenge}


class LastSignInError(ConflictError):
    """Set up a password first, by `POST /password/forgot`."""

    title = "It is the last way to sign in"
    detail = "It is the account's last way to sign in. Set up a password first."


class ExternalIdTakenError(ConflictError):
    """An account uses each `externalId` only once. `PUT /ads/by-external-id/{externalId}` changes
    the ad that has it.
    """

    title = "Another ad has this external id"
    detail = "Another ad of the account has this external id."


class ImportInProgressError(ConflictError):
    """An account has one import at a time. `GET /imports/{id}` says how far it has come."""

    title = "Another import is under way"
    detail = "Another import of the account is under way."


class ImportNotWaitingError(ConflictError):
    """It runs, has ended, or was replaced by another one."""

    title = "The import does not wait for a confirmation"
    detail = "The import does not wait for a confirmation."


class CategoryCycleError(ConflictError):
    """The parent is the category itself or one below it."""

    title = "The category would be its own ancestor"
    detail = "The category would be its own ancestor."


class CategoryInUseError(ConflictError):
    """It has ads or children. Give them another category, or another parent, first."""

    title = "The category is in use"
    detail = "The category has ads or children."


class IllegalTransitionError(ConflictError):
    """`from` is the status, and `allowed` lists the steps that it allows.

    Another request may have changed it meanwhile.
    """

    title = "The ad's status does not allow this"

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        """`allowed` are the names of the steps that the status allows."""
        ways = ", ".join(allowed) or "none"
        super().__init__(f"The ad is {status}, which allows these steps: {ways}.")
        self.members = {"from": status, "allowed": allowed}


class QuotaExceededError(ConflictError):
    """Its pictures or its texts, as `detail` says, use `used` of `quota` bytes.

    Delete some to make room.
    """

    title = "The account's storage is full"

    def __init__(self, quota: int, used: int, what: str = "pictures") -> None:
        """What the account has stored takes `used` of `quota` bytes."""
        super().__init__(
            f"The {what} of the account take {used} of {quota} bytes; delete some to make room."
        )
        self.members = {"quota": quota, "used": used}


class TooManyImagesError(ConflictError):
    """`detail` says how many it may have. Nothing was stored."""

    title = "The ad would have too many pictures"

    def __init__(self, limit: int) -> None:
        """An ad would have more than `limit` pictures."""
        super().__init__(f"An ad may have at most {limit} pictures.")
        self.limit = limit


class OwnAdError(ConflictError):
    """What was requested is possible for ads of other accounts only."""

    title = "It is your own ad"
    detail = "It is your own ad."


class LastImageError(ConflictError):
    """Only a draft may have no picture. Replace it, or add another one first."""

    title = "The ad's last picture cannot be deleted"
    detail = "An ad keeps at least one picture: replace this one, or add another first."


class IdempotencyInProgressError(ConflictError):
    """Send it again with the same `Idempotency-Key` after `Retry-After` seconds.

    Then the answer is that of the first request, or, if that failed, the request is carried
    out.
    """

    # `retry_after` is in seconds.
    title = "The first request with this key is in progress"
    detail = "The request with this Idempotency-Key is still being carried out."
    retry_after = 1


class AdGoneError(GoneError):
    """It was sold, or has expired. Its author can renew an expired one."""

    slug = "gone"
    title = "The ad is no longer offered"
    detail = "This ad was sold or has expired."


class CursorExpiredError(GoneError):
    """It is of another list, order or filter, or the site's secret has changed since.

    In the log, the event may be too old, or the database was restored since. Begin the list anew,
    without a cursor; of the log, read what you need anew first.
    """

    title = "The cursor is not valid here any more"
    detail = "The list does not go on from this cursor. Begin without one."


class CaseDecidedError(ConflictError):
    """Another moderator may have decided it meanwhile. To change a decision, undo it."""

    title = "The case is decided"
    detail = "This case has been decided."


class ThingGoneError(ConflictError):
    """Its author deleted it. The case can still be dismissed, or the account suspended."""

    title = "The reported thing no longer exists"
    detail = "The reported ad or comment no longer exists."


class DecisionEndedError(ConflictError):
    """It was undone, has ended or was replaced, or it is itself one that undid another."""

    title = "The decision is no longer in force"
    detail = "This decision is no longer in force, or cannot be undone."


class AppealNotPossibleError(ConflictError):
    """One appeal is possible against a decision, within 180 days and while it is in force.

    None is possible against a decision about an appeal.
    """

    title = "An appeal is not possible"
    detail = "An appeal against this decision is not possible."


class OfferNotPossibleError(ConflictError):
    """`detail` says why, and `allowed` lists what the caller may do to the offer instead.

    Another request may have changed it, or the ad, meanwhile.
    """

    title = "This is not possible with the offer"

    def __init__(self, detail: str, allowed: Sequence[str]) -> None:
        """`allowed` are the names of what the party may do to the offer instead."""
        super().__init__(detail)
        self.members = {"allowed": allowed}


class RatingClosedError(ConflictError):
    """The 14 days after the sale are over, or the other account was deleted."""

    title = "The deal can be rated no longer"
    detail = "The time to rate this deal is over, or the other account was deleted."


class AlreadyRatedError(ConflictError):
    """Each party rates once."""

    title = "The deal is rated"
    detail = "You have rated this deal."


class AlreadyAnsweredError(ConflictError):
    """One answer is possible."""

    title = "The rating is answered"
    detail = "You have answered this rating."


class TooManyError(ConflictError):
    """`detail` says how many there may be. Delete one to make room."""

    title = "There are too many of these"

    def __init__(self, limit: int, what: str) -> None:
        """There would be more than `limit` of these; `what` is in the plural."""
        super().__init__(f"There may be at most {limit} {what}; delete one to make room.")


class UndoNotPossibleError(ConflictError):
    """The user name or the external id is taken by now, or the account of the ad is gone: undo its
    deletion first.
    """

    title = "The deletion cannot be undone"
    detail = "What was deleted has no place any more: its name is taken, or its account is gone."


class WebhookDisabledError(ConflictError):
    """Nothing is sent to it. `PATCH` it with `enabled: true` first."""

    title = "The webhook is disabled"
    detail = "The webhook is disabled; enable it first."


class FixedByEnvironmentError(ConflictError):
    """The environment of the service sets this member of the site, so it is changed there.
    `detail` names the variable.
    """

    title = "The environment of the service sets this"

    def __init__(self, setting: str) -> None:
        super().__init__(f"ADSVC_{setting.upper()} sets this in the environment of the service.")


class HasAdsError(ConflictError):
    """There are ads, whose prices this would change. `adsvc site set-decimals` converts them."""

    title = "There are ads with prices"
    detail = "There are ads. adsvc site set-decimals converts their prices."


class SetupEndedError(GoneError):
    """The link of the set-up is wrong, was used, is older than 30 minutes, or there is a newer one
    or an administrator. `adsvc setup-link` prints a new one while there is no administrator.
    """

    title = "The set-up is no longer possible"
    detail = "The link is not valid, or no longer; adsvc setup-link prints a new one."
