"""Form-encoded bodies, as OAuth 2.0 has them."""

from urllib.parse import parse_qsl

from fastapi import Request

from adsvc.api.input.body import limited, media_type
from adsvc.errors import InvalidRequestError, UnsupportedMediaTypeError, faults
from adsvc.limits import Limits

MAX_PARAMETERS = 20


async def read_parameters(request: Request, limits: Limits) -> dict[str, str]:
    """The parameters of an OAuth 2.0 request: empty ones count as absent (RFC 6749 §3.2)."""
    if media_type(request) != "application/x-www-form-urlencoded":
        raise UnsupportedMediaTypeError("a body of type application/x-www-form-urlencoded")
    pieces = [piece async for piece in limited(request, "body", limits.json_body_max_bytes)]
    try:
        pairs = parse_qsl(b"".join(pieces).decode(), errors="strict", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise _not_accepted() from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs) or "\0" in "".join(parameters.values()):
        raise _not_accepted()
    return parameters


def _not_accepted() -> InvalidRequestError:
    return InvalidRequestError(faults.malformed("is not a form that this service accepts"))
