"""The findings of `adsvc doctor`."""

import json
from collections.abc import Mapping
from typing import NoReturn

import pytest

from support.running.commands import run_here


class Found(dict[str, list[tuple[str, str, str]]]):
    """What each check found: level, what is so, what to do."""

    def __missing__(self, check: str) -> NoReturn:
        # A database or settings that cannot be used end the examination.
        pytest.fail(f"There is no {check!r}, but {dict(self)}")


def examined(environment: Mapping[str, str], **variables: str) -> Found:
    """The exit code fits."""
    changed = {f"ADSVC_{name.upper()}": value for name, value in variables.items()}
    finished = run_here("doctor", "--json", environment={**environment, **changed})
    assert finished.stdout, finished.exception or finished.stderr
    found = Found()
    for row in json.loads(finished.stdout):
        found.setdefault(row["check"], []).append((row["level"], row["seen"], row["advice"]))
    levels = {level for rows in found.values() for level, _, _ in rows}
    assert finished.exit_code == ("fault" in levels)
    return found


def one(found: Mapping[str, list[tuple[str, str, str]]], check: str, level: str) -> str:
    """The only finding of that check."""
    [(its_level, seen, advice)] = found[check]
    assert its_level == level, seen
    assert bool(advice) == (level != "ok")
    return seen
