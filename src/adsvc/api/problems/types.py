"""What each error means in HTTP: the table, which is also its documentation."""

from collections.abc import Mapping
from dataclasses import dataclass

from adsvc import errors

PROBLEMS_PATH = "/problems"


@dataclass(frozen=True, slots=True)
class ProblemType:
    status: int
    slug: str
    title: str
    # What a client's developer should know; shown on the page that problem types point to.
    explanation: str

    @property
    def type(self) -> str:
        return f"{PROBLEMS_PATH}#{self.slug}"


class MethodNotAllowedError(errors.RefusalError):
    detail = "This address does not have that method; see Allow."

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


PROBLEM_TYPES: Mapping[type[errors.RefusalError], ProblemType] = {
    errors.InvalidRequestError: ProblemType(
        400,
        "invalid-request",
        "The request is not valid",
        "Something is missing, malformed or outside its limits. `errors` lists what and where.",
    ),
    errors.InvalidImageError: ProblemType(
        400,
        "invalid-image",
        "The image cannot be used",
        "The file begins like a picture but cannot be decoded, or has too many pixels.",
    ),
    errors.InvalidTokenError: ProblemType(
        400,
        "invalid-token",
        "The link is not valid any more",
        "Its token was used, has expired, or the account's password or mail address has changed.",
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
        "What `Authorization` says is malformed, has expired, belongs to a session that has ended "
        "or is of a scheme that is not accepted. Log in again.",
    ),
    errors.WrongCredentialsError: ProblemType(
        401,
        "wrong-credentials",
        "The user name or the password is wrong",
        "Which of the two it was is not told.",
    ),
    errors.ForbiddenError: ProblemType(
        403,
        "forbidden",
        "You may not do this",
        "The credentials are valid but belong to neither the author nor an administrator.",
    ),
    errors.CrossSiteError: ProblemType(
        403,
        "cross-site",
        "The page may not ask for this",
        "Where HTTP Basic is accepted, a change is refused when `Origin` or `Sec-Fetch-Site` says "
        "that a page of another origin asks for it, unless `ADSVC_CORS_ORIGINS` names that.",
    ),
    errors.WrongPasswordError: ProblemType(
        403,
        "wrong-password",
        "The current password is wrong",
        "Changing the password or the mail address and deleting the account ask for the current "
        "password again.",
    ),
    errors.MailNotVerifiedError: ProblemType(
        403,
        "mail-not-verified",
        "The mail address is not confirmed",
        "The site wants a mail address that was confirmed by the link sent to it. "
        "`PATCH /users/me` sets it, `POST /users/me/mail/verification` sends the link once more.",
    ),
    errors.NotFoundError: ProblemType(
        404, "not-found", "There is nothing here", "No operation of the service has this address."
    ),
    errors.AdNotFoundError: ProblemType(
        404,
        "ad-not-found",
        "There is no such ad",
        "It never existed, has been deleted, or is not shown to others than its author.",
    ),
    errors.CategoryNotFoundError: ProblemType(
        404, "category-not-found", "There is no such category", "`GET /categories` has them all."
    ),
    errors.CommentNotFoundError: ProblemType(
        404,
        "comment-not-found",
        "There is no such comment",
        "It has been deleted, never existed, or belongs to another ad.",
    ),
    errors.SessionNotFoundError: ProblemType(
        404, "session-not-found", "There is no such session", "It has ended, or is not yours."
    ),
    errors.ImageNotFoundError: ProblemType(
        404,
        "image-not-found",
        "There is no such image",
        "It has been replaced or its ad deleted; fetch the ad again for its current path.",
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
        "`from` is the status, and `allowed` has the names of the operations that it allows. "
        "Somebody may have been quicker.",
    ),
    errors.QuotaExceededError: ProblemType(
        409,
        "quota-exceeded",
        "What the account has stored takes too much room",
        "`used` of `quota` bytes are taken, by its pictures or by its texts, as `detail` says. "
        "Delete some to make room.",
    ),
    errors.TooManyImagesError: ProblemType(
        409,
        "too-many-images",
        "The ad would have too many pictures",
        "`detail` says how many it may have. Nothing was stored.",
    ),
    errors.LastImageError: ProblemType(
        409,
        "last-image",
        "The ad's last picture cannot be deleted",
        "An ad has a picture at all times. Replace it, or add another one first.",
    ),
    errors.IdempotencyInProgressError: ProblemType(
        409,
        "idempotency-in-progress",
        "The first request with this key has not ended",
        "Try again with the same `Idempotency-Key` after `Retry-After` seconds: the answer is then "
        "that of the first request, or the request is carried out.",
    ),
    errors.AdGoneError: ProblemType(
        410,
        "gone",
        "The ad is over",
        "It was sold, or has expired and may be renewed by its author.",
    ),
    errors.PreconditionFailedError: ProblemType(
        412,
        "precondition-failed",
        "It has changed meanwhile",
        "`If-Match` has no tag of what is there now. `ETag` has its tag, if it is there: get it "
        "again, and decide anew. Nothing was changed.",
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
        "The `Content-Type` of the request is not what the operation takes, or its body is encoded"
        " (`Content-Encoding`).",
    ),
    errors.UnsupportedImageError: ProblemType(
        415,
        "unsupported-image",
        "This kind of image is not supported",
        "Pictures are taken in JPEG, PNG and WebP, whatever their name and declared type.",
    ),
    errors.RangeNotSatisfiableError: ProblemType(
        416,
        "range-not-satisfiable",
        "The range cannot be satisfied",
        "The header `Content-Range` tells the size of the image.",
    ),
    errors.IdempotencyKeyReusedError: ProblemType(
        422,
        "idempotency-key-reused",
        "The key belongs to another request",
        "An `Idempotency-Key` stands for one request for 24 hours: its method, its address and all "
        "that it says. Send another request with a key of its own. Nothing was changed.",
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
        "An account may have so many uploads under way. Send the next when one has ended.",
    ),
    **MODERATION_TYPES,
    InternalError: ProblemType(
        500,
        "internal-error",
        "The service failed",
        "Not your fault. Quote `instance` when you report it.",
    ),
    errors.UnavailableError: ProblemType(
        503,
        "unavailable",
        "The service is not available",
        "The database cannot be reached now. Try again after `Retry-After` seconds.",
    ),
    errors.ImageStoreUnavailableError: ProblemType(
        503,
        "image-store-unavailable",
        "The image store is not available",
        "Pictures can be neither stored nor read now. Nothing was changed.",
    ),
    errors.DiskNearlyFullError: ProblemType(
        503,
        "disk-nearly-full",
        "The disk is nearly full",
        "Pictures, or all that adds text, are not taken until the operator has made room. Reading, "
        "deleting and logging in work. Nothing was changed.",
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
