"""The errors of classified ads, and those of the kit.

Modules of the product import this one alone: `errors.NotFoundError`, `errors.AdNotFoundError`.
The base classes, and what any service may raise, are in `adsvc.kit.errors`.

    RefusalError
        UsernameTakenError
        FactorAlreadySetError
        LinkRequiredError
        LastSignInError
        ExternalIdTakenError
        ImportInProgressError
        ImportNotWaitingError
        CategoryCycleError
        CategoryInUseError
        IllegalTransitionError
        QuotaExceededError
        TooManyImagesError
        OwnAdError
        LastImageError
        IdempotencyInProgressError
        AdGoneError
        CursorExpiredError
        AccountSuspendedError
        CaseDecidedError
        ThingGoneError
        DecisionEndedError
        AppealNotPossibleError
        OfferNotPossibleError
        RatingClosedError
        AlreadyRatedError
        AlreadyAnsweredError
        TooManyError
        UndoNotPossibleError
        WebhookDisabledError
        FixedByEnvironmentError
        HasAdsError
        SetupEndedError
    InvalidRequestError
        UnknownCategoryError
        InvitationRequiredError
        InvalidTokenError
        InvalidPasskeyError
    UnauthenticatedError
        WrongFactorError
            WrongPasskeyError
    ForbiddenError
        OwnThingError
        OwnCaseError
        AdministratorConcernedError
        WrongPasswordError
        LoginRequiredError
        WrongCodeError
        CodeRequiredError
            StaleFactorError
        FactorMissingError
        InsufficientScopeError
        SessionRequiredError
        MailNotVerifiedError
        BlockedError
        NetworkRefusedError
        ConversationClosedError
        RegistrationClosedError
        FeatureOffError
    NotFoundError
        SearchNotFoundError
        AdNotFoundError
        CategoryNotFoundError
        CommentNotFoundError
        SessionNotFoundError
        KeyNotFoundError
        PasskeyNotFoundError
        ProviderNotFoundError
        IdentityNotFoundError
        PushNotFoundError
        ImageNotFoundError
        CaseNotFoundError
        DecisionNotFoundError
        AccountNotFoundError
        ConversationNotFoundError
        OfferNotFoundError
        DealNotFoundError
        RatingNotFoundError
        MessageNotFoundError
        WebhookNotFoundError
        DeliveryNotFoundError
    UnavailableError
        MaintenanceError
"""

from collections.abc import Sequence

from adsvc.kit.errors import *
from adsvc.kit.faults import Fault, FaultCode, unknown


class UnknownCategoryError(InvalidRequestError):
    def __init__(self) -> None:
        super().__init__(unknown("there is no such category").at("/category"))


class InvitationRequiredError(InvalidRequestError):
    """`registration` of `GET /site` is `invitation`: send the code of an invitation that has not
    expired, and is not used up, as `invitation`.
    """

    title = "An invitation is required"

    def __init__(self) -> None:
        super().__init__(unknown("must be the code of a valid invitation").at("/invitation"))


class InvalidTokenError(InvalidRequestError):
    """Its token is unknown, was used or has expired, or the account's password or mail address has
    changed since.
    """

    title = "The link is not valid"

    def __init__(self) -> None:
        """It does not say which of the reasons applies."""
        super().__init__(unknown("is unknown, was used, has expired or was replaced").at("/token"))
        self.detail = "The token of the link is not valid."


class InvalidPasskeyError(InvalidRequestError):
    """The authenticator's answer is malformed, was made for another site, account or challenge, or
    did not verify its user; or the passkey is registered already.
    """

    title = "The passkey cannot be registered"

    def __init__(self, why: str) -> None:
        super().__init__(Fault(FaultCode.WRONG_FORMAT, why).at("/response"))
        self.detail = "The passkey cannot be registered."


class WrongFactorError(UnauthenticatedError):
    """The code is wrong or was used before, each counts once; or the passkey is unknown, or its
    answer not valid. The challenge is still good.
    """

    title = "The second factor is wrong"
    detail = "The code is wrong, or was used before."


class WrongPasskeyError(WrongFactorError):
    """It does not say why: the reasons differ for credentials that are known."""

    detail = "This passkey is unknown, or its answer is not valid."


class OwnThingError(ForbiddenError):
    detail = "You cannot report what you have written."


