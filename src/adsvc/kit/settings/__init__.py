"""Settings of the platform: types of values, checks of single values, and groups."""

from typing import Annotated

from pydantic import Field

MEBIBYTE = 1024 * 1024

# Within what databases, clocks and C libraries can count.
Count = Annotated[int, Field(ge=1, le=2**31 - 1)]
Bytes = Annotated[int, Field(ge=1, le=2**50)]
# Even the smallest request needs a kilobyte.
RequestBytes = Annotated[int, Field(ge=1024, le=2**30)]

# At most a day. The bounds also exclude infinity and NaN.
Seconds = Annotated[float, Field(gt=0, le=86_400)]
BytesOrNone = Annotated[int, Field(ge=0, le=2**50)]
