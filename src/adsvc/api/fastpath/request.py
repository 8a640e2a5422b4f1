"""What is known of a request before it is worked at."""

from dataclasses import dataclass

from starlette.types import Scope

from adsvc.api.caching.token_cache import Known

Headers = dict[bytes, bytes]

KEY = "adsvc.lookup"


@dataclass(slots=True)
class Lookup:
    """Kept with the request, so that nobody asks again what has been asked."""

    # Of headers sent twice the first one counts, as for `starlette.datastructures.Headers`.
    headers: Headers
    # Whether the caches were asked for the answer, and the process for room.
    is_done: bool = False
    # Who asks for one ad, as far as that was found there.
    caller: Known | None = None

    @property
    def authorization(self) -> str:
        return self.headers.get(b"authorization", b"").decode("latin-1")

    @property
    def conditions(self) -> tuple[str | None, str]:
        """What decides on the form of an answer: `If-None-Match`, `Accept-Encoding`."""
        if_none_match = self.headers.get(b"if-none-match")
        return (
            if_none_match.decode("latin-1") if if_none_match else None,
            self.headers.get(b"accept-encoding", b"").decode("latin-1"),
        )


def lookup_of(scope: Scope) -> Lookup:
    found: Lookup | None = scope.get(KEY)
    if found is None:
        found = scope[KEY] = Lookup(dict(reversed(scope["headers"])))
    return found
