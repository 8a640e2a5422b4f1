"""What the text of an account takes."""

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base, BigId


class TextTotal(Base):
    """A part of it: triggers add one for each change, and cleaning adds them up to one.

    A part may be negative. No foreign key: that of an account which is deleted meanwhile goes when
    they are added up.
    """

    __tablename__ = "text_totals"

    id: Mapped[BigId]
    owner_id: Mapped[int] = mapped_column(BigInteger, index=True)
    bytes: Mapped[int] = mapped_column(BigInteger)
