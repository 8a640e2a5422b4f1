"""Imports of ads from an account's own system."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, LargeBinary, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.accounts import User
from adsvc.models.ads import Ad
from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


class Import(Base):
    __tablename__ = "imports"
    __table_args__ = (
        CheckConstraint(
            "status IN ('running', 'waiting', 'done', 'replaced')",
            name="status",
        ),
        # One at a time.
        Index(
            "uq_imports_under_way",
            "owner_id",
            unique=True,
            postgresql_where=text("status IN ('running', 'waiting')"),
        ),
        Index(None, "owner_id"),
        Index("ix_imports_running", "id", postgresql_where=text("status = 'running'")),
        Index("ix_imports_ended_at", "ended_at", postgresql_where=text("ended_at IS NOT NULL")),
    )

    id: Mapped[BigId]
    owner_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    mode: Mapped[str] = mapped_column(Text)
    dry_run: Mapped[bool]
    # `enums.ImportStatus`
    status: Mapped[str] = mapped_column(Text)
    # Of the feed; those that change nothing have no row of `import_rows`.
    rows: Mapped[int]
    unchanged: Mapped[int]
    created_at: Mapped[CreatedAt]
    ended_at: Mapped[datetime | None] = mapped_column(MOMENT)
    # Until then it waits for the account's limit on uploads.
    resumes_at: Mapped[datetime | None] = mapped_column(MOMENT)


class ImportedRow(Base):
    """What a row of a feed changes, or an ad that a full feed does not have."""

    __tablename__ = "import_rows"
    __table_args__ = (
        CheckConstraint(
            "status IN ('pending', 'created', 'updated', 'withdrawn', 'failed')", name="status"
        ),
        Index(None, "import_id", "status", "number"),
        Index(
            "ix_import_rows_due",
            "import_id",
            "next_at",
            "number",
            postgresql_where=text("status = 'pending'"),
        ),
        Index(
            "ix_import_rows_claimed",
            "import_id",
            postgresql_where=text("claimed_until IS NOT NULL"),
        ),
    )

    id: Mapped[BigId]
    import_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Import.id, ondelete="CASCADE"))
    # Of the row in the feed, from 1; of what the feed does not have, after all of these.
    number: Mapped[int]
    external_id: Mapped[str | None] = mapped_column(Text)
    # Of the ad that is withdrawn; of another one when it has been written.
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    # The record `schemas.imports.ImportRow`; null when it has been handled, and of a withdrawal.
    sent: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    images_digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Whether its pictures are not those of the ad.
    fetches: Mapped[bool]
    # `enums.ImportRowStatus`
    status: Mapped[str] = mapped_column(Text)
    # A list of `schemas.problem.FaultDetail`.
    faults: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB(none_as_null=True))
    # Begun so far. Along with `claimed_until` it identifies a worker's claim.
    attempts: Mapped[int] = mapped_column(server_default="0", default=0)
    next_at: Mapped[datetime] = mapped_column(MOMENT, server_default=text("now()"))
    claimed_until: Mapped[datetime | None] = mapped_column(MOMENT)


class ImportedAd(Base):
    """The state of an ad after its last import. One that was changed since has another revision."""

    __tablename__ = "imported_ads"

    ad_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    # Of the addresses of its pictures.
    images_digest: Mapped[bytes] = mapped_column(LargeBinary)
    # `updated_at` of the ad.
    revision: Mapped[datetime] = mapped_column(MOMENT)
