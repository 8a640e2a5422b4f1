"""The exceptions that adsvc raises on purpose.

```
AdsvcError
├── ConfigurationError            the operator's settings cannot work
├── OperatorError                 a command cannot do what was asked (no such user, …)
├── DeliveryError                 an entry of the outbox was not delivered
│   ├── NotDeliveredError         refused for now
│   ├── ReceiverUnavailableError  nothing can be delivered there now
│   └── UndeliverableError        refused for good
└── RefusalError                  a request that is answered with a refusal
    ├── InvalidRequestError       something in it is malformed or out of range
    │   ├── ClientGoneError       it ended before it was complete, or before its turn came
    │   ├── InvalidImageError     pictures that cannot be decoded
    │   ├── InvalidTokenError     of a link in a mail
    │   └── UnknownCategoryError  an ad is to have a category that is not there
    ├── UnauthenticatedError      no credentials, or none that count
    │   ├── InvalidCredentialsError  credentials that were sent, and do not count
    │   └── WrongCredentialsError    an unknown user name or a wrong password
    ├── ForbiddenError            credentials that do not suffice
    │   ├── CrossSiteError        a change that a page of a foreign origin asked for
    │   ├── MailNotVerifiedError  the account has no verified mail address, and needs one
    │   ├── WrongPasswordError    the current password, asked for again, is wrong
    │   ├── OwnThingError         a report of what is one's own
    │   ├── OwnCaseError          a decision that somebody else has to make
    │   └── AdministratorConcernedError  a moderator's decision about an administrator
    ├── AccountSuspendedError     right credentials of an account that is suspended
    ├── NotFoundError
    │   ├── AccountNotFoundError
    │   ├── AdNotFoundError
    │   ├── CaseNotFoundError
    │   ├── CategoryNotFoundError
    │   ├── CommentNotFoundError
    │   ├── DecisionNotFoundError
    │   ├── SessionNotFoundError
    │   └── ImageNotFoundError
    ├── AdGoneError               an ad that was sold or has expired
    ├── UsernameTakenError
    ├── CategoryCycleError        a category would be its own ancestor
    ├── CategoryInUseError        it has ads or children
    ├── IllegalTransitionError    a step that the ad's status does not allow
    ├── CaseDecidedError          a case that somebody else has decided
    ├── ThingGoneError            what a case is about was deleted
    ├── DecisionEndedError        a decision that cannot be undone, or was
    ├── AppealNotPossibleError    not, or not any more
    ├── QuotaExceededError        the account's pictures or texts would take more than they may
    ├── TooManyImagesError        of one ad
    ├── LastImageError            an ad keeps one picture
    ├── IdempotencyInProgressError   the first request with a key has not ended
    ├── IdempotencyKeyReusedError    another request had the key before
    ├── PreconditionFailedError   it has changed since the client saw it
    ├── ContentTooLargeError
    ├── UnsupportedMediaTypeError
    │   ├── EncodedBodyError
    │   └── UnsupportedImageError
    ├── RangeNotSatisfiableError
    ├── RateLimitedError
    │   └── TooManyAtOnceError    of one account or network, for one pool
    ├── TooManyUploadsError       at once, of one account
    └── UnavailableError          a part the service depends on cannot be used now
        ├── DatabaseUnavailableError
        ├── ImageStoreUnavailableError
        ├── DiskNearlyFullError
        └── OverloadedError
```

`adsvc.api.problems.types` decides what a class means in HTTP. Errors that never leave the package
that raises them are defined there. The refusals of the protocol are in `adsvc.http.responses`.
"""

from adsvc.errors.base import AdsvcError, ConfigurationError, OperatorError, RefusalError
from adsvc.errors.deliveries import (
    DeliveryError,
    NotDeliveredError,
    ReceiverUnavailableError,
    UndeliverableError,
)
from adsvc.errors.faults import Fault, FaultCode
from adsvc.errors.moderation import (
    AccountNotFoundError,
    AccountSuspendedError,
    AdministratorConcernedError,
    AppealNotPossibleError,
    CaseDecidedError,
    CaseNotFoundError,
    DecisionEndedError,
    DecisionNotFoundError,
    OwnCaseError,
    OwnThingError,
    ThingGoneError,
)
from adsvc.errors.requests import (
    AdGoneError,
    AdNotFoundError,
    CategoryCycleError,
    CategoryInUseError,
    CategoryNotFoundError,
    ClientGoneError,
    CommentNotFoundError,
    ContentTooLargeError,
    CrossSiteError,
    EncodedBodyError,
    ForbiddenError,
    Gathering,
    IdempotencyInProgressError,
    IdempotencyKeyReusedError,
    IllegalTransitionError,
    ImageNotFoundError,
    InvalidCredentialsError,
    InvalidImageError,
    InvalidRequestError,
    InvalidTokenError,
    LastImageError,
    MailNotVerifiedError,
    NotFoundError,
    PreconditionFailedError,
    QuotaExceededError,
    RangeNotSatisfiableError,
    RateLimitedError,
    SessionNotFoundError,
    TooManyAtOnceError,
    TooManyImagesError,
    TooManyUploadsError,
    UnauthenticatedError,
    UnknownCategoryError,
    UnsupportedImageError,
    UnsupportedMediaTypeError,
    UsernameTakenError,
    WrongCredentialsError,
    WrongPasswordError,
)
from adsvc.errors.unavailable import (
    DatabaseUnavailableError,
    DiskNearlyFullError,
    ImageStoreUnavailableError,
    OverloadedError,
    UnavailableError,
)

__all__ = [
    "AccountNotFoundError",
    "AccountSuspendedError",
    "AdGoneError",
    "AdNotFoundError",
    "AdministratorConcernedError",
    "AdsvcError",
    "AppealNotPossibleError",
    "CaseDecidedError",
    "CaseNotFoundError",
    "CategoryCycleError",
    "CategoryInUseError",
    "CategoryNotFoundError",
    "ClientGoneError",
    "CommentNotFoundError",
    "ConfigurationError",
    "ContentTooLargeError",
    "CrossSiteError",
    "DatabaseUnavailableError",
    "DecisionEndedError",
    "DecisionNotFoundError",
    "DeliveryError",
    "DiskNearlyFullError",
    "EncodedBodyError",
    "Fault",
    "FaultCode",
    "ForbiddenError",
    "Gathering",
    "IdempotencyInProgressError",
    "IdempotencyKeyReusedError",
    "IllegalTransitionError",
    "ImageNotFoundError",
    "ImageStoreUnavailableError",
    "InvalidCredentialsError",
    "InvalidImageError",
    "InvalidRequestError",
    "InvalidTokenError",
    "LastImageError",
    "MailNotVerifiedError",
    "NotDeliveredError",
    "NotFoundError",
    "OperatorError",
    "OverloadedError",
    "OwnCaseError",
    "OwnThingError",
    "PreconditionFailedError",
    "QuotaExceededError",
    "RangeNotSatisfiableError",
    "RateLimitedError",
    "ReceiverUnavailableError",
    "RefusalError",
    "SessionNotFoundError",
    "ThingGoneError",
    "TooManyAtOnceError",
    "TooManyImagesError",
    "TooManyUploadsError",
    "UnauthenticatedError",
    "UnavailableError",
    "UndeliverableError",
    "UnknownCategoryError",
    "UnsupportedImageError",
    "UnsupportedMediaTypeError",
    "UsernameTakenError",
    "WrongCredentialsError",
    "WrongPasswordError",
]
