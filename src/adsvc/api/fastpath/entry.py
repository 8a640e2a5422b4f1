"""What stands before the web framework, which costs several times what some answers do."""

from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from adsvc.api.fastpath.load_shedding import LoadShedding
from adsvc.api.fastpath.lookup import CacheLookup
from adsvc.api.fastpath.reads import FastReads
from adsvc.api.fastpath.responder import deliver, lookup_of
from adsvc.bulkheads.clients import PRESENCE, presence
from adsvc.http.raw import RawResponse


@dataclass(frozen=True, slots=True)
class Entry:
    app: ASGIApp
    hot: CacheLookup
    shedding: LoadShedding
    reads: FastReads

    def immediate_response(self, scope: Scope) -> RawResponse | None:
        lookup = lookup_of(scope)
        lookup.is_done = True
        self.shedding.direct.believe(scope, lookup.headers)
        return self.hot.find(scope) or self.shedding.refusal(scope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        presence.set(scope.get("state", {}).get(PRESENCE))
        ready = None
        # The server has asked already, unless other requests on the connection came before. Those
        # that it let in meanwhile count all the same, and so do those of the same client.
        shedding = self.shedding
        if shedding.is_full or shedding.has_its_share(scope) or not lookup_of(scope).is_done:
            ready = self.immediate_response(scope)
        if ready is not None:
            await deliver(scope, send, ready)
        else:
            await self.shedding.let_in(self._inside, scope, receive, send)

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        ready = await self.reads.answer(scope)
        if ready is None:
            await self.app(scope, receive, send)
        else:
            await deliver(scope, send, ready)
