"""Errors as responses: the handlers that apply the table of problem types."""

import logging

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from adsvc import errors
from adsvc.api.problems.own import InternalError, MethodNotAllowedError
from adsvc.api.problems.responses import problem_response
from adsvc.api.problems.validation import parameter_faults
from adsvc.db.faults import is_database_fault
from adsvc.observability.logging import CountedWarning

logger = logging.getLogger("adsvc.api")
database_faults = CountedWarning(logger, "The database is at fault: %s")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def as_refusal(error: Exception, request_id: str) -> errors.RefusalError:
    """The refusal that an unforeseen error amounts to."""
    if is_database_fault(error):
        cause = error.__cause__ or error
        database_faults.note(type(cause).__name__, request_id=request_id)
        return errors.DatabaseUnavailableError()
    if isinstance(error, errors.RefusalError):
        return error
    logger.error("An unforeseen error.", exc_info=error, extra={"request_id": request_id})
    return InternalError()


def _request_id(request: Request) -> str:
    request_id: str = request.state.request_id
    return request_id


def _allowed_methods(routes: list[BaseRoute], request: Request) -> list[str]:
    def matches(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    allowed = [method for method in METHODS if matches(method)]
    if not allowed:
        # Files of the documentation, which are mounted and not routed.
        allowed = ["GET"]
    return ["GET", "HEAD", *allowed[1:]] if "GET" in allowed[:1] else allowed


async def _refuse(request: Request, error: Exception) -> Response:
    return problem_of(error, request.scope)


def problem_of(error: Exception, scope: Scope) -> Response:
    """What a request is told of an error; its id is in the state of the scope."""
    request_id, headers = scope["state"]["request_id"], Headers(scope=scope)
    refusal = as_refusal(error, request_id)
    if type(refusal) is errors.UnauthenticatedError and (sent := headers.get("authorization")):
        of_token = sent.partition(" ")[0].lower() == "bearer"
        refusal = errors.InvalidCredentialsError(of_token=of_token)
    response = problem_response(refusal, request_id)
    takes_basic = scope["state"].get("takes_basic", False)
    if isinstance(refusal, errors.UnauthenticatedError) and takes_basic and _by_person(headers):
        response.headers.append("WWW-Authenticate", 'Basic realm="adsvc", charset="UTF-8"')
    return response


def _by_person(headers: Headers) -> bool:
    """Not by a script: browsers open a dialogue of their own for the challenge to Basic."""
    return headers.get("sec-fetch-mode") != "cors" and headers.get("sec-fetch-dest") != "empty"


async def _refuse_parameters(request: Request, error: Exception) -> Response:
    """FastAPI validates parameters of path and query; bodies are read by `api.input`.

    A dependency that failed is tried for everybody who asks for it.
    """
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    faults = parameter_faults(found, at=1)
    return problem_response(errors.InvalidRequestError(*faults), _request_id(request))


async def _refuse_route(request: Request, error: Exception) -> Response:
    """What Starlette's router raises: no such path, or no such method on it."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    refusal: errors.RefusalError
    if status == 405:  # noqa: PLR2004 - a status
        refusal = MethodNotAllowedError(_allowed_methods(request.app.routes, request))
    elif status == 404:  # noqa: PLR2004 - a status
        refusal = errors.NotFoundError()
    else:
        refusal = InternalError()
    return problem_response(refusal, _request_id(request))


def add_handlers(app: FastAPI) -> None:
    app.add_exception_handler(errors.RefusalError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_parameters)
    app.add_exception_handler(HTTPException, _refuse_route)
