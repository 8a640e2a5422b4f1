"""Places of backups by their addresses."""

from pathlib import Path

from adsvc.errors import OperatorError
from adsvc.settings import S3_SCHEME, Settings
from adsvc.storage.opening import open_backup_bucket
from adsvc_ops.backup.directory import BackupDirectory
from adsvc_ops.backup.objects import BucketObjects, LocalObjects
from adsvc_ops.backup.place import GENERATION, Place
from adsvc_ops.backup.vault import VAULT, Vault


def open_place(address: str, key: bytes | None, settings: Settings) -> Place:
    """A directory, or `s3://bucket/prefix`, which takes encrypted backups alone."""
    if address.startswith(S3_SCHEME):
        if key is None:
            raise OperatorError(
                "Backups in a bucket are encrypted: name their key by --key-file. "
                "To make one: adsvc backup-key FILE"
            )
        return Vault(BucketObjects(open_backup_bucket(settings, address), address), key)
    path = Path(address).absolute()
    if key is not None:
        return Vault(LocalObjects(path), key)
    if (path / VAULT).exists():
        raise OperatorError(f"The backups in {path} are encrypted: name their key by --key-file.")
    return BackupDirectory(path)


def parted(address: str) -> tuple[str, str | None]:
    """The place, and the generation in it if the address is that of one."""
    place, _, name = address.rstrip("/").rpartition("/")
    if GENERATION.fullmatch(name):
        return place or ".", name
    return address.rstrip("/") or "/", None


def require_elsewhere(address: str, settings: Settings) -> None:
    """Backups that are lost with what they are of are none."""
    if address.startswith(S3_SCHEME):
        ours = f"{settings.image_store.rstrip('/')}/"
        theirs = f"{address.rstrip('/')}/"
        if settings.backup_s3_endpoint in {None, settings.s3_endpoint} and (
            ours.startswith(theirs) or theirs.startswith(ours)
        ):
            raise OperatorError(
                f"{address} is where the pictures are. Name another prefix, in another bucket "
                "at best."
            )
        return
    data = settings.data_dir.resolve()
    if Path(address).resolve().is_relative_to(data):
        raise OperatorError(
            f"{Path(address).absolute()} is inside ADSVC_DATA_DIR, {data}, with which it would be "
            "lost. Name a directory elsewhere, on another disk at best."
        )


async def located(place: Place, generation: str | None) -> str:
    """That generation, or the newest of the place."""
    generations = await place.generations()
    if generation is not None and generation in generations:
        return generation
    if generation is not None or not generations:
        raise OperatorError(f"There is no whole backup in {place.where(generation or '')}.")
    return generations[-1]