class OwnCaseError(ForbiddenError):
    detail = "Another moderator must decide this."


class AdministratorConcernedError(ForbiddenError):
    detail = "Only an administrator may decide about an administrator."


class WrongPasswordError(ForbiddenError):
    """A new password, a new mail address and the deletion of an account require the current
    password.
    """

    title = "The current password is wrong"
    detail = "The current password is wrong."


class LoginRequiredError(ForbiddenError):
    """A key outlives the session that makes it.

    So it requires the current password, or a login of the last five minutes.
    """

    title = "A new login is required"
    detail = "Log in again, or send the current password: the login was more than 5 minutes ago."


class WrongCodeError(ForbiddenError):
    """It is neither a current code of the authenticator app nor an unused recovery code.

    Each counts once.
    """

    title = "The code is wrong"
    detail = "The code is wrong, or was used before."


class CodeRequiredError(ForbiddenError):
    """Send `code`: one of the authenticator app, or a recovery code.

    Or, with `challenge`: the second factor was proved more than five minutes ago. Send the
    challenge with a code to `POST /login/second-factor`, and repeat the request in the session
    that this begins.
    """

    slug = "second-factor-required"
    title = "A second factor is needed"
    detail = "This needs a code of your authenticator app, or a recovery code."


class StaleFactorError(CodeRequiredError):
    """A code with the `challenge` begins a session that may do it; without one, a passkey does."""

    detail = "This needs a second factor that was proved in the last five minutes."

    def __init__(self, challenge: str | None) -> None:
        super().__init__()
        self.members = {} if challenge is None else {"challenge": challenge}


class FactorMissingError(ForbiddenError):
    """The operator requires one of this account (`ADSVC_SECOND_FACTOR`).

    Until it is set up by `POST /users/me/totp`, a session can do nothing else, and keys are
    refused.
    """

    slug = "second-factor-missing"
    title = "A second factor must be set up"
    detail = "Set up a second factor first: this site requires it of your account."


class InsufficientScopeError(ForbiddenError):
    """`scope` is what the operation needs; a `write` contains its `read`.

    Use a key that has it. The scopes of a key do not change.
    """

    title = "The key lacks a scope"

    def __init__(self, scope: str) -> None:
        """`scope` is what the key would need."""
        super().__init__(f"This operation needs a key with the scope {scope}.")
        self.scope = scope
        self.members = {"scope": scope}


class SessionRequiredError(ForbiddenError):
    """Keys, passwords, second factors, sessions, and export and deletion of the account are for
    people who have logged in. Send the token of a session.
    """

    title = "A key may not do this"
    detail = "This operation needs a session: a key is not enough."


class MailNotVerifiedError(ForbiddenError):
    """The site requires a mail address that was confirmed by the link sent to it.

    `PATCH /users/me` sets it, `POST /users/me/mail/verification` sends the link once more.
    """

    title = "The mail address is not confirmed"
    detail = "Confirm your mail address first."


class SearchNotFoundError(NotFoundError):
    detail = "You have no saved search with this id."


class AdNotFoundError(NotFoundError):
    """It never existed, was deleted, or only its author sees it."""

    title = "There is no such ad"
    detail = "There is no ad with this id."


class CategoryNotFoundError(NotFoundError):
    """`GET /categories` lists them all."""

    title = "There is no such category"
    detail = "There is no category with this slug."


class CommentNotFoundError(NotFoundError):
    """It never existed, was deleted, or belongs to another ad."""

    title = "There is no such comment"
    detail = "This ad has no comment with this id."


class SessionNotFoundError(NotFoundError):
    """It has ended, or is not yours."""

    title = "There is no such session"
    detail = "You have no session with this id."


class KeyNotFoundError(NotFoundError):
    """It was deleted, or is not yours."""

    title = "There is no such key"
    detail = "You have no key with this id."


class PasskeyNotFoundError(NotFoundError):
    """It was deleted, or is not yours."""

    title = "There is no such passkey"
    detail = "You have no passkey with this id."


class ProviderNotFoundError(NotFoundError):
    """The site has no such OpenID provider, or has it no more."""

    title = "There is no such provider"
    detail = "The site has no provider with this id."


