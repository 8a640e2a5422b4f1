"""What a change expects of the thing it changes, and the version that it leaves."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Request, Response

from adsvc.api.caching.conditional import expected_by
from adsvc.http.headers import as_etag
from adsvc.versions import Expected, Written


async def get_expected(request: Request) -> Expected:
    return expected_by(request.headers)


ExpectedDep = Annotated[Expected, Depends(get_expected)]


def written_response(written: Written, told: Mapping[str, str] = {}, status: int = 200) -> Response:
    """The record, with the tag for the next `If-Match`. `told` are other headers."""
    headers = {**told, "ETag": as_etag(written.version)}
    return Response(written.record, status, headers, "application/json")
