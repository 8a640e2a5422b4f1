"""Pages: the shell with a head for each page, and the status that search engines need."""

import json
import re
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from adsvc.api.app_state import AppState
from adsvc.api.caching import CachedResponse
from adsvc.api.fastpath.reads import get_details, list_ads
from adsvc.api.input.filters import FILTERS
from adsvc.api.input.parameters import pairs_of
from adsvc.api.problems.handlers import problem_of
from adsvc.api.storefront.files import DIRECTORY, INDEX, BuiltFile, Head, Shell, read_files
from adsvc.cache import LruCache
from adsvc.errors import AdNotFoundError, CategoryNotFoundError, InvalidRequestError
from adsvc.models import AdStatus, PriceType
from adsvc.schemas.categories import SLUG
from adsvc.services.categories.reading import CategoryTree
from adsvc.settings import Settings, Storefront

# How many characters of a description a search engine shows under a link.
EXCERPT = 160

LONGEST_TEXT = 5000

AVAILABILITY = {
    AdStatus.ACTIVE: "https://schema.org/InStock",
    AdStatus.RESERVED: "https://schema.org/Reserved",
}

# Slugs and names of a category and of those above it, from the root.
Crumbs = tuple[tuple[str, str], ...]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SiteIdentity:
    """`address` has no slash at its end, and is empty if it is not known."""

    name: str
    currency: str
    address: str


def ad_address(site: SiteIdentity, ad_id: int) -> str:
    return f"{site.address}/a/{ad_id}"


def category_address(site: SiteIdentity, slug: str) -> str:
    return f"{site.address}/c/{slug}"


def home_head(site: SiteIdentity) -> Head:
    url = f"{site.address}/"
    search = {
        "@type": "SearchAction",
        "target": f"{site.address}/search?q={{q}}",
        "query-input": "required name=q",
    }
    about = {"@type": "WebSite", "name": site.name, "url": url, "potentialAction": search}
    feed = f"{site.address}/ads.atom"
    return Head(title=site.name, site=site.name, url=url, feed=feed, data=(about,))


def ad_head(site: SiteIdentity, ad: Record, crumbs: Crumbs) -> Head:
    """The head for an ad, from the record `schemas.ads.AdDetails`."""
    url = ad_address(site, ad["pk"])
    pictures = [f"{site.address}{picture['image']}" for picture in ad["images"]]
    product = {
        **_product(site, ad, pictures),
        "description": ad["description"][:LONGEST_TEXT],
        "sku": str(ad["pk"]),
    }
    if crumbs:
        product["category"] = " > ".join(name for _, name in crumbs)
    data = (product, *_breadcrumbs(site, crumbs))
    return Head(
        title=f"{ad['title']} · {site.name}",
        site=site.name,
        description=excerpt(ad["description"], summary(site, ad)),
        url=url,
        image=pictures[0] if pictures else "",
        kind="product",
        data=data,
    )


def category_head(site: SiteIdentity, crumbs: Crumbs, ads: Sequence[Record]) -> Head:
    """`ads` are the newest ones, as the record `schemas.ads.Ad`."""
    slug, name = crumbs[-1]
    url = category_address(site, slug)
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "item": _product(site, ad, [f"{site.address}{ad['image']}"]),
        }
        for position, ad in enumerate(ads, start=1)
    ]
    page: dict[str, object] = {"@type": "CollectionPage", "name": name, "url": url}
    if items:
        page["mainEntity"] = {"@type": "ItemList", "itemListElement": items}
    return Head(
        title=f"{name} · {site.name}",
        site=site.name,
        description=excerpt(", ".join(ad["title"] for ad in ads), name),
        url=url,
        image=f"{site.address}{ads[0]['image']}" if ads else "",
        feed=f"{site.address}/ads.atom?category={slug}",
        data=(page, *_breadcrumbs(site, crumbs)),
    )


def summary(site: SiteIdentity, ad: Record) -> str:
    """Price and place in one line without words of a language."""
    price = [] if ad["priceType"] == PriceType.ON_REQUEST else [f"{ad['price']} {site.currency}"]
    return " · ".join([*price, *filter(None, [ad["place"]])])


def excerpt(text: str, before: str = "") -> str:
    """The beginning of a text on one line, cut between words."""
    words = text[: 4 * EXCERPT].split()
    line = " · ".join(filter(None, [before, " ".join(words)]))
    if len(line) <= EXCERPT:
        return line
    return f"{line[:EXCERPT].rpartition(' ')[0] or line[:EXCERPT]}…"


def _product(site: SiteIdentity, ad: Record, pictures: Sequence[str]) -> dict[str, object]:
    url = ad_address(site, ad["pk"])
    offer: dict[str, object] = {
        "@type": "Offer",
        "url": url,
        "priceCurrency": site.currency,
        "availability": AVAILABILITY[ad["status"]],
    }
    # What has no price of its own is no product for a price of zero either.
    if ad["priceType"] != PriceType.ON_REQUEST:
        offer["price"] = 0 if ad["priceType"] == PriceType.FREE else ad["price"]
    if ad.get("expiresAt") is not None:
        until = datetime.fromtimestamp(ad["expiresAt"] / 1000, UTC)
        offer["priceValidUntil"] = until.date().isoformat()
    if ad["place"]:
        offer["availableAtOrFrom"] = {"@type": "Place", "name": ad["place"]}
    return {
        "@type": "Product",
        "name": ad["title"],
        "url": url,
        "image": list(pictures),
        "offers": offer,
    }


