"""An error class for each status and, below it, each problem type; the service's page /problems explains these."""

from collections.abc import Mapping
from typing import Final

from ..errors import ProblemError


class BadRequestError(ProblemError):
    """Status 400, whatever its type."""


class UnauthorizedError(ProblemError):
    """Status 401, whatever its type."""


class ForbiddenError(ProblemError):
    """Status 403, whatever its type."""


class NotFoundError(ProblemError):
    """Status 404, whatever its type."""


class MethodNotAllowedError(ProblemError):
    """Status 405, whatever its type."""


class PreconditionFailedError(ProblemError):
    """Status 412, whatever its type."""


class ContentTooLargeError(ProblemError):
    """Status 413, whatever its type."""


class UnsupportedMediaTypeError(ProblemError):
    """Status 415, whatever its type."""


class RangeNotSatisfiableError(ProblemError):
    """Status 416, whatever its type."""


class UnprocessableContentError(ProblemError):
    """Status 422, whatever its type."""


class TooManyRequestsError(ProblemError):
    """Status 429, whatever its type."""


class InternalServerError(ProblemError):
    """Status 500, whatever its type."""


class ServiceUnavailableError(ProblemError):
    """Status 503, whatever its type."""


class ConflictError(ProblemError):
    """Status 409, whatever its type."""


class GoneError(ProblemError):
    """Status 410, whatever its type."""


class InvalidRequestError(BadRequestError):
    """400: The request is not valid.

    Something is missing, malformed or outside its limits. `errors` lists everything.
    """


class InvalidImageError(BadRequestError):
    """400: The image cannot be used.

    The file cannot be decoded, or has too many pixels.
    """


class UnauthenticatedError(UnauthorizedError):
    """401: Credentials are needed.

    Send `Authorization: Bearer` with a token from `/login` that has not expired.
    """


class InvalidCredentialsError(UnauthorizedError):
    """401: The credentials are not valid.

    The credentials in `Authorization` are malformed, have expired, belong to a session that
    has ended, or use a scheme that is not accepted. Log in again.
    """


class WrongCredentialsError(UnauthorizedError):
    """401: The user name or the password is wrong.

    The answer does not say which of the two it is.
    """


class SecondFactorRequiredError(UnauthorizedError):
    """401: A second factor is needed.

    The user name and the password are right, or the OpenID provider knows the person. Send
    `challenge` with a code of the authenticator app, or a recovery code, to `POST
    /login/second-factor` within five minutes. HTTP Basic is not accepted for such accounts:
    programs use keys.
    """


class InvalidChallengeError(UnauthorizedError):
    """401: The challenge is not valid.

    It is malformed, was used or has expired, or the password has changed since. Begin the
    login again.
    """


class CrossSiteError(ForbiddenError):
    """403: The page may not send this change.

    Where HTTP Basic is accepted, a change is refused if `Origin` or `Sec-Fetch-Site` says
    that a page of another origin sent it, unless `ADSVC_CORS_ORIGINS` has that origin.
    """


class UnsupportedImageError(UnsupportedMediaTypeError):
    """415: This kind of image is not supported.

    JPEG, PNG and WebP are accepted. The content decides, not the name or declared type.
    """


class IdempotencyKeyReusedError(UnprocessableContentError):
    """422: The key belongs to another request.

    An `Idempotency-Key` belongs to one request for 24 hours: its method, its address and its
    content. Use a new key for another request. Nothing was changed.
    """


class RateLimitedError(TooManyRequestsError):
    """429: Too many attempts.

    Wait for as many seconds as the header `Retry-After` says.
    """


class TooManyUploadsError(TooManyRequestsError):
    """429: Too many uploads at once.

    `detail` has the limit of an account. Send the next upload when one has finished.
    """


class TooManyStreamsError(TooManyRequestsError):
    """429: Too many streams at once.

    `detail` has the limit of an account at one process. Close a stream first.
    """


class InternalError(InternalServerError):
    """500: The service failed.

    The request is not at fault. Quote `instance` when you report it.
    """


class UnavailableError(ServiceUnavailableError):
    """503: The service is not available.

    The database cannot be reached at present. Try again after `Retry-After` seconds.
    """


class ImageStoreUnavailableError(ServiceUnavailableError):
    """503: The image store is not available.

    Pictures can be neither stored nor read at present. Nothing was changed.
    """


