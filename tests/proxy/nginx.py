"""nginx with the configuration that is shipped, before servers of the tests' own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from faults.served import HOST, free_port

CONFIGURATION = Path(__file__).parents[2] / "deploy/nginx.conf"
LISTEN = "    listen 80;\n    listen [::]:80;\n"
UPSTREAM = "    server 127.0.0.1:8080 max_fails=0;\n"
IMAGES = "/var/lib/adsvc/images"
STOREFRONT = "/var/lib/adsvc/web"
START_SECONDS = 10
# Debian puts it where only root looks.
PROGRAM = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
WORKERS = 2
# As on Debian on a machine with two processors, and with as few connections for each of them.
AROUND = """{user}
daemon off;
worker_processes {workers};
pid nginx.pid;
error_log stderr;
events {{ worker_connections 768; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {more}
    include adsvc.conf;
}}
"""


@dataclass(frozen=True)
class Proxy:
    port: int
    directory: Path
    process: subprocess.Popen[bytes]

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def log(self) -> str:
        return (self.directory / "nginx.log").read_text()


def rendered(port: int, upstreams: Sequence[int], images: Path) -> str:
    """As it is shipped, but for the addresses and the directories of the files."""
    text = CONFIGURATION.read_text()
    for shipped, own in (
        (LISTEN, f"    listen {HOST}:{port};\n"),
        (UPSTREAM, "".join(UPSTREAM.replace("8080", str(node)) for node in upstreams)),
        (IMAGES, str(images)),
        (STOREFRONT, str(images.parent / "web")),
    ):
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, own)
    return text


@contextmanager
def proxying(
    directory: Path, upstreams: Sequence[int], images: Path, *, more: str = ""
) -> Iterator[Proxy]:
    """`more` is for the block `http` around what is shipped."""
    assert PROGRAM is not None
    directory.mkdir(parents=True)
    port = free_port()
    (directory / "adsvc.conf").write_text(rendered(port, upstreams, images))
    # Root's workers would else be nobody's, to whom the tests' directories are closed.
    user = "user root;" if os.geteuid() == 0 else ""
    (directory / "nginx.conf").write_text(AROUND.format(user=user, workers=WORKERS, more=more))
    words: list[str | Path] = [
        PROGRAM,
        "-e",
        "stderr",
        "-p",
        directory,
        "-c",
        directory / "nginx.conf",
    ]
    subprocess.run([*words, "-t"], check=True, capture_output=True)
    with (directory / "nginx.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    proxy = Proxy(port, directory, process)
    try:
        _wait_until_it_listens(proxy)
        yield proxy
    finally:
        process.terminate()
        process.wait(10)


def _wait_until_it_listens(proxy: Proxy) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert proxy.process.poll() is None, proxy.log
        with suppress(ConnectionRefusedError), socket.create_connection((HOST, proxy.port)):
            return
        time.sleep(0.01)
    raise AssertionError(proxy.log)
