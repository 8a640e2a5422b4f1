"""Processes that use one embedded server, and processes that are interrupted."""

import os
import signal
from pathlib import Path

import pytest

from adsvc_ops.embedded import EmbeddedPostgres
from support.running.embedded import (
    DEADLINE_SECONDS,
    FAST,
    USER,
    eventually,
    finish,
    is_running,
    process,
    query,
    said,
    server_pid,
)

pytestmark = pytest.mark.heavy

# Takes note of Ctrl-C and goes on.
STEADY_USER = (
    """
import os, signal
# Not by print, which is not reentrant: the signal may come while the script itself prints.
signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted\\n"))
"""
    + USER
)

# Leaves a forked process behind, which has a copy of every descriptor of its parent.
FORKER = """
import os, sys
from pathlib import Path
from adsvc_ops.embedded import EmbeddedPostgres
postgres = EmbeddedPostgres(Path(sys.argv[1]), options={"fsync": "off"})
postgres.start()
if os.fork() == 0:
    postgres.stop()
    os._exit(0)
os.wait()
print("forked", flush=True)
sys.stdin.readline()
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
postgres.stop()
print("stopped", flush=True)
os.wait()
"""


def test_the_server_outlives_all_but_the_last_of_the_processes_that_use_it(directory: Path) -> None:
    with process(USER, directory) as other:
        assert said(other) == "ready"
        with EmbeddedPostgres(directory) as postgres:
            started = server_pid(directory)
        assert server_pid(directory) == started
        assert query(postgres, "SELECT 1") == "1"
        finish(other)
    assert not is_running(directory)


def test_two_users_in_one_process_count_as_two(directory: Path) -> None:
    with EmbeddedPostgres(directory, options=FAST) as first:
        with EmbeddedPostgres(directory.parent / ".." / "data" / "postgres"):
            first.stop()
            assert is_running(directory)
        assert not is_running(directory)


def test_a_forked_process_neither_stops_the_server_nor_keeps_it(directory: Path) -> None:
    with process(FORKER, directory) as forker:
        assert said(forker) == "forked"
        with EmbeddedPostgres(directory) as postgres:
            assert query(postgres, "SELECT 1") == "1"
        assert is_running(directory)
        assert forker.stdin is not None
        forker.stdin.write("\n")
        forker.stdin.flush()
        assert said(forker) == "stopped"
        assert not is_running(directory)
        with EmbeddedPostgres(directory, options=FAST):
            pass
        assert not is_running(directory)
        finish(forker)


def test_a_server_whose_user_was_killed_is_taken_over_and_stopped(directory: Path) -> None:
    with process(USER, directory) as other:
        assert said(other) == "ready"
        other.kill()
        other.wait(DEADLINE_SECONDS)
    left = server_pid(directory)
    with EmbeddedPostgres(directory) as postgres:
        assert server_pid(directory) == left
        assert query(postgres, "SELECT 1") == "1"
    assert not is_running(directory)


def unfinished(directory: Path) -> bool:
    # Its parent is not there at first.
    return any(".new-" in path.name for path in directory.parent.glob(".*"))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_creation_cut_short_leaves_nothing_in_the_way(place: Path, how: signal.Signals) -> None:
    def tidied() -> bool:
        # The programs of the killed process may still have been writing the first time.
        with EmbeddedPostgres(place, options=FAST):
            return not unfinished(place)

    with process(USER, place) as other:
        eventually(lambda: unfinished(place))
        other.send_signal(how)
        other.wait(DEADLINE_SECONDS)
    assert not place.exists()
    with EmbeddedPostgres(place, options=FAST) as postgres:
        assert query(postgres, "SELECT 1") == "1"
    eventually(tidied)


def test_a_start_cut_short_by_ctrl_c_leaves_no_server(directory: Path) -> None:
    with process(USER, directory) as other:
        eventually(lambda: is_running(directory))
        other.send_signal(signal.SIGINT)
        other.communicate(timeout=DEADLINE_SECONDS)
    assert not is_running(directory)


def test_ctrl_c_in_the_terminal_is_for_the_user_of_the_server_alone(place: Path) -> None:
    with process(STEADY_USER, place) as other:
        eventually(lambda: any(place.parent.glob(".*.new-*/pg_wal")))
        os.killpg(other.pid, signal.SIGINT)
        assert said(other) == "interrupted"
        assert said(other) == "ready"
        os.killpg(other.pid, signal.SIGINT)
        assert said(other) == "interrupted"
        assert os.getpgid(server_pid(place)) != other.pid
        with EmbeddedPostgres(place) as postgres:
            assert query(postgres, "SELECT 1") == "1"
        finish(other)
    assert not is_running(place)
