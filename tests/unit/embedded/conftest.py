"""Where clusters are made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from adsvc_ops.embedded import EmbeddedPostgres
from support.running.embedded import FAST, end_server, is_running, temporary_home


@pytest.fixture
def home() -> Iterator[Path]:
    with temporary_home() as path:
        yield path


@pytest.fixture
def place(home: Path) -> Path:
    """Where a cluster may be made."""
    return home / "data" / "postgres"


@pytest.fixture(scope="package")
def shared_directory() -> Iterator[Path]:
    with temporary_home() as path:
        with EmbeddedPostgres(path / "data" / "postgres", options=FAST):
            pass
        yield path / "data" / "postgres"


@pytest.fixture
def directory(shared_directory: Path) -> Iterator[Path]:
    """A cluster without a server, for tests that leave its files alone."""
    yield shared_directory
    if is_running(shared_directory):
        end_server(shared_directory)
