"""An error class for each problem type, which the service's page /problems explains."""

from collections.abc import Mapping
from typing import Final

from ..errors import ProblemError


class InvalidRequestError(ProblemError):
    """400: The request is not valid.

    Something is missing, malformed or outside its limits. `errors` lists what and where.
    """


class InvalidImageError(ProblemError):
    """400: The image cannot be used.

    The file begins like a picture but cannot be decoded, or has too many pixels.
    """


class InvalidTokenError(ProblemError):
    """400: The link is not valid any more.

    Its token was used, has expired, or the account's password or mail address has changed.
    """


class UnauthenticatedError(ProblemError):
    """401: Credentials are needed.

    Send `Authorization: Bearer` with a token from `/login` that has not expired.
    """


class InvalidCredentialsError(ProblemError):
    """401: The credentials are not valid.

    What `Authorization` says is malformed, has expired, belongs to a session that has ended
    or is of a scheme that is not accepted. Log in again.
    """


class WrongCredentialsError(ProblemError):
    """401: The user name or the password is wrong.

    Which of the two it was is not told.
    """


class ForbiddenError(ProblemError):
    """403: You may not do this.

    The credentials are valid but belong to neither the author nor an administrator.
    """


class CrossSiteError(ProblemError):
    """403: The page may not ask for this.

    Where HTTP Basic is accepted, a change is refused when `Origin` or `Sec-Fetch-Site` says
    that a page of another origin asks for it, unless `ADSVC_CORS_ORIGINS` names that.
    """


class WrongPasswordError(ProblemError):
    """403: The current password is wrong.

    Changing the password or the mail address and deleting the account ask for the current
    password again.
    """


class MailNotVerifiedError(ProblemError):
    """403: The mail address is not confirmed.

    The site wants a mail address that was confirmed by the link sent to it. `PATCH /users/me`
    sets it, `POST /users/me/mail/verification` sends the link once more.
    """


class NotFoundError(ProblemError):
    """404: There is nothing here.

    No operation of the service has this address.
    """


class AdNotFoundError(ProblemError):
    """404: There is no such ad.

    It never existed, has been deleted, or is not shown to others than its author.
    """


class CategoryNotFoundError(ProblemError):
    """404: There is no such category.

    `GET /categories` has them all.
    """


class CommentNotFoundError(ProblemError):
    """404: There is no such comment.

    It has been deleted, never existed, or belongs to another ad.
    """


class SessionNotFoundError(ProblemError):
    """404: There is no such session.

    It has ended, or is not yours.
    """


class ImageNotFoundError(ProblemError):
    """404: There is no such image.

    It has been replaced or its ad deleted; fetch the ad again for its current path.
    """


class MethodNotAllowedError(ProblemError):
    """405: The method is not allowed.

    The header `Allow` lists the methods that this address has.
    """


class UsernameTakenError(ProblemError):
    """409: The user name is taken.

    User names are unique without regard to case.
    """


class CategoryCycleError(ProblemError):
    """409: The category would be its own ancestor.

    The parent is the category itself or one below it.
    """


class CategoryInUseError(ProblemError):
    """409: The category is in use.

    It has ads or children. Give them another category, or another parent, first.
    """


class IllegalTransitionError(ProblemError):
    """409: The ad's status does not allow this.

    `from` is the status, and `allowed` has the names of the operations that it allows.
    Somebody may have been quicker.
    """


class QuotaExceededError(ProblemError):
    """409: The account's pictures take too much room.

    `used` of `quota` bytes are taken. Delete or replace ads with pictures to make room.
    """


class TooManyImagesError(ProblemError):
    """409: The ad would have too many pictures.

    `detail` says how many it may have. Nothing was stored.
    """


class LastImageError(ProblemError):
    """409: The ad's last picture cannot be deleted.

    An ad has a picture at all times. Replace it, or add another one first.
    """


class IdempotencyInProgressError(ProblemError):
    """409: The first request with this key has not ended.

    Try again with the same `Idempotency-Key` after `Retry-After` seconds: the answer is then
    that of the first request, or the request is carried out.
    """


