"""The restore to a moment in docs/operations/point-in-time.md can be pasted word for word."""

import re
import subprocess
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs/operations/point-in-time.md").read_text()
BLOCKS: list[str] = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
[RESTORE] = [block for block in BLOCKS if "--type=time" in block]


def position(text: str) -> int:
    assert RESTORE.count(text) == 1, text
    return RESTORE.index(text)


def test_it_is_a_script_that_ends_at_the_first_step_that_fails() -> None:
    assert RESTORE.startswith("set -e ")
    checked = subprocess.run(
        ["bash", "-n"], input=RESTORE, text=True, capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_the_server_itself_is_stopped_before_its_files_are_replaced() -> None:
    # Debian's postgresql.service is a wrapper, whose stop returns before the server has stopped.
    assert re.search(r"^CLUSTER=\d\d-main\b", RESTORE, re.MULTILINE)
    stop, start = position('stop "postgresql@$CLUSTER"'), position('start "postgresql@$CLUSTER"')
    assert stop < position(" restore\n") < start
    assert not re.search(r"systemctl .*\bpostgresql(?!@)", RESTORE.replace("`postgresql`", ""))


def test_the_settings_of_the_recovery_are_removed_before_the_service_starts() -> None:
    # A standby that is copied from the server later would stop there and promote itself.
    service = position("systemctl start adsvc@8080")
    for name in ("recovery_target_time", "recovery_target_action", "restore_command"):
        reset = position(f"ALTER SYSTEM RESET {name};")
        assert position("pg_is_in_recovery()") < reset < position("pg_reload_conf()") < service
