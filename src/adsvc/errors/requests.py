"""Requests that are refused for what they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from adsvc.errors.base import RefusalError
from adsvc.errors.faults import Fault, FaultCode, beyond, malformed, unknown

T = TypeVar("T")


class InvalidRequestError(RefusalError):
    """`sent` are the members of the JSON that nothing is wrong with by themselves, if it was read.

    What they amount to together can be judged still, so that everything is told at once.
    """

    detail = "The request is not valid; see errors."

    def __init__(self, *faults: Fault, sent: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.faults: Sequence[Fault] = faults
        self.sent = sent


class Gathering:
    """What is wrong with a request, until all of it is known."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self.faults = list(faults)

    def add(self, faults: Iterable[Fault]) -> None:
        self.faults += beyond(self.faults, faults)

    def attempt(self, make: Callable[[], T]) -> T | None:
        try:
            return make()
        except InvalidRequestError as error:
            self.add(error.faults)
            return None

    def refuse(self) -> None:
        if self.faults:
            raise InvalidRequestError(*self.faults)


class InvalidImageError(InvalidRequestError):
    def __init__(self, detail: str, *faults: Fault) -> None:
        super().__init__(*(faults or [Fault(FaultCode.UNUSABLE_IMAGE, detail).of_part("image")]))
        self.detail = detail


class InvalidTokenError(InvalidRequestError):
    """Which of the reasons it is, is not told."""

    def __init__(self) -> None:
        super().__init__(unknown("is none, was used, has expired or was replaced").at("/token"))
        self.detail = "The token of the link is not valid, or not any more."


class ClientGoneError(InvalidRequestError):
    """No client reads the answer, but the log tells what happened."""

    def __init__(self) -> None:
        super().__init__(malformed("ended before it was complete"))


class UnknownCategoryError(InvalidRequestError):
    def __init__(self) -> None:
        super().__init__(unknown("there is no such category").at("/category"))


class UnauthenticatedError(RefusalError):
    detail = "This operation needs valid credentials."


class InvalidCredentialsError(UnauthenticatedError):
    """`of_token` says whether they were a bearer token."""

    detail = "The credentials that were sent are not valid, or not any more."

    def __init__(self, *, of_token: bool) -> None:
        super().__init__()
        self.of_token = of_token


class WrongCredentialsError(UnauthenticatedError):
    detail = "The user name or the password is wrong."


class ForbiddenError(RefusalError):
    detail = "Only the author or an administrator may do this."


class CrossSiteError(ForbiddenError):
    detail = "A page of an origin that is not allowed asked for this change."


class WrongPasswordError(ForbiddenError):
    detail = "The current password is wrong."


class MailNotVerifiedError(ForbiddenError):
    detail = "Confirm your mail address first."


class NotFoundError(RefusalError):
    detail = "There is nothing at this address."


class AdNotFoundError(NotFoundError):
    detail = "There is no ad with this id."


class CategoryNotFoundError(NotFoundError):
    detail = "There is no category with this slug."


class CommentNotFoundError(NotFoundError):
    detail = "This ad has no comment with this id."


class SessionNotFoundError(NotFoundError):
    detail = "You have no session with this id."


class ImageNotFoundError(NotFoundError):
    detail = "There is no image with this name."


class AdGoneError(RefusalError):
    detail = "This ad was sold or has expired."


class UsernameTakenError(RefusalError):
    detail = "This user name is taken."


class CategoryCycleError(RefusalError):
    detail = "The category would be its own ancestor."


class CategoryInUseError(RefusalError):
    detail = "The category has ads or children."


class IllegalTransitionError(RefusalError):
    """`allowed` are the names of the operations that the status has."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        ways = ", ".join(allowed) or "none"
        super().__init__(f"From {status}, the ad has these steps: {ways}.")
        self.members = {"from": status, "allowed": allowed}


class QuotaExceededError(RefusalError):
    """What the account has stored takes `used` of `quota` bytes."""

    def __init__(self, quota: int, used: int, what: str = "pictures") -> None:
        super().__init__(
            f"The {what} of the account take {used} of {quota} bytes; delete some to make room."
        )
        self.members = {"quota": quota, "used": used}


class TooManyImagesError(RefusalError):
    """An ad would have more than `limit` pictures."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"An ad has {limit} pictures at most.")
        self.limit = limit


class LastImageError(RefusalError):
    detail = "An ad keeps at least one picture: replace this one, or add another first."


class ContentTooLargeError(RefusalError):
    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"The {what} is larger than {limit} bytes.")
        self.limit = limit


class UnsupportedMediaTypeError(RefusalError):
    def __init__(self, expected: str) -> None:
        super().__init__(f"This operation takes {expected}.")


class EncodedBodyError(UnsupportedMediaTypeError):
    """By `Content-Encoding`."""

    def __init__(self) -> None:
        super().__init__("bodies without Content-Encoding")


class UnsupportedImageError(UnsupportedMediaTypeError):
    def __init__(self) -> None:
        super().__init__("images in JPEG, PNG or WebP format, judged by their content")


class PreconditionFailedError(RefusalError):
    """`version` is that of the thing now; None if there is none."""

    detail = "It is not what `If-Match` says; get it again."

    def __init__(self, version: str | None) -> None:
        super().__init__()
        self.version = version


class RangeNotSatisfiableError(RefusalError):
    detail = "The requested range lies outside the image."

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size


class RateLimitedError(RefusalError):
    """More than `limit` attempts in `window` seconds. `retry_after` is at least one second."""

    def __init__(self, policy: str, limit: int, window: int, retry_after: int) -> None:
        super().__init__(f"Too many attempts; try again in {retry_after} seconds.")
        self.policy = policy
        self.limit = limit
        self.window = window
        self.retry_after = retry_after


class TooManyAtOnceError(RateLimitedError):
    """More than `limit` requests of one account or network at once that need the same pool."""

    def __init__(self, policy: str, limit: int) -> None:
        super().__init__(policy, limit, window=1, retry_after=1)
        self.detail = f"{limit} such requests of yours are at work; wait until one has ended."


class TooManyUploadsError(RefusalError):
    """More than `limit` uploads of one account at once."""

    retry_after = 2

    def __init__(self, limit: int) -> None:
        super().__init__(f"You have {limit} uploads under way; wait until one of them has ended.")
        self.limit = limit


class IdempotencyKeyReusedError(RefusalError):
    detail = "Another request was sent with this Idempotency-Key before."


class IdempotencyInProgressError(RefusalError):
    """`retry_after` is in seconds."""

    detail = "The request with this Idempotency-Key is still being carried out."
    retry_after = 1
