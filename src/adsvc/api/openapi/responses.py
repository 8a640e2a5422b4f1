"""Responses that FastAPI cannot know of."""

from copy import deepcopy
from typing import Any

from adsvc.api.openapi.forms import IMAGE_TYPES
from adsvc.api.openapi.schemas import reference

Responses = dict[int | str, dict[str, Any]]

# By their names; `headers.HEADERS` describes them.
Headers = dict[str, dict[str, Any]]


# Those that no class of ours stands for.
RECORDS: dict[str, dict[str, Any]] = {
    "CategorySchema": {
        "type": "object",
        "additionalProperties": True,
        "description": "A JSON Schema (2020-12) of the member `attributes` of an ad.",
    }
}


LEFT: Headers = {
    name: {"description": told, "schema": {"type": "string"}, "example": example}
    for name, told, example in (
        ("RateLimit", "How many guesses are left, where they are limited.", '"login";r=9;t=1'),
        ("RateLimit-Policy", "The limit on guesses, if there is one.", '"login";q=10;w=300'),
    )
}


def answer_responses(*, counted: bool = False) -> Responses:
    """Of operations whose answers have a validator; `counted` if reading them is limited."""
    etag: Headers = {"ETag": {}}
    limit: Headers = {"RateLimit": {}, "RateLimit-Policy": {}} if counted else {}
    return {
        200: {"headers": etag | limit},
        304: {"description": "The client's copy is current", "headers": etag},
    }


def with_limit(responses: Responses, *statuses: int) -> Responses:
    """The same, with what is left of a limit told at these statuses."""
    for status in statuses:
        headers = responses.setdefault(status, {}).setdefault("headers", {})
        # Those of refusals are not always there, as that of successes is: limits may be off.
        headers |= deepcopy(LEFT) if status in {400, 401} else {name: {} for name in LEFT}
    return responses


def category_schema_responses() -> Responses:
    responses = answer_responses()
    content = {"application/schema+json": {"schema": reference("CategorySchema")}}
    responses[200] |= {"description": "A JSON Schema (2020-12)", "content": content}
    return responses


def created_responses() -> Responses:
    """Of operations that tell where what they made is, and its validator."""
    return {201: {"headers": {"Location": {}, "ETag": {}}}}


def written_responses(status: int = 200) -> Responses:
    """Of changes that tell the validator of what they leave."""
    return {status: {"headers": {"ETag": {}}}}


def token_responses() -> Responses:
    """One response for all, which may tell what is left of the limit on guesses."""
    content = {"application/json": {"schema": reference("TokenError")}}
    refused: Responses = {400: {"description": "Refused as RFC 6749 §5.2 says", "content": content}}
    return with_limit(refused, 400)


def image_responses(
    *, ranges: bool = False, stored: bool = False, elsewhere: bool = False
) -> Responses:
    """`stored` is for an answer with the picture that the request brought.

    With `elsewhere` the picture may be at another address.
    """
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in IMAGE_TYPES}
    etag: Headers = {"ETag": {}}
    located: Headers = {"Content-Location": {}} if stored else {}
    responses: Responses = {
        200: {"description": "The picture", "content": content, "headers": etag | located}
    }
    if ranges:
        responses[206] = {
            "description": "The part asked for",
            "content": content,
            "headers": {**etag, "Content-Range": {}},
        }
        responses[304] = {"description": "The client's copy is current", "headers": etag}
    if elsewhere:
        responses[307] = {"description": "Where the picture is", "headers": {"Location": {}}}
    return responses