class IdentityNotFoundError(NotFoundError):
    """It was removed, or is not yours."""

    title = "There is no such identity"
    detail = "You have no identity with this id."


class PushNotFoundError(NotFoundError):
    """It was removed, its session has ended, or it is not yours."""

    title = "There is no such browser"
    detail = "You have no browser with this id."


class ImageNotFoundError(NotFoundError):
    """It was replaced or deleted. Get the ad again for its current pictures."""

    title = "There is no such image"
    detail = "There is no image with this name."


class UsernameTakenError(RefusalError):
    """User names are unique without regard to case."""

    status = 409
    title = "The user name is taken"
    detail = "This user name is taken."


class FactorAlreadySetError(RefusalError):
    """Send its `code`, or a recovery code, along to replace it."""

    status = 409
    slug = "already-set"
    title = "An authenticator app is set up"
    detail = "An authenticator app is set up; send its code to replace it."


class LinkRequiredError(RefusalError):
    """Confirm that it is yours: send `challenge` and `currentPassword` to `POST /login/oidc/link`
    within an hour, or follow the link in the mail. Both count in the browser that began the login.
    """

    status = 409
    title = "The mail address is that of an account"
    detail = "An account has this mail address. Confirm that it is yours."

    def __init__(self, challenge: str = "") -> None:
        super().__init__()
        self.members = {"challenge": challenge}


class LastSignInError(RefusalError):
    """Set up a password first, by `POST /password/forgot`."""

    status = 409
    title = "It is the last way to sign in"
    detail = "It is the account's last way to sign in. Set up a password first."


class ExternalIdTakenError(RefusalError):
    """An account uses each `externalId` only once. `PUT /ads/by-external-id/{externalId}` changes
    the ad that has it.
    """

    status = 409
    title = "Another ad has this external id"
    detail = "Another ad of the account has this external id."


class ImportInProgressError(RefusalError):
    """An account has one import at a time. `GET /imports/{id}` says how far it has come."""

    status = 409
    title = "Another import is under way"
    detail = "Another import of the account is under way."


class ImportNotWaitingError(RefusalError):
    """It runs, has ended, or was replaced by another one."""

    status = 409
    title = "The import does not wait for a confirmation"
    detail = "The import does not wait for a confirmation."


class CategoryCycleError(RefusalError):
    """The parent is the category itself or one below it."""

    status = 409
    title = "The category would be its own ancestor"
    detail = "The category would be its own ancestor."


class CategoryInUseError(RefusalError):
    """It has ads or children. Give them another category, or another parent, first."""

    status = 409
    title = "The category is in use"
    detail = "The category has ads or children."


class IllegalTransitionError(RefusalError):
    """`from` is the status, and `allowed` lists the steps that it allows.

    Another request may have changed it meanwhile.
    """

    status = 409
    title = "The ad's status does not allow this"

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        """`allowed` are the names of the steps that the status allows."""
        ways = ", ".join(allowed) or "none"
        super().__init__(f"The ad is {status}, which allows these steps: {ways}.")
        self.members = {"from": status, "allowed": allowed}


class QuotaExceededError(RefusalError):
    """Its pictures or its texts, as `detail` says, use `used` of `quota` bytes.

    Delete some to make room.
    """

    status = 409
    title = "The account's storage is full"

    def __init__(self, quota: int, used: int, what: str = "pictures") -> None:
        """What the account has stored takes `used` of `quota` bytes."""
        super().__init__(
            f"The {what} of the account take {used} of {quota} bytes; delete some to make room."
        )
        self.members = {"quota": quota, "used": used}


class TooManyImagesError(RefusalError):
    """`detail` says how many it may have. Nothing was stored."""

    status = 409
    title = "The ad would have too many pictures"

    def __init__(self, limit: int) -> None:
        """An ad would have more than `limit` pictures."""
        super().__init__(f"An ad may have at most {limit} pictures.")
        self.limit = limit


class OwnAdError(RefusalError):
    """What was requested is possible for ads of other accounts only."""

    status = 409
    title = "It is your own ad"
    detail = "It is your own ad."


class LastImageError(RefusalError):
    """Only a draft may have no picture. Replace it, or add another one first."""

    status = 409
    title = "The ad's last picture cannot be deleted"
    detail = "An ad keeps at least one picture: replace this one, or add another first."


