from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from adsvc.db.database import Database
from adsvc.settings import Settings
from adsvc.storage import ImageStore


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


class Finding(NamedTuple):
    level: Level
    # What is so.
    seen: str
    # What to do about it.
    advice: str = ""
    # Which of several that the check may find, so that each can be ignored by itself.
    part: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """What checks may look at."""

    settings: Settings
    # The variables of the command and of the file `.env`, in capitals; none is empty.
    environment: Mapping[str, str]
    # The names of those that are in the file.
    dotenv: Sequence[str]
    database: Database
    store: ImageStore


def ok(seen: str) -> Finding:
    return Finding(Level.OK, seen)


def warning(seen: str, advice: str, part: str = "") -> Finding:
    return Finding(Level.WARNING, seen, advice, part)


def fault(seen: str, advice: str, part: str = "") -> Finding:
    return Finding(Level.FAULT, seen, advice, part)
