"""Errors by meaning, and the problem that each is over HTTP (RFC 9457).

A `Fault` is one thing wrong with a request: `faults` has the codes and the sentences.
`adsvc.errors` has these and those of classified ads.

    AdsvcError
        ConfigurationError, OperatorError
        RefusalError
            InvalidRequestError
                ClientGoneError, InvalidImageError
            UnauthenticatedError
                InvalidCredentialsError, WrongCredentialsError, SecondFactorRequiredError,
                InvalidChallengeError
            ForbiddenError
                CrossSiteError
            NotFoundError, ConflictError, GoneError, MethodNotAllowedError, PreconditionFailedError,
            ContentTooLargeError
            UnsupportedMediaTypeError
                EncodedBodyError, UnsupportedImageError
            RangeNotSatisfiableError, IdempotencyKeyReusedError
            RateLimitedError
                TooManyAtOnceError
            TooManyUploadsError, TooManyStreamsError, InternalError
            UnavailableError
                DatabaseUnavailableError
                    ConnectionsBusyError
                ImageStoreUnavailableError, DiskNearlyFullError, OverloadedError
        PictureMissingError
        DeliveryError
            ReceiverUnavailableError, NotDeliveredError
            UndeliverableError
                NoMailboxError
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from adsvc.kit.faults import Fault, FaultCode, beyond, malformed

T = TypeVar("T")


class AdsvcError(Exception):
    """The root of the hierarchy."""


class ConfigurationError(AdsvcError):
    """Settings that cannot work; the message names the setting."""


class OperatorError(AdsvcError):
    """A command that cannot be carried out; the message says why."""


class RateLimitState(NamedTuple):
    """How much is left of a limit: `remaining` attempts, and one more in `reset` seconds."""

    policy: str
    limit: int
    window: int
    remaining: int
    reset: int
    # Whether the attempt was within the limit. If it was not, it did not count.
    granted: bool = True


class RefusalError(AdsvcError):
    """Answered as a problem document.

    `detail` is for the client's developer and never repeats what the client sent.
    """

    # Of a class with a title of its own, the docstring explains the problem to developers of
    # clients, at `/problems`. A class without one is the same problem as the class above it.
    status: ClassVar[int]
    slug: ClassVar[str]
    title: ClassVar[str]
    explanation: ClassVar[str]
    detail = "The request was refused."
    # Further members of the problem document.
    members: Mapping[str, object] = {}
    # The limit that the refused request was counted in, if clients may know it.
    rate_limit: RateLimitState | None = None

    def __init__(self, detail: str | None = None) -> None:
        if detail is not None:
            self.detail = detail
        super().__init__(self.detail)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "title" in vars(cls):
            if "slug" not in vars(cls):
                cls.slug = HUMP.sub("-", cls.__name__.removesuffix("Error")).lower()
            cls.explanation = " ".join((cls.__doc__ or "").split())
            PROBLEMS.append(cls)


# The classes that are a problem of their own, in the order of the page `/problems`.
PROBLEMS: list[type[RefusalError]] = []

PROBLEMS_PATH = "/problems"

HUMP = re.compile(r"(?<!^)(?=[A-Z])")


def how_to_install(extra: str) -> str:
    """Adsvc is installed from its source: no package index has it."""
    return f"Install the extra {extra}, in the directory of the source: pip install '.[{extra}]'"


class PictureMissingError(AdsvcError):
    """The image store has no picture of that name."""

    detail = "There is no image with this name."

    def __init__(self) -> None:
        super().__init__(self.detail)


# Errors of the delivery of an outbox entry.


class DeliveryError(AdsvcError):
    """The entry was not delivered. The message is for operators; `status` and `body` of HTTP."""

    def __init__(self, message: str = "", status: int | None = None, body: bytes = b"") -> None:
        super().__init__(message)
        self.status, self.body = status, body


class ReceiverUnavailableError(DeliveryError):
    """The receiver accepts nothing at present, whatever the entry."""


class NotDeliveredError(DeliveryError):
    """The receiver refused this entry for now."""


class UndeliverableError(DeliveryError):
    """The receiver refused this entry permanently."""


class NoMailboxError(UndeliverableError):
    """There is no such mailbox: a hard bounce."""


class Gathering:
    """Collects the faults of a request, so that one refusal lists them all."""

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


class InvalidRequestError(RefusalError):
    """Something is missing, malformed or outside its limits. `errors` lists everything."""

    status = 400
    title = "The request is not valid"
    detail = "The request is not valid; see errors."

    def __init__(self, *faults: Fault, sent: Mapping[str, Any] | None = None) -> None:
        """`sent` are the valid members of the JSON, if it could be read.

        What depends on them can still be validated, so that one refusal lists every fault.
        """
        super().__init__()
        self.faults: Sequence[Fault] = faults
        self.sent = sent


class ClientGoneError(InvalidRequestError):
    """The client closed the connection: the answer is only for the log."""

    def __init__(self) -> None:
        super().__init__(malformed("ended before it was complete"))


class InvalidImageError(InvalidRequestError):
    """The file cannot be decoded, or has too many pixels."""

    title = "The image cannot be used"

    def __init__(self, detail: str, *faults: Fault) -> None:
        super().__init__(*(faults or [Fault(FaultCode.UNUSABLE_IMAGE, detail).of_part("image")]))
        self.detail = detail


class UnauthenticatedError(RefusalError):
    """Send `Authorization: Bearer` with a token from `/login` that has not expired."""

    status = 401
    title = "Credentials are needed"
    detail = "This operation needs valid credentials."


class InvalidCredentialsError(UnauthenticatedError):
    """The credentials in `Authorization` are malformed, have expired, belong to a session that has
    ended, or use a scheme that is not accepted. Log in again.
    """

    title = "The credentials are not valid"
    detail = "The credentials are not valid, or have expired."

    def __init__(self, *, of_token: bool) -> None:
        """`of_token` says whether they were a bearer token."""
        super().__init__()
        self.of_token = of_token


class WrongCredentialsError(UnauthenticatedError):
    """The answer does not say which of the two it is."""

    title = "The user name or the password is wrong"
    detail = "The user name or the password is wrong."


class SecondFactorRequiredError(UnauthenticatedError):
    """The user name and the password are right, or the OpenID provider knows the person.

    Send `challenge` with a code of the authenticator app, or a recovery code, to `POST
    /login/second-factor` within five minutes. HTTP Basic is not accepted for such accounts:
    programs use keys.
    """

    title = "A second factor is needed"
    detail = "This account needs a code beside the password, at POST /login/second-factor."

    def __init__(self, challenge: str | None = None, detail: str | None = None) -> None:
        """A code with the `challenge`, if there is one, completes the login."""
        super().__init__(detail)
        self.members = {} if challenge is None else {"challenge": challenge}


class InvalidChallengeError(UnauthenticatedError):
    """It is malformed, was used or has expired, or the password has changed since.

    Begin the login again.
    """

    title = "The challenge is not valid"
    detail = "The challenge is not valid, was used or has expired."


class ForbiddenError(RefusalError):
    """The credentials are valid, but their account may not do this. `detail` says who may."""

    status = 403
    title = "You may not do this"
    detail = "Only the author or an administrator may do this."


class CrossSiteError(ForbiddenError):
    """Where HTTP Basic is accepted, a change is refused if `Origin` or `Sec-Fetch-Site` says that a
    page of another origin sent it, unless `ADSVC_CORS_ORIGINS` has that origin.
    """

    title = "The page may not send this change"
    detail = "A page of an origin that is not allowed sent this change."


class NotFoundError(RefusalError):
    """No operation has this address, or what it names is not there."""

    status = 404
    title = "There is nothing at this address"
    detail = "There is nothing at this address."

    def __init_subclass__(cls, thing: str | None = None) -> None:
        """`thing` is what there is not, for the title."""
        if thing is not None:
            cls.title = f"There is no such {thing}"
        super().__init_subclass__()


class ConflictError(RefusalError):
    """What there is does not allow it."""

    status = 409


class GoneError(RefusalError):
    """It was possible, and is not any more."""

    status = 410


class MethodNotAllowedError(RefusalError):
    """The header `Allow` lists the methods that this address has."""

    status = 405
    title = "The method is not allowed"
    detail = "This address does not have this method; see Allow."

    def __init__(self, allowed: list[str]) -> None:
        super().__init__()
        self.allowed = allowed


class PreconditionFailedError(RefusalError):
    """`If-Match` does not have the current `ETag`.

    The header `ETag` has it, if the resource exists. Read it again and decide anew. Nothing was
    changed.
    """

    status = 412
    title = "It has changed since"
    detail = "`If-Match` does not match the current version; read it again."

    def __init__(self, version: str | None) -> None:
        """`version` is the current version; None if the resource does not exist."""
        super().__init__()
        self.version = version


class ContentTooLargeError(RefusalError):
    """`detail` names the limit. Nothing was stored."""

    status = 413
    title = "The body is too large"

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"The {what} is larger than {limit} bytes.")
        self.limit = limit


class UnsupportedMediaTypeError(RefusalError):
    """The operation does not accept the `Content-Type` of the request, or the body is encoded
    (`Content-Encoding`).
    """

    status = 415
    title = "The media type is not supported"

    def __init__(self, expected: str) -> None:
        super().__init__(f"This operation takes {expected}.")


class EncodedBodyError(UnsupportedMediaTypeError):
    """By `Content-Encoding`."""

    def __init__(self) -> None:
        super().__init__("bodies without Content-Encoding")


class UnsupportedImageError(UnsupportedMediaTypeError):
    """JPEG, PNG and WebP are accepted. The content decides, not the name or declared type."""

    title = "This kind of image is not supported"

    def __init__(self) -> None:
        super().__init__("images in JPEG, PNG or WebP format, recognised by their content")


class RangeNotSatisfiableError(RefusalError):
    """The header `Content-Range` has the size of the image."""

    status = 416
    title = "The range cannot be satisfied"
    detail = "The requested range lies outside the image."

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size


class IdempotencyKeyReusedError(RefusalError):
    """An `Idempotency-Key` belongs to one request for 24 hours: its method, its address and its
    content. Use a new key for another request. Nothing was changed.
    """

    status = 422
    title = "The key belongs to another request"
    detail = "Another request was sent with this Idempotency-Key before."


class RateLimitedError(RefusalError):
    """Wait for as many seconds as the header `Retry-After` says."""

    status = 429
    title = "Too many attempts"

    def __init__(self, policy: str, limit: int, window: int, retry_after: int) -> None:
        """More than `limit` attempts in `window` seconds. `retry_after` is at least one second."""
        super().__init__(f"Too many attempts; try again in {retry_after} seconds.")
        self.policy = policy
        self.limit = limit
        self.window = window
        self.retry_after = retry_after


class TooManyAtOnceError(RateLimitedError):
    """More than `limit` requests of one account or network at once for the same pool."""

    def __init__(self, policy: str, limit: int) -> None:
        super().__init__(policy, limit, window=1, retry_after=1)
        self.detail = f"{limit} of your requests are in progress; wait until one has finished."


class TooManyUploadsError(RefusalError):
    """`detail` has the limit of an account. Send the next upload when one has finished."""

    status = 429
    title = "Too many uploads at once"
    retry_after = 2

    def __init__(self, limit: int) -> None:
        """More than `limit` uploads of one account at once."""
        super().__init__(f"You have {limit} uploads in progress; wait until one has finished.")
        self.limit = limit


class TooManyStreamsError(RefusalError):
    """`detail` has the limit of an account at one process. Close a stream first."""

    status = 429
    title = "Too many streams at once"
    retry_after = 5

    def __init__(self, limit: int) -> None:
        """More than `limit` streams of one account at once."""
        super().__init__(f"You have {limit} streams open at this process; close one first.")
        self.limit = limit


class InternalError(RefusalError):
    """The request is not at fault. Quote `instance` when you report it."""

    status = 500
    slug = "internal-error"
    title = "The service failed"
    detail = "The service failed; the log has the cause under this request's id."


class UnavailableError(RefusalError):
    """The database cannot be reached at present. Try again after `Retry-After` seconds."""

    # Nothing was changed, or the outcome is unknown. `retry_after` is in seconds.
    status = 503
    title = "The service is not available"
    detail = "A part of the service cannot be reached now."
    retry_after = 1


class DatabaseUnavailableError(UnavailableError):
    """Its cause is the error of the driver."""

    detail = "The database cannot be reached now."


class ConnectionsBusyError(DatabaseUnavailableError):
    """A request has waited for a connection: this process has them all in use."""

    detail = "All connections to the database are in use now."


class ImageStoreUnavailableError(UnavailableError):
    """Pictures can be neither stored nor read at present. Nothing was changed."""

    title = "The image store is not available"
    detail = "The image store cannot be reached or is full."
    retry_after = 5


class DiskNearlyFullError(UnavailableError):
    """Pictures, or everything that adds text, is refused until the operator has made room.

    Reading, deleting and logging in work. Nothing was changed.
    """

    title = "The disk is nearly full"
    retry_after = 30

    def __init__(self, place: str, content: str) -> None:
        super().__init__(f"The disk of the {place} is nearly full: there is no room for {content}.")


class OverloadedError(UnavailableError):
    """Nothing was changed. Try again after `Retry-After` seconds."""

    title = "The service is overloaded"
    detail = "The service has more work of this kind than it can do now."
