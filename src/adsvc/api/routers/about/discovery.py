"""Where programs find out what there is: the OpenAPI document and what leads to it."""

import asyncio
import json
import threading
from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import PlainTextResponse

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching.representation import CachedResponse, json_response
from adsvc.api.openapi.document import with_password_flow
from adsvc.api.openapi.information import OPENAPI_PATH, TRIED_PATH
from adsvc.api.openapi.schemas import Json
from adsvc.api.problems.problem_type import PROBLEMS_PATH
from adsvc.errors import NotFoundError
from adsvc.http.headers import PUBLIC

CATALOG_PATH = "/.well-known/api-catalog"

# RFC 9727 §4.2: what kind of linkset (RFC 9264) it is.
CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

# References are resolved against the address that the catalogue comes from.
CATALOG = {
    "linkset": [
        {"anchor": CATALOG_PATH, "item": [{"href": "/"}]},
        {
            "anchor": "/",
            "service-desc": [{"href": OPENAPI_PATH, "type": "application/json"}],
            "service-doc": [{"href": "/redoc", "type": "text/html"}],
            "status": [{"href": "/readyz", "type": "application/json"}],
        },
    ]
}

GUIDE = """# {name}

> A classified-ads service over HTTP: people post ads with pictures, browse, search and comment.

- `GET /ads`, `GET /ads/{{id}}/details`, `GET /categories` and `GET /site` need no credentials.
- Whatever does need them takes `Authorization: Bearer` with a token from `POST /login`.
- A refusal is `application/problem+json`; with 429 and 503, `Retry-After` tells how long to wait.

## Interface

- [OpenAPI 3.1 document]({openapi}): every operation, record and refusal, with examples
- [Reference](/redoc): the same for people
- [The interface](/docs/interface): what it promises, and why
- [Problem types]({problems}): what each refusal means
"""

# RFC 9116 §2.5.5 advises less than a year.
SECURITY_TXT_DAYS = 180

router = APIRouter(include_in_schema=False)

# Written once for each application, by a thread: the event loop would stand still meanwhile.
_documents: WeakKeyDictionary[FastAPI, dict[str, CachedResponse]] = WeakKeyDictionary()
_one_at_a_time = threading.Lock()

_CATALOG_RESPONSE = json_response(
    json.dumps(CATALOG).encode(),
    PUBLIC,
    media_type=CATALOG_TYPE,
    link=f'<{CATALOG_PATH}>; rel="api-catalog"',
)


@router.get(OPENAPI_PATH)
async def get_openapi_document(request: Request) -> Response:
    return await _document(request, OPENAPI_PATH)


@router.get(TRIED_PATH)
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
            both = {OPENAPI_PATH: document, TRIED_PATH: with_password_flow(document)}
            _documents[app] = {path: _answer(shown) for path, shown in both.items()}
    return _documents[app]


def _answer(document: Json) -> CachedResponse:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return json_response(text.encode(), PUBLIC)


@router.get(CATALOG_PATH)
async def get_api_catalog(request: Request) -> Response:
    return _CATALOG_RESPONSE.to(request)


@router.get("/llms.txt")
async def get_guide_for_language_models(request: Request, state: AppStateDep) -> Response:
    text = GUIDE.format(name=state.settings.site_name, openapi=OPENAPI_PATH, problems=PROBLEMS_PATH)
    return json_response(text.encode(), PUBLIC, media_type="text/markdown; charset=utf-8").to(
        request
    )


@router.get("/.well-known/security.txt")
async def get_security_contact(state: AppStateDep) -> PlainTextResponse:
    """RFC 9116, for an installation that names a contact."""
    contacts = state.settings.security_contact
    if not contacts:
        raise NotFoundError
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    expires = today + timedelta(days=SECURITY_TXT_DAYS)
    lines = [*(f"Contact: {contact}" for contact in contacts), f"Expires: {expires:%FT%TZ}"]
    return PlainTextResponse("\n".join(lines) + "\n")
