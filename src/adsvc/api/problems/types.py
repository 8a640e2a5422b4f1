"""The problem type of each error: the table, which is also its documentation."""

from collections.abc import Mapping
from dataclasses import dataclass

from adsvc import errors

PROBLEMS_PATH = "/problems"


@dataclass(frozen=True, slots=True)
class ProblemType:
    status: int
    slug: str
    title: str
    # For client developers; shown at `/problems`.
    explanation: str

    @property
    def type(self) -> str:
        return f"{PROBLEMS_PATH}#{self.slug}"


class MethodNotAllowedError(errors.RefusalError):
    detail = "This address does not have this method; see Allow."

    def __init__(self, allowed: list[str]) -> None:
        super().__init__()
        self.allowed = allowed


class InternalError(errors.RefusalError):
    detail = "The service failed; the log has the cause under this request's id."


MODERATION_TYPES: Mapping[type[errors.RefusalError], ProblemType] = {
    errors.AccountSuspendedError: ProblemType(
        403,
        "suspended",
        "The account is suspended",
        "User name and password are right. `until` is when the suspension ends, in milliseconds "
        "since 1970-01-01T00:00Z; it is absent if there is no end. `explanation` has the reasons. "
        "`POST /decisions/read` and `POST /decisions/appeal` take `appealToken`.",
    ),
    errors.CaseNotFoundError: ProblemType(
        404,
        "case-not-found",
        "There is no such case",
        "It never existed, was deleted with the author's account, or its retention has ended.",
    ),
    errors.DecisionNotFoundError: ProblemType(
        404,
        "decision-not-found",
        "There is no such decision",
        "It never existed, its retention has ended, or it concerns another account.",
    ),
    errors.AccountNotFoundError: ProblemType(
        404, "account-not-found", "There is no such account", "It never existed, or was deleted."
    ),
    errors.CaseDecidedError: ProblemType(
        409,
        "case-decided",
        "The case is decided",
        "Another moderator may have decided it meanwhile. To change a decision, undo it.",
    ),
    errors.ThingGoneError: ProblemType(
        409,
        "thing-gone",
        "The reported thing no longer exists",
        "Its author deleted it. The case can still be dismissed, or the account suspended.",
    ),
    errors.DecisionEndedError: ProblemType(
        409,
        "decision-ended",
        "The decision is no longer in force",
        "It was undone, has ended or was replaced, or it is itself one that undid another.",
    ),
    errors.AppealNotPossibleError: ProblemType(
        409,
        "appeal-not-possible",
        "An appeal is not possible",
        "One appeal is possible against a decision, within 180 days and while it is in force. "
        "None is possible against a decision about an appeal.",
    ),
}

CONVERSATION_TYPES: Mapping[type[errors.RefusalError], ProblemType] = {
    errors.BlockedError: ProblemType(
        403,
        "blocked",
        "One of the two has blocked the other",
        "Neither can write to the other until the block is removed.",
    ),
    errors.ConversationClosedError: ProblemType(
        403,
        "closed",
        "The conversation is closed",
        "The account of the other party was deleted. The messages can still be read.",
    ),
    errors.ConversationNotFoundError: ProblemType(
        404,
        "conversation-not-found",
        "There is no such conversation",
        "It never existed, its retention has ended, or the caller is no party of it.",
    ),
    errors.OfferNotFoundError: ProblemType(
        404,
        "offer-not-found",
        "There is no such offer",
        "It never existed, or belongs to a conversation of others.",
    ),
    errors.OfferNotPossibleError: ProblemType(
        409,
        "offer-not-possible",
        "This is not possible with the offer",
        "`detail` says why, and `allowed` lists what the caller may do to the offer instead. "
        "Another request may have changed it, or the ad, meanwhile.",
    ),
    errors.MessageNotFoundError: ProblemType(
        404,
        "message-not-found",
        "There is no such message",
        "It never existed, or belongs to another conversation.",
    ),
}