class GoneError(ProblemError):
    """410: The ad is over.

    It was sold, or has expired and may be renewed by its author.
    """


class PreconditionFailedError(ProblemError):
    """412: It has changed meanwhile.

    `If-Match` has no tag of what is there now. `ETag` has its tag, if it is there: get it
    again, and decide anew. Nothing was changed.
    """


class ContentTooLargeError(ProblemError):
    """413: The body is too large.

    `detail` names the limit. Nothing was stored.
    """


class UnsupportedMediaTypeError(ProblemError):
    """415: The media type is not supported.

    The `Content-Type` of the request is not what the operation takes.
    """


class UnsupportedImageError(ProblemError):
    """415: This kind of image is not supported.

    Pictures are taken in JPEG, PNG and WebP, whatever their name and declared type.
    """


class RangeNotSatisfiableError(ProblemError):
    """416: The range cannot be satisfied.

    The header `Content-Range` tells the size of the image.
    """


class IdempotencyKeyReusedError(ProblemError):
    """422: The key belongs to another request.

    An `Idempotency-Key` stands for one request for 24 hours: its method, its address and all
    that it says. Send another request with a key of its own. Nothing was changed.
    """


class RateLimitedError(ProblemError):
    """429: Too many attempts.

    Wait for as many seconds as the header `Retry-After` says.
    """


class TooManyUploadsError(ProblemError):
    """429: Too many uploads at once.

    An account may have so many uploads under way. Send the next when one has ended.
    """


class SuspendedError(ProblemError):
    """403: The account is suspended.

    User name and password are right. `until` is when the suspension ends, in milliseconds
    since 1970-01-01T00:00Z and absent for ever, and `explanation` says why it was decided.
    """


class CaseNotFoundError(ProblemError):
    """404: There is no such case.

    It was deleted with the account that it concerned, or after its time.
    """


class DecisionNotFoundError(ProblemError):
    """404: There is no such decision.

    It was deleted after its time, or concerns somebody else.
    """


class AccountNotFoundError(ProblemError):
    """404: There is no such account.

    It never existed, or was deleted.
    """


class CaseDecidedError(ProblemError):
    """409: The case is decided.

    Somebody may have been quicker. A decision is changed by undoing it, or upon an appeal.
    """


class ThingGoneError(ProblemError):
    """409: What the case is about is gone.

    Its author has deleted it. The case can still be dismissed, or the account suspended.
    """


class DecisionEndedError(ProblemError):
    """409: The decision does not hold any more.

    It was undone, another one came in its place, or it is itself what undid one.
    """


class AppealNotPossibleError(ProblemError):
    """409: There is no appeal.

    One appeal is possible against a decision, while it holds and for 180 days, and none
    against what was decided upon an appeal.
    """


class InternalError(ProblemError):
    """500: The service failed.

    Not your fault. Quote `instance` when you report it.
    """


class UnavailableError(ProblemError):
    """503: The service is not available.

    The database cannot be reached now. Try again after `Retry-After` seconds.
    """


class ImageStoreUnavailableError(ProblemError):
    """503: The image store is not available.

    Pictures can be neither stored nor read now. Nothing was changed.
    """


class DiskNearlyFullError(ProblemError):
    """503: The disk is nearly full.

    Pictures, or all that adds text, are not taken until the operator has made room. Reading,
    deleting and logging in work. Nothing was changed.
    """


class OverloadedError(ProblemError):
    """503: The service is overloaded.

    Nothing was changed. Try again after `Retry-After` seconds.
    """


