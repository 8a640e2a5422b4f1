"""Pictures, and the queue of their deletions."""

from sqlalchemy import BigInteger, ForeignKey, Index, Text, UniqueConstraint, false, text, true
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.invalidation import InvalidationKind
from adsvc.models.accounts import User
from adsvc.models.base import Base
from adsvc.models.deletions import Deletion


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
    invalidates = frozenset({InvalidationKind.IMAGE})

    name: Mapped[str] = mapped_column(Text, primary_key=True)


class HiddenPicture(Base):
    """A picture of an ad or account that is removed, suspended, or deleted for now.

    Authors and moderators see it, unless it is deleted. Its files have `stem` in the image store
    instead of the first part of their names, so that no client can know their addresses. Triggers
    add the row, or the deletion. It is deleted when the picture is shown again.
    """

    __tablename__ = "hidden_pictures"
    invalidates = frozenset({InvalidationKind.IMAGE})
    __table_args__ = (
        UniqueConstraint("stem"),
        Index("ix_hidden_pictures_pending", "name", postgresql_where=text("is_pending")),
    )

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    stem: Mapped[str] = mapped_column(
        Text, server_default=text("replace((gen_random_uuid())::text, '-'::text, ''::text)")
    )
    # Of the ad or account that it went with, until the deletion is final.
    deletion_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(Deletion.id, ondelete="SET NULL"), index=True
    )
    # Whether the files have been renamed.
    is_hidden: Mapped[bool] = mapped_column(server_default=false())
    # Whether the files may have to be renamed.
    is_pending: Mapped[bool] = mapped_column(server_default=true())
