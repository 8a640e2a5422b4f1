import hashlib
import json
from datetime import datetime
from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from adsvc.errors import OperatorError

MANIFEST, DUMP, LIST = "manifest.json", "database.dump", "pictures.sha256"
DIGEST = "sha256"


class StoredFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int
    sha256: str


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

    def rendered(self) -> bytes:
        return _rendered(self.model_dump(mode="json"))

    @classmethod
    def read(cls, content: bytes, origin: str) -> Self:
        """`OperatorError` if anything in it is not as it was written."""
        try:
            record = json.loads(content)
            digest = record.pop(DIGEST)
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise OperatorError(f"{origin} is no manifest of a backup.") from None
        if record.get("format") != 1:
            raise OperatorError(f"{origin} is of another version of adsvc, which can read it.")
        if content != _rendered(record) or not digest:
            raise OperatorError(f"{origin} is not as it was written.")
        try:
            return cls.model_validate(record)
        except ValidationError:
            raise OperatorError(f"{origin} is no manifest of a backup.") from None


def _rendered(record: dict[str, object]) -> bytes:
    """The record with a digest of itself."""
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
    return json.dumps({**record, DIGEST: digest}, indent=2).encode() + b"\n"
