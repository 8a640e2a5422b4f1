"""The floors: the same work with nothing around it.

- HTTP: an ASGI function that sends a constant answer, headers and all.
- database: an ASGI function that runs the service's SQL and sends JSON which PostgreSQL built.
- image: a script that decodes, scales, encodes and fsyncs a picture and its variants and inserts
  one row.

The first two run on the service's own server, with its protocol, parser and event loop. They check
nothing, log nothing and keep nothing: what adsvc does beyond them is what it is there for.
"""

import asyncio
import base64
import io
import json
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import asyncpg
import uvicorn
from PIL import Image
from sqlalchemy.engine import make_url

from adsvc.kit.db.listener import WAKE_SECONDS
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.kit.invalidation import WAKE_CHANNEL
from adsvc.kit.pictures.containers import VARIANTS, size_within
from adsvc.repositories.ads.criteria import AdFilter, Sort
from adsvc.repositories.ads.listing import page_sql, total_sql
from adsvc.repositories.ads.projection import RecordKind, members_sql
from adsvc.repositories.ads.search_words import Parameters

from .pictures import TITLE

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

PAGE = 20
CONNECTIONS = 10
# As the service's own settings for pictures.
LARGEST_SIDE = 2048
NEAR_ENOUGH = 0.9
QUALITY = 85
VARIANT_QUALITY = 75
VARIANT_GAP = 1.2


class _Connection(asyncpg.Connection):  # type: ignore[misc]
    def get_reset_query(self) -> str:
        """None: a second round trip for each request would make the floor a low one."""
        return ""


def _page() -> str:
    ads, parameters = AdFilter(), Parameters()
    page = page_sql(ads, Sort.NEWEST, PAGE + 1, [0], parameters)
    total = total_sql(ads, 0, parameters)
    return f"""
        SELECT json_build_object(
            'count', ({total}), 'countExact', true, 'results', json_agg(found),
            'next', 'as long as a cursor is, which is some forty.'
        )::text FROM (
            SELECT {members_sql(RecordKind.AD, ads="page")} FROM ({page}) AS page LIMIT {PAGE}
        ) AS found
    """  # noqa: S608 - put together from the service's own statements


ONE = f"""
    SELECT row_to_json(found)::text FROM (
        SELECT {members_sql(RecordKind.EXTENDED)} FROM ads JOIN users ON users.id = author_id
        WHERE ads.id = $1
    ) AS found
"""  # noqa: S608 - put together from the service's own statements

# Who may change what is checked by the service alone.
PATCH = f"""
    UPDATE ads SET price = ($2::json ->> 'price')::int, updated_at = now() WHERE id = $1
    RETURNING (SELECT row_to_json(ad)::text FROM (SELECT {members_sql(RecordKind.AD)}) AS ad)
"""  # noqa: S608 - put together from the service's own statements
COMMENT = """
    WITH made AS (
        INSERT INTO comments (ad_id, author_id, text)
        SELECT id, author_id, $2::json ->> 'text' FROM ads WHERE id = $1
        RETURNING id, author_id, text, created_at
    )
    SELECT json_build_object(
        'pk', made.id, 'author', author_id, 'authorFirstName', first_name,
        'authorImage', '/images/' || users.image,
        'createdAt', (extract(epoch FROM made.created_at) * 1000)::bigint, 'text', text
    )::text FROM made JOIN users ON users.id = author_id
"""


