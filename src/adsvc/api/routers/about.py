"""The site, its health, documentation and problem types."""

import asyncio
import base64
import hashlib
import html
import json
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal
from weakref import WeakKeyDictionary

import fastapi_offline
from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi.openapi.docs import (
    get_redoc_html,
    get_swagger_ui_html,
    get_swagger_ui_oauth2_redirect_html,
)
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field

from adsvc import API_VERSION
from adsvc.addresses import PROXY_HEADER
from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import CachedResponse, etag_of, json_response
from adsvc.api.fastpath.app import LIVENESS_PATH, READINESS_PATH
from adsvc.api.openapi import answer_responses
from adsvc.api.openapi.document import INTERFACE_PATH, OPENAPI_PATH, TRIED_PATH, with_password_flow
from adsvc.api.openapi.schemas import Json
from adsvc.api.problems.documentation import refusals
from adsvc.api.problems.types import PROBLEM_TYPES, PROBLEMS_PATH, ProblemType
from adsvc.errors import (
    DiskNearlyFullError,
    ImageStoreUnavailableError,
    InvalidRequestError,
    NotFoundError,
)
from adsvc.http.responses import PROTOCOL_PROBLEMS, PUBLIC, ProtocolProblem
from adsvc.limits import Limits
from adsvc.schemas.base import ANSWERED
from adsvc.schemas.site import Site, SiteLimits
from adsvc.services.readiness import ReadinessPart

health_router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process runs."""

    model_config = ANSWERED

    status: Annotated[Literal["ok"], Field(description="Always `ok`.", examples=["ok"])] = "ok"


class Ready(Health):
    """The process can serve reads."""

    degraded: Annotated[
        list[str],
        Field(
            description="What does not work while reads do: `pictures` (none can be stored), "
            "`text` (none is accepted, because the disk is nearly full), `writes` (the database "
            "accepts none). Later versions may add more.",
            examples=[["pictures"]],
        ),
    ]


@health_router.get(LIVENESS_PATH, operation_id="isAlive", summary="Check whether the process runs")
async def is_alive(request: Request, response: Response) -> Health:
    """Answers 200 as long as the process does, whatever the state of the database.

    It is meant for supervisors: restart a process that does not answer.
    """
    # Port 0: a proxy's headers have given the client's address.
    if request.client is not None and request.client.port == 0:
        response.headers[PROXY_HEADER] = "trusted"
    return Health()


@health_router.get(
    READINESS_PATH,
    operation_id="isReady",
    summary="Check whether the process can serve",
    responses=refusals(InvalidRequestError, ImageStoreUnavailableError, DiskNearlyFullError),
)
async def is_ready(
    state: AppStateDep,
    require: Annotated[
        list[ReadinessPart],
        Query(
            description="Parts that must work, too; otherwise the answer is 503.",
            examples=[["pictures"]],
        ),
    ] = [],  # noqa: B006 - FastAPI copies it
) -> Ready:
    """Answers 200 if a database answers and its schema fits this version, and says what is
    degraded.

    Otherwise it answers 503, also if a part that `require` names does not work. It is meant for
    load balancers: send no requests to a process that does not answer 200.
    """
    condition = await state.readiness.condition()
    refusal = condition.refusal(require)
    if refusal is not None:
        # Several requests raise the same error object, whose traceback would grow.
        raise refusal.with_traceback(None)
    return Ready(degraded=[part.value for part in condition.degraded])


site_router = APIRouter(tags=["site"])


@site_router.get(
    "/site",
    operation_id="getSite",
    summary="Get the site's name, currency, languages and limits",
    response_model=Site,
    responses=answer_responses() | refusals(),
)
async def get_site(request: Request, state: AppStateDep) -> Response:
    """Returns what a client needs before it shows a price or a form.

    Anyone may call it.
    """
    settings = state.settings
    site = Site(
        name=settings.site_name,
        currency=settings.currency,
        languages=list(settings.languages),
        contact=settings.contact,
        push_key=await state.site_keys.public(),
        limits=SiteLimits(**{name: getattr(settings, name) for name in Limits.model_fields}),
        version=API_VERSION,
    )
    return json_response(site.model_dump_json(by_alias=True).encode(), PUBLIC).to(request)


problems_router = APIRouter()

# Code in the descriptions, which are Markdown.
CODE = re.compile(r"`(.+?)`")

PROBLEMS_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Problems</title>
<h1>Problems</h1>
<p>Every refusal is <code>application/problem+json</code> (RFC 9457). Its <code>type</code> is one
of these.</p>
<dl>{entries}</dl></html>
"""

ENTRY = "<dt{anchor}><b>{slug}</b> ({status}): {title}</dt><dd>{explanation}</dd>"


