"""All that requests can change, to be compared before and after."""

from collections.abc import Mapping
from dataclasses import dataclass

from adsvc.models import Base
from factories import Api


@dataclass(frozen=True)
class Snapshot:
    """Rows by table, and the files of the image store."""

    rows: Mapping[str, list[str]]
    files: Mapping[str, bytes]


async def snapshot(api: Api) -> Snapshot:
    rows = {
        table.name: await api.sql(f"SELECT t::text FROM {table.name} t ORDER BY 1")  # noqa: S608
        for table in Base.metadata.sorted_tables
    }
    return Snapshot(rows, api.files())
