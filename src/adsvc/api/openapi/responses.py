"""Responses that FastAPI cannot know of."""

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


def answer_responses(*, counted: bool = False) -> Responses:
    """Of operations whose answers have a validator; `counted` if reading them is limited."""
    etag: Headers = {"ETag": {}}
    limit: Headers = {"RateLimit": {}, "RateLimit-Policy": {}} if counted else {}
    return {
        200: {"headers": etag | limit},
        304: {"description": "The client's copy is current", "headers": etag},
    }


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
    content = {"application/json": {"schema": reference("TokenError")}}
    return {400: {"description": "Refused as RFC 6749 §5.2 says", "content": content}}


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