@problems_router.get(PROBLEMS_PATH, include_in_schema=False)
async def explain_problems() -> HTMLResponse:
    types: tuple[ProblemType | ProtocolProblem, ...] = (
        *PROBLEM_TYPES.values(),
        *PROTOCOL_PROBLEMS,
    )
    # A type that has two statuses has one anchor.
    first = {type_.slug: type_ for type_ in reversed(types)}
    entries = (
        ENTRY.format(
            anchor=f' id="{type_.slug}"' if first[type_.slug] is type_ else "",
            slug=type_.slug,
            status=type_.status,
            title=escape(type_.title),
            explanation=CODE.sub(r"<code>\1</code>", escape(type_.explanation)),
        )
        for type_ in types
    )
    return HTMLResponse(PROBLEMS_PAGE.format(entries="\n".join(entries)))


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>adsvc</title>
<h1>adsvc</h1>
<p>This is an HTTP service for classified ads. It has no pages of its own here, because its
storefront is switched off or was not built (<code>make web</code>).</p>
<ul>
<li><a href="{root}/docs">/docs</a>: every operation, to be tried</li>
<li><a href="{root}/redoc">/redoc</a>: the same, to be read</li>
<li><a href="{root}/docs/interface">/docs/interface</a>: what it promises, and why</li>
<li><a href="{root}/openapi.json">/openapi.json</a>: the same, for programs</li>
<li><a href="{root}/problems">/problems</a>: what refusals mean</li>
</ul></html>
"""

landing_router = APIRouter(include_in_schema=False)


@cache
def _landing_page(root_path: str) -> CachedResponse:
    page = PAGE.format(root=root_path).encode()
    headers = ((b"content-type", b"text/html; charset=utf-8"), *PUBLIC)
    return CachedResponse(page, etag_of(page), headers)


@landing_router.get("/")
async def show(request: Request, state: AppStateDep) -> Response:
    return _landing_page(state.settings.root_path).to(request)


CATALOG_PATH = "/.well-known/api-catalog"

# The profile of linksets (RFC 9264) that are API catalogues (RFC 9727 §4.2).
CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'


@cache
def _catalog(root_path: str) -> CachedResponse:
    """References in it are relative to its own address."""
    address, root = root_path + CATALOG_PATH, f"{root_path}/"
    catalog = {
        "linkset": [
            {"anchor": address, "item": [{"href": root}]},
            {
                "anchor": root,
                "service-desc": [{"href": root_path + OPENAPI_PATH, "type": "application/json"}],
                "service-doc": [{"href": f"{root_path}/redoc", "type": "text/html"}],
                "status": [{"href": f"{root_path}/readyz", "type": "application/json"}],
            },
        ]
    }
    return json_response(
        json.dumps(catalog).encode(),
        PUBLIC,
        media_type=CATALOG_TYPE,
        link=f'<{address}>; rel="api-catalog"',
    )


GUIDE = """# {name}

> A classified-ads service over HTTP: people post ads with pictures, browse, search and comment.

- `GET /ads`, `GET /ads/{{id}}/details`, `GET /categories` and `GET /site` need no credentials.
- All other operations take `Authorization: Bearer` with a token from `POST /login`.
- A refusal is `application/problem+json`; with 429 and 503, `Retry-After` has the seconds to wait.

## Interface

