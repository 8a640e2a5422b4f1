"""What search engines ask for besides pages: `robots.txt`, and sitemaps in parts."""

import re
from array import array
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from adsvc.api.app_state import AppState
from adsvc.api.caching.conditional import matches_etag
from adsvc.api.caching.representation import CachedResponse, etag_of
from adsvc.api.fastpath.listings import count_search, searching
from adsvc.api.storefront.heads import Site, category_address
from adsvc.api.storefront.pages import Front, site_of
from adsvc.bulkheads.clients import Party
from adsvc.errors import NotFoundError
from adsvc.http.headers import PUBLIC, Caching
from adsvc.repositories import ListingRepository

# A part has at most so many addresses (sitemaps.org), so it is made of as many ids.
PART = 50_000

# Ids that one statement reads.
BATCH = 5000

# Addresses that are made into text before other requests have their turn.
LINES = 1000

# The part with what is no ad.
PAGES = "pages"

PART_NAME = re.compile(r"ads-(0|[1-9][0-9]{0,12})")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC).date()

XML = (b"content-type", b"application/xml")

BEGIN = '<?xml version="1.0" encoding="UTF-8"?>\n'

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

# Pages of results have no end, and the others are somebody's own.
ROBOTS = """User-agent: *
Disallow: /account
Disallow: /admin
Disallow: /ads.atom
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
    """Names the parts that have an ad in them."""
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
    ids, days = await _shown(state, searching(request.scope), int(found[1]) * PART)
    if not ids:
        raise NotFoundError
    # Nobody keeps it without asking: an ad that is hidden is in no sitemap from then on.
    etag = etag_of(b"".join((site.address.encode(), ids.tobytes(), days.tobytes())))
    headers = [(b"etag", etag.encode()), *PUBLIC]
    if matches_etag(request.headers.get("if-none-match", ""), etag):
        response = Response(status_code=304)
    else:
        response = StreamingResponse(_lines(site, ids, days))
        headers.append(XML)
    response.raw_headers += headers
    return response


async def _shown(state: AppState, party: Party, after: int) -> tuple["array[int]", "array[int]"]:
    """All of a part, before the answer begins: a refusal in its middle would be half a document.

    They are kept as the numbers that they are, so that slow clients cost little memory.
    """
    ids, days, last = array("q"), array("i"), after + PART
    while True:
        async with state.searches.slot(party):
            reader = ListingRepository(state.database.reader)
            found = await reader.shown_ids(after, last, BATCH)
        ids.extend(found.ids)
        days.extend(found.days)
        if len(found.ids) < BATCH:
            return ids, days
        after = ids[-1]


async def _lines(site: Site, ids: "array[int]", days: "array[int]") -> AsyncIterator[str]:
    yield f"{BEGIN}<urlset {NAMESPACE}>\n"
    for start in range(0, len(ids), LINES):
        some = slice(start, start + LINES)
        yield "".join(
            f"<url><loc>{site.address}/a/{ad_id}</loc><lastmod>{_date(day)}</lastmod></url>\n"
            for ad_id, day in zip(ids[some], days[some], strict=True)
        )
    yield "</urlset>\n"


@lru_cache(maxsize=4096)
def _date(day: int) -> str:
    return (EPOCH + timedelta(days=day)).isoformat()


def _document(element: str, entries: Iterable[str], caching: Caching) -> CachedResponse:
    text = "\n".join([f"{BEGIN}<{element} {NAMESPACE}>", *entries, f"</{element}>\n"])
    body = text.encode()
    return CachedResponse(body, etag_of(body), (XML, *caching), compressible=True)
