from pathlib import Path
from typing import TYPE_CHECKING

from adsvc.errors import ConfigurationError
from adsvc.errors.extras import how_to_install
from adsvc.settings import LOCAL_STORE, S3_SCHEME, Settings
from adsvc.storage.local import LocalImageStore
from adsvc.storage.protocol import ImageStore

if TYPE_CHECKING:
    from adsvc.storage.s3 import Bucket

# The part of the requests at work that may be reads of pictures: a quarter reads at once, and as
# many wait.
READS_PART = 4
# For an object of eight megabytes, on a line that is not the best.
BACKUP_SECONDS = 120.0


def open_store(settings: Settings) -> ImageStore:
    """The image store of the service. Nothing is asked of it yet."""
    reads = max(1, settings.busy_requests // READS_PART)
    return open_store_at(settings, settings.image_store, reads=reads)


def open_store_at(settings: Settings, address: str, *, reads: int) -> ImageStore:
    """`address` is `local`, `s3://bucket/prefix` or a directory. `reads` is for `S3ImageStore`."""
    if address == LOCAL_STORE:
        return LocalImageStore(settings.image_dir)
    if address.startswith(S3_SCHEME):
        return _open_bucket(settings, address.removeprefix(S3_SCHEME), reads)
    return LocalImageStore(Path(address))


def open_backup_bucket(settings: Settings, address: str) -> "Bucket":
    """`address` is `s3://bucket/prefix`. The S3 may be another than that of the pictures."""
    try:
        from adsvc.storage.s3 import Bucket, Location  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"{address}: {how_to_install('s3')}") from error
    bucket, _, prefix = address.removeprefix(S3_SCHEME).partition("/")
    name, secret = settings.backup_s3_access_key_id, settings.backup_s3_secret_access_key
    credentials = (name, secret.get_secret_value()) if name and secret else None
    return Bucket(
        Location(
            bucket,
            prefix.rstrip("/"),
            settings.backup_s3_endpoint or settings.s3_endpoint,
            settings.backup_s3_region or settings.s3_region,
            credentials,
        ),
        seconds=max(settings.s3_timeout_seconds, BACKUP_SECONDS),
    )


def _open_bucket(settings: Settings, path: str, reads: int) -> ImageStore:
    try:
        from adsvc.storage.s3 import Location, S3ImageStore  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"ADSVC_IMAGE_STORE: {how_to_install('s3')}") from error
    bucket, _, prefix = path.partition("/")
    return S3ImageStore(
        Location(bucket, prefix.rstrip("/"), settings.s3_endpoint, settings.s3_region),
        seconds=settings.s3_timeout_seconds,
        reads=reads,
    )
