"""The service below a prefix, behind nginx as docs/operations/proxy.md shows it."""

import re
from pathlib import Path
from urllib.parse import urljoin

import httpx2
import pytest
from pydantic import SecretStr

from adsvc.settings import RateLimits, Settings
from conftest import PASSWORD_ITERATIONS, PASSWORD_MEMORY_KIB, SECRET, DatabaseFactory
from faults.here import serving
from faults.served import HOST, free_port
from faults.wire import Wire
from proxy.conftest import StartProxy
from support.scene.api import Api, ad_form

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("proxy")]

PAGE = Path(__file__).parents[2] / "docs/operations/proxy.md"
PREFIX = "/api"


def example(port: int) -> str:
    """The page's configuration, before a server at that port."""
    [shown] = re.findall(r"```nginx\n(.+?)```", PAGE.read_text(), re.DOTALL)
    assert shown.count(":8080/") == 1
    return str(shown.replace(":8080/", f":{port}/"))


async def test_the_example_for_a_prefix_works(
    new_database: DatabaseFactory, start_proxy: StartProxy, tmp_path: Path
) -> None:
    async with new_database() as url:
        settings = Settings(
            database_url=SecretStr(url.render_as_string(hide_password=False)),
            jwt_secret=SecretStr(SECRET),
            data_dir=tmp_path / "data",
            rate_limits=RateLimits.OFF,
            trusted_proxies=(HOST,),
            password_memory_kib=PASSWORD_MEMORY_KIB,
            password_iterations=PASSWORD_ITERATIONS,
            root_path=PREFIX,
        )
        with pytest.MonkeyPatch.context() as patch:
            async with serving(settings, patch) as node:
                port = free_port()
                more = f"server {{ listen {HOST}:{port}; {example(node.port)} }}"
                start_proxy(node.port, more=more)
                async with httpx2.AsyncClient(base_url=f"http://{HOST}:{port}") as client:
                    await check(Api(client, node.api.app))
                async with await Wire.open(node.port) as wire:
                    await wire.send(b"no request\r\n\r\n")
                    refused = (await wire.answer()).problem()
                    assert refused["type"] == f"{PREFIX}/problems#malformed-http"


async def check(api: Api) -> None:
    author = await api.person()
    posted = await author.post(f"{PREFIX}/ads", files=ad_form())
    address = urljoin(str(posted.url), posted.headers["Location"])
    assert (await author.get(address)).json()["pk"] == posted.json()["pk"]
    picture = await api.client.get(PREFIX + posted.json()["image"])
    assert picture.headers["Content-Type"] == "image/jpeg"
    missing = await api.client.get(f"{PREFIX}/nothing")
    page = await api.client.get(urljoin(str(missing.url), missing.json()["type"]))
    assert (page.status_code, "not-found" in page.text) == (200, True)
    root = await api.client.get(PREFIX, follow_redirects=True)
    assert f'href="{PREFIX}/docs"' in root.text
    assert (await api.client.get(f"{PREFIX}/readyz")).status_code == 404
