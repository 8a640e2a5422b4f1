"""Ads in pages of other sites: a list for a frame, and oEmbed (https://oembed.com)."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from adsvc.api.app_state import AppState
from adsvc.api.caching import ReadResponse, etag_of
from adsvc.api.finding import get_details
from adsvc.api.html import html
from adsvc.api.input.filters import filters_among
from adsvc.api.input.parameters import number_from, pairs_of
from adsvc.api.storefront.heads import ad_address, summary
from adsvc.api.storefront.pages import Front, listing, site_of
from adsvc.errors import AdNotFoundError, InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.http.responses import PUBLIC

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


async def embed(_: Front, state: AppState, request: Request) -> Response:
    """The response to `GET /ads` with the same query, at the same cost, as a page for a frame."""
    pairs = pairs_of(request.scope["query_string"])
    limit = number_from(dict(pairs).get("limit", str(DEFAULT_ADS)), "limit", 1, MOST_ADS)
    query = [*(pair for pair in pairs if pair[0] != "limit"), ("limit", str(limit))]
    ads = await listing(state, request, urlencode(query).encode())
    site = site_of(state.settings, request)
    text = html(
        "embed",
        site=site,
        language=state.settings.languages[0],
        style=STYLE,
        ads=json.loads(ads.body)["results"],
        search=f"{site.address}/search?{urlencode(filters_among(list(pairs)))}",
        address_of=lambda ad: ad_address(site, ad),
        summary_of=lambda ad: summary(site, ad),
    )
    policy = POLICY.format(
        style=STYLE_HASH,
        pictures=" ".join(filter(None, ("'self'", state.settings.image_redirect_origin))),
        origins=" ".join(state.site.record.embed_origins) or "'none'",
    )
    body = text.encode()
    headers = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", policy.encode()),
        *PUBLIC,
    )
    return ReadResponse(body, etag_of(body + policy.encode()), headers, compressible=True).to(
        request
    )


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
