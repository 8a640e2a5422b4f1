"""Places in queries: `near=place:ID` stands for the centre of the place."""

import re
from urllib.parse import urlencode

from adsvc.api.app_state import AppState
from adsvc.api.input.filters import PLACE
from adsvc.api.input.parameters import pairs_of
from adsvc.errors import InvalidRequestError, faults
from adsvc.repositories import places as place_rows


async def point_of(state: AppState, near: str | None) -> str | None:
    """The same with the point of a place instead of its id. Raises the fault of an unknown one."""
    found = None if near is None else re.fullmatch(PLACE, near)
    if found is None:
        return near
    row = await place_rows.get(state.database.list_reader, int(found[1]))
    if row is None:
        raise InvalidRequestError(faults.unknown("names no place").of("near"))
    return f"{row['latitude']},{row['longitude']}"


async def with_points(state: AppState, query: bytes) -> bytes:
    """A query whose `near` is a point, not a place."""
    if b"place" not in query:
        return query
    pairs = pairs_of(query)
    near = dict(pairs).get("near")
    if (point := await point_of(state, near)) == near:
        return query
    return urlencode([(name, point if name == "near" else value) for name, value in pairs]).encode()
