import os
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from adsvc.kit.errors import AdsvcError

NONCE_BYTES = 12


class UnreadableSecretError(AdsvcError):
    """It was encrypted with another `ADSVC_JWT_SECRET`."""


class Encryption:
    """Encrypts secrets for the database, by a key of their kind that follows from another.

    The first of `jwt_secrets` encrypts, all of them decrypt.
    """

    def __init__(self, *jwt_secrets: str, kind: str) -> None:
        info = f"adsvc secrets of {kind}".encode()
        self._aeads = [
            AESGCM(HKDF(SHA256(), length=32, salt=None, info=info).derive(secret.encode()))
            for secret in jwt_secrets
        ]

    def encrypted(self, secret: bytes, *, owner: int | None = None) -> bytes:
        """Only with the same `owner` can it be decrypted: the row of another is of no use."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._aeads[0].encrypt(nonce, secret, _bound(owner))

    def decrypted(self, stored: bytes, *, owner: int | None = None) -> bytes:
        return self._opened(stored, owner)[1]

    def renewed(self, stored: bytes, *, owner: int | None = None) -> bytes | None:
        """Encrypted by the first secret; None if it already is."""
        aead, secret = self._opened(stored, owner)
        return None if aead is self._aeads[0] else self.encrypted(secret, owner=owner)

    def _opened(self, stored: bytes, owner: int | None) -> tuple[AESGCM, bytes]:
        nonce, rest = stored[:NONCE_BYTES], stored[NONCE_BYTES:]
        for aead in self._aeads:
            with suppress(InvalidTag, ValueError):
                return aead, aead.decrypt(nonce, rest, _bound(owner))
        raise UnreadableSecretError(
            "The secret cannot be decrypted: ADSVC_JWT_SECRET is not what it was."
        )


def _bound(owner: int | None) -> bytes | None:
    return None if owner is None else str(owner).encode()
