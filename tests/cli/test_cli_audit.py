import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import Any

import pytest

from conftest import Environment
from support.running.commands import adsvc, done
from support.running.embedded import eventually, is_running

pytestmark = pytest.mark.heavy

SECONDS = 30


@pytest.fixture
def names(environment: Environment) -> list[str]:
    """Two accounts, of whose roles and passwords there is something to tell."""
    done("seed", "--users", "2", "--ads", "0", environment=environment)
    found = done("users", "list", environment=environment).splitlines()
    names = [line.split("\t")[2] for line in found]
    done("users", "promote", names[0], environment=environment)
    done("users", "set-password", names[1], environment=environment, typed="a new password of it\n")
    return names


def printed(environment: Environment, *options: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in done("audit", *options, environment=environment).split("\n")[:-1]
    ]


def test_the_trail_is_printed_oldest_first(environment: Environment, names: list[str]) -> None:
    everything = printed(environment)
    assert [(line["event"], line["actor"], line["target"]) for line in everything] == [
        ("role_changed", "operator", 1),
        ("password_changed", "operator", 2),
    ]
    assert set(everything[0]) == {
        "at", "event", "actor", "target", "ad_id", "owner_id", "request_id", "address", "omitted",
    }  # fmt: skip
    assert everything[0]["at"] < everything[1]["at"]
    assert names


@pytest.mark.usefixtures("names")
def test_the_trail_is_printed_in_part(environment: Environment) -> None:
    everything = printed(environment)
    changed = printed(environment, "--event", "password_changed", "--event", "token_reused")
    assert changed == everything[1:]
    assert printed(environment, "--since", everything[1]["at"]) == everything[1:]
    assert printed(environment, "--since", "1h") == everything
    assert printed(environment, "--since", "0s") == []
    assert printed(environment, "--since", "2099-01-01") == []


@pytest.mark.long
def test_what_is_no_moment_or_event_is_misuse(environment: Environment) -> None:
    for options in (("--since", "yesterday"), ("--since", "-1h"), ("--event", "x")):
        assert adsvc("audit", *options, environment=environment).returncode == 2, options


def test_the_trail_is_followed(environment: Environment, names: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "adsvc", "audit", "--follow"],
        env={**environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    ) as following:
        try:
            assert following.stdout is not None
            lines: Iterator[str] = iter(following.stdout.readline, "")
            before = [json.loads(next(lines))["event"] for _ in range(2)]
            assert before == ["role_changed", "password_changed"]
            done("users", "demote", names[0], environment=environment)
            line = json.loads(next(lines))
            assert (line["event"], line["target"]) == ("role_changed", 1)
        finally:
            following.terminate()


def test_a_command_that_gets_a_signal_stops_its_database(
    embedded_environment: Environment,
) -> None:
    cluster = Path(embedded_environment["ADSVC_DATA_DIR"]) / "postgres"
    done("migrate", environment=embedded_environment)
    with subprocess.Popen(
        [sys.executable, "-m", "adsvc", "audit", "--follow"],
        env={**environ, **embedded_environment},
    ) as following:
        eventually(lambda: is_running(cluster))
        following.terminate()
        assert following.wait(SECONDS) == -signal.SIGTERM
    assert not is_running(cluster)