class IdempotencyInProgressError(RefusalError):
    """Send it again with the same `Idempotency-Key` after `Retry-After` seconds.

    Then the answer is that of the first request, or, if that failed, the request is carried
    out.
    """

    # `retry_after` is in seconds.
    status = 409
    title = "The first request with this key is in progress"
    detail = "The request with this Idempotency-Key is still being carried out."
    retry_after = 1


class AdGoneError(RefusalError):
    """It was sold, or has expired. Its author can renew an expired one."""

    status = 410
    slug = "gone"
    title = "The ad is no longer offered"
    detail = "This ad was sold or has expired."


class CursorExpiredError(RefusalError):
    """It is of another list, order or filter, or the site's secret has changed since.

    In the log, the event may be too old, or the database was restored since. Begin the list anew,
    without a cursor; of the log, read what you need anew first.
    """

    status = 410
    title = "The cursor is not valid here any more"
    detail = "The list does not go on from this cursor. Begin without one."


class AccountSuspendedError(RefusalError):
    """User name and password are right.

    `until` is when the suspension ends, in milliseconds since 1970-01-01T00:00Z; it is absent
    if there is no end. `explanation` has the reasons. `POST /decisions/read` and `POST
    /decisions/appeal` take `appealToken`.
    """

    status = 403
    slug = "suspended"
    title = "The account is suspended"
    detail = "This account is suspended."

    def __init__(self, until: int | None, explanation: str, appeal_token: str | None) -> None:
        """`until` is in milliseconds since 1970; None means without end. `appeal_token` is that of
        `security.tokens`.
        """
        super().__init__()
        self.members = {"until": until, "explanation": explanation, "appealToken": appeal_token}


class CaseNotFoundError(NotFoundError):
    """It never existed, was deleted with the author's account, or its retention has ended."""

    title = "There is no such case"
    detail = "There is no case with this id."


class DecisionNotFoundError(NotFoundError):
    """It never existed, its retention has ended, or it concerns another account."""

    title = "There is no such decision"
    detail = "There is no decision with this id, or it does not concern you."


class AccountNotFoundError(NotFoundError):
    """It never existed, or was deleted."""

    title = "There is no such account"
    detail = "There is no account with this id."


class CaseDecidedError(RefusalError):
    """Another moderator may have decided it meanwhile. To change a decision, undo it."""

    status = 409
    title = "The case is decided"
    detail = "This case has been decided."


class ThingGoneError(RefusalError):
    """Its author deleted it. The case can still be dismissed, or the account suspended."""

    status = 409
    title = "The reported thing no longer exists"
    detail = "The reported ad or comment no longer exists."


class DecisionEndedError(RefusalError):
    """It was undone, has ended or was replaced, or it is itself one that undid another."""

    status = 409
    title = "The decision is no longer in force"
    detail = "This decision is no longer in force, or cannot be undone."


class AppealNotPossibleError(RefusalError):
    """One appeal is possible against a decision, within 180 days and while it is in force.

    None is possible against a decision about an appeal.
    """

    status = 409
    title = "An appeal is not possible"
    detail = "An appeal against this decision is not possible."


class BlockedError(ForbiddenError):
    """Neither can write to the other until the block is removed."""

    title = "One of the two has blocked the other"
    detail = "One of you has blocked the other."


class NetworkRefusedError(ForbiddenError):
    """The operator refuses all requests from this network for a time."""

    title = "The network is refused"
    detail = "The operator of this site refuses requests from your network."


class ConversationClosedError(ForbiddenError):
    """The account of the other party was deleted. The messages can still be read."""

    slug = "closed"
    title = "The conversation is closed"
    detail = "The other account was deleted."


class ConversationNotFoundError(NotFoundError):
    """It never existed, its retention has ended, or the caller is no party of it."""

    title = "There is no such conversation"
    detail = "You have no conversation with this id."


class OfferNotFoundError(NotFoundError):
    """It never existed, or belongs to a conversation of others."""

    title = "There is no such offer"
    detail = "You have no offer with this id."


class OfferNotPossibleError(RefusalError):
    """`detail` says why, and `allowed` lists what the caller may do to the offer instead.

    Another request may have changed it, or the ad, meanwhile.
    """

    status = 409
    title = "This is not possible with the offer"

    def __init__(self, detail: str, allowed: Sequence[str]) -> None:
        """`allowed` are the names of what the party may do to the offer instead."""
        super().__init__(detail)
        self.members = {"allowed": allowed}


