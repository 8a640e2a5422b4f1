"""The documentation pages, from assets in a package: they work without internet access."""

import base64
import hashlib
import re
from collections.abc import Callable
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

from adsvc.api.caching.representation import CachedResponse
from adsvc.api.openapi.information import OPENAPI_PATH, TRIED_PATH
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