class DiskNearlyFullError(ServiceUnavailableError):
    """503: The disk is nearly full.

    Pictures, or everything that adds text, is refused until the operator has made room.
    Reading, deleting and logging in work. Nothing was changed.
    """


class OverloadedError(ServiceUnavailableError):
    """503: The service is overloaded.

    Nothing was changed. Try again after `Retry-After` seconds.
    """


class UsernameTakenError(ConflictError):
    """409: The user name is taken.

    User names are unique without regard to case.
    """


class AlreadySetError(ConflictError):
    """409: An authenticator app is set up.

    Send its `code`, or a recovery code, along to replace it.
    """


class IdentityTakenError(ConflictError):
    """409: An account signs in with it already.

    Remove it from the account that signs in with it, or log in with it there.
    """


class LinkRequiredError(ConflictError):
    """409: The mail address is that of an account.

    Confirm that it is yours: send `challenge` and `currentPassword` to `POST
    /login/oidc/link` within an hour, or follow the link in the mail. Both count in the
    browser that began the login.
    """


class LastSignInError(ConflictError):
    """409: It is the last way to sign in.

    Set up a password first, by `POST /password/forgot`.
    """


class ExternalIdTakenError(ConflictError):
    """409: Another ad has this external id.

    An account uses each `externalId` only once. `PUT /ads/by-external-id/{externalId}`
    changes the ad that has it.
    """


class ImportInProgressError(ConflictError):
    """409: Another import is under way.

    An account has one import at a time. `GET /imports/{id}` says how far it has come.
    """


class ImportNotWaitingError(ConflictError):
    """409: The import does not wait for a confirmation.

    It runs, has ended, or was replaced by another one.
    """


class CategoryCycleError(ConflictError):
    """409: The category would be its own ancestor.

    The parent is the category itself or one below it.
    """


class CategoryInUseError(ConflictError):
    """409: The category is in use.

    It has ads or children. Give them another category, or another parent, first.
    """


class IllegalTransitionError(ConflictError):
    """409: The ad's status does not allow this.

    `from` is the status, and `allowed` lists the steps that it allows. Another request may
    have changed it meanwhile.
    """


class QuotaExceededError(ConflictError):
    """409: The account's storage is full.

    Its pictures or its texts, as `detail` says, use `used` of `quota` bytes. Delete some to
    make room.
    """


class TooManyImagesError(ConflictError):
    """409: The ad would have too many pictures.

    `detail` says how many it may have. Nothing was stored.
    """


class OwnAdError(ConflictError):
    """409: It is your own ad.

    What was requested is possible for ads of other accounts only.
    """


class LastImageError(ConflictError):
    """409: The ad's last picture cannot be deleted.

    Only a draft may have no picture. Replace it, or add another one first.
    """


class IdempotencyInProgressError(ConflictError):
    """409: The first request with this key is in progress.

    Send it again with the same `Idempotency-Key` after `Retry-After` seconds. Then the answer
    is that of the first request, or, if that failed, the request is carried out.
    """


class CursorExpiredError(GoneError):
    """410: The cursor is not valid here any more.

    It is of another list, order or filter, or the site's secret has changed since. In the
    log, the event may be too old, or the database was restored since. Begin the list anew,
    without a cursor; of the log, read what you need anew first.
    """


class CaseDecidedError(ConflictError):
    """409: The case is decided.

    Another moderator may have decided it meanwhile. To change a decision, undo it.
    """


class ThingGoneError(ConflictError):
    """409: The reported thing no longer exists.

    Its author deleted it. The case can still be dismissed, or the account suspended.
    """


class DecisionEndedError(ConflictError):
    """409: The decision is no longer in force.

    It was undone, has ended or was replaced, or it is itself one that undid another.
    """


class AppealNotPossibleError(ConflictError):
    """409: An appeal is not possible.

    One appeal is possible against a decision, within 180 days and while it is in force. None
    is possible against a decision about an appeal.
    """


class OfferNotPossibleError(ConflictError):
    """409: This is not possible with the offer.

    `detail` says why, and `allowed` lists what the caller may do to the offer instead.
    Another request may have changed it, or the ad, meanwhile.
    """


