from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from adsvc.kit.db.database import Database
from adsvc.kit.storage import ImageStore
from adsvc.settings import Settings


class Severity(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


class Finding(NamedTuple):
    severity: Severity
    # What was found.
    seen: str
    # What to do about it.
    advice: str = ""
    # Distinguishes several findings of one check, so that each can be ignored by itself.
    part: str = ""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What checks may use."""

    settings: Settings
    # The variables of the command and of the file `.env`, in capitals; none is empty.
    environment: Mapping[str, str]
    # The names of those that are in the file.
    dotenv: Sequence[str]
    database: Database
    store: ImageStore


def ok(seen: str) -> Finding:
    return Finding(Severity.OK, seen)


def warning(seen: str, advice: str, part: str = "") -> Finding:
    return Finding(Severity.WARNING, seen, advice, part)


def fault(seen: str, advice: str, part: str = "") -> Finding:
    return Finding(Severity.FAULT, seen, advice, part)