WEBHOOK_TYPES: Mapping[type[errors.RefusalError], ProblemType] = {
    errors.WebhookNotFoundError: ProblemType(
        404, "webhook-not-found", "There is no such webhook", "It never existed, or was deleted."
    ),
    errors.DeliveryNotFoundError: ProblemType(
        404,
        "delivery-not-found",
        "There is no such delivery",
        "It never existed, belongs to another webhook, or its retention has ended.",
    ),
    errors.TooManyError: ProblemType(
        409,
        "too-many",
        "There are too many of these",
        "`detail` says how many there may be. Delete one to make room.",
    ),
    errors.WebhookDisabledError: ProblemType(
        409,
        "webhook-disabled",
        "The webhook is disabled",
        "Nothing is sent to it. `PATCH` it with `enabled: true` first.",
    ),
}


PROBLEM_TYPES: Mapping[type[errors.RefusalError], ProblemType] = {
    errors.InvalidRequestError: ProblemType(
        400,
        "invalid-request",
        "The request is not valid",
        "Something is missing, malformed or outside its limits. `errors` lists everything.",
    ),
    errors.InvalidImageError: ProblemType(
        400,
        "invalid-image",
        "The image cannot be used",
        "The file cannot be decoded, or has too many pixels.",
    ),
    errors.InvalidTokenError: ProblemType(
        400,
        "invalid-token",
        "The link is not valid",
        "Its token is unknown, was used or has expired, or the account's password or mail address "
        "has changed since.",
    ),
    errors.InvalidPasskeyError: ProblemType(
        400,
        "invalid-passkey",
        "The passkey cannot be registered",
        "The authenticator's answer is malformed, was made for another site, account or challenge, "
        "or did not verify its user; or the passkey is registered already.",
    ),
    errors.UnauthenticatedError: ProblemType(
        401,
        "unauthenticated",
        "Credentials are needed",
        "Send `Authorization: Bearer` with a token from `/login` that has not expired.",
    ),
    errors.InvalidCredentialsError: ProblemType(
        401,
        "invalid-credentials",
        "The credentials are not valid",
        "The credentials in `Authorization` are malformed, have expired, belong to a session that "
        "has ended, or use a scheme that is not accepted. Log in again.",
    ),
    errors.WrongCredentialsError: ProblemType(
        401,
        "wrong-credentials",
        "The user name or the password is wrong",
        "The answer does not say which of the two it is.",
    ),
    errors.SecondFactorRequiredError: ProblemType(
        401,
        "second-factor-required",
        "A second factor is needed",
        "The user name and the password are right. Send `challenge` with a code of the "
        "authenticator app, or a recovery code, to `POST /login/second-factor` within five "
        "minutes. HTTP Basic is not accepted for such accounts: programs use keys.",
    ),
    errors.InvalidChallengeError: ProblemType(
        401,
        "invalid-challenge",
        "The challenge is not valid",
        "It is malformed, was used or has expired, or the password has changed since. Begin the "
        "login again.",
    ),
    errors.WrongFactorError: ProblemType(
        401,
        "wrong-factor",
        "The second factor is wrong",
        "The code is wrong or was used before, each counts once; or the passkey is unknown, or its "
        "answer not valid. The challenge is still good.",
    ),
    errors.ForbiddenError: ProblemType(
        403,
        "forbidden",
        "You may not do this",
        "The credentials are valid, but their account may not do this. `detail` says who may.",
    ),
    errors.CrossSiteError: ProblemType(
        403,
        "cross-site",
        "The page may not send this change",
        "Where HTTP Basic is accepted, a change is refused if `Origin` or `Sec-Fetch-Site` says "
        "that a page of another origin sent it, unless `ADSVC_CORS_ORIGINS` has that origin.",
    ),
    errors.WrongPasswordError: ProblemType(
        403,
        "wrong-password",
        "The current password is wrong",
        "A new password, a new mail address and the deletion of an account require the current "
        "password.",
    ),
    errors.LoginRequiredError: ProblemType(
        403,
        "login-required",
        "A new login is required",
        "A key outlives the session that makes it. So it requires the current password, or a login "
        "of the last five minutes.",
    ),
    errors.WrongCodeError: ProblemType(
        403,
        "wrong-code",
        "The code is wrong",
        "It is neither a current code of the authenticator app nor an unused recovery code. Each "
        "counts once.",
    ),
    errors.CodeRequiredError: ProblemType(
        403,
        "second-factor-required",
        "A second factor is needed",
        "Send `code`: one of the authenticator app, or a recovery code. Or, with `challenge`: the "
        "second factor was proved more than five minutes ago. Send the challenge with a code to "
        "`POST /login/second-factor`, and repeat the request in the session that this begins.",
    ),
    errors.FactorMissingError: ProblemType(
        403,
        "second-factor-missing",
        "A second factor must be set up",
        "The operator requires one of this account (`ADSVC_SECOND_FACTOR`). Until it is set up by "
        "`POST /users/me/totp`, a session can do nothing else, and keys are refused.",
    ),
    errors.InsufficientScopeError: ProblemType(
        403,
        "insufficient-scope",
        "The key lacks a scope",
        "`scope` is what the operation needs; a `write` contains its `read`. Use a key that has "
        "it. The scopes of a key do not change.",
    ),
    errors.SessionRequiredError: ProblemType(
        403,
        "session-required",
        "A key may not do this",
        "Keys, passwords, second factors, sessions, and export and deletion of the account are "
        "for people who have logged in. Send the token of a session.",
    ),
    errors.MailNotVerifiedError: ProblemType(
        403,
        "mail-not-verified",
        "The mail address is not confirmed",
        "The site requires a mail address that was confirmed by the link sent to it. "
        "`PATCH /users/me` sets it, `POST /users/me/mail/verification` sends the link once more.",
    ),
    errors.NotFoundError: ProblemType(
        404,
        "not-found",
        "There is nothing at this address",
        "No operation has this address, or what it names is not there.",
    ),
    errors.AdNotFoundError: ProblemType(
        404,
        "ad-not-found",
        "There is no such ad",
        "It never existed, was deleted, or only its author sees it.",
    ),
    errors.CategoryNotFoundError: ProblemType(
        404,
        "category-not-found",
        "There is no such category",
        "`GET /categories` lists them all.",
    ),
    errors.CommentNotFoundError: ProblemType(
        404,
        "comment-not-found",
        "There is no such comment",
        "It never existed, was deleted, or belongs to another ad.",
    ),
    errors.SessionNotFoundError: ProblemType(
        404, "session-not-found", "There is no such session", "It has ended, or is not yours."
    ),
    errors.KeyNotFoundError: ProblemType(
        404, "key-not-found", "There is no such key", "It was deleted, or is not yours."
    ),
    errors.PasskeyNotFoundError: ProblemType(
        404, "passkey-not-found", "There is no such passkey", "It was deleted, or is not yours."
    ),
    errors.PushNotFoundError: ProblemType(
        404,
        "push-not-found",
        "There is no such browser",
        "It was removed, its session has ended, or it is not yours.",
    ),
    errors.ImageNotFoundError: ProblemType(
        404,
        "image-not-found",
        "There is no such image",
        "It was replaced or deleted. Get the ad again for its current pictures.",
    ),
    MethodNotAllowedError: ProblemType(
        405,
        "method-not-allowed",
        "The method is not allowed",
        "The header `Allow` lists the methods that this address has.",
    ),
    errors.UsernameTakenError: ProblemType(
        409,
        "username-taken",
        "The user name is taken",
        "User names are unique without regard to case.",
    ),
    errors.FactorAlreadySetError: ProblemType(
        409,
        "already-set",
        "An authenticator app is set up",
        "Send its `code`, or a recovery code, along to replace it.",
    ),
    errors.CategoryCycleError: ProblemType(
        409,
        "category-cycle",
        "The category would be its own ancestor",
        "The parent is the category itself or one below it.",
    ),
    errors.CategoryInUseError: ProblemType(
        409,
        "category-in-use",
        "The category is in use",
        "It has ads or children. Give them another category, or another parent, first.",
    ),
    errors.IllegalTransitionError: ProblemType(
        409,
        "illegal-transition",
        "The ad's status does not allow this",
        "`from` is the status, and `allowed` lists the steps that it allows. Another request may "
        "have changed it meanwhile.",
    ),
    errors.QuotaExceededError: ProblemType(
        409,
        "quota-exceeded",
        "The account's storage is full",
        "Its pictures or its texts, as `detail` says, use `used` of `quota` bytes. Delete some to "
        "make room.",
    ),
    errors.TooManyImagesError: ProblemType(
        409,
        "too-many-images",
        "The ad would have too many pictures",
        "`detail` says how many it may have. Nothing was stored.",
    ),
    errors.OwnAdError: ProblemType(
        409,
        "own-ad",
        "It is your own ad",
        "What was requested is possible for ads of other accounts only.",
    ),
    errors.LastImageError: ProblemType(
        409,
        "last-image",
        "The ad's last picture cannot be deleted",
        "Only a draft may have no picture. Replace it, or add another one first.",
    ),
    errors.IdempotencyInProgressError: ProblemType(
        409,
        "idempotency-in-progress",
        "The first request with this key is in progress",
        "Send it again with the same `Idempotency-Key` after `Retry-After` seconds. Then the "
        "answer is that of the first request, or, if that failed, the request is carried out.",
    ),
    errors.AdGoneError: ProblemType(
        410,
        "gone",
        "The ad is no longer offered",
        "It was sold, or has expired. Its author can renew an expired one.",
    ),
    errors.CursorExpiredError: ProblemType(
        410,
        "cursor-expired",
        "The log does not go on from this cursor",
        "The event is too old, or the database was restored since. Read what you need anew, and "
        "follow the log without a cursor.",
    ),
    errors.PreconditionFailedError: ProblemType(
        412,
        "precondition-failed",
        "It has changed since",
        "`If-Match` does not have the current `ETag`. The header `ETag` has it, if the resource "
        "exists. Read it again and decide anew. Nothing was changed.",
    ),
    errors.ContentTooLargeError: ProblemType(
        413,
        "content-too-large",
        "The body is too large",
        "`detail` names the limit. Nothing was stored.",
    ),
    errors.UnsupportedMediaTypeError: ProblemType(
        415,
        "unsupported-media-type",
        "The media type is not supported",
        "The operation does not accept the `Content-Type` of the request, or the body is encoded "
        "(`Content-Encoding`).",
    ),
    errors.UnsupportedImageError: ProblemType(
        415,
        "unsupported-image",
        "This kind of image is not supported",
        "JPEG, PNG and WebP are accepted. The content decides, not the name or declared type.",
    ),
    errors.RangeNotSatisfiableError: ProblemType(
        416,
        "range-not-satisfiable",
        "The range cannot be satisfied",
        "The header `Content-Range` has the size of the image.",
    ),
    errors.IdempotencyKeyReusedError: ProblemType(
        422,
        "idempotency-key-reused",
        "The key belongs to another request",
        "An `Idempotency-Key` belongs to one request for 24 hours: its method, its address and its "
        "content. Use a new key for another request. Nothing was changed.",
    ),
    errors.RateLimitedError: ProblemType(
        429,
        "rate-limited",
        "Too many attempts",
        "Wait for as many seconds as the header `Retry-After` says.",
    ),
    errors.TooManyUploadsError: ProblemType(
        429,
        "too-many-uploads",
        "Too many uploads at once",
        "`detail` has the limit of an account. Send the next upload when one has finished.",
    ),
    errors.TooManyStreamsError: ProblemType(
        429,
        "too-many-streams",
        "Too many streams at once",
        "`detail` has the limit of an account at one process. Close a stream first.",
    ),
    **MODERATION_TYPES,
    **CONVERSATION_TYPES,
    **WEBHOOK_TYPES,
    InternalError: ProblemType(
        500,
        "internal-error",
        "The service failed",
        "The request is not at fault. Quote `instance` when you report it.",
    ),
    errors.UnavailableError: ProblemType(
        503,
        "unavailable",
        "The service is not available",
        "The database cannot be reached at present. Try again after `Retry-After` seconds.",
    ),
    errors.ImageStoreUnavailableError: ProblemType(
        503,
        "image-store-unavailable",
        "The image store is not available",
        "Pictures can be neither stored nor read at present. Nothing was changed.",
    ),
    errors.DiskNearlyFullError: ProblemType(
        503,
        "disk-nearly-full",
        "The disk is nearly full",
        "Pictures, or everything that adds text, is refused until the operator has made room. "
        "Reading, deleting and logging in work. Nothing was changed.",
    ),
    errors.OverloadedError: ProblemType(
        503,
        "overloaded",
        "The service is overloaded",
        "Nothing was changed. Try again after `Retry-After` seconds.",
    ),
}


def problem_type_of(error: type[errors.RefusalError]) -> ProblemType:
    """The table's entry for the class or for the nearest class above it."""
    return next(PROBLEM_TYPES[base] for base in error.__mro__ if base in PROBLEM_TYPES)