PROBLEM_TYPES: Final[Mapping[str, type[ProblemError]]] = {
    "/problems#invalid-request": InvalidRequestError,
    "/problems#invalid-image": InvalidImageError,
    "/problems#invalid-token": InvalidTokenError,
    "/problems#unauthenticated": UnauthenticatedError,
    "/problems#invalid-credentials": InvalidCredentialsError,
    "/problems#wrong-credentials": WrongCredentialsError,
    "/problems#forbidden": ForbiddenError,
    "/problems#cross-site": CrossSiteError,
    "/problems#wrong-password": WrongPasswordError,
    "/problems#mail-not-verified": MailNotVerifiedError,
    "/problems#not-found": NotFoundError,
    "/problems#ad-not-found": AdNotFoundError,
    "/problems#category-not-found": CategoryNotFoundError,
    "/problems#comment-not-found": CommentNotFoundError,
    "/problems#session-not-found": SessionNotFoundError,
    "/problems#image-not-found": ImageNotFoundError,
    "/problems#method-not-allowed": MethodNotAllowedError,
    "/problems#username-taken": UsernameTakenError,
    "/problems#category-cycle": CategoryCycleError,
    "/problems#category-in-use": CategoryInUseError,
    "/problems#illegal-transition": IllegalTransitionError,
    "/problems#quota-exceeded": QuotaExceededError,
    "/problems#too-many-images": TooManyImagesError,
    "/problems#last-image": LastImageError,
    "/problems#idempotency-in-progress": IdempotencyInProgressError,
    "/problems#gone": GoneError,
    "/problems#precondition-failed": PreconditionFailedError,
    "/problems#content-too-large": ContentTooLargeError,
    "/problems#unsupported-media-type": UnsupportedMediaTypeError,
    "/problems#unsupported-image": UnsupportedImageError,
    "/problems#range-not-satisfiable": RangeNotSatisfiableError,
    "/problems#idempotency-key-reused": IdempotencyKeyReusedError,
    "/problems#rate-limited": RateLimitedError,
    "/problems#too-many-uploads": TooManyUploadsError,
    "/problems#suspended": SuspendedError,
    "/problems#case-not-found": CaseNotFoundError,
    "/problems#decision-not-found": DecisionNotFoundError,
    "/problems#account-not-found": AccountNotFoundError,
    "/problems#case-decided": CaseDecidedError,
    "/problems#thing-gone": ThingGoneError,
    "/problems#decision-ended": DecisionEndedError,
    "/problems#appeal-not-possible": AppealNotPossibleError,
    "/problems#internal-error": InternalError,
    "/problems#unavailable": UnavailableError,
    "/problems#image-store-unavailable": ImageStoreUnavailableError,
    "/problems#disk-nearly-full": DiskNearlyFullError,
    "/problems#overloaded": OverloadedError,
}

__all__ = [
    "PROBLEM_TYPES",
    "InvalidRequestError",
    "InvalidImageError",
    "InvalidTokenError",
    "UnauthenticatedError",
    "InvalidCredentialsError",
    "WrongCredentialsError",
    "ForbiddenError",
    "CrossSiteError",
    "WrongPasswordError",
    "MailNotVerifiedError",
    "NotFoundError",
    "AdNotFoundError",
    "CategoryNotFoundError",
    "CommentNotFoundError",
    "SessionNotFoundError",
    "ImageNotFoundError",
    "MethodNotAllowedError",
    "UsernameTakenError",
    "CategoryCycleError",
    "CategoryInUseError",
    "IllegalTransitionError",
    "QuotaExceededError",
    "TooManyImagesError",
    "LastImageError",
    "IdempotencyInProgressError",
    "GoneError",
    "PreconditionFailedError",
    "ContentTooLargeError",
    "UnsupportedMediaTypeError",
    "UnsupportedImageError",
    "RangeNotSatisfiableError",
    "IdempotencyKeyReusedError",
    "RateLimitedError",
    "TooManyUploadsError",
    "SuspendedError",
    "CaseNotFoundError",
    "DecisionNotFoundError",
    "AccountNotFoundError",
    "CaseDecidedError",
    "ThingGoneError",
    "DecisionEndedError",
    "AppealNotPossibleError",
    "InternalError",
    "UnavailableError",
    "ImageStoreUnavailableError",
    "DiskNearlyFullError",
    "OverloadedError",
]
