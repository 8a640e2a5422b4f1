"""The client of adsvc, a service for classified ads: `AdsvcClient` and `AsyncAdsvcClient`."""

from . import models
from ._generated import problems
from ._generated.problems import *  # noqa: F403
from ._generated.types import UNSET, Record, Unset
from ._generated.version import __version__
from .async_client import AsyncAdsvcClient
from .client import AdsvcClient
from .errors import (
    AdsvcError,
    NoAnswerError,
    NotModifiedError,
    ProblemError,
    SessionEndedError,
    UnexpectedAnswerError,
)
from .response import ResponseInfo, datetime_of
from .retries import Retries
from .streams import MessagesRead, PersonalData, StreamedEvent, Unread
from .uploads import Upload
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "UNSET",
    "AdsvcClient",
    "AdsvcError",
    "AsyncAdsvcClient",
    "MessagesRead",
    "NoAnswerError",
    "NotModifiedError",
    "PersonalData",
    "ProblemError",
    "Record",
    "ResponseInfo",
    "Retries",
    "SessionEndedError",
    "StreamedEvent",
    "UnexpectedAnswerError",
    "Unread",
    "Unset",
    "Upload",
    "WebhookVerificationError",
    "__version__",
    "datetime_of",
    "models",
    "verify_webhook",
]
__all__ += problems.__all__
