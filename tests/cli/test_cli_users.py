import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import make_url
from typer.testing import CliRunner

from adsvc import __version__
from adsvc.main import create_app
from adsvc.settings import load_settings
from adsvc_ops.cli import app
from conftest import Environment
from support.mail.received import subjects, verified
from support.running.commands import done, refused
from support.running.in_process import running
from support.scene.api import PASSWORD, Api
from support.scene.factors import added, with_app
from support.scene.logins import bearer, opens

GROUPS = [(), ("users",)]
COMMANDS = [
    *(("serve",), ("migrate",), ("openapi",), ("seed",), ("sweep",), ("adopt",), ("audit",)),
    *(
        ("users", name)
        for name in (
            *("list", "check", "bounced", "promote", "demote", "set-password", "reset-factors"),
            *("expel", "export", "delete"),
        )
    ),
]


@pytest.fixture
def names(environment: Environment) -> list[str]:
    """Three accounts, made by the command itself."""
    done("seed", "--users", "3", "--ads", "0", environment=environment)
    return [line.split("\t")[2] for line in listed(environment)]


def listed(environment: Environment) -> list[str]:
    return done("users", "list", environment=environment).splitlines()


@pytest.mark.heavy
@pytest.mark.parametrize("command", [*GROUPS, *COMMANDS])
def test_every_command_explains_itself(command: tuple[str, ...]) -> None:
    explained = CliRunner().invoke(app, [*command, "--help"])
    assert explained.exit_code == 0
    assert "Usage: " in explained.output


@pytest.mark.parametrize("command", [*GROUPS, ("nonsense",), ("serve", "--nonsense")])
@pytest.mark.heavy
def test_misuse_has_an_exit_code_of_its_own(command: tuple[str, ...]) -> None:
    misused = CliRunner().invoke(app, list(command))
    assert misused.exit_code == 2
    assert "Usage: " in misused.output


@pytest.mark.heavy
def test_accounts_are_listed_by_id_with_their_role(
    environment: Environment, names: list[str]
) -> None:
    assert listed(environment) == [f"{n}\tUSER\t{name}" for n, name in enumerate(names, 1)]


@pytest.mark.heavy
async def test_who_has_lost_everything_gets_in_by_the_operator(environment: Environment) -> None:
    async with service_of(environment) as api:
        person, address = await verified(api)
        authenticator = await added(person)
        await with_app(person)
        command = ("users", "reset-factors", person.username.upper())
        told = await asyncio.to_thread(done, *command, environment=environment)
        assert "no second factor" in told
        api.state.database.changes.apply_all()
        assert not await opens(api.client, person.token)
        await api.log_in(person.username, PASSWORD)
        options = (await api.client.post("/login/passkey/options")).json()
        login = authenticator.login(options)
        assert (await api.client.post("/login/passkey", json=login)).status_code == 401
        assert await api.sql("SELECT has_totp OR has_passkey FROM users") == [False]
        for table in ("totps", "recovery_codes", "passkeys"):
            assert await api.sql(f"SELECT count(*) FROM {table}") == [0]  # noqa: S608 - a name of a table
        events = "SELECT actor || ' ' || target FROM audit_events WHERE event = 'factors_reset'"
        assert await api.sql(events) == [f"operator {person.id}"]
        assert (await subjects(api, address))[-1] == "Signing in to adsvc: something was changed"


@pytest.mark.heavy
async def test_addresses_whose_mails_came_back_are_verified_no_longer(
    environment: Environment,
) -> None:
    async with service_of(environment) as api:
        people = [await verified(api) for _ in range(3)]
        addresses = [address for _, address in people]
        command = partial(done, "users", "bounced", environment=environment)
        told = await asyncio.to_thread(command, typed=f"{addresses[0]}\n\nother@example.com\n")
        assert "no longer: 1." in told
        told = await asyncio.to_thread(
            done, "users", "bounced", addresses[1], environment=environment
        )
        assert "no longer: 1." in told
        verified_now = "SELECT mail_verified FROM users ORDER BY id"
        assert await api.sql(verified_now) == [False, False, True]


