"""Imports of ads from an account's own system."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.ads import AdId
from adsvc.models.base import Base


class ImportedAd(Base):
    """The state of an ad after its last import. One that was changed since has another revision."""

    __tablename__ = "imported_ads"

    ad_id: Mapped[AdId] = mapped_column(primary_key=True)
    digest: Mapped[bytes]
    # Of the addresses of its pictures.
    images_digest: Mapped[bytes]
    # `updated_at` of the ad.
    revision: Mapped[datetime]
