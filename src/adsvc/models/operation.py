"""The installation, its jobs, outbox and audit trail; deletions that can be undone."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import EntryStatus
from adsvc.models.accounts import AccountId
from adsvc.models.base import Base, BigId, CreatedAt


class Installation(Base):
    """The installation's id, in the only row. Its image store has the same id."""

    __tablename__ = "installation"

    single: Mapped[bool] = mapped_column(primary_key=True)
    id: Mapped[UUID]
    # The private key of Web Push (RFC 8292), and the key that signs links in mails. Null before
    # they are first needed.
    push_key: Mapped[bytes | None]
    link_key: Mapped[bytes | None]
    # Of `ADSVC_JWT_SECRET`: a keyed digest of a constant. Null before the first start.
    secret_fingerprint: Mapped[bytes | None]
    # As in `services.maintenance.Closure`; null if there is none.
    maintenance: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    # By subject, as `schemas.console.AccessRule`.
    access_rules: Mapped[dict[str, Any]] = mapped_column(JSONB)
    # Members of `schemas.site.AdministeredSite` that administrators have set; null for none.
    site: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    # The digest of the token of the set-up link that is valid, and until when it is.
    setup_hash: Mapped[bytes | None]
    setup_until: Mapped[datetime | None]
    # The head revision of the oldest release that can work on this schema.
    oldest_head: Mapped[str]
    # The last id of the ads whose words have been written anew since their rules changed; null if
    # all have been.
    reworded: Mapped[int | None] = mapped_column(BigInteger)


class SiteChange(Base):
    """A change of the site by an administrator. The id of the newest one is the site's version."""

    __tablename__ = "site_changes"

    id: Mapped[BigId]
    at: Mapped[datetime]
    # As in `AuditEvent`.
    actor: Mapped[str]
    # The members that changed; null is the default.
    before: Mapped[dict[str, Any]] = mapped_column(JSONB)
    after: Mapped[dict[str, Any]] = mapped_column(JSONB)


class Invitation(Base):
    """An invitation to register, while the site takes those with one alone."""

    __tablename__ = "invitations"

    id: Mapped[BigId]
    created_at: Mapped[CreatedAt]
    # SHA-256 of the code.
    hash: Mapped[bytes]
    # How many accounts it is good for, and how many there are.
    uses: Mapped[int]
    used: Mapped[int] = mapped_column(default=0)
    # None for no end.
    expires_at: Mapped[datetime | None]


class Job(Base):
    """The last run of a regular job, in any process."""

    __tablename__ = "jobs"

    name: Mapped[str] = mapped_column(primary_key=True)
    began_at: Mapped[datetime]
    seconds: Mapped[float]
    runs: Mapped[int] = mapped_column(BigInteger)
    failures: Mapped[int] = mapped_column(BigInteger)
    # When it last succeeded, and when it last failed.
    succeeded_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    # When an administrator requested a run that has not begun.
    requested_at: Mapped[datetime | None]


class OutboxEntry(Base):
    """Work outside the database that follows from a transaction, and is written in it.

    A worker deletes the entry when the work is done.
    """

    __tablename__ = "outbox"

    id: Mapped[BigId]
    # Names the handler. A worker leaves kinds that it does not know to others.
    kind: Mapped[str]
    payload: Mapped[dict[str, Any]] = mapped_column(JSONB)
    # The same at every attempt, so that the recipient recognises a repetition.
    message_id: Mapped[UUID]
    # The number of attempts, without those that do not count. Together with `not_before` it
    # identifies a worker's claim.
    attempts: Mapped[int] = mapped_column(default=0)
    # Until then no attempt begins: the entry is claimed, or waits for its next attempt. The
    # earliest goes first; with a `repositories.outbox.HEAD_START` it is before the entry itself.
    not_before: Mapped[datetime]
    created_at: Mapped[CreatedAt]
    # When it became a dead letter, which is not tried any more.
    dead_at: Mapped[datetime | None]
    # Why the last attempt failed, for operators.
    error: Mapped[str | None]

    @property
    def status(self) -> EntryStatus:
        return EntryStatus.WAITING if self.dead_at is None else EntryStatus.DEAD


class MailAttempt(Base):
    """An attempt to send a mail to an account, without its address and text."""

    __tablename__ = "mail_attempts"

    id: Mapped[BigId]
    user_id: Mapped[AccountId]
    # A `services.mail.rendering.Letter`, or the type of a notification.
    letter: Mapped[str]
    # As in the outbox, which has the entry no longer.
    message_id: Mapped[UUID]
    attempt: Mapped[int]
    # A `MailOutcome`, and what the server answered, or why nothing was sent.
    outcome: Mapped[str]
    answer: Mapped[str]
    created_at: Mapped[CreatedAt]


class AuditEvent(Base):
    """An event of interest to security. It has no foreign keys, and so outlives what it names."""

    __tablename__ = "audit_events"

    id: Mapped[BigId]
    at: Mapped[CreatedAt]
    event: Mapped[str]
    # Ids; or `operator` for a command, and the name of a limit.
    actor: Mapped[str | None]
    target: Mapped[str | None]
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    # The account that owns the target, or owned it.
    owner_id: Mapped[int | None] = mapped_column(BigInteger)
    request_id: Mapped[str | None]
    address: Mapped[str | None]
    # How many events of the kind the process omitted before this one.
    omitted: Mapped[int] = mapped_column(default=0)


class Deletion(Base):
    """A deletion until it is final. It has no foreign keys: what it names is gone."""

    __tablename__ = "deletions"

    id: Mapped[BigId]
    # A `DeletionKind`, and the id of the ad or account.
    kind: Mapped[str]
    target_id: Mapped[int] = mapped_column(BigInteger)
    # The author of the ad, or the account itself.
    owner_id: Mapped[int] = mapped_column(BigInteger)
    # The title, or the user name.
    label: Mapped[str]
    # The id of the account that deleted it, or `operator`.
    actor: Mapped[str]
    created_at: Mapped[CreatedAt]
    ends_at: Mapped[datetime]
