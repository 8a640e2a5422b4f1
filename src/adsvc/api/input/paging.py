"""Pages of a listing: the query parameters that ask for one, and the way to the next."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import Depends, Query, Request
from pydantic import Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.cursors import Cursors
from adsvc.api.input.parameters import QueryModel, number_from
from adsvc.errors import Gathering, InvalidRequestError
from adsvc.repositories.ads.order import Key
from adsvc.schemas.fields import PLACEHOLDER
from adsvc.settings import Settings

Pairs = list[tuple[str, str]]


def pairs_of(query: bytes) -> Pairs:
    """As `starlette.requests.Request.query_params` reads them."""
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True)


class PageQuery(QueryModel):
    limit: Annotated[
        # A number within limits that are settings: `size` reads it.
        Annotated[str, WithJsonSchema({"type": "integer"})] | SkipJsonSchema[None],
        Field(
            description="The most a page may have.",
            json_schema_extra={PLACEHOLDER: "page_size"},
            examples=[20],
        ),
    ] = None
    cursor: Annotated[
        str | SkipJsonSchema[None],
        Field(description="Where to go on: `next` of the page before."),
    ] = None

    def size(self, settings: Settings, most: int | None = None) -> int:
        """`most` is how large the page may be. Raises all that is wrong with the query at once."""
        most = min(most or settings.page_size_max, settings.page_size_max)
        if not self.faults:
            return self._size(settings, most)
        gathering = Gathering(self.faults)
        gathering.attempt(lambda: self._size(settings, most))
        raise InvalidRequestError(*gathering.faults)

    def _size(self, settings: Settings, most: int) -> int:
        if self.limit is None:
            return min(most, settings.page_size_default)
        return number_from(self.limit, "limit", 1, most)

    def page(self, path: str, filters: Pairs, state: AppState, limit: int) -> "Page":
        """`filters` are what the way to the next page has to keep; `limit` is its `size`.

        Nothing else of a query string comes back: a header as long as a client likes is more than
        a proxy's buffer holds.
        """
        return Page(limit, self.cursor, state.cursors, path, filters)


@dataclass(frozen=True, slots=True)
class Page:
    limit: int
    _cursor: str | None
    _cursors: Cursors
    _path: str
    _filters: Pairs

    def start(self, listing: str) -> Key | None:
        """The sort key of the last row before this page; None for the first page."""
        return None if self._cursor is None else self._cursors.decode(listing, self._cursor)

    def next(self, listing: str, key: Key) -> tuple[str, str]:
        """The next page's cursor, and the value of `Link` (RFC 8288) that leads there."""
        cursor = self._cursors.encode(listing, key)
        # Neither a number nor base64url has anything to quote.
        query = f"limit={self.limit}&cursor={cursor}"
        if self._filters:
            query = f"{urlencode(self._filters)}&{query}"
        return cursor, f'<{self._path}?{query}>; rel="next"'


async def get_page(
    request: Request, state: AppStateDep, query: Annotated[PageQuery, Query()]
) -> Page:
    return query.page(request.url.path, [], state, query.size(state.settings))


PageDep = Annotated[Page, Depends(get_page)]
