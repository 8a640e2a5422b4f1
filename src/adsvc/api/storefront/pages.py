"""Pages: the shell with a head for each page, and the status that search engines need."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse
from adsvc.api.finding import all_categories, found_ads, get_details, get_seller
from adsvc.api.input.filters import FILTERS
from adsvc.api.input.parameters import id_from, pairs_of
from adsvc.api.problems import problem_of
from adsvc.api.storefront.branding import (
    THEME_FILE,
    Branding,
    OperatorPage,
    administered_pages,
    branding_of,
    hashed,
    largest_page,
    operator_pages,
    render_pages,
)
from adsvc.api.storefront.files import (
    DIRECTORY,
    HASHED,
    INDEX,
    MAP_WORKER,
    MAP_WORKER_POLICY,
    WORKER,
    WORKER_POLICY,
    BuiltFile,
    Head,
    Shell,
    read_files,
)
from adsvc.api.storefront.heads import (
    Crumbs,
    Record,
    SiteIdentity,
    ad_head,
    category_head,
    home_head,
)
from adsvc.api.storefront.views import (
    WORDS,
    Icons,
    View,
    Words,
    ad_path,
    chosen,
    further_languages,
    offered,
    read_words,
    slug_of,
)
from adsvc.enums import PagePlace
from adsvc.kit import markup
from adsvc.kit.http.messages import Caching
from adsvc.kit.invalidation import LruCache
from adsvc.schemas.categories import SLUG
from adsvc.schemas.site import AdministeredSite, Analytics, SiteLook, SitePage
from adsvc.services import site
from adsvc.services.categories.reading import CategoryTree
from adsvc.settings import Settings, Storefront
from adsvc.settings.money import Money

# How many ads the first view of the home page and of results have, as the app requests them.
NEWEST = 20
ADS_OF_A_CATEGORY = 24

# In metres, as the app requests it where the address has none.
DEFAULT_RADIUS = "25000"

# What is in a page depends on its language.
PAGE: Caching = (
    (b"cache-control", b"public, no-cache"),
    (b"vary", b"Accept-Encoding, Accept-Language"),
)

# The cache of pages gets this part of the memory for responses, besides the other caches.
PAGES_PART = 12

HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")

SPRITE = re.compile(rf"{HASHED}icons-[\w-]+\.svg")
CATEGORY_ICONS = re.compile(rf"{HASHED}category-icons-[\w-]+\.svg")
SYMBOL = re.compile(r'<symbol[^>]* id="([\w-]+)"')

# The parameters that a feed shares with its page of results.
SHARED = frozenset({*FILTERS, "sort"})

LONGEST_QUERY = 2048


@dataclass(slots=True)
class Front:
    """The storefront of a process."""

    index: str
    built: Mapping[str, BuiltFile]
    # What first views say, by language; none in a build without views.
    every_word: Mapping[str, Words]
    # The addresses of what the app says in the languages of the operator.
    texts: Mapping[str, str]
    icons: Icons
    operator_pages: Sequence[OperatorPage]
    # What depends on the site as administrators have set it.
    words: Mapping[str, Words] = field(init=False)
    branding: Branding = field(init=False)
    shell: Shell = field(init=False)
    # By what they were made from, so that nothing else has to be invalidated.
    pages: LruCache[Hashable, ReadResponse] = field(init=False)
    site: AdministeredSite | None = None

    def brand(
        self,
        settings: Settings,
        site: SiteLook,
        css: str = "",
        administered: Sequence[SitePage] = (),
        analytics: Analytics | None = None,
    ) -> None:
        files = {page.slug for page in self.operator_pages}
        free = (page for page in administered if page.slug not in files)
        pages = [*self.operator_pages, *administered_pages(free, settings.languages)]
        self.words = offered(self.every_word, settings.languages)
        self.branding = branding_of(
            settings, site, css, self.index, self.words, self.texts, self.icons, pages
        )
        pictures, tiles = settings.image_redirect_origin, settings.map_tiles_origin
        self.shell = Shell.of(
            self.branding.index,
            pictures=pictures,
            tiles=tiles,
            more=self.branding.head
            + (markup.written_scripts(analytics.snippet) if analytics else ""),
            scripts=analytics.origins if analytics else (),
            styles=self.branding.styles,
        )
        capacity = settings.answers_max_bytes // PAGES_PART
        self.pages = LruCache[Hashable, ReadResponse](capacity, lambda page: page.size)

    async def at(self, state: AppState) -> "Front":
        """As administrators have set the site now."""
        if self.site is not state.site.record:
            # Long texts take a tenth of a second and more.
            await asyncio.to_thread(render_pages, state.site.pages)
            self.site = state.site.record
            look = self.site
            self.brand(state.settings, look, look.css, state.site.pages, look.analytics)
        return self

    def file(self, name: str) -> BuiltFile:
        """`NotFoundError` if there is none."""
        files = self.branding.files
        found = self.built.get(name) or files.get(name)
        if found is None and name.startswith(f"{HASHED}theme-"):
            # Another process has made the page, just before or after a change.
            found = files.get(THEME_FILE)
        if found is None:
            raise errors.NotFoundError
        return found

    def page(
        self, context: "PageContext", key: Hashable, make: Callable[[View | None], tuple[Head, str]]
    ) -> ReadResponse:
        """`make` gets None where there are no views, and returns an empty one then."""
        key = context, key
        found = self.pages.get(key)
        if found is None:
            site, language = context.site, context.language
            words = self.words.get(language)
            view = None
            if words:
                links = self.branding.links(language)
                texts = self.branding.texts(language)
                menu = self.branding.links(language, PagePlace.MENU)
                sections = self.branding.sections(language)
                view = View(
                    words, site.name, site.currency, links, self.icons, texts, menu, sections
                )
            head, html = make(view)
            if words:
                head = replace(
                    head,
                    languages=tuple(self.words),
                    language=language,
                    in_address=context.in_address,
                )
            found = self.shell.page(head, PAGE, html)
            self.pages.keep(key, found)
        return found


@dataclass(frozen=True, slots=True)
class PageContext:
    """The site and the language of a page. The language is empty in a build without views."""

    site: SiteIdentity
    language: str = ""
    # Whether the address names the language.
    in_address: bool = False


def context_of(front: Front, state: AppState, request: Request) -> PageContext:
    site = site_of(state.settings, request)
    if not front.words:
        return PageContext(site)
    named = request.query_params.get("lang", "")
    accepted = request.headers.get("accept-language", "")
    language = chosen(front.words, named, accepted, state.settings.languages)
    return PageContext(site, language, named == language)


def directory_of(settings: Settings) -> Path | None:
    """Of the built files; None if no storefront is served."""
    directory = settings.storefront_dir or DIRECTORY
    is_off = settings.storefront is Storefront.OFF or settings.root_path
    return None if is_off or not (directory / INDEX).is_file() else directory


def front_of(settings: Settings) -> Front | None:
    """None if the storefront is switched off, was not built, or would be below a prefix."""
    directory = directory_of(settings)
    if directory is None:
        return None
    files = dict(read_files(directory))
    index = files.pop(INDEX).plain.body.decode()
    words = read_words(files.pop(WORDS).plain.body) if WORDS in files else {}
    pictures, tiles = settings.image_redirect_origin, settings.map_tiles_origin
    if WORKER in files:
        files[WORKER] = files[WORKER].under(WORKER_POLICY.format(pictures=pictures or ""))
    for name in [name for name in files if name.startswith(MAP_WORKER)]:
        files[name] = files[name].under(MAP_WORKER_POLICY.format(tiles=tiles or "'none'"))
    further = further_languages(settings.languages_dir, words)
    texts = {
        tag: hashed(f"language-{tag}", ".json", language.content, files)
        for tag, language in further.items()
    }
    words = {**words, **{tag: language.words for tag, language in further.items()}}
    pages = operator_pages(settings.pages_dir)
    front = Front(index, files, words, texts, icons_of(files), pages)
    front.brand(settings, SiteLook())
    return front


def icons_of(files: Mapping[str, BuiltFile]) -> Icons:
    name = next((name for name in files if SPRITE.fullmatch(name)), None)
    if name is None:
        return Icons()
    names = frozenset(SYMBOL.findall(files[name].plain.body.decode()))
    categories = next((f"/{name}" for name in files if CATEGORY_ICONS.fullmatch(name)), "")
    return Icons(f"/{name}", categories, names)


def site_of(settings: Settings, request: Request) -> SiteIdentity:
    """The address is the operator's setting, or else the request's host if that is a valid name."""
    address = settings.site_url
    if address is None:
        host = request.headers.get("host", "")
        address = f"{request.scope['scheme']}://{host}" if HOST.fullmatch(host) else ""
    return SiteIdentity(settings.site_name, settings.money, address)


async def home(front: Front, state: AppState, request: Request) -> ReadResponse:
    """The page with the newest ads, which is shown without them too."""
    context = context_of(front, state, request)
    tree = await state.categories.tree()
    limit = str(min(NEWEST, largest_page(state.settings)))
    ads = await _listed_or_none(state, request, [("limit", limit)]) if context.language else None

    known = await all_categories(state) if ads else None

    def make(view: View | None) -> tuple[Head, str]:
        nodes = tree.children.get(None, [])
        roots = [name for node in nodes for _, name in _crumbs(context, state, tree, node.slug)]
        counts = {one["slug"]: one["count"] for one in _results(known)}
        html = view.home(tree, counts, _results(ads)) if view and ads else ""
        return home_head(context.site, roots), html

    return front.page(context, (tree.key, known and known.etag, ads and ads.etag), make)


async def of_ad(front: Front, state: AppState, request: Request) -> Response:
    """The page of an ad, from its details, which are cached, at the address with its title."""
    context = context_of(front, state, request)
    number, _, given = request.path_params["id"].partition("-")
    try:
        details = await get_details(state, id_from(number, "id"))
    except errors.InvalidRequestError:
        # An id that no ad can have is answered like one that no ad has.
        raise errors.AdNotFoundError from None
    ad = json.loads(details.body)
    slug = slug_of(ad["title"])
    if given != slug:
        query = request.url.query
        path = ad_path(ad["pk"], slug)
        # The title may change back, so the way must not be remembered for ever.
        return RedirectResponse(
            f"{path}?{query}" if query else path, 301, headers={"cache-control": "no-cache"}
        )
    tree = await state.categories.tree() if ad["category"] else None
    crumbs = _crumbs(context, state, tree, ad["category"])

    def make(view: View | None) -> tuple[Head, str]:
        return ad_head(context.site, ad, crumbs), view.ad(ad, tree, crumbs) if view else ""

    key = tree and tree.key, details.etag
    return front.page(context, key, make).to(request)


async def of_category(front: Front, state: AppState, request: Request) -> ReadResponse:
    """The page of a category, with its newest ads. That is a listing, and counts as one."""
    context, slug = context_of(front, state, request), request.path_params["slug"]
    if not re.fullmatch(SLUG, slug):
        raise errors.CategoryNotFoundError
    tree = await state.categories.tree()
    crumbs = _crumbs(context, state, tree, slug)
    if not crumbs:
        raise errors.CategoryNotFoundError
    query = {"category": slug, "limit": _page_size(state)}
    ads = await listing(state, request, urlencode(query).encode())
    # What is searched for in the category is shown, but search engines see the category itself.
    filters, cursor = _filters(request), _cursor(request)
    below = [_crumbs(context, state, tree, node.slug)[-1] for node in tree.children.get(slug, [])]
    shown = ads
    if (filters or cursor) and context.language:
        search = [("category", slug), *_search(filters, state), *cursor]
        shown = await _listed_or_none(state, request, search) or ads

    def make(view: View | None) -> tuple[Head, str]:
        html = ""
        if view:
            found = json.loads(shown.body)
            html = view.results(
                crumbs[-1][1], found, tree, path=f"/c/{slug}", filters=filters, below=below
            )
        return category_head(context.site, crumbs, _results(ads)), html

    return front.page(context, (tree.key, slug, tuple(filters), ads.etag, shown.etag), make)


async def results(front: Front, state: AppState, request: Request) -> ReadResponse:
    """Not for search engines: there is no end to queries."""
    context = context_of(front, state, request)
    filters = _filters(request)
    known = urlencode(filters)
    feed = (
        f"{context.site.address}/ads.atom?{known}" if known else f"{context.site.address}/ads.atom"
    )
    search = [*_search(filters, state), *_cursor(request)]
    ads = await _listed_or_none(state, request, search) if context.language else None
    tree = await state.categories.tree()
    q = dict(filters).get("q", "")

    def make(view: View | None) -> tuple[Head, str]:
        head = Head(context.site.name, feed=feed)
        if view is None or ads is None:
            return head, ""
        words = view.words
        heading = words.text("results.titleWords", words=q) if q else words.text("results.title")
        return head, view.results(
            heading, json.loads(ads.body), tree, path="/search", filters=filters
        )

    return front.page(context, (known, tree.key, ads and ads.etag), make)


async def of_seller(front: Front, state: AppState, request: Request) -> ReadResponse:
    """Not for search engines: it is about a person."""
    context, number = context_of(front, state, request), request.path_params["id"]
    if not re.fullmatch(r"[1-9][0-9]{0,17}", number):
        raise errors.AccountNotFoundError
    seller = await get_seller(state, request.scope, int(number))
    query = [("author", number), ("limit", str(_page_size(state)))]
    ads = await _listed_or_none(state, request, query)
    tree = await state.categories.tree()

    def make(view: View | None) -> tuple[Head, str]:
        html = view.seller(json.loads(seller.body), _results(ads), tree) if view and ads else ""
        return Head(context.site.name), html

    return front.page(context, (seller.etag, tree.key, ads and ads.etag), make)


def _filters(request: Request) -> list[tuple[str, str]]:
    query = request.scope["query_string"]
    pairs = pairs_of(query) if len(query) <= LONGEST_QUERY else []
    return [pair for pair in pairs if pair[0] in SHARED]


def _cursor(request: Request) -> list[tuple[str, str]]:
    """Of a further page, which is for those without scripts."""
    cursor = request.query_params.get("cursor", "")
    return [("cursor", cursor)] if cursor else []


def _page_size(state: AppState) -> int:
    return min(ADS_OF_A_CATEGORY, largest_page(state.settings))


def _search(filters: Sequence[tuple[str, str]], state: AppState) -> Sequence[tuple[str, str]]:
    """The first page of results as the app requests it, so that its request finds the answer."""
    values = dict(filters)
    defaults = {"radius": DEFAULT_RADIUS, "sort": "distance"} if "near" in values else {}
    missing = [(name, value) for name, value in defaults.items() if name not in values]
    return [*filters, *missing, ("limit", str(_page_size(state)))]


def _results(ads: ReadResponse | None) -> list[Record]:
    found: list[Record] = json.loads(ads.body)["results"] if ads else []
    return found


async def _listed_or_none(
    state: AppState, request: Request, query: Sequence[tuple[str, str]]
) -> ReadResponse | None:
    """None where the listing is refused: the page does without it, and its scripts say why."""
    try:
        return await listing(state, request, urlencode(query).encode())
    except (errors.AdsvcError, ValidationError):
        return None


async def private(front: Front, state: AppState, _: Request) -> ReadResponse:
    """Pages that depend on the visitor's account."""
    name = state.settings.site_name
    context = PageContext(SiteIdentity(name, Money(""), ""))
    return front.page(context, name, lambda _: (Head(name), ""))


