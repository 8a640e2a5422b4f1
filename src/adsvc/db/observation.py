"""Who is told of each statement, if anybody: traces are made of that."""

from collections.abc import Callable
from typing import ClassVar

# The SQL, how many seconds it took, and what came of it if it failed.
Observer = Callable[[str, float, BaseException | None], None]


class Statements:
    """Of this process. Set before the first connection is made; without it nothing is measured."""

    observer: ClassVar[Observer | None] = None
