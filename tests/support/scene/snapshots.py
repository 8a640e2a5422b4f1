"""All that requests can change, to be compared before and after."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from adsvc.repositories.deletions import TABLES
from support.scene.api import Api

# Refusals are kept in the first; in the next workers write beside requests; the rest is the log of
# changes, which grows with whatever a test writes.
LEFT_OUT = {"audit_events", "outbox", "jobs", "mail_tokens", "fan_outs", "notifications"}
# Views are written in batches, some time after the reads.
LEFT_OUT |= {"ad_views", "answer_figures"}
LEFT_OUT |= {"changes", "consumers", "event_batches", "event_log", "events"}


@dataclass(frozen=True)
class Snapshot:
    """Rows by table, and the files of the image store."""

    rows: Mapping[str, list[str]]
    files: Mapping[str, bytes]


async def snapshot(api: Api) -> Snapshot:
    """In one statement, so that the tables tell of one moment."""
    tables = ", ".join(
        f"('{table}', ARRAY(SELECT t::text FROM {table} t ORDER BY 1))"  # noqa: S608
        for table in TABLES
        if table not in LEFT_OUT
    )
    named = f"(VALUES {tables}) AS named (name, content)"
    (rows,) = await api.sql(f"SELECT json_object_agg(name, content)::text FROM {named}")  # noqa: S608
    return Snapshot(json.loads(rows), api.files())
