"""The errors of a call.

AdsvcError
├── NoAnswerError             no answer came, and a repetition did not help or was not safe
├── UnexpectedAnswerError     an answer that is not part of the interface
├── NotModifiedError          the resource still has the tag of `if_none_match`
└── ProblemError              the service refused
    ├── SessionEndedError     the session cannot be continued: log in again
    └── NotFoundError, …      one class for each status,
        └── AdNotFoundError, …    and below it one for each problem type; all in `adsvc_client` too
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ._generated.models.fault_detail import FaultDetail
from .response import ResponseInfo


class AdsvcError(Exception):
    pass


class NoAnswerError(AdsvcError):
    """The outcome of the request is unknown, unless the service could not be reached.

    `__cause__` is the error of httpx2.
    """


class UnexpectedAnswerError(AdsvcError):
    pass


class NotModifiedError(AdsvcError):
    """304: the resource still has the tag of `if_none_match`."""


class ProblemError(AdsvcError):
    """A problem document (RFC 9457).

    `type` is as `/problems#ad-not-found`, also where the service has a path prefix. `errors` says
    what is wrong with the request, and where; `members` has the members that only this type of
    problem has. `retry_after` is in seconds. `response` has the status and the headers.
    """

    def __init__(
        self,
        status: int,
        type: str = "about:blank",
        title: str = "",
        detail: str = "",
        instance: str = "",
        errors: Sequence[FaultDetail] = (),
        members: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
        response: ResponseInfo | None = None,
    ) -> None:
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.instance = instance
        self.errors = list(errors)
        self.members = dict(members or {})
        self.retry_after = retry_after
        self.response = response
        super().__init__(status, type, title, detail)

    @property
    def request_id(self) -> str | None:
        """Names the request in the log of the service; None where something else answered."""
        return None if self.response is None else self.response.request_id

    def __str__(self) -> str:
        faults = "".join(f"\n  {_place(fault)}: {fault.detail}" for fault in self.errors)
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status} {self.title} ({self.type}): {self.detail}{request}{faults}"


def _place(fault: FaultDetail) -> str:
    return " ".join(f"{place}" for place in (fault.part, fault.parameter, fault.pointer) if place)


class SessionEndedError(ProblemError):
    """The service does not continue the session. It expired, was ended, or is not known."""
