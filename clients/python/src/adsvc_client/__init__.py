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
from .response import ResponseInfo
from .retries import Retries
from .streams import StreamedEvent
from .uploads import Upload
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "UNSET",
    "AdsvcClient",
    "AdsvcError",
    "AsyncAdsvcClient",
    "NoAnswerError",
    "NotModifiedError",
    "ProblemError",
    "Record",
    "ResponseInfo",
    "Retries",
    "SessionEndedError",
    "StreamedEvent",
    "UnexpectedAnswerError",
    "Unset",
    "Upload",
    "WebhookVerificationError",
    "__version__",
    "models",
    "verify_webhook",
]
__all__ += problems.__all__
