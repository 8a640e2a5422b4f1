"""The fingerprint of the installation's secret, and secrets that are encrypted with its keys."""

from collections.abc import Sequence
from typing import NamedTuple

from adsvc.kit.db.statements import Row, Statements

SELECT_FINGERPRINT = "SELECT secret_fingerprint FROM installation"
UPDATE_FINGERPRINT = "UPDATE installation SET secret_fingerprint = $1"
AT_ONCE = 500


class EncryptedColumn(NamedTuple):
    # As `security.encryption.Encryption` has it.
    kind: str
    table: str
    key: str
    column: str
    # Whether the key is the id of the account that the secret is bound to.
    has_owner: bool


APPS, WEBHOOKS, PROVIDERS = "authenticator apps", "webhooks", "providers"
ENCRYPTED = (
    EncryptedColumn(APPS, "totps", "user_id", "secret", has_owner=True),
    EncryptedColumn(APPS, "totps", "user_id", "pending", has_owner=True),
    EncryptedColumn(WEBHOOKS, "webhooks", "id", "secret", has_owner=False),
    EncryptedColumn(WEBHOOKS, "webhooks", "id", "old_secret", has_owner=False),
    EncryptedColumn(PROVIDERS, "providers", "id", "client_secret", has_owner=False),
)


async def fingerprint(db: Statements, *, for_update: bool = False) -> bytes | None:
    """None before the first start that has set it."""
    sql = f"{SELECT_FINGERPRINT} FOR UPDATE" if for_update else SELECT_FINGERPRINT
    found: bytes | None = await db.fetchval(sql)
    return found


async def set_fingerprint(db: Statements, fingerprint: bytes) -> None:
    await db.fetch(UPDATE_FINGERPRINT, fingerprint)


async def page(db: Statements, of: EncryptedColumn, after: int) -> Sequence[Row]:
    """The next secrets by the id of their row, as `id` and `secret`."""
    return await db.fetch(
        f"SELECT {of.key} AS id, {of.column} AS secret FROM {of.table}"  # noqa: S608 - no input
        f" WHERE {of.key} > $1 AND {of.column} IS NOT NULL ORDER BY 1 LIMIT {AT_ONCE}",
        after,
    )


async def replace(db: Statements, of: EncryptedColumn, row: Row, renewed: bytes) -> None:
    """Nothing if the row has another secret by now."""
    await db.fetch(
        f"UPDATE {of.table} SET {of.column} = $3"  # noqa: S608 - no input
        f" WHERE {of.key} = $1 AND {of.column} = $2",
        *(row["id"], row["secret"], renewed),
    )
