"""How many ads and comments there are, kept by triggers: counting a large table takes too long."""

from sqlalchemy import BigInteger, ForeignKey, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.ads.ad import Ad
from adsvc.models.base import Base
from adsvc.models.user import User


class AdTotal(Base):
    """The number of ads is the sum over all slots.

    A connection writes to the slot of its own, so that concurrent writers do not wait for one row.
    """

    __tablename__ = "ad_totals"

    slot: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    ads: Mapped[int] = mapped_column(BigInteger)


class AuthorAdTotal(Base):
    __tablename__ = "author_ad_totals"

    author_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # Those in lists, and the rest: drafts, and what is sold, withdrawn or expired.
    ads: Mapped[int] = mapped_column(BigInteger)
    hidden: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)


class AdCommentTotal(Base):
    __tablename__ = "ad_comment_totals"

    ad_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    comments: Mapped[int] = mapped_column(BigInteger)
