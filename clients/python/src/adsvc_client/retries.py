"""Whether an attempt is repeated, and when."""

import random
from dataclasses import dataclass
from typing import Any

import httpx2

from ._generated.problems import IdempotencyInProgressError, OverloadedError
from .errors import AdsvcError, NoAnswerError, ProblemError
from .operation import Operation
from .problem_documents import problem_of, retry_after

# The request never left.
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
# No attempt will leave: the address or a header is not one.
MALFORMED = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)
# The service has no room now.
BUSY = {
    httpx2.codes.REQUEST_TIMEOUT,
    httpx2.codes.TOO_EARLY,
    httpx2.codes.TOO_MANY_REQUESTS,
}
LONGEST_PAUSE = 30.0
# A gateway got no answer from the service.
GATEWAY = {httpx2.codes.BAD_GATEWAY, httpx2.codes.GATEWAY_TIMEOUT}


@dataclass(frozen=True)
class Retries:
    """`attempts` in all, with at most `seconds` of waiting between them.

    If the service wants a longer wait, there is no further attempt: its refusal is raised.
    """

    attempts: int = 5
    seconds: float = 30.0
    first_wait: float = 0.2

    def wait(self, attempt: int, least: float = 0.0) -> float:
        """Doubles with each attempt, and is never the same for many clients at once."""
        longest = self.first_wait * 2**attempt
        return least + random.uniform(longest / 2, longest)  # noqa: S311 - no secret

    def pause(self, number: int, error: AdsvcError) -> float | None:
        """Before connection `number` of a stream, which grows to half a minute; None if it ends.

        A stream goes on for ever while nothing answers, or while what answers has no room.
        """
        if isinstance(error, NoAnswerError):
            if isinstance(error.__cause__, MALFORMED):
                return None
            least = 0.0
        elif isinstance(error, ProblemError) and (
            httpx2.codes.is_server_error(error.status) or error.status in BUSY
        ):
            least = error.retry_after or 0.0
        else:
            return None
        longest = self.first_wait * 2 ** min(number, 10)
        return least + min(LONGEST_PAUSE, random.uniform(longest / 2, longest))  # noqa: S311

    def wait_after(
        self, answer: httpx2.Response | httpx2.RequestError, operation: Operation[Any], attempt: int
    ) -> float | None:
        """The seconds; None if another attempt would be useless or unsafe."""
        if isinstance(answer, MALFORMED):
            return None
        if isinstance(answer, httpx2.RequestError):
            safe = operation.repeatable or isinstance(answer, NOT_SENT)
            return self.wait(attempt) if safe else None
        if not is_repeated(answer, operation):
            return None
        return self.wait(attempt, retry_after(answer) or 0.0)


def is_ambiguous(answer: httpx2.Response | httpx2.RequestError) -> bool:
    """Whether the service may have carried out the request all the same."""
    if isinstance(answer, httpx2.RequestError):
        return not isinstance(answer, NOT_SENT)
    unavailable = answer.status_code == httpx2.codes.SERVICE_UNAVAILABLE
    return answer.status_code in GATEWAY or (unavailable and not _is_overload(answer))


def _is_overload(answer: httpx2.Response) -> bool:
    """The service refused the request before it did anything."""
    return isinstance(problem_of(answer), OverloadedError)


def is_repeated(answer: httpx2.Response, operation: Operation[Any]) -> bool:
    status = answer.status_code
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return True
    if status == httpx2.codes.SERVICE_UNAVAILABLE:
        return operation.repeatable or _is_overload(answer)
    if status == httpx2.codes.CONFLICT:
        # The same request, sent before, is still being carried out.
        return isinstance(problem_of(answer), IdempotencyInProgressError)
    return status in GATEWAY and operation.repeatable
