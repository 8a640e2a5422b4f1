"""The rules of carrying out an operation, without sending anything.

Each is a generator that yields the next `Step` and receives its outcome. The two
clients do it, one by blocking and one by awaiting, and have no rules of their own.
"""

import logging
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeAlias, TypeVar, cast

import httpx2

from ._generated import operations
from ._generated.models import TokenPair
from ._generated.types import Record
from .connection import Options
from .errors import NoAnswerError, NotModifiedError, ProblemError, SessionEndedError
from .operation import Operation
from .problem_documents import problem_of
from .response import info_of
from .retries import is_ambiguous
from .session import Session, Tokens

T = TypeVar("T")

# Neither headers, bodies nor queries are logged: they have passwords, tokens, words of searches.
log = logging.getLogger("adsvc_client")


@dataclass(frozen=True, repr=False)
class Send:
    """One request. Its outcome is the response, or the error of the transport."""

    operation: Operation[Any]
    access_token: str | None
    options: Options


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Refresh:
    """New tokens instead of these, fetched once for all concurrent callers."""

    stale: Tokens


Answer: TypeAlias = httpx2.Response | httpx2.RequestError
Step: TypeAlias = Send | Wait | Refresh
Steps: TypeAlias = Generator[Step, Answer | None, T]

GONE = {httpx2.codes.NOT_FOUND, httpx2.codes.GONE}
# The service's error for an invalid refresh token (RFC 6749, 5.2).
NO_SESSION = "invalid_grant"


def carry_out(operation: Operation[T], session: Session[Any], options: Options) -> Steps[T]:
    """The result of the operation; raises `AdsvcError`."""
    retries = options.retries
    left, lost, refreshed = retries.seconds, False, False
    for attempt in count(1):
        tokens = yield from _tokens(operation, session)
        answer = yield from _sent(operation, tokens, options, attempt)
        if isinstance(answer, httpx2.Response):
            if answer.is_success or (lost and _is_deleted(operation, answer)):
                return _concluded(operation, answer, session, options)
            if answer.status_code == httpx2.codes.NOT_MODIFIED:
                return _unchanged(operation, answer, options)
            if lost and answer.status_code == httpx2.codes.PRECONDITION_FAILED:
                # An earlier attempt has changed it, or another client.
                raise NoAnswerError(f"{operation.name}: done or refused") from problem_of(answer)
            if tokens is not None and tokens.refresh and _is_unknown(answer) and not refreshed:
                refreshed = True
                yield Refresh(tokens)
                continue
        wait = retries.wait_after(answer, operation, attempt)
        if wait is None or wait > left or attempt >= retries.attempts:
            raise _error(operation, answer)
        lost = lost or is_ambiguous(answer)
        left -= wait
        log.info("%s is sent again in %.1f s", operation.name, wait)
        yield Wait(wait)
    raise AssertionError


def refresh(session: Session[Any], stale: Tokens, options: Options) -> Steps[None]:
    """Puts new tokens into the session.

    A refresh token is good for one use. If the answer to it is lost, it is sent again all the same:
    for ten seconds the service gives the same pair.
    """
    refresh = operations.issue_token(grant_type="refresh_token", refresh_token=stale.refresh)
    no_session: Session[None] = Session()
    # Headers and the hook are only for the caller's own requests.
    options = replace(options, headers={}, on_response=None)
    try:
        pair = yield from carry_out(refresh, no_session, options)
    except ProblemError as error:
        if error.members.get("error") == NO_SESSION:
            session.end(stale)
            raise SessionEndedError(
                error.status,
                error.type,
                error.title,
                error.detail,
                error.instance,
                response=error.response,
            ) from error
        raise
    if session.tokens is stale:
        session.begin(pair)


def _sent(
    operation: Operation[Any], tokens: Tokens | None, options: Options, attempt: int
) -> Steps[Answer]:
    began = time.monotonic()
    answer = yield Send(operation, tokens.access if tokens else None, options)
    if answer is None:
        raise RuntimeError("A request has an outcome.")
    log.debug(
        "%s: %s %s, attempt %d: %s in %.0f ms",
        operation.name,
        operation.method,
        operation.path,
        attempt,
        _outcome(answer),
        (time.monotonic() - began) * 1000,
    )
    return answer


def _outcome(answer: Answer) -> str:
    if isinstance(answer, httpx2.Response):
        return f"{answer.status_code}, request {info_of(answer).request_id or 'unnamed'}"
    return type(answer).__name__


def _tokens(operation: Operation[Any], session: Session[Any]) -> Steps[Tokens | None]:
    if not operation.secured:
        return None
    if session.tokens is not None and session.tokens.outdated:
        yield Refresh(session.tokens)
    return session.tokens


def _is_unknown(answer: httpx2.Response) -> bool:
    return answer.status_code == httpx2.codes.UNAUTHORIZED


def _is_deleted(operation: Operation[Any], answer: httpx2.Response) -> bool:
    """The first attempt may have been carried out, and its answer lost."""
    return operation.method == "DELETE" and answer.status_code in GONE


def _concluded(
    operation: Operation[T], answer: httpx2.Response, session: Session[Any], options: Options
) -> T:
    result = operation.result_of(answer)
    if isinstance(result, TokenPair):
        session.begin(result)
    if options.on_response is not None:
        options.on_response(info_of(answer))
    return result


def _unchanged(operation: Operation[T], answer: httpx2.Response, options: Options) -> T:
    """The same record that was read before."""
    if options.on_response is not None:
        options.on_response(info_of(answer))
    if isinstance(operation.if_none_match, Record):
        return cast("T", operation.if_none_match)
    raise NotModifiedError(f"{operation.name}: still the same")


def _error(operation: Operation[Any], answer: Answer) -> Exception:
    if isinstance(answer, httpx2.Response):
        return problem_of(answer)
    error = NoAnswerError(f"{operation.name}: {answer!r}")
    error.__cause__ = answer
    return error
