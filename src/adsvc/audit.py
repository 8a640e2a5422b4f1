"""The audit trail: what security has an interest in, one structured log line an event."""

import logging
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from adsvc.db import Transaction

logger = logging.getLogger("adsvc.audit")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where what is happening now comes from."""

    request_id: str
    address: str


origin: ContextVar[Origin | None] = ContextVar("origin", default=None)


class Event(StrEnum):
    LOGIN_FAILED = "login_failed"
    RATE_LIMITED = "rate_limited"
    ROLE_CHANGED = "role_changed"
    TOKEN_REUSED = "token_reused"  # noqa: S105 - an event, not a token
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - an event, not a password
    ACCOUNT_DELETED = "account_deleted"
    FOREIGN_AD_DELETED = "foreign_ad_deleted"


def record(
    event: Event, *, actor: int | str | None = None, target: int | str | None = None
) -> None:
    """Actor and target are ids; never names, passwords or tokens.

    The actor of a command is `operator`; that of an anonymous request is None.
    """
    here = origin.get()
    logger.warning(
        event.value,
        extra={
            "actor": actor,
            "target": target,
            "request_id": here.request_id if here else None,
            "address": here.address if here else None,
        },
    )


def record_on_commit(transaction: Transaction, event: Event, *, actor: int, target: int) -> None:
    """What did not come to pass does not enter the trail."""

    async def tell() -> None:
        record(event, actor=actor, target=target)

    transaction.on_commit(tell)
