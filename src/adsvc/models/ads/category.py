"""The tree of categories, and how many ads each has."""

from typing import Any

from sqlalchemy import BigInteger, ForeignKey, SmallInteger, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base, BigId


class Category(Base):
    __tablename__ = "categories"

    id: Mapped[BigId]
    slug: Mapped[str] = mapped_column(Text, unique=True)
    parent_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("categories.id"), index=True
    )
    name: Mapped[str] = mapped_column(Text)
    names: Mapped[dict[str, str]] = mapped_column(JSONB, server_default=text("'{}'"))
    position: Mapped[int] = mapped_column(server_default="0")
    # Its own, as `schemas.ads.attributes.Attribute`; those of its ancestors apply too.
    attributes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default=text("'[]'"))


class CategoryAdTotal(Base):
    """The number of visible ads of one category, without those below it, is the sum over its slots.

    Triggers keep it; see `AdTotal` for the slots.
    """

    __tablename__ = "category_ad_totals"

    category_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(Category.id, ondelete="CASCADE"), primary_key=True
    )
    slot: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    ads: Mapped[int] = mapped_column(BigInteger)
