"""The secret of the installation: its fingerprint in the database, and its rotation."""

import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass, field

from adsvc.enums import AuditKind
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.kit.security.encryption import Encryption, UnreadableSecretError
from adsvc.repositories.operation import secrets as secret_rows
from adsvc.services import audit
from adsvc.settings import Settings

FOREIGN = (
    "ADSVC_JWT_SECRET is not the secret of this installation, and neither is "
    "ADSVC_JWT_SECRET_PREVIOUS. Nothing was changed. With another secret, tokens of other nodes "
    "would be refused, and authenticator apps and webhooks would fail. Set the secret that the "
    "other nodes have, or before a restore had. To replace it, set it as ADSVC_JWT_SECRET_PREVIOUS "
    "too. If it is lost: adsvc secrets rotate --force"
)


def _fingerprints(settings: Settings) -> list[bytes]:
    message = b"adsvc installation"
    secrets = settings.jwt_secrets()
    return [hmac.digest(secret.encode(), message, hashlib.sha256)[:16] for secret in secrets]


async def is_own(database: Database, settings: Settings) -> bool:
    found = await secret_rows.fingerprint(database.reader)
    return found in {None, *_fingerprints(settings)}


async def require_own(database: Database, settings: Settings) -> None:
    """Raises an `OperatorError` if the installation has another secret.

    The first start sets the installation's secret. A start whose previous secret it is replaces it.
    """
    own = _fingerprints(settings)
    if await secret_rows.fingerprint(database.reader) == own[0]:
        return
    async with database.transaction() as transaction:
        found = await secret_rows.fingerprint(transaction, for_update=True)
        if found not in {None, *own}:
            raise OperatorError(FOREIGN)
        await secret_rows.set_fingerprint(transaction, own[0])


@dataclass(frozen=True, slots=True)
class Renewal:
    """Stored secrets by kind: those encrypted with another secret than that in force."""

    renewed: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)


async def renew(database: Database, settings: Settings, *, dry_run: bool) -> Renewal:
    """Encrypts stored secrets with the secret in force; with `dry_run` it only counts them."""
    found = Renewal()
    for column in secret_rows.ENCRYPTED:
        encryption = Encryption(*settings.jwt_secrets(), kind=column.kind)
        after = 0
        while rows := await secret_rows.page(database.writer, column, after):
            after = rows[-1]["id"]
            for row in rows:
                owner = row["id"] if column.has_owner else None
                try:
                    renewed = encryption.renewed(row["secret"], owner=owner)
                except UnreadableSecretError:
                    found.unreadable[column.kind] += 1
                    continue
                if renewed is not None:
                    found.renewed[column.kind] += 1
                    if not dry_run:
                        await secret_rows.replace(database.writer, column, row, renewed)
    return found


async def rotate(
    database: Database, settings: Settings, *, dry_run: bool, force: bool, actor: str
) -> Renewal:
    """Makes the secret in force that of the installation, and encrypts what is stored with it.

    Raises an `OperatorError` if something would be lost, unless with `force`.
    """
    if not force and not await is_own(database, settings):
        raise OperatorError(FOREIGN)
    found = await renew(database, settings, dry_run=True)
    if found.unreadable and not (dry_run or force):
        raise OperatorError(
            f"Not readable with these secrets: {counted(found.unreadable)}. Nothing was changed. "
            "Is ADSVC_JWT_SECRET_PREVIOUS the secret before? To give them up: --force"
        )
    if not dry_run:
        found = await renew(database, settings, dry_run=False)
        async with database.transaction() as transaction:
            await secret_rows.set_fingerprint(transaction, _fingerprints(settings)[0])
            audit.record(transaction, AuditKind.SECRET_ROTATED, actor=actor, target=None)
    return found


def counted(found: Counter[str]) -> str:
    return ", ".join(f"{kind}: {number}" for kind, number in sorted(found.items())) or "none"
