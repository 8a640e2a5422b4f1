from datetime import datetime

from sqlalchemy import DateTime, Text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base


class RateLimit(Base):
    """One limiter's state: when the next attempt would have been due (GCRA's arrival time).

    The table is unlogged: after a crash of the database it is empty, which forgives everyone.
    """

    __tablename__ = "rate_limits"
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    due_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)
