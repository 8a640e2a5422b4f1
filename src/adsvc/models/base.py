from datetime import datetime
from typing import Annotated, ClassVar

from sqlalchemy import BigInteger, Identity, MetaData, func
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.orm import DeclarativeBase, mapped_column

from adsvc.invalidation import InvalidationKind

# As precise as in the interface, so that clients' values can be compared.
MOMENT = TIMESTAMP(timezone=True, precision=3)


class Base(DeclarativeBase):
    # What a change of its rows invalidates. Triggers announce it to every process, and the service
    # that makes the change to its own.
    invalidates: ClassVar[frozenset[InvalidationKind]] = frozenset()

    # Named constraints can be dropped and altered by migrations on every database.
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


BigId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
CreatedAt = Annotated[datetime, mapped_column(MOMENT, server_default=func.now())]
UpdatedAt = Annotated[
    datetime,
    mapped_column(MOMENT, server_default=func.now(), onupdate=func.now()),
]
