"""What others wrote cannot control an operator's terminal."""

import os
import pwd
import re
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

import adsvc_ops.cli
from adsvc.errors import OperatorError
from adsvc.models.accounts import username_key
from adsvc.settings import async_database_url
from adsvc_ops.cli import forget_foreign_home, main
from adsvc_ops.cli.terminal import shown
from conftest import Environment
from support.running.commands import adsvc as run_adsvc
from support.running.commands import done, refused

FORGED = "eve\n1\tADMIN\troot\x1b[2J\u202e\u034f\\x1b"
NAMES = ("anna.berg", "anna\u200b.berg", FORGED, "Anna Berg")


def load_url(environment: Environment) -> URL:
    return async_database_url(environment["ADSVC_DATABASE_URL"])


@pytest.fixture
async def environment_with_names(environment: Environment) -> Environment:
    """Accounts as no registration would make them."""
    engine = create_async_engine(load_url(environment))
    async with engine.begin() as connection:
        for name in NAMES:
            await connection.execute(
                text(
                    "INSERT INTO users (username, username_key, password_hash, first_name,"
                    " last_name, phone, role) VALUES (:name, :key, 'x', '', '', '', 'USER')"
                ),
                {"name": name, "key": username_key(name)},
            )
    await engine.dispose()
    return environment


@pytest.mark.heavy
def test_names_cannot_forge_lines_or_move_the_cursor(environment_with_names: Environment) -> None:
    listed = done("users", "list", environment=environment_with_names)
    assert len(listed.splitlines()) == len(NAMES)
    assert listed.isascii()
    assert "\x1b" not in listed
    escaped = r"eve\n1\tADMIN\troot\x1b[2J\u202e\u034f\\x1b"
    assert listed.splitlines()[2] == f"3\tUSER\t{escaped}"
    for command in ("promote", "demote"):
        told = done("users", command, FORGED, environment=environment_with_names)
        assert told.startswith(escaped)
        assert len(told.splitlines()) == 1
    told = refused("users", "promote", "nobody\x1b[2J", environment=environment_with_names)
    assert told == r"There is no account named nobody\x1b[2J."


@pytest.mark.heavy
def test_accounts_whose_names_could_not_be_registered_now_are_listed(
    environment_with_names: Environment,
) -> None:
    lines = done("users", "check", environment=environment_with_names).splitlines()
    assert [line.split("\t")[0] for line in lines] == ["2", "3"]
    number, name, reason, alike = lines[0].split("\t")
    assert (number, name) == ("2", r"anna\u200b.berg")
    assert "invisible" in reason
    assert alike == "looks like account 1"


@pytest.mark.heavy
async def test_accounts_that_slow_every_login_down_are_counted(
    environment_with_names: Environment,
) -> None:
    environment = environment_with_names
    engine = create_async_engine(load_url(environment))
    async with engine.begin() as connection:
        hashed = "$2b$12$" + "a" * 53
        statement = text("UPDATE users SET password_hash = :hashed WHERE id < 3")
        await connection.execute(statement, {"hashed": hashed})
    await engine.dispose()
    told = run_adsvc("users", "check", environment=environment)
    assert told.returncode == 0
    assert "2 accounts have a bcrypt hash" in told.stderr


def test_a_message_of_several_lines_keeps_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise OperatorError(f"Two lines:\n  {shown(FORGED)}\x1b[2J")

    monkeypatch.setattr(adsvc_ops.cli, "app", fail)
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr().err
    assert told == f"adsvc: Two lines:\n  {shown(FORGED)}\\x1b[2J\n"


def test_what_is_written_in_any_script_is_shown_as_it_is() -> None:
    for name in ("Ünal Öz", "Анна", "名前", "דוד", "o'neil"):
        assert shown(name) == name


def test_commands_print_by_one_module_only() -> None:
    directory = Path(adsvc_ops.cli.__file__).parent
    for path in directory.glob("*.py"):
        if path.name != "terminal.py":
            assert not re.search(
                r"\becho\(|(?<!\.)\bprint\(|std(out|err)\.write", path.read_text()
            ), path


def test_the_home_of_another_user_is_forgotten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As `sudo -u` may leave it."""
    (tmp_path / "root").mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path / "root"))
    forget_foreign_home()
    assert "HOME" in os.environ
    was = os.geteuid()
    if was == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    else:
        (tmp_path / "root").chmod(0)
    try:
        forget_foreign_home()
    finally:
        os.seteuid(was)
        (tmp_path / "root").chmod(0o700)
    assert "HOME" not in os.environ
