"""Errors by meaning, and the problem that each is over HTTP (RFC 9457).

A `Fault` is one thing wrong with a request: `faults` has the codes and the sentences.

    AdsvcError
        ConfigurationError
        OperatorError
        RefusalError
            InvalidRequestError
                ClientGoneError
                UnknownCategoryError
                InvalidImageError
                InvalidTokenError
                InvalidPasskeyError
            UnauthenticatedError
                InvalidCredentialsError
                WrongCredentialsError
                SecondFactorRequiredError
                InvalidChallengeError
                WrongFactorError
                    WrongPasskeyError
            ForbiddenError
                OwnThingError
                OwnCaseError
                AdministratorConcernedError
                CrossSiteError
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
                ConversationClosedError
            NotFoundError
                SearchNotFoundError
                AdNotFoundError
                CategoryNotFoundError
                CommentNotFoundError
                SessionNotFoundError
                KeyNotFoundError
                PasskeyNotFoundError
                PushNotFoundError
                ImageNotFoundError
                CaseNotFoundError
                DecisionNotFoundError
                AccountNotFoundError
                ConversationNotFoundError
                OfferNotFoundError
                MessageNotFoundError
                WebhookNotFoundError
                DeliveryNotFoundError
            MethodNotAllowedError
            UsernameTakenError
            FactorAlreadySetError
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
            PreconditionFailedError
            ContentTooLargeError
            UnsupportedMediaTypeError
                EncodedBodyError
                UnsupportedImageError
            RangeNotSatisfiableError
            IdempotencyKeyReusedError
            RateLimitedError
                TooManyAtOnceError
            TooManyUploadsError
            TooManyStreamsError
            AccountSuspendedError
            CaseDecidedError
            ThingGoneError
            DecisionEndedError
            AppealNotPossibleError
            OfferNotPossibleError
            TooManyError
            WebhookDisabledError
            InternalError
            UnavailableError
                DatabaseUnavailableError
                    ConnectionsBusyError
                ImageStoreUnavailableError
                DiskNearlyFullError
                OverloadedError
        DeliveryError
            ReceiverUnavailableError
            NotDeliveredError
            UndeliverableError
                NoMailboxError
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from adsvc.errors.faults import Fault as Fault
from adsvc.errors.faults import FaultCode as FaultCode
from adsvc.errors.faults import beyond, malformed, unknown

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


# Errors of the delivery of an outbox entry.


class DeliveryError(AdsvcError):
    """The entry was not delivered. The message is for operators, `status` that of HTTP."""

    def __init__(self, message: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


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


class UnknownCategoryError(InvalidRequestError):
    def __init__(self) -> None:
        super().__init__(unknown("there is no such category").at("/category"))


class InvalidImageError(InvalidRequestError):
    """The file cannot be decoded, or has too many pixels."""

    title = "The image cannot be used"

    def __init__(self, detail: str, *faults: Fault) -> None:
        super().__init__(*(faults or [Fault(FaultCode.UNUSABLE_IMAGE, detail).of_part("image")]))
        self.detail = detail


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
    """The user name and the password are right.

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


class WrongFactorError(UnauthenticatedError):
    """The code is wrong or was used before, each counts once; or the passkey is unknown, or its
    answer not valid. The challenge is still good.
    """

    title = "The second factor is wrong"
    detail = "The code is wrong, or was used before."


class WrongPasskeyError(WrongFactorError):
    """It does not say why: the reasons differ for credentials that are known."""

    detail = "This passkey is unknown, or its answer is not valid."


class ForbiddenError(RefusalError):
    """The credentials are valid, but their account may not do this. `detail` says who may."""

    status = 403
    title = "You may not do this"
    detail = "Only the author or an administrator may do this."


class OwnThingError(ForbiddenError):
    detail = "You cannot report what you have written."


class OwnCaseError(ForbiddenError):
    detail = "Another moderator must decide this."


class AdministratorConcernedError(ForbiddenError):
    detail = "Only an administrator may decide about an administrator."


class CrossSiteError(ForbiddenError):
    """Where HTTP Basic is accepted, a change is refused if `Origin` or `Sec-Fetch-Site` says that a
    page of another origin sent it, unless `ADSVC_CORS_ORIGINS` has that origin.
    """

    title = "The page may not send this change"
    detail = "A page of an origin that is not allowed sent this change."


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


class NotFoundError(RefusalError):
    """No operation has this address, or what it names is not there."""

    status = 404
    title = "There is nothing at this address"
    detail = "There is nothing at this address."


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


class PushNotFoundError(NotFoundError):
    """It was removed, its session has ended, or it is not yours."""

    title = "There is no such browser"
    detail = "You have no browser with this id."


class ImageNotFoundError(NotFoundError):
    """It was replaced or deleted. Get the ad again for its current pictures."""

    title = "There is no such image"
    detail = "There is no image with this name."


class MethodNotAllowedError(RefusalError):
    """The header `Allow` lists the methods that this address has."""

    status = 405
    title = "The method is not allowed"
    detail = "This address does not have this method; see Allow."

    def __init__(self, allowed: list[str]) -> None:
        super().__init__()
        self.allowed = allowed


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
        `security.signed_links`.
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


class WebhookDisabledError(RefusalError):
    """Nothing is sent to it. `PATCH` it with `enabled: true` first."""

    status = 409
    title = "The webhook is disabled"
    detail = "The webhook is disabled; enable it first."


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
