"""What stands before the web framework, which costs several times what some answers do.

Nothing is decided here that is decided otherwise behind it: what is not plainly in order goes on to
the framework's own routes, and is refused there.
"""

import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError
from starlette.datastructures import State
from starlette.types import ASGIApp, Receive, Scope, Send

from adsvc.api.answers import SECURITY, Answer
from adsvc.api.authentication import address_of
from adsvc.api.direct import DirectAnswers, Headers, deliver, headers_of
from adsvc.api.errors import as_refusal, problem_response
from adsvc.api.filters import ListingQuery
from adsvc.api.hot import AD_PATH, AD_ROUTE, LISTING_PATH, HotAnswers, conditions
from adsvc.api.pages import pairs_of
from adsvc.api.parameters import DECIMAL, LARGEST_ID
from adsvc.api.reads import extended_ad, found_ads
from adsvc.api.resources import Resources
from adsvc.api.shedding import LoadShedding
from adsvc.errors import RefusalError
from adsvc.server import Head, Header, Ready, new_request_id
from adsvc.services import audit


@dataclass(frozen=True, slots=True)
class Front:
    app: ASGIApp
    hot: HotAnswers
    shedding: LoadShedding
    reads: "QuickReads"

    def at_once(self, scope: Scope) -> Ready | None:
        return self.hot.find(scope) or self.shedding.refusal(scope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif ready := self.at_once(scope):
            await deliver(scope, send, ready)
        else:
            await self.shedding.let_in(self._inside, scope, receive, send)

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        ready = await self.reads.answer(scope)
        if ready is None:
            await self.app(scope, receive, send)
        else:
            await deliver(scope, send, ready)


class _Read(NamedTuple):
    route: str
    answer: Awaitable[tuple[Answer, Sequence[Header]]]
    user_id: int | None = None
    ad_id: int | None = None


@dataclass(frozen=True, slots=True)
class QuickReads:
    """The two operations that are asked for most, `GET /ads` and `GET /ads/{id}`."""

    state: State
    direct: DirectAnswers

    async def answer(self, scope: Scope) -> Ready | None:
        """None for the framework to answer."""
        began = time.perf_counter()
        headers = headers_of(scope)
        read = self._understood(scope, headers)
        if read is None:
            return None
        request_id = new_request_id()
        audit.origin.set(audit.Origin(request_id, address_of(scope)))
        told: Sequence[Header] = ()
        try:
            answer, told = await read.answer
        except Exception as error:  # noqa: BLE001 - as `ErrorBoundary` does
            head, body = _refused(as_refusal(error, request_id), request_id)
        else:
            head, body = answer.parts(*conditions(headers))
        return self.direct.ready(
            scope, headers, head, body,
            request_id=request_id, route=read.route, user_id=read.user_id, ad_id=read.ad_id,
            told=told, began=began,
        )  # fmt: skip

    def _understood(self, scope: Scope, headers: Headers) -> _Read | None:
        if scope["method"] not in {"GET", "HEAD"}:
            return None
        resources: Resources = self.state.resources
        path: str = scope["path"]
        if path == LISTING_PATH:
            pairs = pairs_of(scope["query_string"])
            try:
                # As FastAPI does: of a parameter sent twice the last one counts.
                query = ListingQuery.model_validate(dict(pairs))
            except ValidationError:
                return None
            return _Read(LISTING_PATH, _alone(found_ads(resources, scope, query, pairs)))
        if path.startswith(AD_PATH) and DECIMAL.fullmatch(path, len(AD_PATH)):
            ad_id = int(path[len(AD_PATH) :])
            caller = resources.callers.get(headers.get(b"authorization", b"").decode("latin-1"))
            if caller is not None and 1 <= ad_id <= LARGEST_ID:
                answer = extended_ad(resources, caller, ad_id)
                return _Read(AD_ROUTE, answer, caller.user_id, ad_id)
        return None


async def _alone(answer: Awaitable[Answer]) -> tuple[Answer, Sequence[Header]]:
    """With nothing to tell to one caller alone."""
    return await answer, ()


def _refused(refusal: RefusalError, request_id: str) -> tuple[Head, bytes]:
    response = problem_response(refusal, request_id)
    return Head(response.status_code, (*response.raw_headers, *SECURITY)), bytes(response.body)