@asynccontextmanager
async def service_of(environment: Environment) -> AsyncIterator[Api]:
    settings = load_settings(
        database_url=SecretStr(environment["ADSVC_DATABASE_URL"]),
        jwt_secret=SecretStr(environment["ADSVC_JWT_SECRET"]),
        data_dir=environment["ADSVC_DATA_DIR"],
        countries=("LI",),
    )
    service = create_app(settings)
    async with running(service) as client:
        yield Api(client, service)


@pytest.mark.heavy
async def test_a_seeded_site_has_staff_and_activity(environment: Environment) -> None:
    too_few = ("seed", "--activity", "--users", "5")
    why = await asyncio.to_thread(refused, *too_few, environment=environment)
    assert "at least 6 users" in why
    command = ("seed", "--activity", "--users", "6", "--ads", "30")
    printed = await asyncio.to_thread(done, *command, environment=environment)
    accounts = [line.split(": ") for line in printed.splitlines() if line.startswith("  ")]
    titles = [title.strip() for title, _ in accounts]
    assert titles == ["administrator", "moderator", "seller", "seller", "buyer"]
    password = printed.split("password ")[1].split()[0]
    async with service_of(environment) as api:

        async def lists(number: int, path: str) -> list[object]:
            token = await api.log_in(accounts[number][1], password)
            answer = await api.client.get(path, headers=bearer(token))
            results: list[object] = answer.json()["results"]
            return results

        assert await lists(0, "/admin/providers") == []
        assert len(await lists(1, "/moderation/cases")) == 3
        assert await lists(2, "/conversations")
        assert await lists(4, "/conversations")
        assert await lists(4, "/users/me/searches")


@pytest.mark.heavy
def test_an_operator_makes_and_unmakes_administrators(
    environment: Environment, names: list[str]
) -> None:
    told = done("users", "promote", names[1].upper(), environment=environment)
    assert "administrator" in told
    assert [line.split("\t")[1] for line in listed(environment)] == ["USER", "ADMIN", "USER"]
    done("users", "promote", names[1], environment=environment)
    done("users", "demote", names[1], environment=environment)
    assert [line.split("\t")[1] for line in listed(environment)] == ["USER"] * 3


@pytest.mark.heavy
async def test_a_password_that_an_operator_set_logs_in(
    environment: Environment, names: list[str]
) -> None:
    typed = "a new password\n"
    told = done("users", "set-password", names[0], environment=environment, typed=typed)
    assert "a new password" not in told
    async with service_of(environment) as api:
        assert await api.log_in(names[0], "a new password")
        wrong = {"username": names[0], "password": PASSWORD}
        assert (await api.client.post("/login", json=wrong)).status_code == 401


@pytest.mark.parametrize("typed", ["short\n", "x" * 129 + "\n"])
def test_a_password_outside_its_limits_is_not_set(environment: Environment, typed: str) -> None:
    told = refused("users", "set-password", "nobody", environment=environment, typed=typed)
    assert "8 to 128 characters" in told
    assert not typed.strip() or typed.strip() not in told


@pytest.mark.heavy
def test_a_password_that_is_guessed_first_is_not_set(
    environment: Environment, names: list[str]
) -> None:
    for typed, reason in (("12345678", "common"), (f"{names[0]}1", "your name")):
        told = refused(
            "users", "set-password", names[0], environment=environment, typed=f"{typed}\n"
        )
        assert reason in told
        assert typed not in told


@pytest.mark.heavy
@pytest.mark.parametrize("command", ["promote", "demote", "set-password", "reset-factors"])
def test_an_account_that_does_not_exist_is_named(environment: Environment, command: str) -> None:
    told = refused("users", command, "nobody", environment=environment, typed="a new password\n")
    assert "no account named nobody" in told


