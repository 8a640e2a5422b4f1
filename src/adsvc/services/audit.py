"""The audit trail: events of interest to security, as a row in the database and a line in the log.

Actors and targets are ids; never names, passwords or tokens.
"""

import logging
from collections import Counter
from collections.abc import Hashable
from contextvars import ContextVar
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from sqlalchemy.exc import SQLAlchemyError

from adsvc.enums import AuditKind
from adsvc.errors import DatabaseUnavailableError, RateLimitedError
from adsvc.kit.bulkheads.admission import MINUTE, Client, LocalBuckets, Policy
from adsvc.kit.db.database import Database, Transaction, Unit
from adsvc.models.operation import AuditEvent
from adsvc.repositories.audit_events import Trail

logger = logging.getLogger("adsvc.audit")

# Of events that anyone can cause, a process writes so many rows of each kind at once, and then as
# many a minute: of one account, and of one network; of all accounts, and of what is of no account.
ROWS_OF_ONE = 10
ROWS_A_MINUTE = 300
# Accounts and networks that are remembered.
MOST_SHARES = 60_000


@dataclass(frozen=True, slots=True)
class Origin:
    """The request that causes the current events."""

    request_id: str
    address: str


origin: ContextVar[Origin | None] = ContextVar("origin", default=None)


# Anyone can cause these as often as they like.
FLOODS = frozenset({AuditKind.BASIC_LOGIN, AuditKind.LOGIN_FAILED, AuditKind.RATE_LIMITED})

# What an operator may have to look into; all else is as it should be, such as a login.
SUSPICIOUS = FLOODS - {AuditKind.BASIC_LOGIN} | {AuditKind.TOKEN_REUSED, AuditKind.LOGIN_REPORTED}

# Their target is an account.
OF_TARGETS = frozenset(
    {
        *(AuditKind.LOGIN_FAILED, AuditKind.LOGIN_REPORTED, AuditKind.TOKEN_REUSED),
        *(AuditKind.ROLE_CHANGED, AuditKind.PASSWORD_CHANGED, AuditKind.FACTORS_RESET),
        *(AuditKind.MAIL_CHANGED, AuditKind.MAIL_VERIFIED, AuditKind.ACCOUNT_DELETED),
        *(AuditKind.ACCOUNT_EXPORTED, AuditKind.PLAN_CHANGED),
    }
)
# What their target is belongs to the actor.
OF_ACTORS = frozenset(
    {
        *(AuditKind.SESSION_BEGAN, AuditKind.SESSION_ENDED, AuditKind.BASIC_LOGIN),
        *(AuditKind.KEY_CREATED, AuditKind.KEY_DELETED),
        *(AuditKind.TOTP_SET, AuditKind.TOTP_REMOVED, AuditKind.RECOVERY_CODE_USED),
        *(AuditKind.PASSKEY_ADDED, AuditKind.PASSKEY_REMOVED),
    }
)

Id = int | str | None


def _new(
    event: AuditKind, actor: Id, target: Id, ad_id: int | None = None, owner_id: int | None = None
) -> AuditEvent:
    here = origin.get()
    concerned = target if event in OF_TARGETS else actor if event in OF_ACTORS else None
    if owner_id is None and isinstance(concerned, int):
        owner_id = concerned
    return AuditEvent(
        event=event.value,
        actor=None if actor is None else str(actor),
        target=None if target is None else str(target),
        ad_id=ad_id,
        owner_id=owner_id,
        request_id=here.request_id if here else None,
        address=here.address if here else None,
    )


def _number(text: str | None) -> Id:
    return int(text) if text is not None and text.isdecimal() else text


def as_record(row: AuditEvent) -> dict[str, Id]:
    """The fields of a row in the log, without its id and time."""
    return {
        "actor": _number(row.actor),
        "target": _number(row.target),
        "ad_id": row.ad_id,
        "owner_id": row.owner_id,
        "request_id": row.request_id,
        "address": row.address,
    }


def record(
    transaction: Transaction,
    event: AuditKind,
    *,
    actor: Id,
    target: Id,
    ad_id: int | None = None,
    owner_id: int | None = None,
) -> None:
    """Records an event. Its row is committed with the change, or rolled back with it."""
    row = _new(event, actor, target, ad_id, owner_id)
    transaction.add(row)
    _log_on_commit(transaction, row)


def record_foreign(
    transaction: Transaction, event: AuditKind, *, actor: int, owner_id: int, ad_id: int
) -> None:
    """Records an event of an ad only if its author did not cause it."""
    if actor != owner_id:
        record(transaction, event, actor=actor, target=ad_id, ad_id=ad_id, owner_id=owner_id)


def _level(event: str) -> int:
    return logging.WARNING if event in SUSPICIOUS else logging.INFO


def _log_on_commit(unit: Unit, row: AuditEvent) -> None:
    # Read now: after the commit the session would query the row again.
    event, line = row.event, as_record(row)

    async def log() -> None:
        logger.log(_level(event), event, extra=line)

    unit.on_commit(log)


def trail(event: AuditKind) -> Trail:
    """The values for a statement that writes the row with its change; `log_foreign` follows."""
    here = origin.get()
    return Trail(event.value, here.request_id if here else None, here.address if here else None)


def log_foreign(
    unit: Unit,
    event: AuditKind,
    actor: int,
    owner_id: int,
    *,
    ad_id: int,
    target: int | None = None,
) -> None:
    """Logs the row that such a statement has written, when the unit commits.

    There is such a row only if an account changed what belongs to another. Without a `target`,
    that is the ad.
    """
    if actor != owner_id:
        target = ad_id if target is None else target
        _log_on_commit(unit, _new(event, actor, target, ad_id, owner_id))


class _Floods:
    """What a process writes of the events that anyone can cause."""

    def __init__(self) -> None:
        self._buckets = LocalBuckets(MOST_SHARES)
        self._omitted: Counter[AuditKind] = Counter()

    def take(self, event: AuditKind, address: str | None, account: Id) -> int | None:
        """How many events were omitted before this one, or None if this one is omitted too."""
        of_one = Policy("audit", ROWS_OF_ONE, MINUTE)
        network = None if address is None else Client.of(None, address).outermost
        policies: dict[Hashable, Policy] = {(event, "address", network): of_one}
        if account is not None:
            policies[event, "account", account] = of_one
        # Events of no account, such as those of unknown user names, leave room for the others.
        policies[event, "all", account is None] = Policy("audit", ROWS_A_MINUTE, MINUTE)
        try:
            self._buckets.take(policies)
        except RateLimitedError:
            self._omitted[event] += 1
            return None
        return self._omitted.pop(event, 0)


_floods: WeakKeyDictionary[Database, _Floods] = WeakKeyDictionary()


async def report(
    database: Database, event: AuditKind, *, actor: Id = None, target: Id = None
) -> None:
    """Records an event that belongs to no transaction, mostly a refusal.

    Of a flood of events most are only in the log. A failure to write the row does not change the
    response.
    """
    row = _new(event, actor, target)
    logger.log(_level(row.event), row.event, extra=as_record(row))
    if event in FLOODS:
        floods = _floods.setdefault(database, _Floods())
        omitted = floods.take(event, row.address, actor if row.owner_id is None else row.owner_id)
        if omitted is None:
            return
        row.omitted = omitted
    try:
        async with database.autocommit() as session:
            session.add(row)
            await session.commit()
    except (SQLAlchemyError, DatabaseUnavailableError) as error:
        logger.warning("An event could not be kept: %s", type(error.__cause__ or error).__name__)
