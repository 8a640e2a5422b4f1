"""The operations of the interface, as its own document lists them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import httpx2

from support.contract.documents import document_with
from support.scene.api import Api

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    schemes: frozenset[str]
    # What a key needs; None if no key is enough.
    scope: str | None = None

    async def call(
        self,
        client: httpx2.AsyncClient,
        headers: Mapping[str, str] | Sequence[tuple[bytes, bytes]],
        **ids: int,
    ) -> httpx2.Response:
        """Without a body. Path parameters that are not given are 1.

        A stream, whose response does not end, is refused at last because of its cursor.
        """
        path = re.sub(r"\{(\w+)\}", lambda match: str(ids.get(match[1], 1)), self.path)
        path += "?after=x" if path.endswith("/stream") else ""
        return await client.request(self.method.upper(), path, headers=headers)


def authenticated_operations(api: Api) -> list[Operation]:
    """Those that destroy what others need come last."""
    return list(_authenticated(http_basic=api.state.settings.http_basic))


@cache
def _authenticated(*, http_basic: bool) -> Sequence[Operation]:
    found = []
    for path, operations in document_with(http_basic=http_basic)["paths"].items():
        for method in METHODS:
            security = operations.get(method, {}).get("security", ())
            schemes = frozenset(name for entry in security for name in entry)
            if schemes:
                scopes = [*security[0]["bearer"], None]
                found.append(Operation(method, path, schemes, scopes[0]))
    assert len(found) > 15
    return sorted(found, key=lambda operation: METHODS.index(operation.method))
