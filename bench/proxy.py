"""A picture through the reverse proxy as it is shipped, beside the same file from a bare nginx."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from adsvc.kit.storage import LocalImageStore

from .load import BenchError, Load
from .report import Row
from .servers import ROOT, Server, free_port, process, wait_until_answers
from .throughput import Scene, compared, upload_picture

WORK = "an image, behind the reverse proxy"
GOAL = 0.9
CONFIGURATION = ROOT / "deploy" / "nginx.conf"
LISTEN = "    listen 80;\n    listen [::]:80;\n"
UPSTREAM = "    server 127.0.0.1:8080 max_fails=0;\n"
PICTURES = "/var/lib/adsvc/images"
# One process, as the service has one. The directories are those that nginx makes when it starts.
AROUND = """
{user}
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include adsvc.conf;
    {more}
}}
"""
# In the same process, so that nothing else differs.
BARE = """
    server {{
        listen 127.0.0.1:{port};
        location / {{
            sendfile on;
            tcp_nopush on;
            root "{root}";
        }}
    }}
"""


def rows(scene: Scene) -> list[Row]:
    if shutil.which("nginx") is None:
        return [Row(WORK, None, goal=GOAL, note="Not measured: there is no nginx on the PATH.")]
    path = upload_picture(scene.client)
    file = LocalImageStore(scene.site.directory / "images").path(Path(path).name)
    with _serving(scene, path, file) as (shipped, bare):
        _check(shipped, bare, path, file)
        row = compared(
            scene, WORK, GOAL, "bare nginx",
            Load(shipped.url, [path]), Load(bare.url, [f"/{file.name}"]),
        )  # fmt: skip
    return [replace(row, note="nginx sends the file itself, by deploy/nginx.conf.")]


@contextmanager
def _serving(scene: Scene, path: str, file: Path) -> Iterator[tuple[Server, Server]]:
    bare = free_port()
    more = BARE.format(port=bare, root=file.parent)
    with proxying(scene, "nginx", [scene.server.port], path, more=more) as shipped:
        yield shipped, Server(bare, shipped.process)


@contextmanager
def proxying(
    scene: Scene, name: str, nodes: Sequence[int], path: str, *, more: str = ""
) -> Iterator[Server]:
    """Before the servers on these ports; `path` is answered by then."""
    directory = scene.directory / name
    directory.mkdir()
    port = free_port()
    (directory / "adsvc.conf").write_text(_rendered(scene, port, nodes))
    # Only root's workers would run as somebody else, to whom the directory is closed.
    user = "user root;" if os.geteuid() == 0 else ""
    main = directory / "nginx.conf"
    main.write_text(AROUND.format(user=user, more=more))
    log = directory / "nginx.log"
    words: list[str | Path] = ["nginx", "-p", directory, "-c", main]
    with process(words, log, {"PATH": os.environ["PATH"]}) as started:
        server = Server(port, started)
        wait_until_answers(server, path, log)
        yield server


def _rendered(scene: Scene, port: int, nodes: Sequence[int]) -> str:
    """As it is shipped, but for the addresses and the directory."""
    text = CONFIGURATION.read_text()
    for old, new in (
        (LISTEN, f"    listen 127.0.0.1:{port};\n"),
        (UPSTREAM, "".join(UPSTREAM.replace("8080", str(node)) for node in nodes)),
        (PICTURES, str(scene.site.directory / "images")),
    ):
        if text.count(old) != 1:
            raise BenchError(f"{CONFIGURATION.name} does not have {old.strip()!r} once.")
        text = text.replace(old, new)
    return text


def _check(shipped: Server, bare: Server, path: str, file: Path) -> None:
    """The same bytes from both, and from the service only what it alone can tell."""
    picture = shipped.client().ask(path)
    if picture.body != bare.client().ask(f"/{file.name}").body:
        raise BenchError("The two servers of nginx send different pictures.")
    if any(name == "x-request-id" for name, _ in picture.headers):
        raise BenchError("The service sent the picture, not nginx.")
    missing = f"/images/{'0' * 32}.jpg"
    if shipped.client().ask(missing, expect=404).json["type"] != "/problems#image-not-found":
        raise BenchError("What is missing is not refused by the service.")
