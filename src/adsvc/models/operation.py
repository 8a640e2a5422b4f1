"""The installation, its jobs, outbox and audit trail; deletions that can be undone."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.enums import EntryStatus
from adsvc.invalidation import InvalidationKind
from adsvc.models.accounts import User
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class Installation(Base):
    """The installation's id, in the only row. Its image store has the same id."""

    __tablename__ = "installation"
    __table_args__ = (CheckConstraint("single", name="one_row"),)

    single: Mapped[bool] = mapped_column(primary_key=True, server_default=true())
    id: Mapped[UUID] = mapped_column(server_default=func.gen_random_uuid())
    # The private key of Web Push (RFC 8292), and the key that signs links in mails. Null before
    # they are first needed.
    push_key: Mapped[bytes | None] = mapped_column(LargeBinary)
    link_key: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Of `ADSVC_JWT_SECRET`: a keyed digest of a constant. Null before the first start.
    secret_fingerprint: Mapped[bytes | None] = mapped_column(LargeBinary)
    # As in `services.maintenance.Closure`; null if there is none.
    maintenance: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    # By subject, as `schemas.console.AccessRule`.
    access_rules: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    # Members of `schemas.site.AdministeredSite` that administrators have set; null for none.
    site: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    # The digest of the token of the set-up link that is valid, and until when it is.
    setup_hash: Mapped[bytes | None] = mapped_column(LargeBinary)
    setup_until: Mapped[datetime | None] = mapped_column(MOMENT)
    # The head revision of the oldest release that can work on this schema.
    oldest_head: Mapped[str] = mapped_column(Text, server_default="0010")
    # The last id of the ads whose words have been written anew since their rules changed; null if
    # all have been.
    reworded: Mapped[int | None] = mapped_column(BigInteger)


class SiteChange(Base):
    """A change of the site by an administrator. The id of the newest one is the site's version."""

    __tablename__ = "site_changes"

    id: Mapped[BigId]
    at: Mapped[CreatedAt]
    # As in `AuditEvent`.
    actor: Mapped[str] = mapped_column(Text)
    # The members that changed; null is the default.
    before: Mapped[dict[str, Any]] = mapped_column(JSONB)
    after: Mapped[dict[str, Any]] = mapped_column(JSONB)


class Invitation(Base):
    """An invitation to register, while the site takes those with one alone."""

    __tablename__ = "invitations"
    __table_args__ = (UniqueConstraint("hash"),)

    id: Mapped[BigId]
    created_at: Mapped[CreatedAt]
    # SHA-256 of the code.
    hash: Mapped[bytes]
    # How many accounts it is good for, and how many there are.
    uses: Mapped[int]
    used: Mapped[int] = mapped_column(server_default="0", default=0)
    # None for no end.
    expires_at: Mapped[datetime | None] = mapped_column(MOMENT)


class Job(Base):
    """The last run of a regular job, in any process."""

    __tablename__ = "jobs"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    began_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    seconds: Mapped[float] = mapped_column(server_default="0")
    runs: Mapped[int] = mapped_column(BigInteger, server_default="0")
    failures: Mapped[int] = mapped_column(BigInteger, server_default="0")
    # When it last succeeded, and when it last failed.
    succeeded_at: Mapped[datetime | None] = mapped_column(MOMENT)
    failed_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # When an administrator requested a run that has not begun.
    requested_at: Mapped[datetime | None] = mapped_column(MOMENT)


