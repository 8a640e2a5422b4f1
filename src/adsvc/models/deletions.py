"""Deletions of ads and accounts that can be undone."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId, CreatedAt


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
