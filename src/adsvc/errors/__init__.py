"""Errors by meaning. `api/problems/types.py` has their meaning in HTTP.

A `Fault` is one thing wrong with a request: `faults` has the codes and the sentences.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

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


@dataclass(frozen=True, slots=True)
class RateLimitState:
    """How much is left of a limit: `remaining` attempts, and one more in `reset` seconds."""

    policy: str
    limit: int
    window: int
    remaining: int
    reset: int


class RefusalError(AdsvcError):
    """Answered as a problem document.

    `detail` is for the client's developer and never repeats what the client sent.
    """

    detail = "The request was refused."
    # Further members of the problem document.
    members: Mapping[str, object] = {}
    # The limit that the refused request was counted in, if clients may know it.
    rate_limit: RateLimitState | None = None

    def __init__(self, detail: str | None = None) -> None:
        if detail is not None:
            self.detail = detail
        super().__init__(self.detail)


def how_to_install(extra: str) -> str:
    """Adsvc is installed from its source: no package index has it."""
    return f"Install the extra {extra}, in the directory of the source: pip install '.[{extra}]'"


# Errors of the delivery of an outbox entry.


class DeliveryError(AdsvcError):
    """The entry was not delivered. The message is for operators."""


class ReceiverUnavailableError(DeliveryError):
    """The receiver accepts nothing at present, whatever the entry."""


class NotDeliveredError(DeliveryError):
    """The receiver refused this entry for now."""


class UndeliverableError(DeliveryError):
    """The receiver refused this entry permanently."""


class NoMailboxError(UndeliverableError):
    """There is no such mailbox: a hard bounce."""


# Refusals because of the request.


class InvalidRequestError(RefusalError):
    """`sent` are the valid members of the JSON, if it could be read.

    What depends on them can still be validated, so that one refusal lists every fault.
    """

    detail = "The request is not valid; see errors."

    def __init__(self, *faults: Fault, sent: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.faults: Sequence[Fault] = faults
        self.sent = sent


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


class InvalidImageError(InvalidRequestError):
    def __init__(self, detail: str, *faults: Fault) -> None:
        super().__init__(*(faults or [Fault(FaultCode.UNUSABLE_IMAGE, detail).of_part("image")]))
        self.detail = detail


class InvalidTokenError(InvalidRequestError):
    """It does not say which of the reasons applies."""

    def __init__(self) -> None:
        super().__init__(unknown("is unknown, was used, has expired or was replaced").at("/token"))
        self.detail = "The token of the link is not valid."


class InvalidPasskeyError(InvalidRequestError):
    def __init__(self, why: str) -> None:
        super().__init__(Fault(FaultCode.WRONG_FORMAT, why).at("/response"))
        self.detail = "The passkey cannot be registered."


class ClientGoneError(InvalidRequestError):
    """The client closed the connection: the answer is only for the log."""

    def __init__(self) -> None:
        super().__init__(malformed("ended before it was complete"))


class UnknownCategoryError(InvalidRequestError):
    def __init__(self) -> None:
        super().__init__(unknown("there is no such category").at("/category"))


class UnauthenticatedError(RefusalError):
    detail = "This operation needs valid credentials."


class InvalidCredentialsError(UnauthenticatedError):
    """`of_token` says whether they were a bearer token."""

    detail = "The credentials are not valid, or have expired."

    def __init__(self, *, of_token: bool) -> None:
        super().__init__()
        self.of_token = of_token


class WrongCredentialsError(UnauthenticatedError):
    detail = "The user name or the password is wrong."


class SecondFactorRequiredError(UnauthenticatedError):
    """The password is right. A code with the `challenge`, if there is one, completes the login."""

    detail = "This account needs a code beside the password, at POST /login/second-factor."

    def __init__(self, challenge: str | None = None, detail: str | None = None) -> None:
        super().__init__(detail)
        self.members = {} if challenge is None else {"challenge": challenge}


class InvalidChallengeError(UnauthenticatedError):
    detail = "The challenge is not valid, was used or has expired."


class WrongFactorError(UnauthenticatedError):
    detail = "The code is wrong, or was used before."


class WrongPasskeyError(WrongFactorError):
    """It does not say why: the reasons differ for credentials that are known."""

    detail = "This passkey is unknown, or its answer is not valid."


class ForbiddenError(RefusalError):
    detail = "Only the author or an administrator may do this."


class CrossSiteError(ForbiddenError):
    detail = "A page of an origin that is not allowed sent this change."


class WrongPasswordError(ForbiddenError):
    detail = "The current password is wrong."


class LoginRequiredError(ForbiddenError):
    detail = "Log in again, or send the current password: the login was more than 5 minutes ago."


class WrongCodeError(ForbiddenError):
    detail = "The code is wrong, or was used before."


class CodeRequiredError(ForbiddenError):
    detail = "This needs a code of your authenticator app, or a recovery code."


class StaleFactorError(CodeRequiredError):
    """A code with the `challenge` begins a session that may do it; without one, a passkey does."""

    detail = "This needs a second factor that was proved in the last five minutes."

    def __init__(self, challenge: str | None) -> None:
        super().__init__()
        self.members = {} if challenge is None else {"challenge": challenge}


class FactorMissingError(ForbiddenError):
    detail = "Set up a second factor first: this site requires it of your account."


class MailNotVerifiedError(ForbiddenError):
    detail = "Confirm your mail address first."


class InsufficientScopeError(ForbiddenError):
    """`scope` is what the key would need."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"This operation needs a key with the scope {scope}.")
        self.scope = scope
        self.members = {"scope": scope}


