from sqlalchemy import BigInteger, ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from adsvc.models.ads.ad import Ad
from adsvc.models.base import Base, BigId, CreatedAt, UpdatedAt
from adsvc.models.user import User


class Comment(Base):
    __tablename__ = "comments"
    # One ad's comments, newest first.
    __table_args__ = (Index(None, "ad_id", "id"),)

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))
    author_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    author: Mapped[User] = relationship(lazy="raise")