class RatingClosedError(ConflictError):
    """409: The deal can be rated no longer.

    The 14 days after the sale are over, or the other account was deleted.
    """


class AlreadyRatedError(ConflictError):
    """409: The deal is rated.

    Each party rates once.
    """


class AlreadyAnsweredError(ConflictError):
    """409: The rating is answered.

    One answer is possible.
    """


class TooManyError(ConflictError):
    """409: There are too many of these.

    `detail` says how many there may be. Delete one to make room.
    """


class UndoNotPossibleError(ConflictError):
    """409: The deletion cannot be undone.

    The user name or the external id is taken by now, or the account of the ad is gone: undo
    its deletion first.
    """


class WebhookDisabledError(ConflictError):
    """409: The webhook is disabled.

    Nothing is sent to it. `PATCH` it with `enabled: true` first.
    """


class FixedByEnvironmentError(ConflictError):
    """409: The environment of the service sets this.

    The environment of the service sets this member of the site, so it is changed there.
    `detail` names the variable.
    """


class HasAdsError(ConflictError):
    """409: There are ads with prices.

    There are ads, whose prices this would change. `adsvc site set-decimals` converts them.
    """


class SetupEndedError(GoneError):
    """410: The set-up is no longer possible.

    The link of the set-up is wrong, was used, is older than 30 minutes, or there is a newer
    one or an administrator. `adsvc setup-link` prints a new one while there is no
    administrator.
    """


class InvitationRequiredError(BadRequestError):
    """400: An invitation is required.

    `registration` of `GET /site` is `invitation`: send the code of an invitation that has not
    expired, and is not used up, as `invitation`.
    """


class TermsRequiredError(BadRequestError):
    """400: The terms must be accepted.

    The site has terms: send the `version` of `terms` of `GET /site` as `acceptedTerms`, once
    the person has accepted them.
    """


class InvalidTokenError(BadRequestError):
    """400: The link is not valid.

    Its token is unknown, was used or has expired, or the account's password or mail address
    has changed since.
    """


class InvalidPasskeyError(BadRequestError):
    """400: The passkey cannot be registered.

    The authenticator's answer is malformed, was made for another site, account or challenge,
    or did not verify its user; or the passkey is registered already.
    """


class WrongFactorError(UnauthorizedError):
    """401: The second factor is wrong.

    The code is wrong or was used before, each counts once; or the passkey is unknown, or its
    answer not valid. The challenge is still good.
    """


class WrongPasswordError(ForbiddenError):
    """403: The current password is wrong.

    A new password, a new mail address and the deletion of an account require the current
    password.
    """


class LoginRequiredError(ForbiddenError):
    """403: A new login is required.

    A key outlives the session that makes it. So it requires the current password, or a login
    of the last five minutes.
    """


class WrongCodeError(ForbiddenError):
    """403: The code is wrong.

    It is neither a current code of the authenticator app nor an unused recovery code. Each
    counts once.
    """


class SecondFactorMissingError(ForbiddenError):
    """403: A second factor must be set up.

    The operator requires one of this account (`ADSVC_SECOND_FACTOR`). Until it is set up by
    `POST /users/me/totp`, a session can do nothing else, and keys are refused.
    """


class InsufficientScopeError(ForbiddenError):
    """403: The key lacks a scope.

    `scope` is what the operation needs; a `write` contains its `read`. Use a key that has it.
    The scopes of a key do not change.
    """


class SessionRequiredError(ForbiddenError):
    """403: A key may not do this.

    Keys, passwords, second factors, sessions, and export and deletion of the account are for
    people who have logged in. Send the token of a session.
    """


class MailNotVerifiedError(ForbiddenError):
    """403: The mail address is not confirmed.

    The site requires a mail address that was confirmed by the link sent to it. `PATCH
    /users/me` sets it, `POST /users/me/mail/verification` sends the link once more.
    """


class AdNotFoundError(NotFoundError):
    """404: There is no such ad.

    It never existed, was deleted, or only its author sees it.
    """


class CategoryNotFoundError(NotFoundError):
    """404: There is no such category.

    `GET /categories` lists them all.
    """


class CommentNotFoundError(NotFoundError):
    """404: There is no such comment.

    It never existed, was deleted, or belongs to another ad.
    """


class SessionNotFoundError(NotFoundError):
    """404: There is no such session.

    It has ended, or is not yours.
    """