- [OpenAPI 3.1 document]({root}/openapi.json): every operation, record and refusal, with examples
- [Reference]({root}/redoc): the same for people
- [The interface]({root}/docs/interface): what it promises, and why
- [Problem types]({root}/problems): what each refusal means
"""

# RFC 9116 §2.5.5 advises less than a year.
SECURITY_TXT_DAYS = 180

discovery_router = APIRouter(include_in_schema=False)

# Made once for each application, in a thread: it would block the event loop.
_documents: WeakKeyDictionary[FastAPI, dict[str, CachedResponse]] = WeakKeyDictionary()
_one_at_a_time = threading.Lock()


@discovery_router.get(OPENAPI_PATH)
async def get_openapi_document(request: Request) -> Response:
    return await _document(request, OPENAPI_PATH)


@discovery_router.get(TRIED_PATH)
async def get_openapi_document_to_try(request: Request) -> Response:
    return await _document(request, TRIED_PATH)


async def _document(request: Request, path: str) -> Response:
    app: FastAPI = request.app
    known = _documents.get(app)
    answers = known if known is not None else await asyncio.to_thread(_written, app)
    return answers[path].to(request)


def _written(app: FastAPI) -> dict[str, CachedResponse]:
    with _one_at_a_time:
        if app not in _documents:
            document = app.openapi()
            root_path: str = app.state.state.settings.root_path
            both = {OPENAPI_PATH: document, TRIED_PATH: with_password_flow(document, root_path)}
            _documents[app] = {path: _answer(shown) for path, shown in both.items()}
    return _documents[app]


def _answer(document: Json) -> CachedResponse:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return json_response(text.encode(), PUBLIC)


@discovery_router.get(CATALOG_PATH)
async def get_api_catalog(request: Request, state: AppStateDep) -> Response:
    return _catalog(state.settings.root_path).to(request)


@discovery_router.get("/llms.txt")
async def get_guide_for_language_models(request: Request, state: AppStateDep) -> Response:
    text = GUIDE.format(name=state.settings.site_name, root=state.settings.root_path)
    return json_response(text.encode(), PUBLIC, media_type="text/markdown; charset=utf-8").to(
        request
    )


@discovery_router.get("/.well-known/security.txt")
async def get_security_contact(state: AppStateDep) -> PlainTextResponse:
    """RFC 9116, for an installation that names a contact."""
    contacts = state.settings.security_contact
    if not contacts:
        raise NotFoundError
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    expires = today + timedelta(days=SECURITY_TXT_DAYS)
    lines = [*(f"Contact: {contact}" for contact in contacts), f"Expires: {expires:%FT%TZ}"]
    return PlainTextResponse("\n".join(lines) + "\n")


ASSETS_PATH = "/docs-assets"
OAUTH2_REDIRECT_PATH = "/docs/oauth2-redirect"
TITLE = "adsvc"
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)

docs_router = APIRouter(include_in_schema=False)

FILES = Path(fastapi_offline.__file__).parent / "static"

assets = StaticFiles(directory=FILES)

# The script would fetch its makers' logo from their site. With an address that is no picture it
# shows none.
REDOC = "redoc.standalone.js"

LOGO, NO_PICTURE = b"https://cdn.redoc.ly/redoc/logo-mini.svg", b"data:,"


# Read when it is first requested, because it takes a mebibyte.
@cache
def _redoc_script() -> CachedResponse:
    script = (FILES / REDOC).read_bytes().replace(LOGO, NO_PICTURE)
    return CachedResponse(
        script,
        f'"{hashlib.blake2b(script, digest_size=15).hexdigest()}"',
        ((b"content-type", b"text/javascript; charset=utf-8"), *PUBLIC),
        compressible=True,
    )


# Declared before the mounted directory, which has the original file.
@docs_router.get(f"{ASSETS_PATH}/{REDOC}")
async def get_redoc_script(request: Request) -> Response:
    return (await asyncio.to_thread(_redoc_script)).to(request)


def _policy(html: bytes) -> str:
    """Allows only our own files, and exactly the inline scripts of this page."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in INLINE_SCRIPT.findall(html)
    )
    return (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; "
        "worker-src blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _add_page(path: str, make: Callable[[str], HTMLResponse]) -> None:
    """`make` gets the value of `ADSVC_ROOT_PATH`, which the page puts before its links."""

    @cache
    def made(root_path: str) -> HTMLResponse:
        page = make(root_path)
        page.headers["Content-Security-Policy"] = _policy(bytes(page.body))
        return page

    async def show(state: AppStateDep) -> HTMLResponse:
        return made(state.settings.root_path)

    handler: Callable[..., object] = show
    docs_router.add_api_route(path, handler, methods=["GET"])


_add_page(
    "/docs",
    lambda root_path: get_swagger_ui_html(
        openapi_url=root_path + TRIED_PATH,
        title=TITLE,
        oauth2_redirect_url=root_path + OAUTH2_REDIRECT_PATH,
        swagger_js_url=f"{root_path}{ASSETS_PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{root_path}{ASSETS_PATH}/swagger-ui.css",
        swagger_favicon_url=f"{root_path}{ASSETS_PATH}/favicon.png",
    ),
)

_add_page(OAUTH2_REDIRECT_PATH, lambda _: get_swagger_ui_oauth2_redirect_html())

_add_page(
    "/redoc",
    lambda root_path: get_redoc_html(
        openapi_url=root_path + OPENAPI_PATH,
        title=TITLE,
        redoc_js_url=f"{root_path}{ASSETS_PATH}/{REDOC}",
        redoc_favicon_url=f"{root_path}{ASSETS_PATH}/favicon.png",
        with_google_fonts=False,
    ),
)

# `docs/interface.md`, in an installed wheel or in a checkout.
PACKAGED_INTERFACE = Path(__file__).parents[2] / "_interface.md"

INTERFACE = Path(__file__).parents[4] / "docs" / "interface.md"
NO_WORD = re.compile(r"[^\w\- ]")

# Links to other pages of the project are left out, because these are not served.
SERVED_LINKS = ("#", "https://", "../openapi.json")

INTERFACE_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<body>
{body}</body></html>
"""


def interface_page(markdown: str) -> str:
    """As HTML. Headings have the ids that links within the page use."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - takes memory, and one page needs it

    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(markdown)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", NO_WORD.sub("", inline.content.lower()).replace(" ", "-"))
        for child in token.children or ():
            if child.type == "link_open" and not str(child.attrs["href"]).startswith(SERVED_LINKS):
                del child.attrs["href"]
    body = parser.renderer.render(tokens, parser.options, {})
    return INTERFACE_PAGE.format(title=html.escape(f"{TITLE}: the interface"), body=body)


@cache
def _interface() -> CachedResponse:
    file = PACKAGED_INTERFACE if PACKAGED_INTERFACE.exists() else INTERFACE
    page = interface_page(file.read_text(encoding="utf-8")).encode()
    return json_response(page, PUBLIC, media_type="text/html; charset=utf-8")


@docs_router.get(INTERFACE_PATH)
async def show_interface(request: Request) -> Response:
    return (await asyncio.to_thread(_interface)).to(request)
