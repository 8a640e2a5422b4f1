"""An encrypted backup store.

```
vault                                   its identity, and the installation's id, encrypted
pictures/<shard>/<name>                 the pictures, each once, under pseudonyms
digests/<shard>                         their names and digests
backups/20261122T140330Z/<file>/000000  a file of a backup, in parts
backups/20261122T140330Z/manifest.json  written last: without it there is no backup
lock                                    the lock of a command that writes into a bucket
```

Each object is encrypted by itself and authenticated under its name, which includes the number of a
part. The manifest has the length of each file, and so the number of its parts. So every change is
detected: bytes, length, order, names, omissions, and objects of other backups. Without the key one
sees only the number of objects, their sizes and when they were written.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from pathlib import Path
from typing import Any, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from adsvc.errors import OperatorError
from adsvc_ops.backup.store import (
    GENERATION,
    MANIFEST,
    DamagedError,
    Manifest,
    StoredFile,
    in_order,
    new_generation,
    parsed,
    rendered,
)

KEY_BYTES, NONCE_BYTES, IDENTITY_BYTES = 32, 12, 16
# Names the kind of file and the version of its format.
PREFIX = "adsvc-backup-key-1:"
INFO = b"adsvc backup 1"
NAME_DIGITS = 40


def make_key(path: Path) -> None:
    """Writes a new key, readable by its owner alone. `OperatorError` if the file exists."""
    text = PREFIX + base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise OperatorError(f"{path} exists. A key is never replaced: name another file.") from None
    except OSError as error:
        raise OperatorError(f"{path} cannot be written: {error.strerror}.") from error


def read_key(path: Path) -> tuple[bytes, str | None]:
    """The key, and a warning. `OperatorError` if others than its owner and group may read it."""
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read(1000).decode("ascii", "replace").strip()
    except OSError as error:
        raise OperatorError(f"The key {path} cannot be read: {error.strerror}.") from error
    if mode & 0o027:
        raise OperatorError(
            f"The key {path} can be read or replaced by others (mode {mode:03o}). It opens "
            f"all backups. Run: chmod 600 {path}"
        )
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), altchars=b"-_", validate=True)
    except binascii.Error:
        key = b""
    if not text.startswith(PREFIX) or len(key) != KEY_BYTES:
        raise OperatorError(f"{path} is not a backup key. To make one: adsvc backup-key FILE")
    return key, f"The group of the key {path} may read it." if mode & 0o040 else None


class Cipher:
    def __init__(self, key: bytes, identity: bytes) -> None:
        made = HKDF(SHA256(), length=2 * KEY_BYTES, salt=identity, info=INFO).derive(key)
        # Nonces are random: one store may have some 2^32 objects (NIST SP 800-38D, 8.3).
        self._aead = AESGCM(made[:KEY_BYTES])
        self._names = made[KEY_BYTES:]

    def seal(self, name: str, data: bytes) -> bytes:
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, data, name.encode())

    def unseal(self, name: str, sealed: bytes) -> bytes | None:
        """None unless it was sealed with this key, under this name, as it is."""
        nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        try:
            return self._aead.decrypt(nonce, rest, name.encode())
        except (InvalidTag, ValueError):
            return None

    def pseudonym(self, name: str) -> str:
        """A pseudonym, as names of pictures are their addresses on the site."""
        return hmac.digest(self._names, name.encode(), "sha256").hex()[:NAME_DIGITS]


VAULT = "vault"
MAGIC = b"adsvc backups 1\n"
BACKUPS, PICTURES, DIGESTS = "backups/", "pictures/", "digests/"
PART_BYTES = 8 * 1024 * 1024
# Each part is in memory.
PARTS_AT_ONCE = 4


class Objects(Protocol):
    """Every method raises `OperatorError` when the storage fails."""

    location: str

    async def prepare(self) -> None: ...

    def locked(self, *, exclusive: bool) -> AbstractAsyncContextManager[None]: ...

    async def read(self, name: str) -> bytes | None:
        """None if there is no such object."""
        ...

    async def write(self, name: str, data: bytes, *, new: bool = False) -> None:
        """Whole and durable when it returns. With `new`, an existing object stays."""
        ...

    def names(self, below: str) -> AsyncGenerator[list[str], None]:
        """The names with that prefix, which ends with a slash or is empty."""
        ...

    async def delete(self, names: Sequence[str]) -> None: ...


class Vault:
    def __init__(self, objects: Objects, key: bytes) -> None:
        self._objects = objects
        self._key = key
        self._opened: tuple[Cipher, str] | None = None

    @property
    def location(self) -> str:
        return self._objects.location

    async def prepare(self) -> None:
        await self._objects.prepare()
        if not await self._open():
            async for names in self._objects.names(""):
                if names:
                    raise OperatorError(
                        f"{self.location} is not empty and contains no encrypted backups. "
                        "Give another one."
                    )

    def locked(self, *, exclusive: bool) -> AbstractAsyncContextManager[None]:
        return self._objects.locked(exclusive=exclusive)

    async def claim(self, owner: str) -> str:
        if not await self._open():
            identity = secrets.token_bytes(IDENTITY_BYTES)
            sealed = Cipher(self._key, identity).seal(VAULT, owner.encode())
            await self._objects.write(VAULT, MAGIC + identity + sealed, new=True)
        await self._cipher()
        assert self._opened is not None  # noqa: S101 - it would have been refused
        return self._opened[1]

    async def _open(self) -> bool:
        """Whether there are backups. An `OperatorError` if the key does not fit."""
        if self._opened is not None:
            return True
        head = await self._objects.read(VAULT)
        if head is None:
            return False
        if not head.startswith(MAGIC):
            raise DamagedError(f"{self.location}/{VAULT} is not as it was written.")
        rest = head.removeprefix(MAGIC)
        cipher = Cipher(self._key, rest[:IDENTITY_BYTES])
        owner = cipher.unseal(VAULT, rest[IDENTITY_BYTES:])
        if owner is None:
            raise OperatorError(
                f"The key does not fit the backups in {self.location}, or their first object, "
                f"{VAULT}, is not as it was written."
            )
        self._opened = cipher, owner.decode()
        return True

    async def _cipher(self) -> Cipher:
        if not await self._open() or self._opened is None:
            raise OperatorError(f"{self.location} contains no encrypted backups.")
        return self._opened[0]

    async def generations(self) -> list[str]:
        await self._cipher()
        return [name for name, files in await self._found() if MANIFEST in files]

    async def leftovers(self) -> list[str]:
        found = await self._found()
        return [self.where(name) for name, files in found if MANIFEST not in files]

    async def _found(self) -> list[tuple[str, set[str]]]:
        """The files of each generation."""
        found: dict[str, set[str]] = {}
        async for names in self._objects.names(BACKUPS):
            for name in names:
                generation, _, file = name.removeprefix(BACKUPS).partition("/")
                if GENERATION.fullmatch(generation):
                    found.setdefault(generation, set()).add(file)
        return sorted(found.items())

    def where(self, generation: str, file: str = "") -> str:
        return f"{self.location}/{generation}/{file}".rstrip("/")

    def where_picture(self, name: str) -> str:
        """With the picture's own name: operators do not know its pseudonym."""
        return f"{self.location}: the picture {name}"

    async def manifest(self, generation: str) -> Manifest:
        content = await self._get(f"{BACKUPS}{generation}/{MANIFEST}")
        return Manifest.read(content, self.where(generation, MANIFEST))

    async def _get(self, name: str, *, under: str | None = None, label: str | None = None) -> bytes:
        """What was sealed as `name` and is stored `under` another; messages call it `label`."""
        place = under or name
        label = label or f"{self.location}/{place}"
        sealed = await self._objects.read(place)
        if sealed is None:
            raise DamagedError(f"{label} is missing.")
        cipher = await self._cipher()
        data = await asyncio.to_thread(cipher.unseal, name, sealed)
        if data is None:
            raise DamagedError(f"{label} is not as it was written.")
        return data

    async def _put(self, name: str, data: bytes, *, under: str | None = None) -> None:
        cipher = await self._cipher()
        await self._objects.write(under or name, await asyncio.to_thread(cipher.seal, name, data))

    def _part(self, generation: str, file: str, number: int) -> str:
        return f"{BACKUPS}{generation}/{file}/{number:06d}"

    async def read(self, generation: str, file: str, size: int) -> AsyncGenerator[bytes, None]:
        async def parts() -> AsyncIterator[Coroutine[Any, Any, bytes]]:
            for number in range(_parts(size)):
                yield self._get(self._part(generation, file, number))

        async with aclosing(in_order(parts(), PARTS_AT_ONCE)) as found:
            async for part in found:
                yield part

    async def begin(self) -> str:
        found = await self._found()
        await self._delete([name for name, files in found if MANIFEST not in files])
        return new_generation([name for name, _ in found])

    async def write(self, generation: str, file: str, chunks: AsyncIterator[bytes]) -> StoredFile:
        digest, size = hashlib.sha256(), 0

        async def parts() -> AsyncIterator[Coroutine[Any, Any, None]]:
            nonlocal size
            number = 0
            async for part in _of_size(chunks, PART_BYTES):
                await asyncio.to_thread(digest.update, part)
                size += len(part)
                yield self._put(self._part(generation, file, number), part)
                number += 1

        async with aclosing(in_order(parts(), PARTS_AT_ONCE)) as written:
            async for _ in written:
                pass
        return StoredFile(bytes=size, sha256=digest.hexdigest())

    async def finish(self, generation: str, manifest: Manifest) -> None:
        await self._put(f"{BACKUPS}{generation}/{MANIFEST}", manifest.rendered())

    async def discard(self, generation: str) -> None:
        if generation not in await self.generations():
            await self._delete([generation])

    async def remove(self, generations: Sequence[str]) -> None:
        # First the manifests: if this is killed, no incomplete backup looks complete.
        await self._objects.delete([f"{BACKUPS}{name}/{MANIFEST}" for name in generations])
        await self._delete(generations)

    async def _delete(self, generations: Sequence[str]) -> None:
        for generation in generations:
            async for names in self._objects.names(f"{BACKUPS}{generation}/"):
                await self._objects.delete(names)

    async def known_digests(self, shard: str) -> dict[str, str]:
        cipher, place = await self._cipher(), await self._shard(shard)

        async def lines() -> bytes:
            with suppress(DamagedError):
                return await self._get(f"{DIGESTS}{shard}", under=f"{DIGESTS}{place}")
            # Pictures with no known digest are copied again.
            return b""

        present, listed = await asyncio.gather(self._files(shard), lines())
        found = parsed(listed, f"{self.location}/{DIGESTS}{place}")
        return {name: digest for name, digest in found if cipher.pseudonym(name) in present}

    async def write_digests(self, shard: str, digests: Mapping[str, str]) -> None:
        place = await self._shard(shard)
        await self._put(f"{DIGESTS}{shard}", rendered(digests), under=f"{DIGESTS}{place}")

    async def retain_pictures(self, shard: str, names: Collection[str]) -> None:
        cipher, digests = await self._cipher(), await self.known_digests(shard)
        wanted = {cipher.pseudonym(name) for name in names}
        gone = [name for name in await self._files(shard) if name not in wanted]
        if gone:
            await self.write_digests(
                shard, {name: digests[name] for name in digests if name in names}
            )
            place = await self._shard(shard)
            await self._objects.delete([f"{PICTURES}{place}/{name}" for name in gone])

    async def _shard(self, shard: str) -> str:
        return (await self._cipher()).pseudonym(f"shard {shard}")[:8]

    async def _files(self, shard: str) -> set[str]:
        found: set[str] = set()
        async for names in self._objects.names(f"{PICTURES}{await self._shard(shard)}/"):
            found.update(name.rpartition("/")[2] for name in names)
        return found

    async def put(self, pictures: Mapping[str, bytes]) -> None:
        await asyncio.gather(
            *[
                self._put(f"{PICTURES}{name}", data, under=await self._picture(name))
                for name, data in pictures.items()
            ]
        )

    async def _picture(self, name: str) -> str:
        hidden = (await self._cipher()).pseudonym(name)
        return f"{PICTURES}{await self._shard(name[:2])}/{hidden}"

    async def picture(self, name: str) -> bytes:
        under, label = await self._picture(name), self.where_picture(name)
        return await self._get(f"{PICTURES}{name}", under=under, label=label)


def _parts(size: int) -> int:
    return -(-size // PART_BYTES)


async def _of_size(chunks: AsyncIterator[bytes], size: int) -> AsyncIterator[bytes]:
    """The same bytes, in pieces of that size; the last may be smaller."""
    waiting = bytearray()
    async for chunk in chunks:
        waiting += chunk
        while len(waiting) >= size:
            yield bytes(waiting[:size])
            del waiting[:size]
    if waiting:
        yield bytes(waiting)
