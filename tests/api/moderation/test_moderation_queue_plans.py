"""PostgreSQL's plans for a long queue of cases."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event

from adsvc.enums import CaseStatus
from adsvc.repositories.moderation import cases as case_queue
from support.scene.api import Api

FILL = """
    INSERT INTO cases (kind, target_id, ad_id, author_id, status, reports, snapshot)
    SELECT 'ad', n, n, :author, CASE n % 20 WHEN 0 THEN 'decided' ELSE 'open' END,
        CASE WHEN n % 50 = 0 THEN n % 997 ELSE 1 END, '{"title": "Oak table"}'
    FROM generate_series(CAST(:first AS int), :first + 1999) AS n RETURNING NULL
"""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


async def rows_read(api: Api, status: CaseStatus | None, after: tuple[int, int] | None) -> int:
    """How many cases PostgreSQL looks at for a page."""
    statements: list[tuple[str, Any]] = []
    engine = api.state.database.engine.sync_engine

    def note(*told: Any) -> None:
        statements.append((told[2], told[3]))

    event.listen(engine, "before_cursor_execute", note)
    try:
        async with api.state.database.autocommit() as session:
            await case_queue.page(session, status, 20, reader_id=0, after=after)
            # Other work of the process goes on meanwhile.
            [(sql, values)] = [told for told in statements if "snapshot" in told[0]]
            connection = await session.connection()
            explained = await connection.exec_driver_sql(
                f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", values
            )
            [(plan,)] = explained.all()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    plan = json.loads(plan) if isinstance(plan, str) else plan
    scans = [node for node in nodes(plan[0]["Plan"]) if node.get("Relation Name") == "cases"]
    return sum(int(node["Actual Rows"]) + node.get("Rows Removed by Filter", 0) for node in scans)


@pytest.mark.parametrize(
    "cases", [2_000, pytest.param(100_000, marks=pytest.mark.large, id="large")]
)
async def test_a_page_reads_no_more_than_itself_however_long_the_queue(
    api: Api, cases: int
) -> None:
    author = await api.person()
    for first in range(1, cases, 2000):
        await api.sql(FILL, author=author.id, first=first)
    await api.sql("ANALYZE cases")
    for status in (None, CaseStatus.OPEN, CaseStatus.DECIDED):
        # Twenty of each status: first, among the many that have one report, and near the end.
        for after in (None, (1, cases // 2), (1, cases - 100)):
            assert 0 < await rows_read(api, status, after) <= 60, (status, after)
