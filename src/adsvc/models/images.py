"""Pictures, and the queue of their deletions."""

from sqlalchemy import BigInteger, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.accounts import User
from adsvc.models.base import Base


class Image(Base):
    """A picture that a row names, and the account that it counts for.

    That is the author of the ad, or the avatar's owner. A trigger removes the row when the picture
    is queued for deletion. Pictures that are older than this table are not in it, and count for no
    account.
    """

    __tablename__ = "images"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), index=True
    )
    bytes: Mapped[int] = mapped_column(BigInteger)


class ImageTotal(Base):
    """The bytes of one account's pictures; triggers keep them."""

    __tablename__ = "image_totals"

    owner_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(User.id, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    bytes: Mapped[int] = mapped_column(BigInteger)


class PictureDeletion(Base):
    """A picture that no row names any more and that is still in the store.

    Triggers add it in the transaction that removes its last row. It is deleted when the file is
    certainly deleted.
    """

    __tablename__ = "picture_deletions"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
