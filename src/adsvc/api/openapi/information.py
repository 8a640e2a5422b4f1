"""What the document says of the service as a whole."""

from typing import Any

OPENAPI_PATH = "/openapi.json"

# The same for the page that tries operations out.
TRIED_PATH = "/docs/openapi.json"

# What is promised, and why, for people.
INTERFACE_PATH = "/docs/interface"

DESCRIPTION = """
People register, log in, post ads with pictures, browse, search, comment, edit and delete.
Moderators decide about what was reported, and administrators change and delete what others
posted.

In the samples `$ADSVC` is the address of the service and `$TOKEN` an access token from `/login`.
`client` is an `AdsvcClient` that has logged in: of `adsvc-client`, or of `adsvc_client` in
Python.

Moments are in milliseconds since 1970-01-01T00:00Z, prices in whole units of the currency that
`GET /site` names. Every `GET` also answers `HEAD`. The limits of `GET /site` and of the schemas
are those that are in force here.

## Authentication

`POST /login` takes a user name and a password, begins a session, and returns an `access_token`
and a `refresh_token`. Send the first with each request: `Authorization: Bearer <access_token>`.
It expires after `expires_in` seconds. Then, or when an answer is 401 with the type
`invalid-credentials`, renew it: `POST /token` as a form with `grant_type=refresh_token` and the
`refresh_token` returns the next pair.

A refresh token is good for one use, and its second use ends the session. So send one renewal at a
time, and store the new pair before you use it. `POST /revoke` ends the session; so does a new
password, for all sessions but the one that gets the new pair. Operations without a lock in this
reference need no credentials.

## Pages

A list returns `results` and `next`. While `next` is not null there is another page: send it as
`cursor`, together with the same filters. `limit` is how many a page may have. Whatever is added
or deleted meanwhile, a walk through the pages meets each thing that is there throughout exactly
once. `Link: <...>; rel="next"` says the same.

## Sending a request again

`GET`, `PUT`, `PATCH` and `DELETE` may be sent again after a lost answer. For a `POST` that has
the parameter `Idempotency-Key`, choose a random key, such as a UUID, and send it with each
attempt: the request is carried out once, and for 24 hours the same request with the same key gets
the first answer again, with `Idempotent-Replayed: true`. While the first attempt is under way the
answer is 409 (`idempotency-in-progress`); another request with the same key is 422
(`idempotency-key-reused`).

A change that sends `If-Match` with the `ETag` of what was read is refused with 412 if somebody
has changed it since. `If-None-Match` saves a body: the answer is 304 while the copy is current.

## Errors

Every refusal is `application/problem+json` (RFC 9457). Go by `type`; [/problems](/problems)
explains each. `detail` is for developers. Of a request that is not valid `errors` lists
everything that is wrong: where (`pointer` into the JSON, `parameter`, or `part` of a form), a
`code`, and the bounds that would be kept. `instance` and the header `X-Request-Id` name the
request in the log of the service.

With 429, 503 and 409 `idempotency-in-progress`, wait for as many seconds as `Retry-After` says,
and send the request again, with the same `Idempotency-Key` where it takes one. Do not send any
other refusal again unchanged.

`Prefer: handling=strict` (RFC 7240) refuses members and query parameters that an operation does
not know, which are ignored otherwise. Use it while you write a client.

## Uploads

Forms are `multipart/form-data`. `POST /ads` takes the part `properties`, which is JSON, and one
part `image` for each picture, in their order. Pictures are JPEG, PNG or WebP, judged by their
content. They are stored turned upright, without metadata, and smaller where they are large, each
under a path of its own, which never changes its content. `validate=true` checks a form or a body
and stores nothing: the answer is 204, or the refusal.

## Limits

Attempts to log in, registrations, changes, uploads and searches are limited by account or
network. `RateLimit` says how many are left and when there is one more, `RateLimit-Policy` what
the limit is. Beyond it the answer is 429 with `Retry-After`.

## Versions

`info.version` of this document, `version` of `GET /site` and the header `Adsvc-Version` of every
answer are the same. A version never takes away what the one before had, but for what was
deprecated: such an operation has `deprecated` here, and `Deprecation` (RFC 9745) and `Sunset`
(RFC 8594) in its answers, which say when it may go.

What may come at any time: operations, members of answers, members and parameters that may be left
out, types of problems, and **values of enumerations in answers**, which have `x-extensible-enum`
here. So ignore members that you do not know, and have a default for values that you do not know.
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