@pytest.mark.heavy
def test_a_database_that_refuses_the_user_says_why(environment: Environment) -> None:
    url = make_url(environment["ADSVC_DATABASE_URL"])
    for wrong, told in (
        (url.set(database="nowhere"), "nowhere"),
        (url.set(username="nobody"), "nobody"),
        (url.update_query_dict({"ssl_mode": "require"}), "ssl_mode"),
    ):
        address = wrong.render_as_string(hide_password=False)
        for command in (("users", "list"), ("migrate",), ("serve", "--port", "0")):
            changed = {**environment, "ADSVC_DATABASE_URL": address}
            refusal = refused(*command, environment=changed)
            assert "ADSVC_DATABASE_URL cannot be used" in refusal
            assert told in refusal


def test_a_database_that_cannot_be_reached_is_named_without_its_password() -> None:
    environment = {
        "ADSVC_DATABASE_URL": "postgresql://adsvc:hush@127.0.0.1:1/adsvc",
        "ADSVC_JWT_SECRET": "0123456789abcdefghijklmnopqrstuvwxyz",
    }
    for command in (("users", "list"), ("migrate",), ("serve", "--port", "0")):
        told = refused(*command, environment=environment)
        assert "ADSVC_DATABASE_URL cannot be used" in told
        assert "hush" not in told


@pytest.mark.heavy
def test_an_administrator_removes_everything_of_an_account(
    environment: Environment, names: list[str]
) -> None:
    spammer, admin, other = names
    expel = ("users", "expel", spammer, "--as")
    assert "no administrator" in refused(*expel, other, "--dry-run", environment=environment)
    done("users", "promote", admin, environment=environment)
    assert "--explanation" in refused(*expel, admin, environment=environment)
    nothing = ["ads\t0", "pictures\t0", "comments\t0", "messages\t0", "ratings\t0"]
    counted = done(*expel, admin, "--dry-run", environment=environment)
    assert counted.splitlines() == nothing
    done(*expel, admin, "--explanation", "Spam.", environment=environment)
    recorded = done("audit", "--event", "suspended", environment=environment)
    assert len(recorded.splitlines()) == 1


@pytest.mark.heavy
def test_the_data_of_an_account_are_exported_and_deleted(
    environment: Environment, names: list[str], tmp_path: Path
) -> None:
    """For an owner who cannot log in."""
    file = tmp_path / "data.json"
    done("users", "export", names[0], str(file), environment=environment)
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["user"]["email"] == names[0]
    existing = refused("users", "export", names[0], str(file), environment=environment)
    assert "cannot be written" in existing
    counted = done("users", "delete", names[0], "--dry-run", environment=environment)
    assert counted.splitlines()[0] == "ads\t0"
    assert len(listed(environment)) == 3
    done("users", "delete", names[0], environment=environment, typed="y\n")
    assert [line.split("\t")[2] for line in listed(environment)] == names[1:]
    assert "no account" in refused("users", "delete", names[0], "--yes", environment=environment)
    [deletion] = done("deletions", "list", environment=environment).splitlines()
    number, kind, _, label, *_ = deletion.split("\t")
    assert (kind, label) == ("account", names[0])
    done("deletions", "undo", number, environment=environment)
    assert [line.split("\t")[2] for line in listed(environment)] == names
    done("users", "delete", names[0], "--yes", "--now", environment=environment)
    assert done("deletions", "list", environment=environment) == ""
    assert "final" in refused("deletions", "purge", number, environment=environment)
    kinds = [
        json.loads(line)["event"] for line in done("audit", environment=environment).splitlines()
    ]
    deleted = "account_deleted"
    assert kinds == ["account_exported", deleted, "deletion_undone", deleted]


def test_the_version_is_an_option() -> None:
    assert done("--version", environment={}) == f"adsvc {__version__}\n"
