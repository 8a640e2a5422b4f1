"""Which files this process opens."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_followers: list[tuple[str, list[Path]]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _followers and isinstance(arguments[0], str | Path):
        for directory, found in _followers:
            if str(arguments[0]).startswith(directory):
                found.append(Path(str(arguments[0])))


# An audit hook stays until the process ends.
sys.addaudithook(_note)


@contextmanager
def opened(directory: Path) -> Iterator[list[Path]]:
    """Every opening of something below the directory during the block, in order."""
    follower = (f"{directory}/", list[Path]())
    _followers.append(follower)
    try:
        yield follower[1]
    finally:
        _followers.remove(follower)
