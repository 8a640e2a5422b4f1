"""How long the console's pages take on a long audit trail, a full outbox and many cases.

    AUDIT=1000000 OUTBOX=100000 .venv/bin/python -m bench.console

Each page is requested `TIMES` times (20 without it), one request at a time; the goal is a median of
at most 20 ms. Of events most are of one kind and of a few accounts, as logins are; the rarest kind
is a thousandth of them. A deep page is in the middle, or as far as cursors lead in 200 pages.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg

from .load import BenchError
from .servers import Client, Server, Site

ADS = 1_000
GOAL_MS = 20
DEEP = 200

FILL = (
    """
    INSERT INTO audit_events (at, event, actor, target, ad_id, owner_id)
    SELECT clock_timestamp() - interval '170 days' * (1 - n::float8 / $1),
        CASE WHEN n % 1000 = 0 THEN 'role_changed' WHEN n % 10 = 0 THEN 'foreign_ad_changed'
            WHEN n % 7 = 0 THEN 'login_failed' ELSE 'session_began' END,
        CASE WHEN n % 100 = 0 THEN 'operator' ELSE (1 + n % 10)::text END, n::text,
        CASE WHEN n % 10 = 0 THEN 1 + n % 997 END, 1 + (n * 31) % 5000
    FROM generate_series(1, $1::int) AS n
    """,
    """
    INSERT INTO outbox (kind, payload, attempts, not_before, dead_at, error)
    SELECT 'letter', '{}', 3, now() + interval '1 day', CASE WHEN n % 2 = 0 THEN now() END,
        'SMTPRecipientsRefused: 550'
    FROM generate_series(1, $1::int) AS n
    """,
    """
    WITH opened AS (
        INSERT INTO cases (kind, target_id, ad_id, author_id, status, reports, snapshot)
        SELECT 'ad', n, n, 1, CASE n % 20 WHEN 0 THEN 'decided' ELSE 'open' END, 1 + n % 50,
            '{"title": "Oak table"}'
        FROM generate_series(1, $1::int) AS n RETURNING id, reports
    )
    INSERT INTO reports (case_id, reporter_id, reason, text, counts)
    SELECT id, 1 + reporter, CASE reporter % 3 WHEN 0 THEN 'scam' ELSE 'other' END, '', TRUE
    FROM opened CROSS JOIN generate_series(1, reports % 9) AS reporter
    """,
)

# Name, path, and how many pages follow before the one that is measured.
PAGES = (
    ("overview", "/admin/overview", 0),
    ("audit trail, first page", "/admin/audit?limit=100", 0),
    ("audit trail, deep page", "/admin/audit?limit=100", DEEP),
    ("audit trail, before a moment", "/admin/audit?limit=100&before={middle}", 0),
    ("audit trail, a rare kind", "/admin/audit?limit=100&kind=role_changed", 0),
    ("audit trail, a kind that never was", "/admin/audit?limit=100&kind=token_reused", 0),
    ("audit trail, of an account", "/admin/audit?limit=100&user=77", 0),
    ("audit trail, by an account", "/admin/audit?limit=100&actor=3", 0),
    ("audit trail, of an ad", "/admin/audit?limit=100&ad=31", 0),
    ("audit trail, kind and actor", "/admin/audit?limit=100&actor=3&kind=role_changed", 0),
    ("audit trail, two that never meet", "/admin/audit?limit=100&actor=operator&kind=totp_set", 0),
    ("outbox, first page", "/admin/outbox?limit=100", 0),
    ("outbox, deep page", "/admin/outbox?limit=100", DEEP),
    ("outbox, dead letters", "/admin/outbox?limit=100&status=dead", 0),
    ("outbox, dead letters, deep page", "/admin/outbox?limit=100&status=dead", DEEP),
    ("outbox, waiting, deep page", "/admin/outbox?limit=100&status=waiting", DEEP),
    ("cases, first page", "/moderation/cases?limit=100&status=open", 0),
    ("cases, deep page", "/moderation/cases?limit=100&status=open", DEEP),
)  # fmt: skip


async def fill(address: str, *rows: int) -> None:
    connection = await asyncpg.connect(address, timeout=60)
    try:
        await connection.execute("UPDATE users SET role = 'ADMIN' WHERE id = 1")
        for sql, count in zip(FILL, rows, strict=True):
            await connection.execute(sql, count, timeout=600)
        await connection.execute("VACUUM ANALYZE", timeout=600)
    finally:
        await connection.close()


def measured(server: Server, token: str, times: int) -> Iterator[tuple[str, list[float]]]:
    """The milliseconds of each request, by page."""
    client = server.client(Authorization=token)
    middle = round((time.time() - 85 * 86_400) * 1000)
    for name, template, skipped in PAGES:
        path = template.format(middle=middle)
        first = path
        for _ in range(skipped):
            cursor = client.ask(path).json["next"]
            if cursor is None:
                raise BenchError(f"{name}: there are too few rows")
            path = f"{first}&cursor={cursor}"
        yield name, [_milliseconds(client, path) for _ in range(times)]


def _milliseconds(client: Client, path: str) -> float:
    began = time.perf_counter()
    client.ask(path)
    return (time.perf_counter() - began) * 1000


def main() -> int:
    audit, outbox = (int(os.environ.get(name, default)) for name, default in
                     (("AUDIT", "1000000"), ("OUTBOX", "100000")))  # fmt: skip
    times = int(os.environ.get("TIMES", "20"))
    slow = 0
    try:
        with tempfile.TemporaryDirectory(prefix="adsvc-bench-") as directory:
            site = Site(Path(directory).resolve() / "site", ADS)
            site.seed()
            with site.database() as address:
                asyncio.run(fill(address.replace("+asyncpg", ""), audit, outbox, outbox))
            print(f"{audit:,} events, {outbox:,} entries, {outbox:,} cases; {times} times\n")
            print("| Page | median | slowest |\n|---|--:|--:|")
            with site.serving(ADSVC_JOBS="off") as server:
                for name, taken in measured(server, site.log_in(server), times):
                    median = statistics.median(taken)
                    slow += median > GOAL_MS
                    print(f"| {name} | {median:.1f} ms | {max(taken):.1f} ms |", flush=True)
    except (BenchError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
