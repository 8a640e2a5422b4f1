"""The client of adsvc, a service for classified ads: `AdsvcClient` and `AsyncAdsvcClient`."""

from ._generated import models, problems
from ._generated.problems import *  # noqa: F403
from ._generated.types import UNSET, Record, Unset
from ._generated.version import __version__
from .async_client import AsyncAdsvcClient
from .client import AdsvcClient
from .errors import (
    AdsvcError,
    NoAnswerError,
    ProblemError,
    SessionEndedError,
    UnexpectedAnswerError,
)
from .retries import Retries
from .uploads import Upload

__all__ = [
    "UNSET",
    "AdsvcClient",
    "AdsvcError",
    "AsyncAdsvcClient",
    "NoAnswerError",
    "ProblemError",
    "Record",
    "Retries",
    "SessionEndedError",
    "UnexpectedAnswerError",
    "Unset",
    "Upload",
    "__version__",
    "models",
]
__all__ += problems.__all__
