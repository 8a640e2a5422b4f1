"""Reads backups that earlier versions encrypted by a key file. To be removed with 0.4.

Each object is encrypted by AES-256-GCM, and authenticated under its name: `vault` has the identity
of the place, `backups/<backup>/<file>/<part>` parts of 8 MiB, and pictures have pseudonyms.
"""

import asyncio
import base64
import binascii
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from adsvc.errors import ImageNotFoundError, OperatorError
from adsvc.settings import S3_SCHEME, Settings
from adsvc.storage.local import write_all
from adsvc.storage.opening import open_backup_bucket
from adsvc_ops.backup import plain
from adsvc_ops.backup.plain import DUMP, LIST, MANIFEST, PICTURES, Manifest, shard_of

VAULT, MAGIC = "vault", b"adsvc backups 1\n"
KEY_PREFIX, KEY_BYTES = "adsvc-backup-key-1:", 32
NONCE_BYTES, IDENTITY_BYTES, NAME_DIGITS = 12, 16, 40
PART_BYTES = 8 * 1024 * 1024
# Larger than any object.
LARGEST = 256 * 1024 * 1024

Read = Callable[[str], Awaitable[bytes]]


async def unseal(
    address: str, name: str | None, key_file: Path, settings: Settings, directory: Path
) -> Path:
    """Writes that backup, or the newest, into the directory as a plain one."""
    read = _bucket(settings, address) if address.startswith(S3_SCHEME) else _directory(address)
    head = (await read(VAULT)).removeprefix(MAGIC)
    sealed = _Sealed(read, address, _key(key_file), head[:IDENTITY_BYTES])
    await sealed.open(VAULT, VAULT, head[IDENTITY_BYTES:])
    name = name or await _newest(settings, address)
    backup = directory / name
    (backup / PICTURES).mkdir(parents=True)
    content = await sealed.open(f"backups/{name}/{MANIFEST}")
    manifest = Manifest.read(content, f"{address}/{name}/{MANIFEST}")
    write_all({backup / MANIFEST: content})
    for file in (LIST, DUMP):
        await plain.write(backup / file, sealed.parts(name, file, manifest.files[file].bytes))
    async for shard, digests in plain.listed(backup / LIST):
        (backup / PICTURES / shard).mkdir()
        for picture in digests:
            write_all({backup / PICTURES / shard / picture: await sealed.picture(picture)})
    return backup


class _Sealed:
    def __init__(self, read: Read, address: str, key: bytes, identity: bytes) -> None:
        derived = HKDF(SHA256(), length=2 * KEY_BYTES, salt=identity, info=b"adsvc backup 1")
        keys = derived.derive(key)
        self._read, self._address = read, address
        self._aead, self._names = AESGCM(keys[:KEY_BYTES]), keys[KEY_BYTES:]

    async def open(self, name: str, under: str | None = None, data: bytes | None = None) -> bytes:
        """What was sealed as `name` and is stored `under` another."""
        sealed = await self._read(under or name) if data is None else data
        nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        try:
            return self._aead.decrypt(nonce, rest, name.encode())
        except (InvalidTag, ValueError):
            raise OperatorError(
                f"{self._address}: {name} is not as it was written, or the key does not fit."
            ) from None

    async def parts(self, backup: str, file: str, size: int) -> AsyncIterator[bytes]:
        for number in range(-(-size // PART_BYTES)):
            yield await self.open(f"backups/{backup}/{file}/{number:06d}")

    async def picture(self, name: str) -> bytes:
        shard = self._pseudonym(f"shard {shard_of(name)}")[:8]
        return await self.open(f"pictures/{name}", f"pictures/{shard}/{self._pseudonym(name)}")

    def _pseudonym(self, name: str) -> str:
        return hmac.digest(self._names, name.encode(), "sha256").hex()[:NAME_DIGITS]


def _key(path: Path) -> bytes:
    try:
        text = path.read_text("ascii", "replace").strip()
        key = base64.b64decode(text.removeprefix(KEY_PREFIX), altchars=b"-_", validate=True)
    except OSError as error:
        raise OperatorError(f"The key {path} cannot be read: {error.strerror}.") from error
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise OperatorError(f"{path} is not a backup key.")
    return key


def _directory(address: str) -> Read:
    async def read(name: str) -> bytes:
        path = Path(address) / name
        try:
            return path.read_bytes()
        except OSError as error:
            raise plain.unreadable(path, error) from error

    return read


def _bucket(settings: Settings, address: str) -> Read:
    bucket = open_backup_bucket(settings, address)

    async def read(name: str) -> bytes:
        try:
            return await bucket.read_all(name, most=LARGEST)
        except ImageNotFoundError:
            raise OperatorError(f"{address}/{name} is missing.") from None

    return read


async def _newest(settings: Settings, address: str) -> str:
    if address.startswith(S3_SCHEME):
        pages = open_backup_bucket(settings, address).pages("backups")
        files = [name async for page in pages for name, _ in page]
    else:
        found = await asyncio.to_thread(lambda: list(Path(address).glob(f"*/*/{MANIFEST}")))
        files = [str(path.relative_to(address)) for path in found]
    names = [file.split("/")[1] for file in files if file.endswith(f"/{MANIFEST}")]
    if not names:
        raise OperatorError(f"There is no complete backup in {address}.")
    return max(names)
