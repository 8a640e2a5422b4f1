"""The documentation pages, from assets in a package: they work without internet access."""

import asyncio
import base64
import hashlib
import html
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import fastapi_offline
from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import (
    get_redoc_html,
    get_swagger_ui_html,
    get_swagger_ui_oauth2_redirect_html,
)
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from markdown_it import MarkdownIt

from adsvc.api.caching.representation import CachedResponse, json_response
from adsvc.api.openapi.information import INTERFACE_PATH, OPENAPI_PATH, TRIED_PATH
from adsvc.http.headers import PUBLIC

ASSETS_PATH = "/docs-assets"

OAUTH2_REDIRECT_PATH = "/docs/oauth2-redirect"

TITLE = "adsvc"

INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)

router = APIRouter(include_in_schema=False)

FILES = Path(fastapi_offline.__file__).parent / "static"

assets = StaticFiles(directory=FILES)

# The script shows a logo of its makers, which it would fetch from their site. In its place stands
# a picture that cannot be shown, which the script then leaves out.
REDOC = "redoc.standalone.js"

LOGO, NO_PICTURE = b"https://cdn.redoc.ly/redoc/logo-mini.svg", b"data:,"

REDOC_SCRIPT = (FILES / REDOC).read_bytes().replace(LOGO, NO_PICTURE)

REDOC_ANSWER = CachedResponse(
    REDOC_SCRIPT,
    f'"{hashlib.blake2b(REDOC_SCRIPT, digest_size=15).hexdigest()}"',
    ((b"content-type", b"text/javascript; charset=utf-8"), *PUBLIC),
    compressible=True,
)


# Before the directory it comes from.
@router.get(f"{ASSETS_PATH}/{REDOC}")
async def get_redoc_script(request: Request) -> Response:
    return REDOC_ANSWER.to(request)


def _policy(html: bytes) -> str:
    """Only our own files, and exactly the inline scripts of this page."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in INLINE_SCRIPT.findall(html)
    )
    return (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; "
        "worker-src blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _add_page(path: str, page: HTMLResponse) -> None:
    page.headers["Content-Security-Policy"] = _policy(bytes(page.body))

    async def show() -> HTMLResponse:
        return page

    handler: Callable[[], object] = show
    router.add_api_route(path, handler, methods=["GET"])


_add_page(
    "/docs",
    get_swagger_ui_html(
        openapi_url=TRIED_PATH,
        title=TITLE,
        oauth2_redirect_url=OAUTH2_REDIRECT_PATH,
        swagger_js_url=f"{ASSETS_PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{ASSETS_PATH}/swagger-ui.css",
        swagger_favicon_url=f"{ASSETS_PATH}/favicon.png",
    ),
)

_add_page(OAUTH2_REDIRECT_PATH, get_swagger_ui_oauth2_redirect_html())

_add_page(
    "/redoc",
    get_redoc_html(
        openapi_url=OPENAPI_PATH,
        title=TITLE,
        redoc_js_url=f"{ASSETS_PATH}/{REDOC}",
        redoc_favicon_url=f"{ASSETS_PATH}/favicon.png",
        with_google_fonts=False,
    ),
)

# `docs/interface.md`, in an installed wheel or in a checkout.
PACKAGED_INTERFACE = Path(__file__).parents[3] / "_interface.md"

INTERFACE = Path(__file__).parents[5] / "docs" / "interface.md"

NO_WORD = re.compile(r"[^\w\- ]")

# Other pages of the project are not served.
SERVED_LINKS = ("#", "https://", "../openapi.json")

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<body>
{body}</body></html>
"""


def interface_page(markdown: str) -> str:
    """As HTML, whose headings have the ids that links within the page go by."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(markdown)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", NO_WORD.sub("", inline.content.lower()).replace(" ", "-"))
        for child in token.children or ():
            if child.type == "link_open" and not str(child.attrs["href"]).startswith(SERVED_LINKS):
                del child.attrs["href"]
    body = parser.renderer.render(tokens, parser.options, {})
    return PAGE.format(title=html.escape(f"{TITLE}: the interface"), body=body)


@cache
def _interface() -> CachedResponse:
    file = PACKAGED_INTERFACE if PACKAGED_INTERFACE.exists() else INTERFACE
    page = interface_page(file.read_text(encoding="utf-8")).encode()
    return json_response(page, PUBLIC, media_type="text/html; charset=utf-8")


@router.get(INTERFACE_PATH)
async def show_interface(request: Request) -> Response:
    return (await asyncio.to_thread(_interface)).to(request)
