from collections.abc import Iterator
from contextlib import contextmanager

from adsvc.errors import Fault, FaultCode, InvalidImageError, UnsupportedImageError

KINDS = "must be a picture in JPEG, PNG or WebP format"


class PictureFaults:
    """What is wrong with the pictures of one upload, of which there may be several."""

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._all_unsupported = True
        self.faults: list[Fault] = []

    @contextmanager
    def noted(self, number: int) -> Iterator[None]:
        """Around what decodes one of them; `number` counts them from 1."""
        try:
            yield
        except UnsupportedImageError:
            self._add(number, KINDS)
        except InvalidImageError as error:
            self._all_unsupported = False
            self._add(number, error.detail)

    def _add(self, number: int, detail: str) -> None:
        named = f"Picture {number}: {detail}" if self._several else detail
        fault = Fault(FaultCode.UNUSABLE_IMAGE, named)
        self.faults.append(fault.of_part("image", number if self._several else None))

    def refuse(self) -> None:
        if self.faults and self._all_unsupported:
            raise UnsupportedImageError
        if self.faults:
            raise InvalidImageError(self.faults[0].detail, *self.faults)
