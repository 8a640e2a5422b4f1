"""Embedded servers that were killed: every crash here is a real one."""

import os
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adsvc_ops.embedded import EmbeddedPostgres, server
from support.running.embedded import (
    FAST,
    eventually,
    is_running,
    query,
    recall,
    remember,
    server_pid,
)

pytestmark = pytest.mark.heavy


def test_a_killed_server_starts_again_with_its_data(directory: Path) -> None:
    postgres = EmbeddedPostgres(directory)
    postgres.start()
    remember(postgres)
    killed = server_pid(directory)
    os.kill(killed, signal.SIGKILL)
    postgres.start()
    assert server_pid(directory) != killed
    assert recall(postgres) == "elephant"
    os.kill(server_pid(directory), signal.SIGKILL)
    postgres.stop()
    with EmbeddedPostgres(directory) as postgres:
        assert recall(postgres) == "elephant"


def test_a_start_waits_for_the_last_process_of_a_killed_server(directory: Path) -> None:
    postgres = EmbeddedPostgres(directory, options=FAST)
    postgres.start()
    checkpointer = int(
        query(postgres, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    )
    os.kill(checkpointer, signal.SIGSTOP)
    os.kill(server_pid(directory), signal.SIGKILL)
    with ThreadPoolExecutor() as threads:
        start = threads.submit(postgres.start)
        try:
            log = directory / "server.log"
            eventually(lambda: start.done() or "pre-existing shared memory" in log.read_text())
            assert not start.done()
        finally:
            os.kill(checkpointer, signal.SIGCONT)
        start.result()
    assert query(postgres, "SELECT 1") == "1"
    postgres.stop()


def test_a_process_with_the_pid_of_a_killed_server_does_not_pass_for_it(
    home: Path, directory: Path
) -> None:
    with EmbeddedPostgres(home / "other", options=FAST) as other:
        with EmbeddedPostgres(directory, options=FAST) as postgres:
            os.kill(server_pid(directory), signal.SIGKILL)
            for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
                _, _, rest = (directory / name).read_text().partition("\n")
                (directory / name).write_text(f"{server_pid(home / 'other')}\n{rest}")
            postgres.start()
            assert query(postgres, "SELECT 1") == "1"
        assert query(other, "SELECT 1") == "1"


def test_a_server_that_answers_is_not_started_again_even_if_its_process_cannot_be_seen(
    directory: Path,
) -> None:
    # So it is between containers which share a volume: each has process numbers of its own.
    with EmbeddedPostgres(directory, options=FAST):
        pid_file = directory / "postmaster.pid"
        seen = pid_file.read_text()
        started = (directory / "server.log").read_text().count("starting PostgreSQL")
        _, _, rest = seen.partition("\n")
        pid_file.write_text(f"{os.getpid()}\n{rest}")
        try:
            with EmbeddedPostgres(directory) as postgres:
                assert query(postgres, "SELECT 1") == "1"
        finally:
            pid_file.write_text(seen)
        assert (directory / "server.log").read_text().count("starting PostgreSQL") == started


@pytest.mark.skipif(shutil.which("ps") is None, reason="has no ps")
def test_servers_are_told_apart_without_proc_too(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PROC", directory / "nothing")
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        started = server_pid(directory)
        with EmbeddedPostgres(directory):
            assert server_pid(directory) == started
        os.kill(started, signal.SIGKILL)
        postgres.start()
        assert query(postgres, "SELECT 1") == "1"
    assert not is_running(directory)
