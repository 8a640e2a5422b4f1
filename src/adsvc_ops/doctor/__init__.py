"""Looks at what an operator may have got wrong, and says what to do.

A check is one function, from what it may look at to what it found, and a row of `CHECKS`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping

import asyncpg
from sqlalchemy.exc import DBAPIError

from adsvc.errors import AdsvcError
from adsvc_ops.doctor import database, machine, site
from adsvc_ops.doctor.findings import Finding, Installation, fault

Check = Callable[[Installation], Awaitable[list[Finding]]]

# A new check is one function and one row. Those of the machine ask no database.
OF_THE_MACHINE: Mapping[str, Check] = {
    "variables": machine.variables,
    "risks": machine.risks,
    "secret": machine.secret,
    "user": machine.user,
    "permissions": machine.permissions,
    "disk": machine.disk,
    "open files": machine.files,
    "storefront": machine.storefront,
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
    "store": site.owner,
    "storing": site.use,
    "proxy": site.proxy,
    "mail": site.delivery,
    "work": site.work,
    "backups": database.backups,
}
# What checks cannot be made without: settings, by how their names begin.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "secret": ("jwt_secret",),
    "disk": ("data_dir", "image_store", "s3_"),
    "open files": ("connections",),
    "storefront": ("storefront",),
    "connections": ("database_pool_size", "workers"),
    "replicas": ("database_replica_url",),
    "notices": ("database_listen_url", "database_pooling"),
    "store": ("data_dir", "image_store", "s3_"),
    "storing": ("data_dir", "image_store", "s3_"),
    "proxy": ("site_url", "root_path", "trusted_proxies"),
    "mail": ("mail_", "smtp_", "site_url"),
}


def checks_without(settings: Collection[str]) -> Mapping[str, Check]:
    """Those that can be made though these settings are at fault."""
    possible = OF_THE_MACHINE if "database_url" in settings else CHECKS
    return {
        name: check
        for name, check in possible.items()
        if not any(setting.startswith(NEEDS.get(name, ())) for setting in settings)
    }


async def examine(
    it: Installation, checks: Mapping[str, Check]
) -> AsyncIterator[tuple[str, Finding]]:
    """Runs the checks. One that cannot be made does not keep the others from being made."""
    for name, check in checks.items():
        for finding in await _found(check, it):
            yield name, finding


async def _found(check: Check, it: Installation) -> list[Finding]:
    try:
        return await check(it)
    except (AdsvcError, OSError, asyncpg.PostgresError, DBAPIError) as error:
        # A database that is empty, or of another version, lacks tables.
        return [
            fault(f"It could not be looked at: {_told(error)}", "Mend what is told above first.")
        ]


def _told(error: Exception) -> str:
    """Without the statement, which SQLAlchemy adds."""
    return str(error.orig if isinstance(error, DBAPIError) else error)