def _breadcrumbs(site: SiteIdentity, crumbs: Crumbs) -> tuple[dict[str, object], ...]:
    if not crumbs:
        return ()
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "name": name,
            "item": category_address(site, slug),
        }
        for position, (slug, name) in enumerate(crumbs, start=1)
    ]
    return ({"@type": "BreadcrumbList", "itemListElement": items},)


# How many ads of a category its page lists for search engines.
ADS_OF_A_CATEGORY = 24

# The cache of pages gets this part of the memory for responses, besides the other caches.
PAGES_PART = 12

HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")

# The parameters that a feed shares with its page of results.
SHARED = frozenset({*FILTERS, "sort"})

LONGEST_QUERY = 2048


@dataclass(frozen=True, slots=True)
class Front:
    """The storefront of a process."""

    shell: Shell
    files: Mapping[str, BuiltFile]
    # By what they were made from, so that nothing has to be invalidated.
    pages: LruCache[Hashable, CachedResponse]

    def page(self, key: Hashable, make: Callable[[], Head]) -> CachedResponse:
        found = self.pages.get(key)
        if found is None:
            found = self.shell.page(make())
            self.pages.keep(key, found)
        return found


def front_of(settings: Settings) -> Front | None:
    """None if the storefront is switched off, was not built, or would be below a prefix."""
    directory = settings.storefront_dir or DIRECTORY
    is_off = settings.storefront is Storefront.OFF or settings.root_path
    if is_off or not (directory / INDEX).is_file():
        return None
    files = dict(read_files(directory))
    index = files.pop(INDEX).plain.body.decode()
    kept = settings.answers_max_bytes // PAGES_PART
    shell = Shell.of(index, settings.image_redirect_origin)
    return Front(shell, files, LruCache(kept, lambda page: page.size))


def site_of(settings: Settings, request: Request) -> SiteIdentity:
    """The address is the operator's setting, or else the request's host if that is a valid name."""
    address = settings.site_url
    if address is None:
        host = request.headers.get("host", "")
        address = f"{request.scope['scheme']}://{host}" if HOST.fullmatch(host) else ""
    return SiteIdentity(settings.site_name, settings.currency, address)


async def home(front: Front, state: AppState, request: Request) -> CachedResponse:
    site = site_of(state.settings, request)
    return front.page(site, lambda: home_head(site))


async def of_ad(front: Front, state: AppState, request: Request) -> CachedResponse:
    """The page of an ad, from its details, which are cached."""
    site = site_of(state.settings, request)
    try:
        details = (await get_details(state, request.scope)).response
    except InvalidRequestError:
        # An id that no ad can have is answered like one that no ad has.
        raise AdNotFoundError from None
    ad = json.loads(details.body)
    tree = await state.categories.tree() if ad["category"] else None
    path = _crumbs(state, tree, ad["category"])
    return front.page((site, path, details.etag), lambda: ad_head(site, ad, path))


async def of_category(front: Front, state: AppState, request: Request) -> CachedResponse:
    """The page of a category, with its newest ads. That is a listing, and counts as one."""
    site, slug = site_of(state.settings, request), request.path_params["slug"]
    if not re.fullmatch(SLUG, slug):
        raise CategoryNotFoundError
    path = _crumbs(state, await state.categories.tree(), slug)
    if not path:
        raise CategoryNotFoundError
    query = {"category": slug, "limit": min(ADS_OF_A_CATEGORY, state.settings.page_size_max)}
    ads = await listing(state, request, urlencode(query).encode())
    key = site, path, ads.etag
    return front.page(key, lambda: category_head(site, path, json.loads(ads.body)["results"]))


async def results(front: Front, state: AppState, request: Request) -> CachedResponse:
    """Not for search engines: there is no end to queries."""
    site = site_of(state.settings, request)
    query = request.scope["query_string"]
    pairs = pairs_of(query) if len(query) <= LONGEST_QUERY else []
    known = urlencode([pair for pair in pairs if pair[0] in SHARED])
    feed = f"{site.address}/ads.atom?{known}" if known else f"{site.address}/ads.atom"
    return front.shell.page(Head(site.name, feed=feed))


async def private(front: Front, state: AppState, _: Request) -> CachedResponse:
    """Pages that depend on the visitor's account."""
    name = state.settings.site_name
    return front.page(name, lambda: Head(name))


Page = Callable[[Front, AppState, Request], Awaitable[CachedResponse]]


async def shown(page: Page, front: Front, state: AppState, request: Request) -> Response:
    """The page, or the shell with the refusal's status: its scripts then show what is wrong."""
    try:
        answer = await page(front, state, request)
    except Exception as error:  # noqa: BLE001 - as `ErrorBoundary` does
        return refused(front, state, request, error)
    return answer.to(request)


def refused(front: Front, state: AppState, request: Request, error: Exception) -> Response:
    problem = problem_of(error, request.scope, state.settings.root_path)
    body = front.shell.html(Head(state.settings.site_name))
    response = Response(body, problem.status_code)
    extra = [header for header in problem.raw_headers if not header[0].startswith(b"content-")]
    response.raw_headers += [*front.shell.headers, *extra]
    return response


async def listing(state: AppState, request: Request, query: bytes) -> CachedResponse:
    """The response to `GET /ads` with that query."""
    kept = state.responses.listing(query)
    if kept is not None:
        return kept
    return (await list_ads(state, {**request.scope, "query_string": query})).response


def _crumbs(state: AppState, tree: CategoryTree | None, slug: str | None) -> Crumbs:
    """Names are in the language of the site. Empty if there is no such category."""
    if tree is None or slug is None or slug not in tree.nodes:
        return ()
    language = state.settings.languages[0]
    return tuple((node.slug, node.names.get(language, node.name)) for node in tree.path(slug))
