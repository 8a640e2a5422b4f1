"""Maintenance: the operator closes the site, or all changes, with a text for its users.

A process reads the mode, access rules and the version of the site twice a second.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from adsvc.enums import AuditKind, MaintenanceMode
from adsvc.errors import MaintenanceError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.faults import is_database_fault
from adsvc.repositories.operation import server as server_rows
from adsvc.schemas.site import SiteProvider
from adsvc.services import audit, rate_limits
from adsvc.services.rate_limits import NO_RULES, AccessRules
from adsvc.services.site import SiteState
from adsvc.settings import Settings

logger = logging.getLogger("adsvc.maintenance")

# How soon another mode or rule is in effect in all processes.
POLL_SECONDS = 0.5
RETRY_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Closure:
    mode: MaintenanceMode = MaintenanceMode.OFF
    # For users; empty for the text of the error.
    text: str = ""
    # When clients may try again.
    retry_after: int = RETRY_SECONDS


async def current(
    db: Database, before: AccessRules = NO_RULES
) -> tuple[Closure, AccessRules, int, Sequence[SiteProvider]]:
    """With the version of the site, and its providers. `before` are the access rules that were read
    last.
    """
    found = await server_rows.operator_state(db.probe)
    members, rules, version, providers = json.loads(found) if found else (None, {}, 0, None)
    closure = Closure()
    if members is not None:
        closure = Closure(MaintenanceMode(members["mode"]), members["text"], members["retry_after"])
    shown = [SiteProvider(**each) for each in providers or ()]
    return closure, rate_limits.read_access_rules(rules, before), version, shown


async def change(transaction: Transaction, closure: Closure, *, actor: int | str) -> None:
    is_off = closure.mode is MaintenanceMode.OFF
    await server_rows.set_maintenance(transaction, None if is_off else json.dumps(asdict(closure)))
    kind = AuditKind.MAINTENANCE_CHANGED
    audit.record(transaction, kind, actor=actor, target=closure.mode.value)


class OperatorState:
    """What a process knows of the maintenance, of access rules and of the site."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self.site = SiteState(database, settings)
        self.closure = Closure()
        self.rules = NO_RULES

    def refusal(self, *, is_change: bool) -> MaintenanceError | None:
        mode = self.closure.mode
        if mode is MaintenanceMode.OFF or (mode is MaintenanceMode.READ_ONLY and not is_change):
            return None
        return MaintenanceError(self.closure.text, self.closure.retry_after)

    async def look(self) -> None:
        """While the database is away, all stays as it is."""
        try:
            found = await current(self._database, self.rules)
            self.closure, self.rules, version, self.site.providers = found
            await self.site.follow(version)
        except Exception as error:
            if not is_database_fault(error):
                raise

    async def watch(self) -> None:
        while True:
            try:
                await self.look()
            except Exception:
                logger.exception("Could not read the maintenance, the access rules and the site.")
            await asyncio.sleep(POLL_SECONDS)
