"""What `adsvc doctor` finds."""

import json
from collections.abc import Mapping

from support.running.commands import run_here


def examined(
    environment: Mapping[str, str], **variables: str
) -> dict[str, list[tuple[str, str, str]]]:
    """What each check found: level, what is so, what to do. The exit code fits."""
    changed = {f"ADSVC_{name.upper()}": value for name, value in variables.items()}
    finished = run_here("doctor", "--json", environment={**environment, **changed})
    found: dict[str, list[tuple[str, str, str]]] = {}
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
