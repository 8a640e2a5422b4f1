"""Whether an attempt is repeated, and when."""

import random
from dataclasses import dataclass
from typing import Any

import httpx

from .operation import Operation
from .problem_documents import problem_of, retry_after

# Nothing was done, whatever was asked for.
NOTHING_DONE = {"/problems#overloaded"}
# The same request, sent before, is still at work.
STILL_RUNNING = {"/problems#idempotency-in-progress"}
# The request never left.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
# No attempt will leave: the address or a header is not one.
MALFORMED = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
# A gateway did not get the service's answer.
GATEWAY = {httpx.codes.BAD_GATEWAY, httpx.codes.GATEWAY_TIMEOUT}


@dataclass(frozen=True)
class Retries:
    """`attempts` in all, with at most `seconds` of waiting between them.

    A service that asks for a longer wait is not asked again: its refusal is raised.
    """

    attempts: int = 5
    seconds: float = 30.0
    first_wait: float = 0.2

    def wait(self, attempt: int, least: float = 0.0) -> float:
        """Doubles with each attempt, and is never the same for many clients at once."""
        longest = self.first_wait * 2**attempt
        return least + random.uniform(longest / 2, longest)  # noqa: S311 - no secret

    def wait_after(
        self, answer: httpx.Response | httpx.RequestError, operation: Operation[Any], attempt: int
    ) -> float | None:
        """None if another attempt would be of no use, or not safe."""
        if isinstance(answer, MALFORMED):
            return None
        if isinstance(answer, httpx.RequestError):
            safe = operation.repeatable or isinstance(answer, NOT_SENT)
            return self.wait(attempt) if safe else None
        if not is_repeated(answer, operation):
            return None
        return self.wait(attempt, retry_after(answer) or 0.0)


def is_ambiguous(answer: httpx.Response | httpx.RequestError) -> bool:
    """Whether the service may have done what was asked for all the same."""
    if isinstance(answer, httpx.RequestError):
        return not isinstance(answer, NOT_SENT)
    unavailable = answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
    return answer.status_code in GATEWAY or (
        unavailable and problem_of(answer).type not in NOTHING_DONE
    )


def is_repeated(answer: httpx.Response, operation: Operation[Any]) -> bool:
    status = answer.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        return True
    if status == httpx.codes.SERVICE_UNAVAILABLE:
        return operation.repeatable or problem_of(answer).type in NOTHING_DONE
    if status == httpx.codes.CONFLICT:
        return problem_of(answer).type in STILL_RUNNING
    return status in GATEWAY and operation.repeatable
