"""For crawlers and feed readers: robots.txt, sitemaps, Atom."""

import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid5

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from adsvc.api.app_state import AppState
from adsvc.api.caching import CachedResponse, etag_of, matches_etag
from adsvc.api.finding import count_search, searching
from adsvc.api.input.filters import filters_among, known_pairs
from adsvc.api.input.parameters import number_from, pairs_of
from adsvc.api.storefront.files import CONTENT_TYPES
from adsvc.api.storefront.pages import (
    Front,
    Record,
    SiteIdentity,
    ad_address,
    category_address,
    listing,
    site_of,
    summary,
)
from adsvc.api.storefront.views import ad_path, slug_of
from adsvc.bulkheads.admission import Client
from adsvc.errors import NotFoundError
from adsvc.http.responses import PUBLIC, Caching
from adsvc.repositories import ListingRepository

# The most ids of a part: a client that reads slowly keeps the titles of all of them in memory.
PART = 10_000

# Ids that one statement reads, and whose lines are formatted before the event loop serves others.
BATCH = 1000

# The part with pages that are not ads.
PAGES = "pages"

PART_NAME = re.compile(r"ads-(0|[1-9][0-9]{0,12})")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC).date()
XML = (b"content-type", b"application/xml")
BEGIN = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

# There is no end to pages of results, and the others are private.
ROBOTS = """User-agent: *
Disallow: /account
Disallow: /admin
Disallow: /ads.atom
Disallow: /console
Disallow: /messages
Disallow: /my
Disallow: /post
Disallow: /review
Disallow: /search

Sitemap: {}/sitemap.xml
"""


async def robots(_: Front, state: AppState, request: Request) -> Response:
    body = ROBOTS.format(site_of(state.settings, request).address).encode()
    headers = ((b"content-type", b"text/plain; charset=utf-8"), *PUBLIC)
    return CachedResponse(body, etag_of(body), headers).to(request)


async def index(_: Front, state: AppState, request: Request) -> Response:
    """Lists the parts with at least one ad."""
    site = site_of(state.settings, request)
    count_search(state, request.scope)
    async with state.searches.slot(searching(request.scope)):
        parts = await ListingRepository(state.database.reader).shown_parts(PART)
    names = [PAGES, *(f"ads-{part}" for part in parts)]
    entries = (
        f"<sitemap><loc>{site.address}/sitemaps/{name}.xml</loc></sitemap>" for name in names
    )
    return _document("sitemapindex", entries, PUBLIC).to(request)


async def part(_: Front, state: AppState, request: Request) -> Response:
    site, name = site_of(state.settings, request), request.path_params["name"]
    if name == PAGES:
        tree = await state.categories.tree()
        addresses = [f"{site.address}/", *(category_address(site, slug) for slug in tree.nodes)]
        entries = (f"<url><loc>{address}</loc></url>" for address in addresses[:PART])
        return _document("urlset", entries, PUBLIC).to(request)
    found = PART_NAME.fullmatch(name)
    if found is None:
        raise NotFoundError
    for _statement in range(PART // BATCH):
        count_search(state, request.scope)
    batches = await _shown(state, searching(request.scope), int(found[1]) * PART)
    if not batches:
        raise NotFoundError
    # Caches revalidate it, so a hidden ad disappears from sitemaps.
    etag = etag_of(b"\n".join((site.address.encode(), *batches)))
    headers = [(b"etag", etag.encode()), *PUBLIC]
    if matches_etag(request.headers.get("if-none-match", ""), etag):
        response = Response(status_code=304)
    else:
        response = StreamingResponse(_lines(site, batches))
        headers.append(XML)
    response.raw_headers += headers
    return response


async def _shown(state: AppState, party: Client, after: int) -> list[bytes]:
    """Reads a whole part before the response begins: a refusal in its middle is not possible.

    Each item has the paths and days of some ads as lines, which cost slow clients little memory.
    """
    batches: list[bytes] = []
    last = after + PART
    while True:
        async with state.searches.slot(party):
            reader = ListingRepository(state.database.reader)
            found = await reader.shown_ids(after, last, BATCH)
        if found.ids:
            shown = zip(found.ids, found.days, found.titles, strict=True)
            lines = (f"{ad_path(ad_id, slug_of(title))} {day}" for ad_id, day, title in shown)
            batches.append("\n".join(lines).encode())
            after = found.ids[-1]
        if len(found.ids) < BATCH:
            return batches


async def _lines(site: SiteIdentity, batches: Sequence[bytes]) -> AsyncIterator[str]:
    yield f"{BEGIN}<urlset {NAMESPACE}>\n"
    for batch in batches:
        lines = (line.split(" ") for line in batch.decode().split("\n"))
        yield "".join(
            f"<url><loc>{site.address}{path}</loc><lastmod>{_date(int(day))}</lastmod></url>\n"
            for path, day in lines
        )
    yield "</urlset>\n"


@lru_cache(maxsize=4096)
def _date(day: int) -> str:
    return (EPOCH + timedelta(days=day)).isoformat()


def _document(element: str, entries: Iterable[str], caching: Caching) -> CachedResponse:
    text = "\n".join([f"{BEGIN}<{element} {NAMESPACE}>", *entries, f"</{element}>\n"])
    body = text.encode()
    return CachedResponse(body, etag_of(body), (XML, *caching), compressible=True)


USUAL_ENTRIES = 50

# The event loop formats each entry.
MOST_ENTRIES = 100

CONTENT_TYPE = (b"content-type", b"application/atom+xml")

# XML 1.0 cannot contain these characters, not even escaped.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# For an installation whose id is not known.
NAMELESS = UUID(int=0)


@dataclass(frozen=True, slots=True)
class _Feed:
    site: SiteIdentity
    # The parameters of the search, in one order.
    pairs: tuple[tuple[str, str], ...]
    # The cursor of the next page, if there is one.
    cursor: str | None
    # Ids of entries contain the installation's id, so that they stay when the site moves.
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
        yield _link("alternate", ad_address(self.site, ad), "text/html")
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
    """The response to `GET /ads` with the same query, at the same cost, as Atom."""
    pairs = pairs_of(request.scope["query_string"])
    limit = _limit(dict(pairs))
    query = [*(pair for pair in pairs if pair[0] != "limit"), ("limit", str(limit))]
    ads = await listing(state, request, urlencode(query).encode())
    key = site_of(state.settings, request), tuple(known_pairs(pairs)), ads.etag
    kept = front.pages.get(key)
    if kept is None:
        kept = _written(*key[:2], json.loads(ads.body), await _installation(state))
        front.pages.keep(key, kept)
    return kept.to(request)


def _written(
    site: SiteIdentity,
    pairs: tuple[tuple[str, str], ...],
    ads: Mapping[str, Any],
    installation: UUID,
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
