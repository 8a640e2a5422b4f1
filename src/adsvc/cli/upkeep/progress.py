from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as Bars

from adsvc.services.backup.making import Progress
from adsvc.services.backup.pictures import Advance


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """A bar for each step, if somebody looks at the terminal."""
    console = Console(stderr=True)
    with Bars(console=console, disable=not console.is_terminal) as bars:

        def begin(description: str, total: int | None) -> Advance:
            task = bars.add_task(description, total=total)
            return lambda done: bars.advance(task, done)

        yield begin