class SessionRequiredError(ForbiddenError):
    detail = "This operation needs a session: a key is not enough."


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


class SearchNotFoundError(NotFoundError):
    detail = "You have no saved search with this id."


class PasskeyNotFoundError(NotFoundError):
    detail = "You have no passkey with this id."


class KeyNotFoundError(NotFoundError):
    detail = "You have no key with this id."


class PushNotFoundError(NotFoundError):
    detail = "You have no browser with this id."


class ImageNotFoundError(NotFoundError):
    detail = "There is no image with this name."


class AdGoneError(RefusalError):
    detail = "This ad was sold or has expired."


class UsernameTakenError(RefusalError):
    detail = "This user name is taken."


class FactorAlreadySetError(RefusalError):
    detail = "An authenticator app is set up; send its code to replace it."


class CategoryCycleError(RefusalError):
    detail = "The category would be its own ancestor."


class CategoryInUseError(RefusalError):
    detail = "The category has ads or children."


class IllegalTransitionError(RefusalError):
    """`allowed` are the names of the steps that the status allows."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        ways = ", ".join(allowed) or "none"
        super().__init__(f"The ad is {status}, which allows these steps: {ways}.")
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
        super().__init__(f"An ad may have at most {limit} pictures.")
        self.limit = limit


class TooManyError(RefusalError):
    """There would be more than `limit` of these; `what` is in the plural."""

    def __init__(self, limit: int, what: str) -> None:
        super().__init__(f"There may be at most {limit} {what}; delete one to make room.")


class OwnAdError(RefusalError):
    detail = "It is your own ad."


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
        super().__init__("images in JPEG, PNG or WebP format, recognised by their content")


class PreconditionFailedError(RefusalError):
    """`version` is the current version; None if the resource does not exist."""

    detail = "`If-Match` does not match the current version; read it again."

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
    """More than `limit` requests of one account or network at once for the same pool."""

    def __init__(self, policy: str, limit: int) -> None:
        super().__init__(policy, limit, window=1, retry_after=1)
        self.detail = f"{limit} of your requests are in progress; wait until one has finished."


class TooManyUploadsError(RefusalError):
    """More than `limit` uploads of one account at once."""

    retry_after = 2

    def __init__(self, limit: int) -> None:
        super().__init__(f"You have {limit} uploads in progress; wait until one has finished.")
        self.limit = limit


class TooManyStreamsError(RefusalError):
    """More than `limit` streams of one account at once."""

    retry_after = 5

    def __init__(self, limit: int) -> None:
        super().__init__(f"You have {limit} streams open at this process; close one first.")
        self.limit = limit


class CursorExpiredError(RefusalError):
    """What followed the event is not in the log any more, or the log is another one."""

    detail = "The log does not go on from this cursor. Begin without one."


class IdempotencyKeyReusedError(RefusalError):
    detail = "Another request was sent with this Idempotency-Key before."


class IdempotencyInProgressError(RefusalError):
    """`retry_after` is in seconds."""

    detail = "The request with this Idempotency-Key is still being carried out."
    retry_after = 1


# Refusals in moderation.


class AccountSuspendedError(RefusalError):
    """`until` is in milliseconds since 1970; None means without end. `appeal_token` is that of
    `security.signed_links`.
    """

    detail = "This account is suspended."

    def __init__(self, until: int | None, explanation: str, appeal_token: str | None) -> None:
        super().__init__()
        self.members = {
            "until": until, "explanation": explanation, "appealToken": appeal_token
        }  # fmt: skip


class OwnThingError(ForbiddenError):
    detail = "You cannot report what you have written."


class OwnCaseError(ForbiddenError):
    detail = "Another moderator must decide this."


class AdministratorConcernedError(ForbiddenError):
    detail = "Only an administrator may decide about an administrator."


class CaseNotFoundError(NotFoundError):
    detail = "There is no case with this id."


class DecisionNotFoundError(NotFoundError):
    detail = "There is no decision with this id, or it does not concern you."


class AccountNotFoundError(NotFoundError):
    detail = "There is no account with this id."


class CaseDecidedError(RefusalError):
    detail = "This case has been decided."


class ThingGoneError(RefusalError):
    detail = "The reported ad or comment no longer exists."


class DecisionEndedError(RefusalError):
    detail = "This decision is no longer in force, or cannot be undone."


class AppealNotPossibleError(RefusalError):
    detail = "An appeal against this decision is not possible."


# Refusals of conversations.


class ConversationNotFoundError(NotFoundError):
    detail = "You have no conversation with this id."


class MessageNotFoundError(NotFoundError):
    detail = "This conversation has no message with this id."


class OfferNotFoundError(NotFoundError):
    detail = "You have no offer with this id."


class OfferNotPossibleError(RefusalError):
    """`allowed` are the names of what the party may do to the offer instead."""

    def __init__(self, detail: str, allowed: Sequence[str]) -> None:
        super().__init__(detail)
        self.members = {"allowed": allowed}


class BlockedError(ForbiddenError):
    detail = "One of you has blocked the other."


class ConversationClosedError(ForbiddenError):
    detail = "The other account was deleted."


# Refusals of webhooks.


class WebhookNotFoundError(NotFoundError):
    detail = "There is no webhook with this id."


class DeliveryNotFoundError(NotFoundError):
    detail = "This webhook has no delivery with this id."


class WebhookDisabledError(RefusalError):
    detail = "The webhook is disabled; enable it first."


# Refusals because of a part that the service depends on.


class UnavailableError(RefusalError):
    """Nothing was changed, or the outcome is unknown. `retry_after` is in seconds."""

    detail = "A part of the service cannot be reached now."
    retry_after = 1


class DatabaseUnavailableError(UnavailableError):
    """Its cause is the error of the driver."""

    detail = "The database cannot be reached now."


class ConnectionsBusyError(DatabaseUnavailableError):
    """A request has waited for a connection: this process has them all in use."""

    detail = "All connections to the database are in use now."


class ImageStoreUnavailableError(UnavailableError):
    detail = "The image store cannot be reached or is full."
    retry_after = 5


class DiskNearlyFullError(UnavailableError):
    retry_after = 30

    def __init__(self, place: str, kept: str) -> None:
        super().__init__(f"The disk of the {place} is nearly full: there is no room for {kept}.")


class OverloadedError(UnavailableError):
    detail = "The service has more work of this kind than it can do now."
