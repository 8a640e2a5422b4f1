"""Idempotency keys: how a request sends one, and how a stored answer is replayed."""

import re
from collections.abc import Mapping
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import BaseModel, JsonValue
from pydantic.json_schema import SkipJsonSchema

from adsvc.errors import InvalidRequestError, faults
from adsvc.repositories.accounts.idempotency_keys import StoredAnswer

NAME = "Idempotency-Key"

# Printable ASCII, bare or as a string of RFC 9651 §3.3.3, which escapes quotes and backslashes.
BARE = r"[!#-~](?:[ -~]{0,253}[!-~])?"
QUOTED = r'"(?:[ !#-\[\]-~]|\\["\\]){1,255}"'
KEY = re.compile(f"{BARE}|{QUOTED}")
ESCAPED = re.compile(r"\\(.)")

DESCRIPTION = """
Identifies the request, so that it can be sent again after a lost answer: it is carried out once,
and for 24 hours the same request with the same key gets the first answer again, with
`Idempotent-Replayed: true`. 1 to 255 printable characters, such as a random UUID, bare or in
quotes.
"""

# For the document only. FastAPI would check the header after everything else; `key_of` does it
# first.
IdempotencyKey = Annotated[
    str | SkipJsonSchema[None],
    Header(
        alias=NAME,
        description=" ".join(DESCRIPTION.split()),
        examples=["7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"],
        json_schema_extra={"pattern": f"^(?:{BARE}|{QUOTED})$"},
    ),
]

# The headers that belong to the answer. The request's id and its limits are made anew.
KEPT_HEADERS = ("cache-control", "content-location", "content-type", "etag", "link", "location")

REPLAYED = {"Idempotent-Replayed": "true"}


def key_of(request: Request) -> str | None:
    """The key without its quotes; None if there is none."""
    sent = request.headers.getlist(NAME)
    if not sent:
        return None
    value = sent[0].strip(" \t")
    if len(sent) > 1 or not KEY.fullmatch(value):
        detail = "must be there once, and have 1 to 255 printable ASCII characters"
        raise InvalidRequestError(faults.wrong_format(detail, minLength=1, maxLength=255).of(NAME))
    return ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value


def parts_of(record: BaseModel | None) -> JsonValue:
    """The members of a body. Two requests with one key are compared by them."""
    if record is None:
        return None
    sent: JsonValue = record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return sent


def answer_of(response: Response) -> StoredAnswer:
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    return StoredAnswer(response.status_code, headers, bytes(response.body).decode())


def replayed(answer: StoredAnswer, fresh: Mapping[str, str]) -> Response:
    """The stored answer, with `fresh` headers of this request."""
    return Response(answer.body, answer.status, {**fresh, **answer.headers, **REPLAYED})
