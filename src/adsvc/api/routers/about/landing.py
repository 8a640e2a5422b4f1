"""What `/` is where no storefront is served."""

from fastapi import APIRouter, Request, Response

from adsvc.api.caching.representation import CachedResponse, etag_of
from adsvc.http.headers import PUBLIC

PAGE = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>adsvc</title>
<h1>adsvc</h1>
<p>This is an HTTP service for classified ads. It has no pages of its own here, because its
storefront is switched off or was not built (<code>make web</code>).</p>
<ul>
<li><a href="/docs">/docs</a>: every operation, to be tried</li>
<li><a href="/redoc">/redoc</a>: the same, to be read</li>
<li><a href="/docs/interface">/docs/interface</a>: what it promises, and why</li>
<li><a href="/openapi.json">/openapi.json</a>: the same, for programs</li>
<li><a href="/problems">/problems</a>: what refusals mean</li>
</ul></html>
"""

ANSWER = CachedResponse(
    PAGE, etag_of(PAGE), ((b"content-type", b"text/html; charset=utf-8"), *PUBLIC)
)

router = APIRouter(include_in_schema=False)


@router.get("/")
async def show(request: Request) -> Response:
    return ANSWER.to(request)
