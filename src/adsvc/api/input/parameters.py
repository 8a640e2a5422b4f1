"""Numbers in paths and queries."""

import re
from functools import partial
from typing import Annotated

from fastapi import Path
from pydantic import BeforeValidator, JsonValue
from pydantic_core import PydanticCustomError
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.types import Scope

from adsvc.errors import Fault, InvalidRequestError
from adsvc.schemas.ads.categories import SLUG

LARGEST_ID = 2**63 - 1

# What the document says instead: more than there will ever be, and JavaScript reads it exactly.
LARGEST_SAFE_INTEGER = 2**53 - 1

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


def id_from(value: str, name: str) -> int:
    if not DECIMAL.fullmatch(value) or not 1 <= int(value) <= LARGEST_ID:
        raise InvalidRequestError(Fault(f"must be from 1 to {LARGEST_ID}", name, "parameter"))
    return int(value)


def _id_named(name: str) -> BeforeValidator:
    """Refuses at once what is no id: FastAPI itself would go on and read the body first."""
    return BeforeValidator(partial(id_from, name=name))


def ad_id_of(scope: Scope, route: str | None) -> int | None:
    """The ad that the path of a request is about, if it is an id that an ad can have."""
    if route is None or not route.startswith(("/ads/{id}", "/a/{id}")):
        return None
    text = str(scope.get("path_params", {}).get("id", ""))
    return int(text) if DECIMAL.fullmatch(text) and 1 <= int(text) <= LARGEST_ID else None


RANGE: dict[str, JsonValue] = {"minimum": 1, "maximum": LARGEST_SAFE_INTEGER}

AdIdPath = Annotated[
    int,
    _id_named("id"),
    Path(alias="id", description="The ad's id.", examples=[42], json_schema_extra=RANGE),
]

CommentIdPath = Annotated[
    int,
    _id_named("commentId"),
    Path(alias="commentId", description="The comment's id.", examples=[9], json_schema_extra=RANGE),
]

ImageIdPath = Annotated[
    int,
    _id_named("imageId"),
    Path(alias="imageId", description="The picture's id.", examples=[17], json_schema_extra=RANGE),
]


def _slug(value: str) -> str:
    if not re.fullmatch(SLUG, value):
        raise InvalidRequestError(Fault(f"must match {SLUG}", "slug", "parameter"))
    return value


SlugPath = Annotated[
    str,
    BeforeValidator(_slug),
    Path(
        description="The category's slug.",
        examples=["furniture"],
        json_schema_extra={"pattern": f"^{SLUG}$"},
    ),
]

SessionIdPath = Annotated[
    int,
    _id_named("id"),
    Path(alias="id", description="The session's id.", examples=[3], json_schema_extra=RANGE),
]
