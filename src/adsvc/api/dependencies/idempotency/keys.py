"""The header, as a client sends it."""

import re
from typing import Annotated

from fastapi import Depends, Header, Request
from pydantic.json_schema import SkipJsonSchema

from adsvc.errors import InvalidRequestError, faults

NAME = "Idempotency-Key"

# Printable ASCII, bare or as a string of RFC 9651 §3.3.3, which escapes quotes and backslashes.
BARE = r"[!#-~](?:[ -~]{0,253}[!-~])?"
QUOTED = r'"(?:[ !#-\[\]-~]|\\["\\]){1,255}"'
KEY = re.compile(f"{BARE}|{QUOTED}")
ESCAPED = re.compile(r"\\(.)")

DESCRIPTION = """
Makes the request happen once, however often it is sent: for 24 hours the same request with the same
key gets the first answer again, with `Idempotent-Replayed: true`. 1 to 255 printable characters,
unique to the request, such as a UUID; bare or in quotes, which makes no difference.
"""


def key_of(request: Request) -> str | None:
    """Quoted or not, it is the same key."""
    sent = request.headers.getlist(NAME)
    if not sent:
        return None
    value = sent[0].strip(" \t")
    if len(sent) > 1 or not KEY.fullmatch(value):
        detail = "must be there once, and have 1 to 255 printable ASCII characters"
        raise InvalidRequestError(faults.wrong_format(detail, minLength=1, maxLength=255).of(NAME))
    return ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value


async def idempotency_key(
    request: Request,
    _documented: Annotated[
        str | SkipJsonSchema[None],
        Header(
            alias=NAME,
            description=" ".join(DESCRIPTION.split()),
            examples=["7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"],
            # FastAPI would refuse only after everything else.
            json_schema_extra={"pattern": f"^(?:{BARE}|{QUOTED})$"},
        ),
    ] = None,
) -> str | None:
    return key_of(request)


IdempotencyKey = Annotated[str | None, Depends(idempotency_key)]
