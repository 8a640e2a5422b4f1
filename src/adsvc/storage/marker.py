import os
import secrets
from pathlib import Path

from adsvc.storage.files import sync_directories

# Beside the directories of the pictures.
NAME = ".installation"


class Marker:
    """The file that says to which installation a directory belongs, by the id of its database."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._path = directory / NAME

    def owner(self) -> str | None:
        try:
            return self._path.read_text("ascii", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def claim(self, owner: str, instead_of: str | None = None) -> str:
        """Durable when it returns; whole, or not there, whenever anybody looks."""
        draft = self._path.with_name(f"{NAME}.{secrets.token_hex(8)}")
        try:
            with draft.open("x", encoding="ascii") as file:
                file.write(owner)
                file.flush()
                os.fsync(file.fileno())
            if instead_of is None:
                self._link(draft)
            else:
                draft.replace(self._path)
        finally:
            draft.unlink(missing_ok=True)
        sync_directories([self._directory])
        return self._path.read_text("ascii", "replace")

    def _link(self, draft: Path) -> None:
        try:
            # Unlike a rename, a link never replaces what another process has just claimed.
            self._path.hardlink_to(draft)
        except FileExistsError:
            pass
        except OSError:
            # Some file systems have no links.
            if not self._path.exists():
                draft.replace(self._path)
