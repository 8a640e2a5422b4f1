"""Requests that a CDN drops its copies of pictures that were deleted or hidden.

They are entries of the outbox, so that each is repeated until the CDN has taken it.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from adsvc.errors import NotDeliveredError
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.deliveries import SUCCESS
from adsvc.kit.http.outbound import UnreachableError
from adsvc.kit.storage import ImageStore
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import ClaimedEntry, NewEntry
from adsvc.settings import Settings

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

PURGE = "purge"
# As many as Cloudflare takes.
FILES_AT_ONCE = 30
# The address is the operator's.
ANYWHERE = ("0.0.0.0/0", "::/0")


async def queue(db: DatabaseSession, store: ImageStore, files: Sequence[str]) -> None:
    """In the session's transaction; nothing without a CDN."""
    if store.has_cdn and files:
        batches = range(0, len(files), FILES_AT_ONCE)
        entries = [
            NewEntry(PURGE, {"files": list(files[start : start + FILES_AT_ONCE])})
            for start in batches
        ]
        await outbox_rows.add(db, *entries)


class Purging:
    """Delivers these entries. The time is bounded by the caller."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.kinds = frozenset({PURGE} if settings.cdn_purge_url else ())

    @cached_property
    def _client(self) -> "OutboundClient":
        from adsvc.kit.http.outbound_client import OutboundClient  # noqa: PLC0415 - takes memory

        return OutboundClient(ANYWHERE)

    async def deliver(self, entry: ClaimedEntry) -> None:
        settings = self._settings
        files = [settings.picture_address(name) for name in entry.payload["files"]]
        headers = {"Content-Type": "application/json"}
        if settings.cdn_purge_token is not None:
            headers["Authorization"] = f"Bearer {settings.cdn_purge_token.get_secret_value()}"
        try:
            answer = await self._client.request(
                str(settings.cdn_purge_url),
                json.dumps({"files": files}).encode(),
                headers,
                seconds=settings.mail_seconds,
            )
        except UnreachableError as error:
            raise NotDeliveredError(f"The CDN: {error}") from error
        if answer.status not in SUCCESS:
            raise NotDeliveredError(f"The CDN answered {answer.status}.", answer.status)
