"""For crawlers and feed readers: robots.txt, sitemaps, Atom."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid5

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse, etag_of, matches_etag
from adsvc.api.finding import count_search, get_details, searching
from adsvc.api.html import html, html_stream
from adsvc.api.input.filters import filters_among, known_pairs
from adsvc.api.input.parameters import number_from, pairs_of
from adsvc.api.storefront.files import CONTENT_TYPES
from adsvc.api.storefront.heads import SiteIdentity, ad_address, category_address, summary
from adsvc.api.storefront.pages import Front, listing, site_of
from adsvc.api.storefront.views import ad_path, slug_of
from adsvc.errors import AdNotFoundError, InvalidRequestError, NotFoundError
from adsvc.kit import faults
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.http.messages import PUBLIC, Header
from adsvc.repositories.ads import listing as listing_rows

# The most ids of a part: a client that reads slowly keeps the titles of all of them in memory.
PART = 10_000

# Ids that one statement reads, and whose lines are formatted before the event loop serves others.
BATCH = 1000

# Parts of a template that are sent together: a thread joins them.
PIECES = 5000

# The part with pages that are not ads.
PAGES = "pages"

PART_NAME = re.compile(r"ads-(0|[1-9][0-9]{0,12})")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC).date()
XML = (b"content-type", b"application/xml")

# There is no end to pages of results, and the others are private.
ROBOTS = """User-agent: *
Disallow: /account
Disallow: /admin
Disallow: /ads.atom
Disallow: /console
Disallow: /embed
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
    return ReadResponse(body, etag_of(body), headers).to(request)


async def index(_: Front, state: AppState, request: Request) -> Response:
    """Lists the parts with at least one ad."""
    site = site_of(state.settings, request)
    count_search(state, request.scope)
    async with state.searches.slot(searching(request.scope)):
        parts = await listing_rows.shown_parts(state.database.reader, PART)
    names = [PAGES, *(f"ads-{part}" for part in parts)]
    entries = [(f"{site.address}/sitemaps/{name}.xml", None) for name in names]
    return _document(html("sitemap", list="sitemapindex", item="sitemap", entries=entries), XML).to(
        request
    )


async def part(front: Front, state: AppState, request: Request) -> Response:
    site, name = site_of(state.settings, request), request.path_params["name"]
    if name == PAGES:
        tree = await state.categories.tree()
        addresses = [f"{site.address}/", *(category_address(site, slug) for slug in tree.nodes)]
        addresses += [f"{site.address}/pages/{page.name}" for page in front.branding.pages]
        entries = [(address, None) for address in addresses[:PART]]
        return _document(html("sitemap", list="urlset", item="url", entries=entries), XML).to(
            request
        )
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
        lines = _entries(site, batches)
        pieces = html_stream("sitemap", list="urlset", item="url", entries=lines)
        pieces.enable_buffering(PIECES)
        response = StreamingResponse(pieces)
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
            found = await listing_rows.shown_ids(state.database.reader, after, last, BATCH)
        if found.ids:
            shown = zip(found.ids, found.days, found.titles, strict=True)
            lines = (f"{ad_path(ad_id, slug_of(title))} {day}" for ad_id, day, title in shown)
            batches.append("\n".join(lines).encode())
            after = found.ids[-1]
        if len(found.ids) < BATCH:
            return batches


