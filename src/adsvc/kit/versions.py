"""Versions: digests of the representation that a client was shown."""

import hashlib
from typing import NamedTuple

from adsvc.kit.errors import PreconditionFailedError

DIGEST_BYTES = 15


def version_of(representation: bytes) -> str:
    """As `repositories.ads.projection.version_sql` makes it from the same text."""
    return hashlib.sha256(representation).hexdigest()[: 2 * DIGEST_BYTES]


class Expected(NamedTuple):
    """What a change expects of the thing that it changes."""

    # One of these versions; None means any.
    versions: tuple[str, ...] | None = None
    # Whether the thing has to exist.
    exists: bool = False

    @property
    def parameters(self) -> tuple[tuple[str, ...], ...]:
        """For a statement that checks the version itself: one, or none."""
        return () if self.versions is None else (self.versions,)

    def require(self, version: str | None) -> None:
        """`version` is that of the thing now, or None if there is none."""
        if version is None and self.exists:
            raise PreconditionFailedError(None)
        if version is not None and self.versions is not None and version not in self.versions:
            raise PreconditionFailedError(version)


ANYTHING = Expected()


class Written(NamedTuple):
    """A record after a change."""

    # The record as JSON.
    record: str
    # What a following change may expect.
    version: str
