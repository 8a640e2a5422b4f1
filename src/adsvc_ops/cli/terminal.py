"""What commands print. Nothing else in `adsvc_ops.cli` writes to a terminal.

Rich is imported where something is shown: the process of `adsvc serve` has no use for it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from adsvc.errors import UnavailableError
from adsvc.schemas.base import is_seen
from adsvc_ops.backup.plain import Advance, Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


def shown(text: str, *, keep: str = "") -> str:
    """The text with invisible and control characters escaped, as Python does.

    A user name could otherwise write lines of its own, or clear the screen. A
    backslash becomes two, so that no name can look like another's escape.
    """
    return "".join(
        character
        if character in keep or (is_seen(character) and character != "\\")
        else character.encode("unicode_escape").decode()
        for character in text
    )


def say(*fields: object, to_errors: bool = False) -> None:
    """One line, the fields separated by tabs."""
    typer.echo("\t".join(shown(str(field)) for field in fields), err=to_errors)


def say_document(text: str) -> None:
    """Lines of this program's own making."""
    typer.echo(shown(text, keep="\n\\"))


def say_error(error: Exception) -> None:
    """Its message may have several lines, in which names are `shown` already.

    The message of an `UnavailableError` is meant for clients, so its cause is appended.
    """
    message = str(error)
    if isinstance(error, UnavailableError) and error.__cause__ and message == type(error).detail:
        message = f"{message.removesuffix('.')}: {error.__cause__}"
    typer.echo("adsvc: " + shown(message, keep="\n\\"), err=True)


# Between two lines of a step, where there is no terminal.
LINE_SECONDS = 15.0


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """A bar for each step on a terminal; lines otherwise, for a log."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import MofNCompleteColumn, TextColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    console = Console(stderr=True)
    if console.is_terminal:
        figures = TextColumn("{task.fields[figures]}")
        with Bars(*Bars.get_default_columns(), MofNCompleteColumn(), figures, console=console) as (
            bars
        ):
            yield lambda description, total: _bar(bars, description, total)
        return
    steps: list[_Step] = []

    def begin(description: str, total: int | None) -> Advance:
        _end(steps)
        steps.append(_Step(description, total))
        return steps[-1].advance

    yield begin
    _end(steps)


def _end(steps: "list[_Step]") -> None:
    if steps:
        steps.pop().say()


def progress_bar() -> "Bars":
    """On standard error; nothing where that is no terminal."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    return Bars(console=Console(stderr=True))


def _size(size: int) -> str:
    from rich.filesize import decimal  # noqa: PLC0415

    return decimal(size)


def _bar(bars: "Bars", description: str, total: int | None) -> Advance:
    step = _Step(description, total)
    task = bars.add_task(description, total=total, figures="")

    def advance(parts: int, size: int) -> None:
        step.count(parts, size)
        bars.update(task, advance=parts, figures=f"{_size(step.bytes)} {step.rate()}")

    return advance


@dataclass
class _Step:
    description: str
    total: int | None
    parts: int = 0
    bytes: int = 0
    # The parts with bytes. Skipped ones say nothing about the time left.
    moved: int = 0
    began: float = field(default_factory=time.monotonic)
    said: float = field(default_factory=time.monotonic)

    def count(self, parts: int, size: int) -> None:
        self.parts += parts
        self.bytes += size
        if size:
            self.moved += parts

    def advance(self, parts: int, size: int) -> None:
        self.count(parts, size)
        if time.monotonic() - self.said >= LINE_SECONDS:
            self.say()

    def rate(self) -> str:
        return f"{self._per_second():.0f}/s" if self.moved else ""

    def _per_second(self) -> float:
        return self.moved / max(time.monotonic() - self.began, 0.001)

    def say(self) -> None:
        self.said = time.monotonic()
        parts = [f"{self.parts:,} of {max(self.total, self.parts):,} files"] if self.total else []
        if self.total is None and self.parts:
            parts.append(f"{self.parts:,} files")
        if self.bytes:
            parts.append(_size(self.bytes))
        if self.moved:
            parts.append(f"{self._per_second():,.0f} files/s")
        if self.moved and self.total and self.total > self.parts:
            left = (self.total - self.parts) / self._per_second()
            parts.append(f"some {left:.0f} s left")
        parts.append(f"{self.said - self.began:.0f} s")
        say(f"{self.description}: {', '.join(parts)}", to_errors=True)