def _entries(site: SiteIdentity, batches: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    for batch in batches:
        for line in batch.decode().split("\n"):
            path, day = line.split(" ")
            yield f"{site.address}{path}", _date(int(day))


@lru_cache(maxsize=4096)
def _date(day: int) -> str:
    return (EPOCH + timedelta(days=day)).isoformat()


def _document(text: str, content_type: Header) -> ReadResponse:
    body = text.encode()
    return ReadResponse(body, etag_of(body), (content_type, *PUBLIC), compressible=True)


EXPECTED_ENTRIES = 50

# The event loop writes each entry.
MOST_ENTRIES = 100

CONTENT_TYPE = (b"content-type", b"application/atom+xml")

# XML 1.0 cannot contain these characters, not even escaped.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# For an installation whose id is not known.
NAMELESS = UUID(int=0)


async def feed(front: Front, state: AppState, request: Request) -> Response:
    """The response to `GET /ads` with the same query, at the same cost, as Atom."""
    pairs = pairs_of(request.scope["query_string"])
    given = dict(pairs).get("limit", str(EXPECTED_ENTRIES))
    limit = number_from(given, "limit", 1, MOST_ENTRIES)
    query = [*(pair for pair in pairs if pair[0] != "limit"), ("limit", str(limit))]
    ads = await listing(state, request, urlencode(query).encode())
    key = site_of(state.settings, request), tuple(known_pairs(pairs)), ads.etag
    cached = front.pages.get(key)
    if cached is None:
        cached = _written(*key[:2], json.loads(ads.body), await _installation(state))
        front.pages.keep(key, cached)
    return cached.to(request)


def _written(
    site: SiteIdentity,
    pairs: Sequence[tuple[str, str]],
    ads: Mapping[str, Any],
    installation: UUID,
) -> ReadResponse:
    """`pairs` are the parameters of the search, in one order.

    Ids contain the installation's id, so that they stay when the site moves.
    """
    filters = filters_among(list(pairs))
    named = [site.name, *(value for name, value in filters if name in {"q", "category"})]
    following = [*(pair for pair in pairs if pair[0] != "cursor"), ("cursor", ads["next"])]
    text = html(
        "feed",
        site=site,
        id=uuid5(installation, f"ads?{urlencode(filters)}").urn,
        title=" · ".join(named),
        own=_address(site, "ads.atom", pairs),
        search=_address(site, "search", filters),
        next=ads["next"] and _address(site, "ads.atom", following),
        ads=ads["results"],
        id_of=lambda ad: uuid5(installation, f"ads/{ad['pk']}").urn,
        address_of=lambda ad: ad_address(site, ad),
        summary_of=lambda ad: summary(site, ad),
        type_of=lambda picture: CONTENT_TYPES[PurePosixPath(picture).suffix],
        moment=_moment,
    )
    return _document(NOT_IN_XML.sub("", text), CONTENT_TYPE)


def _address(site: SiteIdentity, path: str, pairs: Sequence[tuple[str, str]]) -> str:
    query = urlencode(pairs)
    return f"{site.address}/{path}?{query}" if query else f"{site.address}/{path}"


async def _installation(state: AppState) -> UUID:
    owner = await state.store.owner()
    return NAMELESS if owner is None else UUID(owner)


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


DEFAULT_ADS, MOST_ADS = 12, 50
STYLE = (
    ":root{color-scheme:light dark}body{margin:8px;font:15px/1.4 system-ui,sans-serif}"
    "ul{list-style:none;margin:0;padding:0;display:grid;gap:8px;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,260px),1fr))}"
    "a{color:inherit}li a{display:flex;gap:12px;text-decoration:none}"
    "li a:hover strong{text-decoration:underline}img{object-fit:cover;border-radius:6px;flex:none}"
    "strong{overflow-wrap:anywhere}"
)
# A frame of a listed origin may have it. It runs no script.
POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; img-src {pictures}; base-uri 'none'; "
    "form-action 'none'; frame-ancestors {origins}"
)
STYLE_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
AD_PATH = re.compile(r"/a/([1-9][0-9]{0,17})(-[^/?#]*)?([?#].*)?")
WIDTH, HEIGHT = 480, 120


async def embed(front: Front, state: AppState, request: Request) -> Response:
    """The response to `GET /ads` with the same query, at the same cost, as a page for a frame."""
    pairs = pairs_of(request.scope["query_string"])
    limit = number_from(dict(pairs).get("limit", str(DEFAULT_ADS)), "limit", 1, MOST_ADS)
    query = [*(pair for pair in pairs if pair[0] != "limit"), ("limit", str(limit))]
    ads = await listing(state, request, urlencode(query).encode())
    filters = filters_among(known_pairs(query))
    pictures = " ".join(filter(None, ("'self'", state.settings.image_redirect_origin)))
    origins = " ".join(state.site.record.embed_origins) or "'none'"
    policy = POLICY.format(style=STYLE_HASH, pictures=pictures, origins=origins)
    known = site_of(state.settings, request), state.settings.languages[0], urlencode(filters)
    key = policy, *known, ads.etag
    cached = front.pages.get(key)
    if cached is None:
        cached = _framed(policy, *known, json.loads(ads.body)["results"])
        front.pages.keep(key, cached)
    return cached.to(request)


def _framed(
    policy: str, site: SiteIdentity, language: str, filters: str, ads: Sequence[Mapping[str, Any]]
) -> ReadResponse:
    text = html(
        "embed",
        site=site,
        language=language,
        style=STYLE,
        ads=ads,
        search=f"{site.address}/search?{filters}",
        address_of=lambda ad: ad_address(site, ad),
        summary_of=lambda ad: summary(site, ad),
    )
    body = text.encode()
    headers = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", policy.encode()),
        *PUBLIC,
    )
    return ReadResponse(body, etag_of(body + policy.encode()), headers, compressible=True)


async def oembed(_: Front, state: AppState, request: Request) -> Response:
    """An ad by the address of its page, as other sites show it. There is no XML."""
    site = site_of(state.settings, request)
    if request.query_params.get("format", "json") != "json":
        raise InvalidRequestError(faults.unknown("the format is json").of("format"))
    url = request.query_params.get("url", "")
    found = AD_PATH.fullmatch(url.removeprefix(site.address)) if url.startswith("http") else None
    if found is None:
        raise AdNotFoundError
    ad = json.loads((await get_details(state, int(found[1]))).body)
    card = {
        "version": "1.0",
        "type": "rich",
        "title": ad["title"],
        "provider_name": site.name,
        "provider_url": f"{site.address}/",
        "html": html("oembed", ad=ad, address=ad_address(site, ad), summary=summary(site, ad)),
        "width": WIDTH,
        "height": HEIGHT,
    }
    thumbnail = ad["images"][0]["variants"].get("thumb") if ad["images"] else None
    if thumbnail:
        card |= {
            "thumbnail_url": f"{site.address}{thumbnail['path']}",
            "thumbnail_width": thumbnail["width"],
            "thumbnail_height": thumbnail["height"],
        }
    body = json.dumps(card).encode()
    return ReadResponse(body, etag_of(body), ((b"content-type", b"application/json"), *PUBLIC)).to(
        request
    )