class DealNotFoundError(NotFoundError):
    """It never existed, or is one of others."""

    title = "There is no such deal"
    detail = "You have no deal with this id."


class RatingNotFoundError(NotFoundError):
    """It never existed, is not shown yet, or moderators have removed it."""

    title = "There is no such rating"
    detail = "There is no rating with this id, or it is not about you."


class RatingClosedError(RefusalError):
    """The 14 days after the sale are over, or the other account was deleted."""

    status = 409
    title = "The deal can be rated no longer"
    detail = "The time to rate this deal is over, or the other account was deleted."


class AlreadyRatedError(RefusalError):
    """Each party rates once."""

    status = 409
    title = "The deal is rated"
    detail = "You have rated this deal."


class AlreadyAnsweredError(RefusalError):
    """One answer is possible."""

    status = 409
    title = "The rating is answered"
    detail = "You have answered this rating."


class MessageNotFoundError(NotFoundError):
    """It never existed, or belongs to another conversation."""

    title = "There is no such message"
    detail = "This conversation has no message with this id."


class WebhookNotFoundError(NotFoundError):
    """It never existed, or was deleted."""

    title = "There is no such webhook"
    detail = "There is no webhook with this id."


class DeliveryNotFoundError(NotFoundError):
    """It never existed, belongs to another webhook, or its retention has ended."""

    title = "There is no such delivery"
    detail = "This webhook has no delivery with this id."


class TooManyError(RefusalError):
    """`detail` says how many there may be. Delete one to make room."""

    status = 409
    title = "There are too many of these"

    def __init__(self, limit: int, what: str) -> None:
        """There would be more than `limit` of these; `what` is in the plural."""
        super().__init__(f"There may be at most {limit} {what}; delete one to make room.")


class UndoNotPossibleError(RefusalError):
    """The user name or the external id is taken by now, or the account of the ad is gone: undo its
    deletion first.
    """

    status = 409
    title = "The deletion cannot be undone"
    detail = "What was deleted has no place any more: its name is taken, or its account is gone."


class WebhookDisabledError(RefusalError):
    """Nothing is sent to it. `PATCH` it with `enabled: true` first."""

    status = 409
    title = "The webhook is disabled"
    detail = "The webhook is disabled; enable it first."


class FixedByEnvironmentError(RefusalError):
    """The environment of the service sets this member of the site, so it is changed there.
    `detail` names the variable.
    """

    status = 409
    title = "The environment of the service sets this"

    def __init__(self, setting: str) -> None:
        super().__init__(f"ADSVC_{setting.upper()} sets this in the environment of the service.")


class HasAdsError(RefusalError):
    """There are ads, whose prices this would change. `adsvc site set-decimals` converts them."""

    status = 409
    title = "There are ads with prices"
    detail = "There are ads. adsvc site set-decimals converts their prices."


class SetupEndedError(RefusalError):
    """The link of the set-up is wrong, was used, is older than 30 minutes, or there is a newer one
    or an administrator. `adsvc setup-link` prints a new one while there is no administrator.
    """

    status = 410
    title = "The set-up is no longer possible"
    detail = "The link is not valid, or no longer; adsvc setup-link prints a new one."


class RegistrationClosedError(ForbiddenError):
    """The site takes no new accounts: `registration` of `GET /site` is `closed`."""

    title = "Registration is closed"
    detail = "The site takes no new accounts."


class FeatureOffError(ForbiddenError):
    """The site does without this: `features` of `GET /site`. `feature` names it."""

    title = "The site does not offer this"
    detail = "The site does without this."

    def __init__(self, feature: str = "") -> None:
        super().__init__()
        self.members = {"feature": feature}


class MaintenanceError(UnavailableError):
    """The operator has closed the site, or all changes, for a time. `detail` has the operator's own
    words. Nothing was changed. Try again after `Retry-After` seconds.
    """

    title = "The site is in maintenance"
    detail = "The site is in maintenance. Please come back later."

    def __init__(self, text: str = "", retry_after: int = 1) -> None:
        super().__init__(text or None)
        self.retry_after = retry_after
