from datetime import datetime
from typing import Annotated, ClassVar

from sqlalchemy import BigInteger, FetchedValue, Identity, Text, func
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.orm import DeclarativeBase, mapped_column

# As precise as in the interface, so that clients' values can be compared.
MOMENT = TIMESTAMP(timezone=True, precision=3)


class Base(DeclarativeBase):
    type_annotation_map: ClassVar = {str: Text, datetime: MOMENT}


BigId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
# The default of a column, which the schema has. SQLAlchemy would write NULL without it where an
# object is added.
IN_SCHEMA = FetchedValue()
CreatedAt = Annotated[datetime, mapped_column(server_default=IN_SCHEMA)]
UpdatedAt = Annotated[datetime, mapped_column(server_default=IN_SCHEMA, onupdate=func.now())]
