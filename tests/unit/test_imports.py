import subprocess
import sys

import pytest

# `make run` has one process for the command and the service.
PROGRAM = """
import sys, adsvc_ops.cli, adsvc.main
sys.exit(' '.join({'alembic', 'PIL'} & set(sys.modules)) or 0)
"""


@pytest.mark.heavy
def test_what_serves_does_without_what_migrates_and_decodes() -> None:
    """It would take memory in each process, and Pillow belongs where pictures are confined."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
