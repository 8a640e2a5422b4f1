"""The exceptions that adsvc raises on purpose.

```
AdsvcError
├── ConfigurationError            the operator's settings cannot work
├── OperatorError                 a command cannot do what was asked (no such user, …)
└── RefusalError                  a request that is answered with a refusal
    ├── InvalidRequestError       something in it is malformed or out of range
    │   ├── InvalidImageError     a picture that cannot be decoded
    │   └── UnknownCategoryError  an ad is to have a category that is not there
    ├── UnauthenticatedError      no credentials, or none that count
    │   ├── InvalidCredentialsError  credentials that were sent, and do not count
    │   └── WrongCredentialsError    an unknown user name or a wrong password
    ├── ForbiddenError            credentials that do not suffice
    │   ├── CrossSiteError        a change that a page of a foreign origin asked for
    │   └── WrongPasswordError    the current password, asked for again, is wrong
    ├── NotFoundError
    │   ├── AdNotFoundError
    │   ├── CategoryNotFoundError
    │   ├── CommentNotFoundError
    │   ├── SessionNotFoundError
    │   └── ImageNotFoundError
    ├── AdGoneError               an ad that was sold or has expired
    ├── UsernameTakenError
    ├── CategoryCycleError        a category would be its own ancestor
    ├── CategoryInUseError        it has ads or children
    ├── IllegalTransitionError    a step that the ad's status does not allow
    ├── QuotaExceededError        the account's pictures would take more than they may
    ├── TooManyImagesError        of one ad
    ├── LastImageError            an ad keeps one picture
    ├── ContentTooLargeError
    ├── UnsupportedMediaTypeError
    │   └── UnsupportedImageError
    ├── RangeNotSatisfiableError
    ├── RateLimitedError
    ├── TooManyUploadsError       at once, of one account
    └── UnavailableError          a part the service depends on cannot be used now
        ├── DatabaseUnavailableError
        ├── ImageStoreUnavailableError
        ├── DiskNearlyFullError
        └── OverloadedError
```

`adsvc.api.problems.types` decides what a class means in HTTP. Errors that never leave the package
that raises them are defined there. The refusals of the protocol are in `adsvc.http.problems`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


class AdsvcError(Exception):
    """The root of the hierarchy."""


class ConfigurationError(AdsvcError):
    """Settings that cannot work; the message names the setting."""


class OperatorError(AdsvcError):
    """A command that cannot be carried out; the message says why."""


class RefusalError(AdsvcError):
    """A request that is answered with a refusal.

    `detail` is for the client's developer and never repeats what the client sent.
    """

    detail = "The request was refused."
    # What the problem document has besides.
    members: Mapping[str, object] = {}

    def __init__(self, detail: str | None = None) -> None:
        if detail is not None:
            self.detail = detail
        super().__init__(self.detail)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a request, and where.

    `place` is a JSON Pointer (RFC 6901) when `kind` is `pointer`, else the name of the query
    parameter, path parameter or form part.
    """

    detail: str
    place: str = ""
    kind: Literal["pointer", "parameter"] = "pointer"


class InvalidRequestError(RefusalError):
    detail = "The request is not valid; see errors."

    def __init__(self, *faults: Fault) -> None:
        super().__init__()
        self.faults = faults


class InvalidImageError(InvalidRequestError):
    def __init__(self, detail: str) -> None:
        super().__init__(Fault(detail, "image", "parameter"))
        self.detail = detail


class UnknownCategoryError(InvalidRequestError):
    def __init__(self) -> None:
        super().__init__(Fault("there is no such category", "/category"))


class UnauthenticatedError(RefusalError):
    detail = "This operation needs valid credentials."


class InvalidCredentialsError(UnauthenticatedError):
    detail = "The credentials that were sent are not valid, or not any more."


class WrongCredentialsError(UnauthenticatedError):
    detail = "The user name or the password is wrong."


class ForbiddenError(RefusalError):
    detail = "Only the author or an administrator may do this."


class CrossSiteError(ForbiddenError):
    detail = "A page of an origin that is not allowed asked for this change."


class WrongPasswordError(ForbiddenError):
    detail = "The current password is wrong."


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
    """The pictures of the account take `used` of `quota` bytes."""

    def __init__(self, quota: int, used: int) -> None:
        super().__init__(
            f"The pictures of the account take {used} of {quota} bytes; delete some to make room."
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


class UnsupportedImageError(UnsupportedMediaTypeError):
    def __init__(self) -> None:
        super().__init__("images in JPEG, PNG or WebP format, judged by their content")


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


class TooManyUploadsError(RefusalError):
    """More than `limit` uploads of one account at once."""

    retry_after = 2

    def __init__(self, limit: int) -> None:
        super().__init__(f"You have {limit} uploads under way; wait until one of them has ended.")
        self.limit = limit


class UnavailableError(RefusalError):
    """Nothing was changed, or the outcome is unknown. `retry_after` is in seconds."""

    detail = "A part of the service cannot be reached now."
    retry_after = 1


class DatabaseUnavailableError(UnavailableError):
    """Its cause is the error of the driver."""

    detail = "The database cannot be reached now."


class ImageStoreUnavailableError(UnavailableError):
    detail = "The image store cannot be reached or is full."
    retry_after = 5


class DiskNearlyFullError(UnavailableError):
    retry_after = 30

    def __init__(self, place: str) -> None:
        super().__init__(f"The disk of the {place} is nearly full: no pictures are taken now.")


class OverloadedError(UnavailableError):
    detail = "The service has more of this work than it can do now."
