import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from adsvc.errors import OperatorError
from adsvc.services.backup.digests import digest_of
from adsvc.storage.files import write_all

MANIFEST, DUMP, LIST = "manifest.json", "database.dump", "pictures.sha256"
DIGEST = "sha256"


class StoredFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "StoredFile":
        return cls(bytes=path.stat().st_size, sha256=digest_of(path))


class Manifest(BaseModel):
    """What a restore must know of a generation, and what proves it whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    made_at: datetime
    # The service that made it, the schema of its database, and that database's server.
    version: str
    revision: str
    postgresql: str
    installation: UUID
    # With variants.
    pictures: int
    # Rows named them, and the store did not have them.
    missing: list[str]
    files: dict[str, StoredFile]

    def write(self, path: Path) -> None:
        write_all({path: _rendered(self.model_dump(mode="json"))})


def read_manifest(path: Path) -> Manifest:
    """`OperatorError` if anything in it is not as it was written."""
    try:
        content = path.read_bytes()
        record = json.loads(content)
        digest = record.pop(DIGEST)
    except FileNotFoundError:
        raise OperatorError(f"There is no {path}: it is no whole backup.") from None
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise OperatorError(f"{path} is no manifest of a backup.") from None
    if record.get("format") != 1:
        raise OperatorError(f"{path} is of another version of adsvc, which can read it.")
    if content != _rendered(record) or not digest:
        raise OperatorError(f"{path} is not as it was written.")
    try:
        return Manifest.model_validate(record)
    except ValidationError:
        raise OperatorError(f"{path} is no manifest of a backup.") from None


def _rendered(record: dict[str, object]) -> bytes:
    """The record with a digest of itself."""
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
    return json.dumps({**record, DIGEST: digest}, indent=2).encode() + b"\n"
