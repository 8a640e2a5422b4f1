from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True)
class Installation:
    """What checks may look at."""

    settings: Settings
    # The variables of the command and of the file `.env`, in capitals; none is empty.
    environment: Mapping[str, str]
    database: Database
    store: ImageStore


def ok(seen: str) -> Finding:
    return Finding(Level.OK, seen)


def warning(seen: str, advice: str) -> Finding:
    return Finding(Level.WARNING, seen, advice)


def fault(seen: str, advice: str) -> Finding:
    return Finding(Level.FAULT, seen, advice)
