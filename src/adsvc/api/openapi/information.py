"""What the document says of the service as a whole."""

from typing import Any

OPENAPI_PATH = "/openapi.json"

# The same for the page that tries operations out.
TRIED_PATH = "/docs/openapi.json"

DESCRIPTION = """
People register, log in, post ads with pictures, browse, search, comment, edit and delete; an
administrator may change and delete what others posted.

Every refusal is `application/problem+json` (RFC 9457); [/problems](/problems) explains each type.
Every response carries `X-Request-Id`. Every `GET` also answers `HEAD`.

In the samples `$ADSVC` is the address of the service and `$TOKEN` an access token from `/login`.
`client` is an `AdsvcClient` that has logged in: of `adsvc-client`, or of `adsvc_client` in Python.

Moments are in milliseconds since 1970-01-01T00:00Z, prices in whole units of the site's currency.
"""

CONTACT = {"name": "The operator of this installation"}

LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}

# For Swagger UI alone: generators of clients would send its token beside that of `bearer`, and
# without `Bearer` before it.
PASSWORD_FLOW = {
    "type": "oauth2",
    "description": "OAuth 2.0's password grant: the token endpoint gives the token for `bearer`.",
    "flows": {"password": {"tokenUrl": "token", "refreshUrl": "token", "scopes": {}}},
}

SERVERS = [{"url": "/", "description": "The installation that this document comes from."}]

# In the order in which a reader meets them.
TAGS: list[dict[str, Any]] = [
    {"name": "auth", "description": "Accounts and tokens: registration, login, refresh, logout."},
    {"name": "users", "description": "The caller's own account: profile, sessions, export."},
    {"name": "ads", "description": "Ads: finding, posting and changing them, and their life."},
    {"name": "comments", "description": "What people ask and say below an ad."},
    {"name": "categories", "description": "The tree of categories and what ads tell in each."},
    {
        "name": "moderation",
        "description": "Reports, what is decided about them and why, appeals, and accounts.",
    },
    {"name": "images", "description": "Pictures as they are served."},
    {"name": "site", "description": "What a client needs to know of the installation."},
    {"name": "health", "description": "For whoever watches over the service."},
]
