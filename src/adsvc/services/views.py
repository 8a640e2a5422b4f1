"""Views of ads: once for each visitor and day (UTC), without cookies, and written in batches."""

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b, sha256

from adsvc.kit.addresses import client_network
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.repositories import views as view_rows
from adsvc.repositories.views import Noted
from adsvc.settings import Settings

logger = logging.getLogger("adsvc.views")

PERIOD_SECONDS = 10.0
DAY_SECONDS = 86_400
# Of one process. Beyond it no view is noted until the next batch.
MOST_PENDING = 100_000
# Visitors and views that a process remembers, so that it neither hashes nor sends them again.
MOST_KNOWN = 100_000
# What counts of a browser's name; and visitors of one ad from one network, which may make names up.
LONGEST_AGENT = 200
MOST_OF_NETWORK = 100

# In place of the browser of an account.
ACCOUNT = b"Mozilla/"
# What browsers are called; and what programs are called that read pages like one.
BROWSER = re.compile(rb"^Mozilla/")
BOT = re.compile(rb"bot|crawl|spider|slurp|preview|externalhit|monitor|lighthouse", re.IGNORECASE)
PURPOSES = (b"sec-purpose", b"purpose", b"x-moz", b"x-purpose")
PREFETCH = re.compile(rb"prefetch|prerender|preview", re.IGNORECASE)

Headers = Mapping[bytes, bytes]


class Views:
    """What one process has seen and not written yet.

    A visitor is the account, or else a hash of address and browser that differs each day. An
    account is also seen without its token: then its hash is an alias, which does not count.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._day = 0
        # None for what is no browser.
        self._visitors: dict[tuple[str, bytes], int | None] = {}
        self._known: set[tuple[str, bytes, int, int | None]] = set()
        # Of a network and an ad, among those that are known.
        self._numbers: Counter[tuple[str, int]] = Counter()
        self._pending: list[Noted] = []

    def note(self, headers: Headers, address: str, ad_id: int, user_id: int | None) -> None:
        """A response with the ad was sent."""
        day = int(time.time() // DAY_SECONDS)
        agent = headers.get(b"user-agent", b"")[:LONGEST_AGENT]
        if day != self._day:
            self._day = day
            self._visitors.clear()
            self._forget()
        seen, source = (address, agent, ad_id, user_id), (client_network(address), ad_id)
        if seen in self._known or len(self._pending) >= MOST_PENDING:
            return
        if any(PREFETCH.search(headers[name]) for name in PURPOSES if name in headers):
            return
        if len(self._known) >= MOST_KNOWN:
            self._forget()
        if self._numbers[source] >= MOST_OF_NETWORK:
            return
        self._numbers[source] += 1
        self._known.add(seen)
        visitor = self._visitor(address, agent)
        account = None if user_id is None else self._visitor(f"account {user_id}", ACCOUNT)
        if account is not None:
            self._pending.append(Noted(day, ad_id, account, user_id, is_alias=False))
        if visitor is not None:
            is_alias = account is not None
            self._pending.append(Noted(day, ad_id, visitor, None, is_alias=is_alias))

    def _forget(self) -> None:
        self._known.clear()
        self._numbers.clear()

    def _visitor(self, address: str, agent: bytes) -> int | None:
        key = address, agent
        if key not in self._visitors:
            if len(self._visitors) >= MOST_KNOWN:
                self._visitors.clear()
            is_browser = BROWSER.match(agent) and not BOT.search(agent)
            text = b"%b %b" % (address.encode(), agent)
            self._visitors[key] = self._hash(text) if is_browser else None
        return self._visitors[key]

    def _hash(self, text: bytes) -> int:
        """Differs each day."""
        key = sha256(self._settings.required_jwt_secret().encode()).digest()
        salted = blake2b(text, digest_size=8, key=key, salt=b"%d" % self._day)
        return int.from_bytes(salted.digest(), signed=True)

    async def write(self, database: Database) -> None:
        """Without the database, what was noted waits."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        try:
            await view_rows.add(database.writer, pending)
        except Exception as error:
            if not is_database_fault(error):
                raise
            self._pending = pending + self._pending

    async def keep_writing(self, database: Database) -> None:
        try:
            while True:
                await asyncio.sleep(PERIOD_SECONDS)
                await self._try_to_write(database)
        finally:
            await self._try_to_write(database)

    async def _try_to_write(self, database: Database) -> None:
        try:
            await self.write(database)
        except Exception:
            logger.exception("Views could not be written.")
