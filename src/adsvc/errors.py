"""The errors of classified ads, and those of the kit.

Modules of the product import this one alone: `errors.NotFoundError`, `errors.AdNotFoundError`.
The base classes, and what any service may raise, are in `adsvc.kit.errors`.

    RefusalError
        AccountSuspendedError
    InvalidRequestError
        UnknownCategoryError, InvitationRequiredError, TermsMissingError, InvalidTokenError,
        InvalidPasskeyError
    UnauthenticatedError
        WrongFactorError
            WrongPasskeyError
    ForbiddenError
        OwnThingError, OwnCaseError, AdministratorConcernedError, WrongPasswordError,
        LoginRequiredError, WrongCodeError
        CodeRequiredError
            StaleFactorError
        FactorMissingError, InsufficientScopeError, SessionRequiredError, MailNotVerifiedError,
        TermsRequiredError, BlockedError, NetworkRefusedError, ConversationClosedError,
        RegistrationClosedError,
        FeatureOffError
    NotFoundError
        SearchNotFoundError, AdNotFoundError, CategoryNotFoundError, CommentNotFoundError,
        SessionNotFoundError, KeyNotFoundError, PasskeyNotFoundError, ProviderNotFoundError,
        IdentityNotFoundError, PushNotFoundError, ImageNotFoundError, CaseNotFoundError,
        DecisionNotFoundError, AccountNotFoundError, ConversationNotFoundError, OfferNotFoundError,
        DealNotFoundError, RatingNotFoundError, MessageNotFoundError, WebhookNotFoundError,
        DeliveryNotFoundError
    ConflictError
        UsernameTakenError, FactorAlreadySetError, IdentityTakenError, LinkRequiredError,
        LastSignInError,
        ExternalIdTakenError, ImportInProgressError, ImportNotWaitingError, CategoryCycleError,
        CategoryInUseError, IllegalTransitionError, QuotaExceededError, TooManyImagesError,
        OwnAdError, LastImageError, IdempotencyInProgressError, CaseDecidedError, ThingGoneError,
        DecisionEndedError, AppealNotPossibleError, OfferNotPossibleError, RatingClosedError,
        AlreadyRatedError, AlreadyAnsweredError, TooManyError, UndoNotPossibleError,
        WebhookDisabledError, FixedByEnvironmentError, HasAdsError
    GoneError
        AdGoneError, CursorExpiredError, SetupEndedError
    UnavailableError
        MaintenanceError
"""

from adsvc.conflicts import *
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


class TermsMissingError(InvalidRequestError):
    """The site has terms: send the `version` of `terms` of `GET /site` as `acceptedTerms`, once the
    person has accepted them.
    """

    slug = "terms-required"
    title = "The terms must be accepted"

    def __init__(self) -> None:
        super().__init__(unknown("must be the version of the site's terms").at("/acceptedTerms"))


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


class TermsRequiredError(ForbiddenError):
    """The account has not accepted the version of the site's terms that is in force: `terms` of
    `GET /site`. Until `POST /users/me/terms` accepts it, the account reads, logs out, is exported
    and can be deleted.
    """

    title = "The terms must be accepted"
    detail = "The site has new terms. Accept them first."


class SearchNotFoundError(NotFoundError):
    detail = "You have no saved search with this id."


class AdNotFoundError(NotFoundError, thing="ad"):
    """It never existed, was deleted, or only its author sees it."""

    detail = "There is no ad with this id."


class CategoryNotFoundError(NotFoundError, thing="category"):
    """`GET /categories` lists them all."""

    detail = "There is no category with this slug."


class CommentNotFoundError(NotFoundError, thing="comment"):
    """It never existed, was deleted, or belongs to another ad."""

    detail = "This ad has no comment with this id."


class SessionNotFoundError(NotFoundError, thing="session"):
    """It has ended, or is not yours."""

    detail = "You have no session with this id."


class KeyNotFoundError(NotFoundError, thing="key"):
    """It was deleted, or is not yours."""

    detail = "You have no key with this id."


class PasskeyNotFoundError(NotFoundError, thing="passkey"):
    """It was deleted, or is not yours."""

    detail = "You have no passkey with this id."


class ProviderNotFoundError(NotFoundError, thing="provider"):
    """The site has no such OpenID provider, or has it no more."""

    detail = "The site has no provider with this id."


class IdentityNotFoundError(NotFoundError, thing="identity"):
    """It was removed, or is not yours."""

    detail = "You have no identity with this id."


class PushNotFoundError(NotFoundError, thing="browser"):
    """It was removed, its session has ended, or it is not yours."""

    detail = "You have no browser with this id."


class ImageNotFoundError(NotFoundError, thing="image"):
    """It was replaced or deleted. Get the ad again for its current pictures."""

    detail = "There is no image with this name."


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


class CaseNotFoundError(NotFoundError, thing="case"):
    """It never existed, was deleted with the author's account, or its retention has ended."""

    detail = "There is no case with this id."


class DecisionNotFoundError(NotFoundError, thing="decision"):
    """It never existed, its retention has ended, or it concerns another account."""

    detail = "There is no decision with this id, or it does not concern you."


class AccountNotFoundError(NotFoundError, thing="account"):
    """It never existed, or was deleted."""

    detail = "There is no account with this id."


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


class ConversationNotFoundError(NotFoundError, thing="conversation"):
    """It never existed, its retention has ended, or the caller is no party of it."""

    detail = "You have no conversation with this id."


class OfferNotFoundError(NotFoundError, thing="offer"):
    """It never existed, or belongs to a conversation of others."""

    detail = "You have no offer with this id."


class DealNotFoundError(NotFoundError, thing="deal"):
    """It never existed, or is one of others."""

    detail = "You have no deal with this id."


class RatingNotFoundError(NotFoundError, thing="rating"):
    """It never existed, is not shown yet, or moderators have removed it."""

    detail = "There is no rating with this id, or it is not about you."


class MessageNotFoundError(NotFoundError, thing="message"):
    """It never existed, or belongs to another conversation."""

    detail = "This conversation has no message with this id."


class WebhookNotFoundError(NotFoundError, thing="webhook"):
    """It never existed, or was deleted."""

    detail = "There is no webhook with this id."


class DeliveryNotFoundError(NotFoundError, thing="delivery"):
    """It never existed, belongs to another webhook, or its retention has ended."""

    detail = "This webhook has no delivery with this id."


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
