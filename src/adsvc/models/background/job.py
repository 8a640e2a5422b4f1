from datetime import datetime

from sqlalchemy import BigInteger, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import MOMENT, Base


class Job(Base):
    """What became of a regular job, whichever process has run it last."""

    __tablename__ = "jobs"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    began_at: Mapped[datetime] = mapped_column(MOMENT, server_default=func.now())
    seconds: Mapped[float] = mapped_column(server_default="0")
    runs: Mapped[int] = mapped_column(BigInteger, server_default="0")
    failures: Mapped[int] = mapped_column(BigInteger, server_default="0")
    # When it last ended well.
    succeeded_at: Mapped[datetime | None] = mapped_column(MOMENT)
