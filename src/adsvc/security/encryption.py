import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from adsvc.errors import AdsvcError

NONCE_BYTES = 12


class UnreadableSecretError(AdsvcError):
    """It was encrypted with another `ADSVC_JWT_SECRET`."""


class Encryption:
    """Encrypts secrets for the database, by a key of their kind that follows from another."""

    def __init__(self, jwt_secret: str, kind: str) -> None:
        key = HKDF(SHA256(), length=32, salt=None, info=f"adsvc secrets of {kind}".encode())
        self._aead = AESGCM(key.derive(jwt_secret.encode()))

    def encrypted(self, secret: bytes, *, owner: int | None = None) -> bytes:
        """Only with the same `owner` can it be decrypted: the row of another is of no use."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, secret, _bound(owner))

    def decrypted(self, stored: bytes, *, owner: int | None = None) -> bytes:
        nonce, rest = stored[:NONCE_BYTES], stored[NONCE_BYTES:]
        try:
            return self._aead.decrypt(nonce, rest, _bound(owner))
        except (InvalidTag, ValueError):
            raise UnreadableSecretError(
                "The secret cannot be decrypted: ADSVC_JWT_SECRET is not what it was."
            ) from None


def _bound(owner: int | None) -> bytes | None:
    return None if owner is None else str(owner).encode()
