"""Heavy requests: how many get through, and whether others have to wait for them."""

import asyncio
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from .load import BenchError, Load, Outcome, interleaved
from .pictures import CONTENT_TYPE, MEGAPIXELS_12, ad_form, photo
from .report import Row, milliseconds
from .servers import PASSWORD, ROOT, environment
from .throughput import FIRST_PAGE, WARM_UP_SECONDS, Scene, page_paths

UPLOADERS = 2
# Uploads take so long that a shorter run would see too few.
UPLOAD_SECONDS = 6.0
# One request each ten milliseconds or so: enough to notice, too few to be a load.
PROBE_REST = 10
PROBE_GOAL = 3.0
UPLOAD_GOAL = 0.8
LOGINS = 20
# More than wait for their turn.
BURST = 100
REFUSAL_SECONDS = 1.0
STOP_SECONDS = 10


def rows(scene: Scene) -> list[Row]:
    picture = photo(MEGAPIXELS_12)
    headers = {"Authorization": scene.authorization, "Content-Type": CONTENT_TYPE}
    uploads = Load(
        scene.server.url, ["/ads"], headers, body=ad_form(picture), connections=UPLOADERS
    )
    login = json.dumps({"username": scene.site.username, "password": PASSWORD}).encode()
    as_json = {"Content-Type": "application/json"}
    logins = Load(
        scene.server.url, ["/login"], as_json, login, connections=LOGINS, may_be_refused=True
    )
    seconds = max(scene.options.seconds, UPLOAD_SECONDS)
    return [
        _uploads(scene, uploads, picture, seconds),
        *_probed(scene, "`POST /ads`, 12 Mpx, 2 at once", uploads, seconds),
        *_probed(scene, "`POST /login`, 20 at once", logins, seconds),
        _excess(scene, login),
    ]


@contextmanager
def _posting(scene: Scene, picture: bytes) -> Iterator[Callable[[float], float]]:
    """Scripts that do what the service does for a picture; how many a second they post."""
    directory = scene.directory / "floor-pictures"
    directory.mkdir(exist_ok=True)
    file = directory / "upload"
    file.write_bytes(picture)
    words = [sys.executable, "-m", "bench.floors", "post", scene.database, str(file)]
    words += [str(directory), str(_author(scene))]
    scripts = [
        subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(),
            start_new_session=True,
        )
        for _ in range(UPLOADERS)
    ]
    with ExitStack() as stack:
        for script in scripts:
            stack.callback(_end, script)
        if any(_line(script) != "ready" for script in scripts):
            raise BenchError("The image floor does not run.")

        def run(seconds: float) -> float:
            for script in scripts:
                assert script.stdin is not None
                script.stdin.write(f"{seconds}\n")
                script.stdin.flush()
            told = [_line(script).split() for script in scripts]
            return sum(int(count) / float(elapsed) for count, elapsed in told)

        yield run


def _line(script: "subprocess.Popen[str]") -> str:
    assert script.stdout is not None
    return script.stdout.readline().strip()


def _end(script: "subprocess.Popen[str]") -> None:
    script.terminate()
    try:
        script.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        script.kill()
        script.wait()
    for stream in (script.stdin, script.stdout):
        if stream is not None:
            stream.close()


def _author(scene: Scene) -> int:
    """The id of any user who has ads."""
    results = scene.client.ask(FIRST_PAGE).json["results"]
    assert isinstance(results, list)
    return int(results[0]["author"])


def _uploads(scene: Scene, uploads: Load, picture: bytes, seconds: float) -> Row:
    scene.say("Uploads …")
    with _posting(scene, picture) as post:
        # Long enough for an answer on a busy machine as well.
        uploads.run(seconds)
        post(WARM_UP_SECONDS)
        found = interleaved(
            {"ours": lambda: uploads.run(seconds).per_second, "floor": lambda: post(seconds)},
            scene.options.rounds,
        )
    ratios = tuple(a / b for a, b in zip(found["ours"], found["floor"], strict=True))
    ours, floor = (statistics.median(found[name]) for name in ("ours", "floor"))
    return Row(
        f"`POST /ads`, a JPEG of 12 Mpx ({len(picture) / 1e6:.1f} MB), 2 at once",
        statistics.median(ratios),
        ours=f"{ours:.1f}/s",
        beside=f"image floor: {floor:.1f}/s",
        goal=UPLOAD_GOAL,
        rounds=ratios,
    )


def _probed(scene: Scene, work: str, heavy: Load, seconds: float) -> list[Row]:
    """The 99th percentile of other requests meanwhile, by that when there are no others."""
    kinds = {
        "a cold page": page_paths(scene.catalogue),
        "the first page": [FIRST_PAGE],
    }
    return [_one_probe(scene, work, name, paths, heavy, seconds) for name, paths in kinds.items()]


def _one_probe(
    scene: Scene, work: str, name: str, paths: list[str], heavy: Load, seconds: float
) -> Row:
    scene.say(f"{work}, probe: {name} …")
    probe = Load(scene.server.url, paths, connections=1, rest=PROBE_REST)

    def beside_heavy() -> float:
        with heavy.start(seconds + 1) as working:
            time.sleep(0.5)
            outcome: Outcome = probe.run(seconds)
            working.outcome()
        return outcome.p99

    probe.run(WARM_UP_SECONDS)
    found = interleaved(
        {"idle": lambda: probe.run(seconds).p99, "beside": beside_heavy}, scene.options.rounds
    )
    ratios = tuple(a / b for a, b in zip(found["beside"], found["idle"], strict=True))
    return Row(
        f"p99 of {name} meanwhile ({work})",
        statistics.median(ratios),
        ours=milliseconds(found["beside"]),
        beside=f"idle: {milliseconds(found['idle'])}",
        goal=PROBE_GOAL,
        at_least=False,
        rounds=ratios,
    )


def _excess(scene: Scene, login: bytes) -> Row:
    scene.say("Logins, more than wait …")
    found = asyncio.run(_burst(scene.server.port, login))
    refused = [seconds for status, seconds in found if status in {429, 503}]
    served = [seconds for status, seconds in found if status == 200]
    return Row(
        f"`POST /login`, {BURST} at once: the slowest refusal",
        max(refused, default=math.inf),
        ours=f"{len(served)} served in {max(served, default=math.inf):.2f} s",
        beside=f"{len(refused)} refused",
        unit="s",
        goal=REFUSAL_SECONDS,
        at_least=False,
    )


async def _burst(port: int, body: bytes) -> list[tuple[int, float]]:
    """Status and seconds of each of many requests, sent in one moment."""
    head = (
        "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(BURST)]
    began = time.perf_counter()
    for _, writer in connections:
        writer.write(head.encode() + body)

    async def answer(reader: asyncio.StreamReader) -> tuple[int, float]:
        status = int((await reader.readline()).split()[1])
        return status, time.perf_counter() - began

    async with asyncio.timeout(60):
        found = await asyncio.gather(*(answer(reader) for reader, _ in connections))
    for _, writer in connections:
        writer.close()
    return found
