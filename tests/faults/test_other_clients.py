"""HTTP clients of other makers, with their defaults."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from faults.served import Service
from support.pictures.samples import jpeg

pytestmark = pytest.mark.drill

PROGRAM = Path(__file__).with_name("Walk.java")


@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no JDK here")
async def test_row_31_the_client_of_the_jdk_can_use_every_operation(
    service: Service, tmp_path: Path
) -> None:
    """It offers HTTP/2 with each request that it sends without TLS."""
    picture = tmp_path / "picture.jpg"
    picture.write_bytes(jpeg())
    command = ["java", str(PROGRAM), service.address, str(picture), "jdk@example.com"]
    walk = await asyncio.to_thread(
        lambda: subprocess.run(command, text=True, capture_output=True, check=False, timeout=60)
    )
    assert walk.stdout == "walked\n", walk.stderr
