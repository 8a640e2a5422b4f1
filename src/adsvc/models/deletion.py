from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base


class PictureDeletion(Base):
    """A picture that no row names any more and that is still in the store.

    Triggers put it here in the transaction that removed its last row; it goes when the file is
    gone for certain.
    """

    __tablename__ = "picture_deletions"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