class KeyNotFoundError(NotFoundError):
    """404: There is no such key.

    It was deleted, or is not yours.
    """


class PasskeyNotFoundError(NotFoundError):
    """404: There is no such passkey.

    It was deleted, or is not yours.
    """


class ProviderNotFoundError(NotFoundError):
    """404: There is no such provider.

    The site has no such OpenID provider, or has it no more.
    """


class IdentityNotFoundError(NotFoundError):
    """404: There is no such identity.

    It was removed, or is not yours.
    """


class PushNotFoundError(NotFoundError):
    """404: There is no such browser.

    It was removed, its session has ended, or it is not yours.
    """


class ImageNotFoundError(NotFoundError):
    """404: There is no such image.

    It was replaced or deleted. Get the ad again for its current pictures.
    """


class SuspendedError(ForbiddenError):
    """403: The account is suspended.

    User name and password are right. `until` is when the suspension ends, in milliseconds
    since 1970-01-01T00:00Z; it is absent if there is no end. `explanation` has the reasons.
    `POST /decisions/read` and `POST /decisions/appeal` take `appealToken`.
    """


class CaseNotFoundError(NotFoundError):
    """404: There is no such case.

    It never existed, was deleted with the author's account, or its retention has ended.
    """


class DecisionNotFoundError(NotFoundError):
    """404: There is no such decision.

    It never existed, its retention has ended, or it concerns another account.
    """


class AccountNotFoundError(NotFoundError):
    """404: There is no such account.

    It never existed, or was deleted.
    """


class BlockedError(ForbiddenError):
    """403: One of the two has blocked the other.

    Neither can write to the other until the block is removed.
    """


class NetworkRefusedError(ForbiddenError):
    """403: The network is refused.

    The operator refuses all requests from this network for a time.
    """


class ClosedError(ForbiddenError):
    """403: The conversation is closed.

    The account of the other party was deleted. The messages can still be read.
    """


class ConversationNotFoundError(NotFoundError):
    """404: There is no such conversation.

    It never existed, its retention has ended, or the caller is no party of it.
    """


class OfferNotFoundError(NotFoundError):
    """404: There is no such offer.

    It never existed, or belongs to a conversation of others.
    """


class DealNotFoundError(NotFoundError):
    """404: There is no such deal.

    It never existed, or is one of others.
    """


class RatingNotFoundError(NotFoundError):
    """404: There is no such rating.

    It never existed, is not shown yet, or moderators have removed it.
    """


class MessageNotFoundError(NotFoundError):
    """404: There is no such message.

    It never existed, or belongs to another conversation.
    """


class WebhookNotFoundError(NotFoundError):
    """404: There is no such webhook.

    It never existed, or was deleted.
    """


class DeliveryNotFoundError(NotFoundError):
    """404: There is no such delivery.

    It never existed, belongs to another webhook, or its retention has ended.
    """


class RegistrationClosedError(ForbiddenError):
    """403: Registration is closed.

    The site takes no new accounts: `registration` of `GET /site` is `closed`.
    """


class FeatureOffError(ForbiddenError):
    """403: The site does not offer this.

    The site does without this: `features` of `GET /site`. `feature` names it.
    """


class MaintenanceError(ServiceUnavailableError):
    """503: The site is in maintenance.

    The operator has closed the site, or all changes, for a time. `detail` has the operator's
    own words. Nothing was changed. Try again after `Retry-After` seconds.
    """


