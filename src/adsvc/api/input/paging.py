"""Pages of a listing: the query parameters that ask for one, and the way to the next."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import Depends, Query, Request
from pydantic import BaseModel, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.cursors import Cursors
from adsvc.api.input.parameters import decimal
from adsvc.errors import Fault, InvalidRequestError
from adsvc.repositories.ads.order import Key
from adsvc.schemas.fields import PLACEHOLDER

Pairs = list[tuple[str, str]]


def pairs_of(query: bytes) -> Pairs:
    """As `starlette.requests.Request.query_params` reads them."""
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True)


class PageQuery(BaseModel):
    limit: Annotated[
        int | SkipJsonSchema[None],
        BeforeValidator(decimal),
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

    def page(
        self, path: str, filters: Pairs, state: AppState, *, most: int | None = None
    ) -> "Page":
        """`filters` are what the way to the next page has to keep; `most` is how large it may be.

        Nothing else of a query string comes back: a header as long as a client likes is more than
        a proxy's buffer holds.
        """
        settings = state.settings
        most = min(most or settings.page_size_max, settings.page_size_max)
        limit = min(most, settings.page_size_default) if self.limit is None else self.limit
        if not 1 <= limit <= most:
            raise InvalidRequestError(Fault(f"must be from 1 to {most}", "limit", "parameter"))
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
    return query.page(request.url.path, [], state)


PageDep = Annotated[Page, Depends(get_page)]
