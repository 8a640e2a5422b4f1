"""The servers that may answer lists in place of the primary."""

import asyncio
import time
from contextlib import closing
from typing import Any

from sqlalchemy.engine import URL

from adsvc.db.connections.addresses import each_alone
from adsvc.db.connections.servers import Servers
from adsvc.db.faults import is_database_fault
from adsvc.db.positions import AT_PRIMARY, AT_REPLICA
from adsvc.db.read_pool import Reader
from adsvc.repositories.operation import schema
from adsvc.repositories.operation.server import connections_of, system_of
from adsvc.services.doctor.findings import Finding, Installation, fault, ok, warning

# One that answers lists is 0.2 s behind at most; more than a slow network takes.
LAG_SECONDS = 2.0
POLL_SECONDS = 0.05


async def replicas(it: Installation) -> list[Finding]:
    url = it.settings.database_replica()
    if url is None:
        return [ok("There is no replica.")]
    system = await system_of(it.database.reader)
    # Otherwise whichever server is the primary is passed over.
    any_will_do = url.query.get("target_session_attrs", "any") == "any"
    looking = (
        _look(it, name, one, system, any_will_do=any_will_do)
        for name, one in each_alone(url).items()
    )
    return list(await asyncio.gather(*looking))


async def _behind(it: Installation, replica: Reader) -> int:
    """The bytes of the primary's log, as it is now, that do not come within that time."""
    wanted: Any = await it.database.reader.fetchrow(AT_PRIMARY, keep_plan=True)
    until = time.monotonic() + LAG_SECONDS
    while True:
        found: Any = await replica.fetchrow(AT_REPLICA, keep_plan=True)
        behind: int = max(0, wanted["log"] - found["log"])
        if behind == 0 or time.monotonic() > until:
            return behind
        await asyncio.sleep(POLL_SECONDS)


async def _look(
    it: Installation, name: str, url: URL, system: int | None, *, any_will_do: bool
) -> Finding:
    seconds = it.settings.database_timeout_seconds
    with closing(Reader(Servers(url), pool_size=1, timeout=seconds, server_settings={})) as reader:
        try:
            theirs, connections = await system_of(reader), await connections_of(reader)
            takes_writes = await schema.takes_writes(reader)
            behind = await _behind(it, reader) if theirs == system else 0
        except Exception as error:
            if not is_database_fault(error):
                raise
            advice = "Bring it back, or take it out of ADSVC_DATABASE_REPLICA_URL."
            seen = f"{name} does not answer. The primary answers in its place."
            return fault(seen, advice, name)
    if theirs != system:
        advice = "Set ADSVC_DATABASE_REPLICA_URL to standbys of ADSVC_DATABASE_URL."
        return fault(f"{name} is no replica of this database.", advice, name)
    if behind > 0:
        advice = "See why in pg_stat_replication of the primary; it answers in its place meanwhile."
        seen = (
            f"{name} lags: after {LAG_SECONDS:g} s it lacked {behind} bytes of the primary's log."
        )
        return warning(seen, advice, name)
    needed = it.settings.replica_connections * it.settings.workers
    if needed > connections:
        advice = "Raise max_connections there, or lower ADSVC_DATABASE_POOL_SIZE or ADSVC_WORKERS."
        seen = f"This node opens up to {needed} connections to {name}, of {connections}."
        return warning(seen, advice, name)
    if any_will_do and takes_writes:
        advice = "Name its standbys, or let the address end with target_session_attrs=standby."
        seen = f"{name} takes writes: it is the primary, which is spared nothing."
        return warning(seen, advice, name)
    return ok(f"{name} answers; this node opens up to {needed} of {connections}.")
