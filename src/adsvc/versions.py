"""Which state of a thing a client knows: by a digest of what it was shown of it."""

import hashlib
from typing import NamedTuple

from adsvc.errors import PreconditionFailedError

DIGEST_BYTES = 15


def version_of(representation: bytes) -> str:
    """As `repositories.ads.projection.version_sql` makes it of the same text."""
    return hashlib.sha256(representation).hexdigest()[: 2 * DIGEST_BYTES]


class Expected(NamedTuple):
    """What a change asks of the thing that it changes."""

    # One of these; None if any will do.
    versions: tuple[str, ...] | None = None
    # Whether the thing has to be there already.
    exists: bool = False

    def require(self, version: str | None) -> None:
        """`version` is that of the thing now, or None if there is none."""
        if version is None and self.exists:
            raise PreconditionFailedError(None)
        if version is not None and self.versions is not None and version not in self.versions:
            raise PreconditionFailedError(version)


ANYTHING = Expected()


class Written(NamedTuple):
    """A record as a change leaves it."""

    # In JSON.
    record: str
    # What a following change may expect.
    version: str
