"""Encryption of backups: the key's file, and what is encrypted with it.

Each place of backups has keys of its own, derived from the key and the place's identity, and every
object is authenticated together with its name: none can be changed, cut, renamed, or come from
another place.
"""

import base64
import binascii
import hmac
import os
import secrets
import stat
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from adsvc.errors import OperatorError

KEY_BYTES, NONCE_BYTES, IDENTITY_BYTES = 32, 12, 16
# Says what the file is, and which version of this module reads it.
PREFIX = "adsvc-backup-key-1:"
INFO = b"adsvc backup 1"
NAME_DIGITS = 40


def make_key(path: Path) -> None:
    """A file with a new key, its owner's alone. `OperatorError` if there is one."""
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
            f"The key {path} can be read or replaced by others (mode {mode:03o}). Whoever has it "
            f"can read all backups. Run: chmod 600 {path}"
        )
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), altchars=b"-_", validate=True)
    except binascii.Error:
        key = b""
    if not text.startswith(PREFIX) or len(key) != KEY_BYTES:
        raise OperatorError(f"{path} holds no key of backups. To make one: adsvc backup-key FILE")
    return key, f"The group of the key {path} may read it." if mode & 0o040 else None


class Cipher:
    def __init__(self, key: bytes, identity: bytes) -> None:
        made = HKDF(SHA256(), length=2 * KEY_BYTES, salt=identity, info=INFO).derive(key)
        # Nonces are random: one place may hold some 2^32 objects (NIST SP 800-38D, 8.3).
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

    def hidden(self, name: str) -> str:
        """What stands for the name where strangers may read: a picture's is its address."""
        return hmac.digest(self._names, name.encode(), "sha256").hex()[:NAME_DIGITS]