PROBLEM_STATUSES: Final[Mapping[int, type[ProblemError]]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    405: MethodNotAllowedError,
    412: PreconditionFailedError,
    413: ContentTooLargeError,
    415: UnsupportedMediaTypeError,
    416: RangeNotSatisfiableError,
    422: UnprocessableContentError,
    429: TooManyRequestsError,
    500: InternalServerError,
    503: ServiceUnavailableError,
    409: ConflictError,
    410: GoneError,
}
PROBLEM_TYPES: Final[Mapping[str, type[ProblemError]]] = {
    "/problems#invalid-request": InvalidRequestError,
    "/problems#invalid-image": InvalidImageError,
    "/problems#unauthenticated": UnauthenticatedError,
    "/problems#invalid-credentials": InvalidCredentialsError,
    "/problems#wrong-credentials": WrongCredentialsError,
    "/problems#second-factor-required": SecondFactorRequiredError,
    "/problems#invalid-challenge": InvalidChallengeError,
    "/problems#forbidden": ForbiddenError,
    "/problems#cross-site": CrossSiteError,
    "/problems#not-found": NotFoundError,
    "/problems#method-not-allowed": MethodNotAllowedError,
    "/problems#precondition-failed": PreconditionFailedError,
    "/problems#content-too-large": ContentTooLargeError,
    "/problems#unsupported-media-type": UnsupportedMediaTypeError,
    "/problems#unsupported-image": UnsupportedImageError,
    "/problems#range-not-satisfiable": RangeNotSatisfiableError,
    "/problems#idempotency-key-reused": IdempotencyKeyReusedError,
    "/problems#rate-limited": RateLimitedError,
    "/problems#too-many-uploads": TooManyUploadsError,
    "/problems#too-many-streams": TooManyStreamsError,
    "/problems#internal-error": InternalError,
    "/problems#unavailable": UnavailableError,
    "/problems#image-store-unavailable": ImageStoreUnavailableError,
    "/problems#disk-nearly-full": DiskNearlyFullError,
    "/problems#overloaded": OverloadedError,
    "/problems#username-taken": UsernameTakenError,
    "/problems#already-set": AlreadySetError,
    "/problems#identity-taken": IdentityTakenError,
    "/problems#link-required": LinkRequiredError,
    "/problems#last-sign-in": LastSignInError,
    "/problems#external-id-taken": ExternalIdTakenError,
    "/problems#import-in-progress": ImportInProgressError,
    "/problems#import-not-waiting": ImportNotWaitingError,
    "/problems#category-cycle": CategoryCycleError,
    "/problems#category-in-use": CategoryInUseError,
    "/problems#illegal-transition": IllegalTransitionError,
    "/problems#quota-exceeded": QuotaExceededError,
    "/problems#too-many-images": TooManyImagesError,
    "/problems#own-ad": OwnAdError,
    "/problems#last-image": LastImageError,
    "/problems#idempotency-in-progress": IdempotencyInProgressError,
    "/problems#gone": GoneError,
    "/problems#cursor-expired": CursorExpiredError,
    "/problems#case-decided": CaseDecidedError,
    "/problems#thing-gone": ThingGoneError,
    "/problems#decision-ended": DecisionEndedError,
    "/problems#appeal-not-possible": AppealNotPossibleError,
    "/problems#offer-not-possible": OfferNotPossibleError,
    "/problems#rating-closed": RatingClosedError,
    "/problems#already-rated": AlreadyRatedError,
    "/problems#already-answered": AlreadyAnsweredError,
    "/problems#too-many": TooManyError,
    "/problems#undo-not-possible": UndoNotPossibleError,
    "/problems#webhook-disabled": WebhookDisabledError,
    "/problems#fixed-by-environment": FixedByEnvironmentError,
    "/problems#has-ads": HasAdsError,
    "/problems#setup-ended": SetupEndedError,
    "/problems#invitation-required": InvitationRequiredError,
    "/problems#terms-required": TermsRequiredError,
    "/problems#invalid-token": InvalidTokenError,
    "/problems#invalid-passkey": InvalidPasskeyError,
    "/problems#wrong-factor": WrongFactorError,
    "/problems#wrong-password": WrongPasswordError,
    "/problems#login-required": LoginRequiredError,
    "/problems#wrong-code": WrongCodeError,
    "/problems#second-factor-missing": SecondFactorMissingError,
    "/problems#insufficient-scope": InsufficientScopeError,
    "/problems#session-required": SessionRequiredError,
    "/problems#mail-not-verified": MailNotVerifiedError,
    "/problems#ad-not-found": AdNotFoundError,
    "/problems#category-not-found": CategoryNotFoundError,
    "/problems#comment-not-found": CommentNotFoundError,
    "/problems#session-not-found": SessionNotFoundError,
    "/problems#key-not-found": KeyNotFoundError,
    "/problems#passkey-not-found": PasskeyNotFoundError,
    "/problems#provider-not-found": ProviderNotFoundError,
    "/problems#identity-not-found": IdentityNotFoundError,
    "/problems#push-not-found": PushNotFoundError,
    "/problems#image-not-found": ImageNotFoundError,
    "/problems#suspended": SuspendedError,
    "/problems#case-not-found": CaseNotFoundError,
    "/problems#decision-not-found": DecisionNotFoundError,
    "/problems#account-not-found": AccountNotFoundError,
    "/problems#blocked": BlockedError,
    "/problems#network-refused": NetworkRefusedError,
    "/problems#closed": ClosedError,
    "/problems#conversation-not-found": ConversationNotFoundError,
    "/problems#offer-not-found": OfferNotFoundError,
    "/problems#deal-not-found": DealNotFoundError,
    "/problems#rating-not-found": RatingNotFoundError,
    "/problems#message-not-found": MessageNotFoundError,
    "/problems#webhook-not-found": WebhookNotFoundError,
    "/problems#delivery-not-found": DeliveryNotFoundError,
    "/problems#registration-closed": RegistrationClosedError,
    "/problems#feature-off": FeatureOffError,
    "/problems#maintenance": MaintenanceError,
}

