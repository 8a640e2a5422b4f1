"""Pictures, and those that are to be deleted."""

from sqlalchemy import BigInteger, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.accounts import User
from adsvc.models.base import Base


class Image(Base):
    """A picture that a row names, and whom it counts for: whose ad or avatar it belongs to.

    A trigger removes it when the picture is queued for deletion. Pictures stored before there was
    this table are not in it, and count for no account.
    """

    __tablename__ = "images"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    bytes: Mapped[int] = mapped_column(BigInteger)


class ImageTotal(Base):
    """What one account's pictures take; triggers keep it."""

    __tablename__ = "image_totals"

    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    bytes: Mapped[int] = mapped_column(BigInteger)


class PictureDeletion(Base):
    """A picture that no row names any more and that is still in the store.

    Triggers put it here in the transaction that removed its last row; it goes when the file is
    gone for certain.
    """

    __tablename__ = "picture_deletions"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
