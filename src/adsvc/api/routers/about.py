"""The site, its health, documentation and problem types."""

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

import fastapi_offline
from fastapi import FastAPI, Request, Response
from fastapi.openapi.docs import (
    get_redoc_html,
    get_swagger_ui_html,
    get_swagger_ui_oauth2_redirect_html,
)
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Route

from adsvc import API_VERSION, errors
from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse, etag_of, json_response
from adsvc.api.dependencies.calls import Call
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.html import html
from adsvc.api.input.parameters import QueryModel
from adsvc.api.openapi.document import (
    INTERFACE_PATH,
    OPENAPI_PATH,
    TRIED_PATH,
    as_openapi_3_0,
    postman_collection,
    with_password_flow,
)
from adsvc.api.openapi.schemas import Json
from adsvc.api.pipeline.dispatch import LIVENESS_PATH, READINESS_PATH
from adsvc.kit.addresses import PROXY_HEADER
from adsvc.kit.http.messages import PUBLIC
from adsvc.kit.http.protocol import PROTOCOL_PROBLEMS, ProtocolProblem
from adsvc.kit.records import ANSWERED
from adsvc.limits import Limits
from adsvc.schemas.limits import SiteLimits, SitePlan
from adsvc.schemas.site import Site, SiteMembers, SiteTerms
from adsvc.services.readiness import ReadinessPart

health_router = Router(tag="health")


class Health(BaseModel):
    """The process runs."""

    model_config = ANSWERED

    status: Annotated[Literal["ok"], Field(examples=["ok"])] = "ok"
    """Always `ok`."""


class Ready(Health):
    """The process can serve reads."""

    degraded: Annotated[list[str], Field(examples=[["pictures"]])]
    """What does not work while reads do: `pictures` (none can be stored), `text` (none is accepted,
    because the disk is nearly full), `writes` (the database accepts none). Later versions may add
    more."""


@health_router.get(
    LIVENESS_PATH,
    summary="Check whether the process runs",
    anonymous=True,
    caching=None,
    strict=False,
    is_infallible=True,
)
async def is_alive(call: Call[None]) -> Health:
    """Answers 200 as long as the process does, whatever the state of the database.

    It is meant for supervisors: restart a process that does not answer.
    """
    # Port 0: a proxy's headers have given the client's address.
    client = call.request.client
    if client is not None and client.port == 0:
        call.headers[PROXY_HEADER] = "trusted"
    return Health()


class ReadinessQuery(QueryModel):
    require: Annotated[
        list[ReadinessPart],
        Field(default_factory=list, examples=[["pictures"]], json_schema_extra={"default": []}),
    ]
    """Parts that must work, too; otherwise the answer is 503."""


@health_router.get(
    READINESS_PATH,
    summary="Check whether the process can serve",
    anonymous=True,
    caching=None,
    strict=False,
    query=ReadinessQuery,
    refused_with=(errors.ImageStoreUnavailableError, errors.DiskNearlyFullError),
)
async def is_ready(call: Call[None]) -> Ready:
    """Answers 200 if a database answers and its schema fits this version, and says what is
    degraded.

    Otherwise it answers 503, also if a part that `require` names does not work. It is meant for
    load balancers: send no requests to a process that does not answer 200.
    """
    condition = await call.state.readiness.condition()
    refusal = condition.refusal(call.query.require)
    if refusal is not None:
        # Several requests raise the same error object, whose traceback would grow.
        raise refusal.with_traceback(None)
    return Ready(degraded=[part.value for part in condition.degraded])


site_router = Router(tag="site")


@site_router.get(
    "/site",
    summary="Get the site's name, currency, languages and limits",
    anonymous=True,
    caching=PUBLIC,
)
async def get_site(call: Call[None]) -> Site:
    """Returns what a client needs before it shows a price or a form.

    Anyone may call it.
    """
    settings = call.settings
    return Site(
        **{name: getattr(call.state.site.record, name) for name in SiteMembers.model_fields},
        providers=list(call.state.site.providers),
        pages=call.state.site.pages,
        terms=settings.terms and SiteTerms(**settings.terms._asdict()),
        push_key=await call.state.site_keys.public(),
        limits=SiteLimits(**{name: getattr(settings, name) for name in Limits.model_fields}),
        plans={name: SitePlan(**limits._asdict()) for name, limits in settings.plan_limits.items()},
        version=API_VERSION,
    )


async def explain_problems(_: Request) -> HTMLResponse:
    types: tuple[type[errors.RefusalError] | ProtocolProblem, ...] = (
        *errors.PROBLEMS,
        *PROTOCOL_PROBLEMS,
    )
    # A type that has two statuses has one anchor.
    first = {type_.slug: type_ for type_ in reversed(types)}
    anchored = [(type_, first[type_.slug] is type_) for type_ in types]
    return HTMLResponse(html("problems", types=anchored))


