"""A clock for one module that a test moves."""

import time
from dataclasses import dataclass
from types import ModuleType
from typing import Self

import pytest


@dataclass
class Clock:
    """Takes the place of a module's own `time`."""

    now: float = 1000.0

    @classmethod
    def of(cls, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Self:
        clock = cls()
        monkeypatch.setattr(module, "time", clock)
        return clock

    def monotonic(self) -> float:
        return self.now

    @staticmethod
    def time() -> float:
        """The time of day goes on."""
        return time.time()
