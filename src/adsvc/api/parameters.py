"""Numbers in paths and queries."""

import re
from typing import Annotated

from fastapi import Path
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError
from starlette.convertors import StringConvertor, register_url_convertor

LARGEST_ID = 2**63 - 1
DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")


def decimal(value: object) -> object:
    """Python's `int` takes more than the interface does: signs, spaces, underscores, zeros."""
    if isinstance(value, str) and not DECIMAL.fullmatch(value):
        raise PydanticCustomError("decimal", "must be a decimal number within range")
    return value


class AdIdConvertor(StringConvertor):
    """Any one segment but `me` and `facets`, whose paths have their own methods alone."""

    regex = "(?!(?:me|facets)(?:/|$))[^/]+"


register_url_convertor("ad_id", AdIdConvertor())

AdIdPath = Annotated[
    int,
    BeforeValidator(decimal),
    Path(alias="id", ge=1, le=LARGEST_ID, description="The ad's id.", examples=[42]),
]
CommentIdPath = Annotated[
    int,
    BeforeValidator(decimal),
    Path(alias="commentId", ge=1, le=LARGEST_ID, description="The comment's id.", examples=[9]),
]
SessionIdPath = Annotated[
    int,
    BeforeValidator(decimal),
    Path(alias="id", ge=1, le=LARGEST_ID, description="The session's id.", examples=[3]),
]
