from uuid import UUID

from sqlalchemy import CheckConstraint, Text, func, true
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base


class Installation(Base):
    """The one row whose id the image store bears too, so that neither meets a stranger."""

    __tablename__ = "installation"
    __table_args__ = (CheckConstraint("single", name="one_row"),)

    single: Mapped[bool] = mapped_column(primary_key=True, server_default=true())
    id: Mapped[UUID] = mapped_column(server_default=func.gen_random_uuid())
    # The newest migration that the oldest version knows which works on this schema.
    oldest_head: Mapped[str] = mapped_column(Text, server_default="0010")
