"""Pictures in an S3 on this machine beside pictures in a directory, with the same database."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .load import BenchError, Load
from .pictures import CONTENT_TYPE, MEGAPIXELS_12, ad_form, photo
from .report import Row
from .servers import Server, environment, free_port, process, wait_until_answers
from .stalls import UPLOAD_SECONDS, UPLOADERS
from .throughput import WARM_UP_SECONDS, Scene, compared, upload_picture

POSTED = "`POST /ads`, 12 Mpx, 2 at once, pictures in an S3"
READ = "an image that is not in memory, pictures in an S3"
BESIDE = "in a directory"
# Where `make drill` leaves it.
TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adsvc-tools"
BUCKET = "adsvc-bench"
REGION = "us-east-1"
KEYS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "not a secret"}
ADOPT_SECONDS = 120


def rows(scene: Scene) -> list[Row]:
    wanted = [work for work in (POSTED, READ) if scene.options.only in work]
    gateways = sorted(TOOLS.glob("versitygw-v*"))
    if not wanted:
        return []
    if not gateways:
        note = "Not measured: there is no versitygw; `make drill` builds it."
        return [Row(work, None, note=note) for work in wanted]
    with _s3(scene, gateways[-1]) as variables:
        _adopt(scene, variables)
        with (
            # Answers that are kept would come from no store.
            scene.site.serving(ADSVC_ANSWERS_MAX_BYTES="0", **variables) as bucket,
            scene.site.serving(ADSVC_ANSWERS_MAX_BYTES="0") as directory,
        ):
            return [_row(scene, work, bucket, directory) for work in wanted]


def _row(scene: Scene, work: str, bucket: Server, directory: Server) -> Row:
    loads = [
        _posting(scene, server) if work == POSTED else _reading(scene, server)
        for server in (bucket, directory)
    ]
    least = UPLOAD_SECONDS if work == POSTED else WARM_UP_SECONDS
    return compared(scene, work, None, BESIDE, *loads, least_seconds=least)


def _posting(scene: Scene, server: Server) -> Load:
    headers = {"Authorization": scene.authorization, "Content-Type": CONTENT_TYPE}
    body = ad_form(photo(MEGAPIXELS_12))
    return Load(server.url, ["/ads"], headers, body=body, connections=UPLOADERS)


def _reading(scene: Scene, server: Server) -> Load:
    client = server.client(Authorization=scene.authorization)
    return Load(server.url, [upload_picture(client)])


@contextmanager
def _s3(scene: Scene, program: Path) -> Iterator[dict[str, str]]:
    """The variables of a service that keeps its pictures there."""
    root = scene.directory / "s3"
    attributes = scene.directory / "attributes"
    attributes.mkdir()
    (root / BUCKET).mkdir(parents=True)
    port = free_port()
    words: list[str | Path] = [program, "--port", f"127.0.0.1:{port}", "--region", REGION]
    words += ["--quiet", "posix", "--sidecar", attributes, root]
    variables = {
        "PATH": os.environ["PATH"],
        "ROOT_ACCESS_KEY": KEYS["AWS_ACCESS_KEY_ID"],
        "ROOT_SECRET_KEY": KEYS["AWS_SECRET_ACCESS_KEY"],
    }
    log = scene.directory / "s3.log"
    with process(words, log, variables) as started:
        wait_until_answers(Server(port, started), "/", log, any_status=True)
        yield {
            "ADSVC_IMAGE_STORE": f"s3://{BUCKET}/ads",
            "ADSVC_S3_ENDPOINT": f"http://127.0.0.1:{port}",
            "ADSVC_S3_REGION": REGION,
            **KEYS,
        }


def _adopt(scene: Scene, variables: dict[str, str]) -> None:
    """The pictures that are there already stay where they are: nobody asks for them."""
    adopting = subprocess.run(
        [sys.executable, "-m", "adsvc", "adopt"],
        env=environment(ADSVC_DATA_DIR=str(scene.site.directory), **variables),
        cwd=scene.site.directory.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=ADOPT_SECONDS,
        start_new_session=True,
    )
    if adopting.returncode != 0:
        raise BenchError(f"adsvc adopt failed:\n{adopting.stderr}")