__all__ = [
    "PROBLEM_STATUSES",
    "PROBLEM_TYPES",
    "AccountNotFoundError",
    "AdNotFoundError",
    "AlreadyAnsweredError",
    "AlreadyRatedError",
    "AlreadySetError",
    "AppealNotPossibleError",
    "BadRequestError",
    "BlockedError",
    "CaseDecidedError",
    "CaseNotFoundError",
    "CategoryCycleError",
    "CategoryInUseError",
    "CategoryNotFoundError",
    "ClosedError",
    "CommentNotFoundError",
    "ConflictError",
    "ContentTooLargeError",
    "ConversationNotFoundError",
    "CrossSiteError",
    "CursorExpiredError",
    "DealNotFoundError",
    "DecisionEndedError",
    "DecisionNotFoundError",
    "DeliveryNotFoundError",
    "DiskNearlyFullError",
    "ExternalIdTakenError",
    "FeatureOffError",
    "FixedByEnvironmentError",
    "ForbiddenError",
    "GoneError",
    "HasAdsError",
    "IdempotencyInProgressError",
    "IdempotencyKeyReusedError",
    "IdentityNotFoundError",
    "IdentityTakenError",
    "IllegalTransitionError",
    "ImageNotFoundError",
    "ImageStoreUnavailableError",
    "ImportInProgressError",
    "ImportNotWaitingError",
    "InsufficientScopeError",
    "InternalError",
    "InternalServerError",
    "InvalidChallengeError",
    "InvalidCredentialsError",
    "InvalidImageError",
    "InvalidPasskeyError",
    "InvalidRequestError",
    "InvalidTokenError",
    "InvitationRequiredError",
    "KeyNotFoundError",
    "LastImageError",
    "LastSignInError",
    "LinkRequiredError",
    "LoginRequiredError",
    "MailNotVerifiedError",
    "MaintenanceError",
    "MessageNotFoundError",
    "MethodNotAllowedError",
    "NetworkRefusedError",
    "NotFoundError",
    "OfferNotFoundError",
    "OfferNotPossibleError",
    "OverloadedError",
    "OwnAdError",
    "PasskeyNotFoundError",
    "PreconditionFailedError",
    "ProviderNotFoundError",
    "PushNotFoundError",
    "QuotaExceededError",
    "RangeNotSatisfiableError",
    "RateLimitedError",
    "RatingClosedError",
    "RatingNotFoundError",
    "RegistrationClosedError",
    "SecondFactorMissingError",
    "SecondFactorRequiredError",
    "ServiceUnavailableError",
    "SessionNotFoundError",
    "SessionRequiredError",
    "SetupEndedError",
    "SuspendedError",
    "TermsRequiredError",
    "ThingGoneError",
    "TooManyError",
    "TooManyImagesError",
    "TooManyRequestsError",
    "TooManyStreamsError",
    "TooManyUploadsError",
    "UnauthenticatedError",
    "UnauthorizedError",
    "UnavailableError",
    "UndoNotPossibleError",
    "UnprocessableContentError",
    "UnsupportedImageError",
    "UnsupportedMediaTypeError",
    "UsernameTakenError",
    "WebhookDisabledError",
    "WebhookNotFoundError",
    "WrongCodeError",
    "WrongCredentialsError",
    "WrongFactorError",
    "WrongPasswordError",
]
