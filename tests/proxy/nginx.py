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
from typing import Any

from faults import kernel
from faults.served import HOST, free_port

CONFIGURATION = Path(__file__).parents[2] / "deploy/nginx.conf"
TO_HTTPS = CONFIGURATION.with_name("nginx-https.conf")
LISTEN = "    listen 80;\n    listen [::]:80;\n"
UPSTREAM = "    server 127.0.0.1:8080 max_fails=0;\n"
IMAGES = "/var/lib/adsvc/images"
STOREFRONT = "/var/lib/adsvc/web"
COPIES = "/var/cache/adsvc"
LOG = "/var/log/nginx/adsvc.log"
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


@dataclass
class Proxy:
    port: int
    directory: Path
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def log(self) -> str:
        return (self.directory / "nginx.log").read_text()

    @property
    def access_log(self) -> str:
        return (self.directory / "access.log").read_text()

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    @property
    def words(self) -> list[str | Path]:
        assert PROGRAM is not None
        return [PROGRAM, "-e", "stderr", "-p", self.directory, "-c", self.directory / "nginx.conf"]

    def start(self) -> None:
        with (self.directory / "nginx.log").open("ab") as log:
            self._process = subprocess.Popen(self.words, stdout=log, stderr=log)
        _wait_until_it_listens(self)

    def kill(self) -> None:
        """With its workers, which would go on and keep the port."""
        kernel.kill_at_once(lambda: [self.process.pid, *kernel.descendants(self.process.pid)])
        self.process.wait()

    def end(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)


def rendered(port: int, upstreams: Sequence[int], images: Path, text: str) -> str:
    """As it is shipped, but for the addresses and the directories of the files."""
    for shipped, own in (
        (LISTEN, f"    listen {HOST}:{port};\n"),
        (UPSTREAM, "".join(UPSTREAM.replace("8080", str(node)) for node in upstreams)),
        (IMAGES, str(images)),
        (STOREFRONT, str(images.parent / "web")),
        (LOG, "access.log"),
    ):
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, own)
    return text


def configured(
    directory: Path,
    upstreams: Sequence[int],
    images: Path,
    *,
    more: str = "",
    bucket: bool = False,
    valid: str = "1m",
) -> Proxy:
    """Not yet started. `more` is for the block `http` around what is shipped.

    With `bucket` it keeps copies, which are good for so long as `valid` says before the service is
    asked again.
    """
    directory.mkdir(parents=True)
    proxy = Proxy(free_port(), directory)
    text = CONFIGURATION.read_text().replace(COPIES, str(directory / "copies"))
    if bucket:
        # As an operator does it.
        shipped = "default directory;"
        assert text.count(shipped) == 1
        text = text.replace(shipped, "default bucket;").replace("200 1m;", f"200 {valid};")
    (directory / "adsvc.conf").write_text(rendered(proxy.port, upstreams, images, text))
    # Root's workers would otherwise run as nobody, who cannot enter the tests' directories.
    user = "user root;" if os.geteuid() == 0 else ""
    (directory / "nginx.conf").write_text(AROUND.format(user=user, workers=WORKERS, more=more))
    subprocess.run([*proxy.words, "-t"], check=True, capture_output=True)
    return proxy


@contextmanager
def proxying(
    directory: Path, upstreams: Sequence[int], images: Path, **options: Any
) -> Iterator[Proxy]:
    """As `configured`, for the length of a block."""
    proxy = configured(directory, upstreams, images, **options)
    try:
        proxy.start()
        yield proxy
    finally:
        proxy.end()


def _wait_until_it_listens(proxy: Proxy) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert proxy.process.poll() is None, proxy.log
        with suppress(ConnectionRefusedError), socket.create_connection((HOST, proxy.port)):
            return
        time.sleep(0.01)
    raise AssertionError(proxy.log)
