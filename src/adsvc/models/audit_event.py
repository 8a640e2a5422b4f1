from datetime import datetime

from sqlalchemy import BigInteger, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base, BigId


class AuditEvent(Base):
    """What security has an interest in. It refers to nothing, and so outlives what it names."""

    __tablename__ = "audit_events"

    id: Mapped[BigId]
    at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.clock_timestamp(), index=True)
    event: Mapped[str] = mapped_column(Text)
    # Ids; but `operator` for a command, and the name of a limit.
    actor: Mapped[str | None] = mapped_column(Text)
    target: Mapped[str | None] = mapped_column(Text)
    ad_id: Mapped[int | None] = mapped_column(BigInteger)
    # Whose the target is, or was.
    owner_id: Mapped[int | None] = mapped_column(BigInteger)
    request_id: Mapped[str | None] = mapped_column(Text)
    address: Mapped[str | None] = mapped_column(Text)
    # How many of the same kind the process left out before this one.
    omitted: Mapped[int] = mapped_column(server_default="0", default=0)
