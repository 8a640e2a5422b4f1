import subprocess
import sys

import pytest

# `make run` has one process for the command and the service.
PROGRAM = """
import sys, adsvc_ops.cli, adsvc.main
sys.exit(' '.join(set(sys.argv[1:]) & set(sys.modules)) or 0)
"""

# Of migrations and pictures, and of what only some requests, letters and commands need.
ELSEWHERE = (
    *("alembic", "PIL"),
    *("webauthn", "httpcore2", "dns", "markdown_it"),
    *("rich", "ruamel"),
)


@pytest.mark.heavy
def test_what_serves_does_without_what_few_need() -> None:
    """It would take memory in each process, and Pillow belongs where pictures are confined."""
    subprocess.run([sys.executable, "-c", PROGRAM, *ELSEWHERE], check=True)
