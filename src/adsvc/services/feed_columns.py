"""The columns of a feed in CSV (RFC 4180), which exports have too."""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from typing import Any

from adsvc.enums import AdStatus, LocationKind
from adsvc.models.ads import SHOWN

KEY = "externalId"
ATTRIBUTE = "attributes."
COLUMNS = (
    *(KEY, "title", "description", "price", "priceType", "status", "category", "place"),
    *("placeId", "latitude", "longitude", "images"),
)
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,10})?")


def members_of(row: Mapping[str, str]) -> Mapping[str, Any]:
    """An empty field is a member that is left out."""
    given = {name: value for name, value in row.items() if value.strip()}
    members: dict[str, Any] = {}
    for name, value in given.items():
        if name.startswith(ATTRIBUTE):
            attributes = members.setdefault(ATTRIBUTE[:-1], {})
            attributes[name.removeprefix(ATTRIBUTE)] = _typed(value)
        elif name in {"latitude", "longitude"}:
            members.setdefault("location", {})[name] = _typed(value)
        elif name == "images":
            members[name] = value.split()
        else:
            members[name] = _typed(value) if name == "placeId" else value
    return members


def _typed(value: str) -> Any:  # noqa: ANN401 - any JSON value
    """A number or a boolean where it is written as such; a text may stand in quotes, as in JSON."""
    if _is_json(value):
        with suppress(ValueError):
            return json.loads(value)
    return value


def _is_json(text: str) -> bool:
    return bool(NUMBER.fullmatch(text)) or text in {"true", "false"} or text.startswith('"')


def feed_columns(attributes: Iterable[str]) -> Sequence[str]:
    return [*COLUMNS, *(ATTRIBUTE + name for name in attributes)]


def feed_row(ad: Mapping[str, Any], columns: Sequence[str], base: str) -> Sequence[object] | None:
    """Of a `schemas.export.ExportedAd`; None of one that a feed would publish again."""
    if ad["status"] not in {*SHOWN, AdStatus.DRAFT}:
        return None
    values = {name: ad.get(name) for name in COLUMNS}
    values["status"] = AdStatus.DRAFT if ad["status"] == AdStatus.DRAFT else AdStatus.ACTIVE
    values["images"] = " ".join(base + image["image"] for image in ad["images"])
    if ad["locationKind"] == LocationKind.EXACT:
        values |= ad["location"]
    for name, value in ad["attributes"].items():
        is_text = isinstance(value, str) and not _is_json(value)
        values[ATTRIBUTE + name] = value if is_text else json.dumps(value)
    return [values.get(name) for name in columns]


def csv_of(rows: Iterable[Sequence[object]]) -> bytes:
    written = StringIO(newline="")
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()
