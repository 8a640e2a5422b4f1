"""Places of GeoNames, by which ads and searches have a town."""

from typing import Any

from sqlalchemy import BigInteger, Index, Text, text
from sqlalchemy.dialects.postgresql import DOUBLE_PRECISION, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from adsvc.models.base import Base


class Place(Base):
    """A town or village, or an area with a postcode."""

    __tablename__ = "places"
    __table_args__ = (Index("ix_places_cell", "cell"), Index("ix_places_country", "country"))

    # GeoNames' own; of an area with a postcode a hash, which is larger than any of these.
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(Text)
    # ISO 3166-1, in capital letters.
    country: Mapped[str] = mapped_column(Text)
    region: Mapped[str | None] = mapped_column(Text)
    population: Mapped[int] = mapped_column(BigInteger)
    latitude: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    longitude: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    # A degree of latitude by a degree of longitude: `points.cell_of`.
    cell: Mapped[int]
    postcode: Mapped[str | None] = mapped_column(Text)
    # Language tag to name, where it differs from `name`.
    names: Mapped[dict[str, Any] | None] = mapped_column(JSONB)


class PlaceKey(Base):
    """A name of a place in the form that names are compared in: `normalisation.search_key`."""

    __tablename__ = "place_keys"
    __table_args__ = (
        # What begins with some text, everywhere and near a point. All that a search reads of a row
        # is in the index.
        Index(
            "ix_place_keys_key",
            "key",
            text("weight DESC"),
            postgresql_include=["place_id"],
        ),
        Index(
            "ix_place_keys_cell_key",
            "cell",
            "key",
            postgresql_include=["place_id", "weight"],
        ),
        # The largest places for the first letters.
        Index(
            "ix_place_keys_beginning",
            text("left(key, 2)"),
            text("weight DESC"),
            postgresql_include=["place_id", "key"],
        ),
    )

    place_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    key: Mapped[str] = mapped_column(Text(collation="C"), primary_key=True)
    cell: Mapped[int]
    # The inhabitants of the place, or a tenth of them where the name is not its usual one.
    weight: Mapped[int] = mapped_column(BigInteger)


class PlaceSource(Base):
    """Where the places of a country came from."""

    __tablename__ = "place_sources"

    country: Mapped[str] = mapped_column(Text, primary_key=True)
    # A digest of the shipped extract; `operator` for what `adsvc places load` replaced.
    source: Mapped[str] = mapped_column(Text)
