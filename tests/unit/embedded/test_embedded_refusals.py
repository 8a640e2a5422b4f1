"""Where the embedded database cannot work, the error says why, and what helps."""

import os
import pwd
import sys
import tempfile
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from adsvc_ops.embedded import EmbeddedPostgres, EmbeddedPostgresError
from support.running.embedded import FAST, is_running, query

pytestmark = pytest.mark.heavy


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
        with pytest.raises(EmbeddedPostgresError, match="belongs to another user"):
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
    with pytest.raises(EmbeddedPostgresError, match="contains other files"):
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


def test_a_cluster_of_another_user_is_refused_with_its_owner() -> None:
    was = os.geteuid()
    if was == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        with pytest.raises(EmbeddedPostgresError, match="/usr belongs to user root"):
            EmbeddedPostgres(Path("/usr")).start()
    finally:
        os.seteuid(was)
