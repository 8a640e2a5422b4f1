from sqlalchemy import BigInteger, ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from adsvc.models.base import Base, BigId, CreatedAt, UpdatedAt
from adsvc.models.user import User


class Ad(Base):
    __tablename__ = "ads"
    # One author's ads, newest first.
    __table_args__ = (Index(None, "author_id", "id"),)

    id: Mapped[BigId]
    author_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(User.id, ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text)
    price: Mapped[int]
    image: Mapped[str] = mapped_column(Text, index=True)
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    # Never loaded by surprise: whoever needs the author asks for it in the query.
    author: Mapped[User] = relationship(lazy="raise")
