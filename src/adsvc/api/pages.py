"""Pages of a listing: the query parameters that ask for one, and the way to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import BeforeValidator
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.parameters import decimal
from adsvc.api.resources import ResourcesDep
from adsvc.cursors import Cursors
from adsvc.errors import Fault, InvalidRequestError
from adsvc.schemas.members import PLACEHOLDER


class Identified(Protocol):
    @property
    def id(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Page:
    limit: int
    _cursor: str | None
    _cursors: Cursors
    _path: str
    _response: Response

    def start(self, listing: str) -> int | None:
        """The id that the rows asked for lie below; None for the first page."""
        if self._cursor is None:
            return None
        (last,) = self._cursors.decode(listing, self._cursor)
        return int(last)

    def next(self, listing: str, rows: Sequence[Identified], *, more: bool) -> str | None:
        """The next page's cursor, which then also stands in the answer's `Link` (RFC 8288)."""
        if not more:
            return None
        cursor = self._cursors.encode(listing, [rows[-1].id])
        query = urlencode({"limit": self.limit, "cursor": cursor})
        self._response.headers["Link"] = f'<{self._path}?{query}>; rel="next"'
        return cursor


def get_page(
    request: Request,
    response: Response,
    resources: ResourcesDep,
    limit: Annotated[
        int | SkipJsonSchema[None],
        BeforeValidator(decimal),
        Query(
            description="The most ads a page may have.",
            json_schema_extra={PLACEHOLDER: "page_size"},
            examples=[20],
        ),
    ] = None,
    cursor: Annotated[
        str | SkipJsonSchema[None],
        Query(description="Where to go on: `next` of the page before."),
    ] = None,
) -> Page:
    settings = resources.settings
    if limit is None:
        limit = settings.page_size_default
    if not 1 <= limit <= settings.page_size_max:
        raise InvalidRequestError(
            Fault(f"must be from 1 to {settings.page_size_max}", "limit", "parameter")
        )
    return Page(limit, cursor, resources.cursors, request.url.path, response)


PageDep = Annotated[Page, Depends(get_page)]
