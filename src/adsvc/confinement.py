"""What runs inside the processes that decode pictures."""

import os
import resource
from contextlib import suppress
from functools import cache
from pathlib import Path

from adsvc.errors import InvalidImageError, UnsupportedImageError
from adsvc.imaging import Picture, normalise
from adsvc.work import NICENESS


@cache
def _confine(memory_bytes: int) -> None:
    """Once a process: it gives way to others and cannot take more memory than that."""
    os.nice(NICENESS)
    # Where address space cannot be limited, the limit on pixels has to do.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def normalise_confined(
    image: Path, max_pixels: int, max_side: int, memory_bytes: int
) -> Picture | str | None:
    """The picture; a sentence if it cannot be used; None if it is of a kind not taken."""
    _confine(memory_bytes)
    try:
        return normalise(image.read_bytes(), max_pixels=max_pixels, max_side=max_side)
    except UnsupportedImageError:
        return None
    except InvalidImageError as error:
        return error.detail
