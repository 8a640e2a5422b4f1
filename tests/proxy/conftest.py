from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from adsvc.settings import RateLimits, Settings
from conftest import PASSWORD_ITERATIONS, PASSWORD_MEMORY_KIB, SECRET, DatabaseFactory
from faults.here import Here, serving
from faults.served import HOST
from proxy.nginx import PROGRAM, Proxy, proxying
from support.scene.storefront import build


@dataclass
class Site:
    """Two servers of one database, and what stands before them."""

    nodes: list[Here]
    proxy: Proxy
    client: httpx2.AsyncClient
    settings: Settings


@pytest.fixture(scope="session")
def _nginx() -> None:
    if PROGRAM is None:
        pytest.skip("nginx is not installed")


@pytest.fixture(scope="package")
async def site(
    _nginx: None, new_database: DatabaseFactory, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(new_database())
        settings = Settings(
            database_url=SecretStr(url.render_as_string(hide_password=False)),
            jwt_secret=SecretStr(SECRET),
            data_dir=directory / "data",
            rate_limits=RateLimits.OFF,
            trusted_proxies=(HOST,),
            password_memory_kib=PASSWORD_MEMORY_KIB,
            password_iterations=PASSWORD_ITERATIONS,
            storefront_dir=build(directory / "data" / "web"),
        )
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        nodes = [await stack.enter_async_context(serving(settings, patch)) for _ in range(2)]
        ports = [node.port for node in nodes]
        proxy = stack.enter_context(proxying(directory / "nginx", ports, settings.image_dir))
        client = httpx2.AsyncClient(base_url=proxy.address, timeout=30)
        yield Site(nodes, proxy, await stack.enter_async_context(client), settings)


StartProxy = Callable[..., Proxy]


@pytest.fixture
def start_proxy(_nginx: None, tmp_path: Path) -> Iterator[StartProxy]:
    """Before servers of the test's own, which it names by their ports."""
    numbers = count(1)
    with ExitStack() as stack:

        def start(*upstreams: int, **options: Any) -> Proxy:
            images = tmp_path / "images"
            directory = tmp_path / f"nginx-{next(numbers)}"
            return stack.enter_context(proxying(directory, upstreams, images, **options))

        yield start