@cache
def _landing_page(root_path: str) -> ReadResponse:
    page = html("landing", root=root_path).encode()
    headers = ((b"content-type", b"text/html; charset=utf-8"), *PUBLIC)
    return ReadResponse(page, etag_of(page), headers)


async def show_landing_page(request: Request) -> ReadResponse:
    return _landing_page(_state(request).settings.root_path)


def _state(request: Request) -> AppState:
    state: AppState = request.app.state.service
    return state


CATALOG_PATH = "/.well-known/api-catalog"

# The profile of linksets (RFC 9264) that are API catalogues (RFC 9727 §4.2).
CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'


@cache
def _catalog(root_path: str) -> ReadResponse:
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

> A classified-ads service over HTTP: people post ads with pictures, search, save ads and searches,
> write to each other, make offers, comment and report. Programs use the same interface.

- A person logs in: `POST /login` returns a token, and `POST /token` renews it. A program sends a
  key that a person has made by `POST /users/me/keys`. Both go into `Authorization: Bearer`.
- Each operation below says what it needs: no credentials, a session, or a scope of a key.
- A list returns `results` and `next`: send `next` as `cursor` to get the next page. `Link` has the
  whole address of that page.
- A refusal is `application/problem+json`; with 429 and 503, `Retry-After` has the seconds to wait.
- Clients for Python and TypeScript come with the service, with a method for each operation. That
  for Python brings `adsvc-cli` for a shell and `adsvc-mcp`, a server of the Model Context Protocol.

## Interface

