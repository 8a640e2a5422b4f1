"""What a call may end in.

AdsvcError
├── NoAnswerError             no answer came, and trying again did not help or was not safe
├── UnexpectedAnswerError     an answer that the interface does not have
└── ProblemError              the service refused
    ├── SessionEndedError     the session cannot be continued: log in again
    └── AdNotFoundError, …    one class for each problem type, in `adsvc_client` too
"""

from collections.abc import Mapping, Sequence
from typing import Any


class AdsvcError(Exception):
    pass


class NoAnswerError(AdsvcError):
    """Whether the service has done what was asked is not known, unless it could not be reached.

    `__cause__` is the error of httpx.
    """


class UnexpectedAnswerError(AdsvcError):
    pass


class ProblemError(AdsvcError):
    """A problem document (RFC 9457).

    `errors` says what is wrong with the request, and where; `members` has what only this type of
    problem tells. `retry_after` is in seconds.
    """

    def __init__(
        self,
        status: int,
        type: str = "about:blank",
        title: str = "",
        detail: str = "",
        instance: str = "",
        errors: Sequence[Mapping[str, Any]] = (),
        members: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.instance = instance
        self.errors = list(errors)
        self.members = dict(members or {})
        self.retry_after = retry_after
        super().__init__(status, type, title, detail)

    def __str__(self) -> str:
        faults = "".join(f"\n  {_place(fault)}: {fault.get('detail', '')}" for fault in self.errors)
        return f"{self.status} {self.title} ({self.type}): {self.detail}{faults}"


def _place(fault: Mapping[str, Any]) -> str:
    return " ".join(str(fault[key]) for key in ("part", "parameter", "pointer") if fault.get(key))


class SessionEndedError(ProblemError):
    """The service does not continue the session. It expired, was ended, or is not known."""
