from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.ads.ad import Ad
from adsvc.models.base import Base, BigId


class AdImage(Base):
    """One picture of an ad. The lowest position comes first; positions may have gaps.

    Triggers queue the files of a row that goes, and add the row of an ad whose writer knows one
    picture an ad.
    """

    __tablename__ = "ad_images"
    __table_args__ = (
        UniqueConstraint("ad_id", "position", deferrable=True, initially="IMMEDIATE"),
        # What `adsvc images rebuild` has still to do.
        Index("ix_ad_images_without_variants", "id", postgresql_where=text("NOT has_variants")),
    )

    id: Mapped[BigId]
    ad_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(Ad.id, ondelete="CASCADE"))
    position: Mapped[int]
    name: Mapped[str] = mapped_column(Text, index=True)
    # Of the stored picture; null if it was stored before sizes were, and not rebuilt since.
    width: Mapped[int | None]
    height: Mapped[int | None]
    # Its average colour, `#rrggbb`.
    placeholder: Mapped[str | None] = mapped_column(Text)
    # SHA-256 of the stored picture; null if it was stored before digests were.
    digest: Mapped[bytes | None] = mapped_column(LargeBinary)
    has_variants: Mapped[bool] = mapped_column(server_default=false(), default=False)