- [OpenAPI 3.1 document]({root}/openapi.json): every operation, record and refusal, with examples
- [Reference]({root}/redoc): the same for people
- [The interface]({root}/docs/interface): what it promises, and why
- [Problem types]({root}/problems): what each refusal means
"""


def _guide(document: Json, name: str, root: str) -> ReadResponse:
    """`/llms.txt` (llmstxt.org): how to begin, and all operations of the document by their tags."""
    lines = [GUIDE.format(name=name, root=root)]
    operations: dict[str, list[str]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method.upper() in METHODS:
                needed = _needed(operation.get("security", []))
                line = f"- `{method.upper()} {path}`: {operation['summary']} ({needed})"
                operations[operation["tags"][0]].append(line)
    for tag in document["tags"]:
        lines.append(f"## {tag['name']}\n\n{tag['description']}\n")
        lines.append("\n".join(operations[tag["name"]]) + "\n")
    text = "\n".join(lines)
    return json_response(text.encode(), PUBLIC, media_type="text/markdown; charset=utf-8")


METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}


def _needed(security: Sequence[Mapping[str, Sequence[str]]]) -> str:
    scopes = [scope for one in security for scope in one.get("bearer", [])]
    if not security or {} in security:
        return "no credentials"
    return f"scope {' '.join(scopes)}" if scopes else "session"


GUIDE_PATH = "/llms.txt"
OPENAPI_3_0_PATH = "/openapi-3.0.json"
POSTMAN_PATH = "/postman.json"
CHANGELOG_PATH = "/changelog"

# RFC 9116 §2.5.5 advises less than a year.
SECURITY_TXT_DAYS = 180


async def get_document(request: Request) -> ReadResponse:
    """The OpenAPI document, as it is or to be tried, or the guide that is made of it."""
    app: FastAPI = request.app
    state = _state(request)
    documents, version = state.documents, state.site.version
    async with documents.writing:
        if not documents.answers or documents.site_version != version:
            # In a thread: it would block the event loop.
            documents.answers = await asyncio.to_thread(_written, app)
            documents.site_version = version
    return documents.answers[request.scope["path"]]


def _written(app: FastAPI) -> dict[str, ReadResponse]:
    document, settings = app.openapi(), app.state.service.settings
    tried = with_password_flow(document, settings.root_path)
    return {
        OPENAPI_PATH: _answer(document),
        TRIED_PATH: _answer(tried),
        OPENAPI_3_0_PATH: _answer(as_openapi_3_0(document)),
        POSTMAN_PATH: _answer(postman_collection(document)),
        GUIDE_PATH: _guide(document, settings.site_name, settings.root_path),
    }


def _answer(document: Json) -> ReadResponse:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return json_response(text.encode(), PUBLIC)


async def get_api_catalog(request: Request) -> ReadResponse:
    return _catalog(_state(request).settings.root_path)


async def get_security_contact(request: Request) -> PlainTextResponse:
    """RFC 9116, for an installation that names a contact."""
    contacts = _state(request).settings.security_contact
    if not contacts:
        raise errors.NotFoundError
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    expires = today + timedelta(days=SECURITY_TXT_DAYS)
    lines = [*(f"Contact: {contact}" for contact in contacts), f"Expires: {expires:%FT%TZ}"]
    return PlainTextResponse("\n".join(lines) + "\n")


ASSETS_PATH = "/docs-assets"
OAUTH2_REDIRECT_PATH = "/docs/oauth2-redirect"
TITLE = "adsvc"
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)

FILES = Path(fastapi_offline.__file__).parent / "static"

assets = StaticFiles(directory=FILES)

# The script would fetch its makers' logo from their site. With an address that is no picture it
# shows none.
REDOC = "redoc.standalone.js"

LOGO, NO_PICTURE = b"https://cdn.redoc.ly/redoc/logo-mini.svg", b"data:,"


# Read when it is first requested, because it takes a mebibyte.
@cache
def _redoc_script() -> ReadResponse:
    script = (FILES / REDOC).read_bytes().replace(LOGO, NO_PICTURE)
    return ReadResponse(
        script,
        f'"{hashlib.blake2b(script, digest_size=15).hexdigest()}"',
        ((b"content-type", b"text/javascript; charset=utf-8"), *PUBLIC),
        compressible=True,
    )


async def get_asset(request: Request) -> Response | ReadResponse:
    """A file of the pages on the interface."""
    name = request.path_params["name"]
    if name == REDOC:
        return await asyncio.to_thread(_redoc_script)
    try:
        return await assets.get_response(name, request.scope)
    except HTTPException:
        raise errors.NotFoundError from None


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


def _page(make: Callable[[str], HTMLResponse]) -> Callable[[Request], Awaitable[Response]]:
    """`make` gets the value of `ADSVC_ROOT_PATH`, which the page puts before its links."""

    @cache
    def made(root_path: str) -> HTMLResponse:
        page = make(root_path)
        page.headers["Content-Security-Policy"] = _policy(bytes(page.body))
        return page

    async def show(request: Request) -> Response:
        return made(_state(request).settings.root_path)

    return show


swagger_ui = _page(
    lambda root_path: get_swagger_ui_html(
        openapi_url=root_path + TRIED_PATH,
        title=TITLE,
        oauth2_redirect_url=root_path + OAUTH2_REDIRECT_PATH,
        swagger_js_url=f"{root_path}{ASSETS_PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{root_path}{ASSETS_PATH}/swagger-ui.css",
        swagger_favicon_url=f"{root_path}{ASSETS_PATH}/favicon.png",
        # There are too many operations to open all of them.
        swagger_ui_parameters={"docExpansion": "none", "filter": True},
    ),
)

oauth2_redirect = _page(lambda _: get_swagger_ui_oauth2_redirect_html())

redoc = _page(
    lambda root_path: get_redoc_html(
        openapi_url=root_path + OPENAPI_PATH,
        title=TITLE,
        redoc_js_url=f"{root_path}{ASSETS_PATH}/{REDOC}",
        redoc_favicon_url=f"{root_path}{ASSETS_PATH}/favicon.png",
        with_google_fonts=False,
    ),
)

# In an installed wheel, or in a checkout.
PACKAGE, CHECKOUT = Path(__file__).parents[2], Path(__file__).parents[4]
INTERFACE = (PACKAGE / "_interface.md", CHECKOUT / "docs" / "interface.md")
CHANGELOG = (PACKAGE / "_changelog.md", CHECKOUT / "CHANGELOG.md")
NO_WORD = re.compile(r"[^\w\- ]")

# Links to other pages of the project are left out, because these are not served.
SERVED_LINKS = ("#", "https://", "../openapi.json")


def interface_page(markdown: str, title: str = "the interface") -> str:
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
    return html("interface", title=f"{TITLE}: {title}", body=body)


@cache
def _markdown_page(title: str, packaged: Path, checkout: Path) -> ReadResponse:
    file = packaged if packaged.exists() else checkout
    page = interface_page(file.read_text(encoding="utf-8"), title).encode()
    return json_response(page, PUBLIC, media_type="text/html; charset=utf-8")


async def show_interface(_: Request) -> ReadResponse:
    return await asyncio.to_thread(_markdown_page, "the interface", *INTERFACE)


async def show_changelog(_: Request) -> ReadResponse:
    return await asyncio.to_thread(_markdown_page, "the changelog", *CHANGELOG)


landing = Route("/", show_landing_page)

# Pages and documents about the interface, which are not part of it.
routes = [
    Route(path, handler)
    for path, handler in (
        (errors.PROBLEMS_PATH, explain_problems),
        (OPENAPI_PATH, get_document),
        (TRIED_PATH, get_document),
        (OPENAPI_3_0_PATH, get_document),
        (POSTMAN_PATH, get_document),
        (CATALOG_PATH, get_api_catalog),
        (GUIDE_PATH, get_document),
        ("/.well-known/security.txt", get_security_contact),
        (f"{ASSETS_PATH}/{{name:path}}", get_asset),
        ("/docs", swagger_ui),
        (OAUTH2_REDIRECT_PATH, oauth2_redirect),
        ("/redoc", redoc),
        (INTERFACE_PATH, show_interface),
        (CHANGELOG_PATH, show_changelog),
    )
]