async def set_up(front: Front, state: AppState, request: Request) -> ReadResponse:
    """The page of the set-up, for those who have its link."""
    await site.require_setup_link(state.database.reader, request.query_params.get("token", ""))
    return await private(front, state, request)


Page = Callable[[Front, AppState, Request], Awaitable[ReadResponse | Response]]


async def shown(page: Page, front: Front, state: AppState, request: Request) -> Response:
    """The page, or the shell with the refusal's status: its scripts then show what is wrong."""
    # Private pages have no content of their own: administrators need the console.
    refusal = None if page is private else state.operator.refusal(is_change=False)
    if refusal is not None:
        return await refused(front, state, request, refusal)
    try:
        answer = await page(await front.at(state), state, request)
    except Exception as error:  # noqa: BLE001 - as `ErrorBoundary` does
        return await refused(front, state, request, error)
    return answer.to(request) if isinstance(answer, ReadResponse) else answer


async def refused(front: Front, state: AppState, request: Request, error: Exception) -> Response:
    problem = problem_of(error, request.scope, state.settings.root_path)
    body = (await front.at(state)).shell.content(Head(state.settings.site_name))
    response = Response(body, problem.status_code)
    extra = [header for header in problem.raw_headers if not header[0].startswith(b"content-")]
    response.raw_headers += [*front.shell.headers, *extra]
    return response


async def listing(state: AppState, request: Request, query: bytes) -> ReadResponse:
    """The response to `GET /ads` with that query."""
    cached = state.responses.listing(query)
    if cached is not None:
        return cached
    return await found_ads(state, {**request.scope, "query_string": query})


def _crumbs(
    context: PageContext, state: AppState, tree: CategoryTree | None, slug: str | None
) -> Crumbs:
    """Names in the language of the view, or else of the site. Empty without such a category."""
    if tree is None or slug is None or slug not in tree.nodes:
        return ()
    language = context.language or state.settings.languages[0]
    return tuple((node.slug, node.names.get(language, node.name)) for node in tree.path(slug))
