"""Checks an installation for mistakes of operators, with advice for each finding.

A check is one function, from its context to its findings, and a row of `CHECKS`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping

import asyncpg
from sqlalchemy.exc import DBAPIError

from adsvc.errors import AdsvcError
from adsvc_ops.doctor import database, machine, site
from adsvc_ops.doctor.findings import CheckContext, Finding, fault

Check = Callable[[CheckContext], Awaitable[list[Finding]]]

# A new check is one function and one row. Those of the machine need no database.
OF_THE_MACHINE: Mapping[str, Check] = {
    "variables": machine.variables,
    "risks": machine.risks,
    "secret": machine.secret,
    "user": machine.user,
    "permissions": machine.permissions,
    "disk": machine.disk,
    "open files": machine.files,
    "storefront": machine.storefront,
    "event loop": machine.event_loop,
}
CHECKS: Mapping[str, Check] = {
    **OF_THE_MACHINE,
    "database": database.database_server,
    "schema": database.schema,
    "rights": database.rights,
    "clock": database.clock,
    "connections": database.connections,
    "replicas": database.replicas,
    "notices": database.listener,
    "event log": database.event_log,
    "maintenance": site.closure,
    "installation secret": site.own_secret,
    "store": site.owner,
    "storing": site.use,
    "proxy": site.proxy,
    "map": site.tiles,
    "mail": site.delivery,
    "work": site.work,
    "following": site.following,
    "search": site.search,
    "webhooks": site.webhooks,
    "passkeys": site.passkeys,
    "backups": database.backups,
}
# With those of the machine, what can be checked without the database.
OF_OTHERS = frozenset({"storing", "proxy", "map", "mail"})
# The settings that checks need, by the beginnings of their names.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "secret": ("jwt_secret",),
    "disk": ("data_dir", "image_store", "s3_"),
    "open files": ("connections",),
    "storefront": ("storefront",),
    "event loop": ("metrics_",),
    "connections": ("database_pool_size", "workers"),
    "replicas": ("database_replica_url",),
    "notices": ("database_listen_url", "database_pooling"),
    "store": ("data_dir", "image_store", "s3_"),
    "storing": ("data_dir", "image_store", "s3_"),
    "proxy": ("site_url", "root_path", "trusted_proxies"),
    "map": ("map_", "site_url"),
    "mail": ("mail_", "smtp_", "site_url"),
    "search": ("search_url",),
    "installation secret": ("jwt_secret",),
    "webhooks": ("jwt_secret",),
    "passkeys": ("site_url",),
}


def checks_without(settings: Collection[str]) -> Mapping[str, Check]:
    """The checks that can run although these settings are invalid."""
    possible = OF_THE_MACHINE if "database_url" in settings else CHECKS
    return {
        name: check
        for name, check in possible.items()
        if not any(setting.startswith(NEEDS.get(name, ())) for setting in settings)
    }


async def examine(
    context: CheckContext, checks: Mapping[str, Check]
) -> AsyncIterator[tuple[str, Finding]]:
    """Runs the checks. If one fails, the others still run.

    Of a database that cannot be used there is one finding, and no check that needs it runs.
    """
    unusable = False
    for name, check in checks.items():
        if unusable and name not in OF_THE_MACHINE and name not in OF_OTHERS:
            continue
        for finding in await _found(check, context):
            unusable = unusable or (name, finding.part) == ("database", database.UNUSABLE)
            yield name, finding


async def _found(check: Check, context: CheckContext) -> list[Finding]:
    try:
        return await check(context)
    except (AdsvcError, OSError, asyncpg.PostgresError, DBAPIError) as error:
        # A database that is empty, or of another version, lacks tables.
        return [
            fault(f"This could not be checked: {_message(error)}", "Mend the faults above first.")
        ]


def _message(error: Exception) -> str:
    """Without the statement, which SQLAlchemy adds."""
    return str(error.orig if isinstance(error, DBAPIError) else error)
