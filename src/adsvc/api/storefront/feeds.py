"""Listings as Atom (RFC 4287): any search can be followed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid5

from starlette.requests import Request
from starlette.responses import Response

from adsvc.api.app_state import AppState
from adsvc.api.caching.representation import CachedResponse, etag_of
from adsvc.api.input.listing_keys import filters_among, known_pairs
from adsvc.api.input.paging import pairs_of
from adsvc.api.input.parameters import number_from
from adsvc.api.storefront.files import CONTENT_TYPES
from adsvc.api.storefront.heads import Record, Site, ad_address, summary
from adsvc.api.storefront.pages import Front, listing, site_of
from adsvc.http.headers import PUBLIC

USUAL_ENTRIES = 50

# Each is made into text by the event loop.
MOST_ENTRIES = 100

CONTENT_TYPE = (b"content-type", b"application/atom+xml")

# XML 1.0 has no way to write these, not even escaped.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Of an installation that does not know its own id.
NAMELESS = UUID(int=0)


@dataclass(frozen=True, slots=True)
class _Feed:
    site: Site
    # Those of the search, in one order.
    pairs: tuple[tuple[str, str], ...]
    # The next page, if there is one.
    cursor: str | None
    # Ids are made of the installation's, so that they stay when the site moves.
    installation: UUID

    def lines(self, ads: Sequence[Record]) -> Iterator[str]:
        filters = filters_among(list(self.pairs))
        yield '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        yield f"<id>{self._urn(f'ads?{urlencode(filters)}')}</id>"
        named = [self.site.name, *(value for name, value in filters if name in {"q", "category"})]
        yield _element("title", " · ".join(named))
        yield _element("updated", _moment(max((ad["updatedAt"] for ad in ads), default=0)))
        yield f"<author>{_element('name', self.site.name)}</author>"
        yield _link("self", self._address("ads.atom", self.pairs), "application/atom+xml")
        yield _link("alternate", self._address("search", filters), "text/html")
        if self.cursor is not None:
            following = [pair for pair in self.pairs if pair[0] != "cursor"]
            address = self._address("ads.atom", [*following, ("cursor", self.cursor)])
            yield _link("next", address, "application/atom+xml")
        for ad in ads:
            yield from self._entry(ad)
        yield "</feed>\n"

    def _entry(self, ad: Record) -> Iterator[str]:
        ad_id = ad["pk"]
        yield f"<entry><id>{self._urn(f'ads/{ad_id}')}</id>"
        yield _element("title", ad["title"])
        yield _element("published", _moment(ad["createdAt"]))
        yield _element("updated", _moment(ad["updatedAt"]))
        yield _link("alternate", ad_address(self.site, ad_id), "text/html")
        picture = ad["thumbnail"]
        kind = CONTENT_TYPES[PurePosixPath(picture).suffix]
        yield _link("enclosure", f"{self.site.address}{picture}", kind)
        yield f"{_element('summary', summary(self.site, ad))}</entry>"

    def _urn(self, name: str) -> str:
        return uuid5(self.installation, name).urn

    def _address(self, path: str, pairs: Sequence[tuple[str, str]]) -> str:
        query = urlencode(pairs)
        return f"{self.site.address}/{path}?{query}" if query else f"{self.site.address}/{path}"


async def feed(front: Front, state: AppState, request: Request) -> Response:
    """The answer to `GET /ads` with the same query, at the same cost, written as Atom."""
    pairs = pairs_of(request.scope["query_string"])
    limit = _limit(dict(pairs))
    asked = [*(pair for pair in pairs if pair[0] != "limit"), ("limit", str(limit))]
    ads = await listing(state, request, urlencode(asked).encode())
    key = site_of(state.settings, request), tuple(known_pairs(pairs)), ads.etag
    kept = front.pages.get(key)
    if kept is None:
        kept = _written(*key[:2], json.loads(ads.body), await _installation(state))
        front.pages.keep(key, kept)
    return kept.to(request)


def _written(
    site: Site, pairs: tuple[tuple[str, str], ...], ads: Mapping[str, Any], installation: UUID
) -> CachedResponse:
    lines = _Feed(site, pairs, ads["next"], installation).lines(ads["results"])
    body = NOT_IN_XML.sub("", "\n".join(lines)).encode()
    return CachedResponse(body, etag_of(body), (CONTENT_TYPE, *PUBLIC), compressible=True)


def _limit(values: Mapping[str, str]) -> int:
    return number_from(values.get("limit", str(USUAL_ENTRIES)), "limit", 1, MOST_ENTRIES)


async def _installation(state: AppState) -> UUID:
    owner = await state.store.owner()
    return NAMELESS if owner is None else UUID(owner)


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"


def _link(relation: str, address: str, kind: str) -> str:
    return f'<link rel="{relation}" type="{kind}" href="{escape(address)}"/>'


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