def create() -> App:
    """`BENCH_ANSWERS` is a file of constant answers by path, `BENCH_DATABASE` where to connect.

    `/page?7` is the page after the ad 7, `/one?7` that ad; `/patch?7` changes it, `/comment?7`
    comments on it.
    """
    constants = {
        path: _messages(answer)
        for path, answer in json.loads(Path(os.environ["BENCH_ANSWERS"]).read_text()).items()
    }
    statements = {"/page": _page(), "/one": ONE}
    changes = {"/patch": PATCH, "/comment": COMMENT}
    head = {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", b"application/json")],
    }
    pool: Any = asyncpg.create_pool(
        **where(os.environ["BENCH_DATABASE"]),
        max_size=CONNECTIONS,
        min_size=0,
        connection_class=_Connection,
        server_settings={"enable_seqscan": "off", "jit": "off"},
    )

    waking = _Waking(pool)

    async def floor(scope: Message, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path in constants:
            for message in constants[path]:
                await send(message)
            return
        opened = await pool
        ad_id = int(scope["query_string"])
        if path in changes:
            text = (await _read(receive)).decode()
            body = (await opened.fetchval(changes[path], ad_id, text)).encode()
            waking.committed()
        else:
            body = (await opened.fetchval(statements[path], ad_id)).encode()
        length = (b"content-length", b"%d" % len(body))
        await send({**head, "headers": [*head["headers"], length]})  # type: ignore[misc]
        await send({"type": "http.response.body", "body": body})

    return floor


class _Waking:
    """Wakes the sequencer after changes, as often as a process of the service does.

    Otherwise what is done for a change after its commit would be done for the service's alone.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._task: asyncio.Task[None] | None = None

    def committed(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._wake())

    async def _wake(self) -> None:
        await asyncio.sleep(WAKE_SECONDS)
        self._task = None
        await self._pool.execute(f"NOTIFY {WAKE_CHANNEL}")


async def _read(receive: Receive) -> bytes:
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def _messages(answer: dict[str, Any]) -> list[Message]:
    headers = [(name.encode(), value.encode()) for name, value in answer["headers"]]
    return [
        {"type": "http.response.start", "status": answer["status"], "headers": headers},
        {"type": "http.response.body", "body": base64.b64decode(answer["body"])},
    ]


def where(url: str) -> dict[str, Any]:
    parsed = make_url(url)
    return parsed.translate_connect_args(username="user") | dict(parsed.query)


def serve(port: int) -> None:
    uvicorn.run(
        "bench.floors:create",
        factory=True,
        port=port,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )


def post(picture: bytes, directory: Path) -> str:
    """As the service makes a JPEG of a JPEG: decoded at a half where that is near enough."""
    image: Image.Image = Image.open(io.BytesIO(picture))
    width, height = image.size
    if max(width, height) / 2 >= LARGEST_SIDE * NEAR_ENOUGH:
        image.draft(None, (width // 2, height // 2))
    image.thumbnail((LARGEST_SIDE, LARGEST_SIDE), Image.Resampling.LANCZOS)
    stem = secrets.token_hex(16)
    name = f"{stem}.jpg"
    _save(image, directory / name, "JPEG", quality=QUALITY)
    for variant, side in sorted(VARIANTS.items(), key=lambda item: -item[1]):
        size = size_within(image.size, side)
        image = image.resize(size, Image.Resampling.HAMMING, reducing_gap=VARIANT_GAP)
        path = directory / f"{stem}-{variant}.webp"
        _save(image, path, "WEBP", quality=VARIANT_QUALITY, method=0)
    return name


def _save(image: Image.Image, path: Path, form: str, **options: int) -> None:
    with path.open("xb") as file:
        image.save(file, form, **options)
        file.flush()
        os.fsync(file.fileno())


async def post_pictures(url: str, picture: bytes, directory: Path, author: int) -> None:
    """For each number of seconds that comes in, as many as it takes; how many, and how long."""
    connection = await asyncpg.connect(**where(url))
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        count = 0
        while time.perf_counter() - began < float(line):
            await connection.execute(
                "INSERT INTO ads (author_id, title, description, price, image)"
                " VALUES ($1, $2, 'As posted by a script.', 100, $3)",
                author,
                TITLE,
                post(picture, directory),
            )
            count += 1
        print(count, time.perf_counter() - began, flush=True)


def main(words: list[str]) -> None:
    match words:
        case ["serve", port]:
            serve(int(port))
        case ["post", url, picture, directory, author]:
            asyncio.run(
                post_pictures(url, Path(picture).read_bytes(), Path(directory), int(author))
            )


if __name__ == "__main__":
    main(sys.argv[1:])