class OutboxEntry(Base):
    """Work outside the database that follows from a transaction, and is written in it.

    A worker deletes the entry when the work is done.
    """

    __tablename__ = "outbox"
    invalidates = frozenset({InvalidationKind.OUTBOX})
    __table_args__ = (
        Index("ix_outbox_due", "not_before", "id", postgresql_where=text("dead_at IS NULL")),
        Index("ix_outbox_dead", "dead_at", "id", postgresql_where=text("dead_at IS NOT NULL")),
    )

    id: Mapped[BigId]
    # Names the handler. A worker leaves kinds that it does not know to others.
    kind: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]] = mapped_column(JSONB)
    # The same at every attempt, so that the recipient recognises a repetition.
    message_id: Mapped[UUID] = mapped_column(Uuid, server_default=func.gen_random_uuid())
    # The number of attempts, without those that do not count. Together with `not_before` it
    # identifies a worker's claim.
    attempts: Mapped[int] = mapped_column(server_default="0", default=0)
    # Until then no attempt begins: the entry is claimed, or waits for its next attempt. The
    # earliest goes first; with a `repositories.outbox.HEAD_START` it is before the entry itself.
    not_before: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    created_at: Mapped[CreatedAt]
    # When it became a dead letter, which is not tried any more.
    dead_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Why the last attempt failed, for operators.
    error: Mapped[str | None] = mapped_column(Text)

    @property
    def status(self) -> EntryStatus:
        return EntryStatus.WAITING if self.dead_at is None else EntryStatus.DEAD


class MailAttempt(Base):
    """An attempt to send a mail to an account, without its address and text."""

    __tablename__ = "mail_attempts"
    __table_args__ = (Index(None, "user_id", "id"),)

    id: Mapped[BigId]
    user_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    # A `services.mail.rendering.Letter`, or the type of a notification.
    letter: Mapped[str] = mapped_column(Text)
    # As in the outbox, which has the entry no longer.
    message_id: Mapped[UUID] = mapped_column(Uuid)
    attempt: Mapped[int]
    # A `MailOutcome`, and what the server answered, or why nothing was sent.
    outcome: Mapped[str] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text)
    created_at: Mapped[CreatedAt]


class AuditEvent(Base):
    """An event of interest to security. It has no foreign keys, and so outlives what it names."""

    __tablename__ = "audit_events"
    # The console reads them page by page, the newest first, also those of one actor, kind, ad or
    # account.
    __table_args__ = (
        Index("ix_audit_events_at_id", "at", "id"),
        Index("ix_audit_events_event_at_id", "event", "at", "id"),
        Index("ix_audit_events_actor_at_id", "actor", "at", "id"),
        Index(
            "ix_audit_events_ad_id_at_id",
            "ad_id",
            "at",
            "id",
            postgresql_where=text("ad_id IS NOT NULL"),
        ),
        Index(
            "ix_audit_events_owner_id_at_id",
            "owner_id",
            "at",
            "id",
            postgresql_where=text("owner_id IS NOT NULL"),
        ),
    )

    id: Mapped[BigId]
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp())
    event: Mapped[str] = mapped_column(Text)
    # Ids; or `operator` for a command, and the name of a limit.
    actor: Mapped[str | None] = mapped_column(Text)
    target: Mapped[str | None] = mapped_column(Text)
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    # The account that owns the target, or owned it.
    owner_id: Mapped[int | None] = mapped_column(BigInteger)
    request_id: Mapped[str | None] = mapped_column(Text)
    address: Mapped[str | None] = mapped_column(Text)
    # How many events of the kind the process omitted before this one.
    omitted: Mapped[int] = mapped_column(server_default="0", default=0)


class Deletion(Base):
    """A deletion until it is final. It has no foreign keys: what it names is gone."""

    __tablename__ = "deletions"
    __table_args__ = (Index(None, "owner_id"), Index(None, "ends_at"))

    id: Mapped[BigId]
    # A `DeletionKind`, and the id of the ad or account.
    kind: Mapped[str] = mapped_column(Text)
    target_id: Mapped[int] = mapped_column(BigInteger)
    # The author of the ad, or the account itself.
    owner_id: Mapped[int] = mapped_column(BigInteger)
    # The title, or the user name.
    label: Mapped[str] = mapped_column(Text)
    # The id of the account that deleted it, or `operator`.
    actor: Mapped[str] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    ends_at: Mapped[datetime] = mapped_column(MOMENT)


class DeletedRow(Base):
    """A row that went with a deletion."""

    __tablename__ = "deleted_rows"
    __table_args__ = (Index(None, "deletion_id", "place"),)

    id: Mapped[BigId]
    deletion_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Deletion.id, ondelete="CASCADE")
    )
    # The name of its table.
    place: Mapped[str] = mapped_column(Text)
    content: Mapped[dict[str, Any]] = mapped_column(JSONB)
