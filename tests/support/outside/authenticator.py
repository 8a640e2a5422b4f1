"""An authenticator as Web Authentication, Level 3, has it, with a browser around it."""

import base64
import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

ORIGIN = "http://localhost:8080"
RP_ID = "localhost"
PRESENT, VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, WITH_CREDENTIAL = 1, 4, 8, 16, 64
WITH_EXTENSIONS = 128


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Authenticator:
    """One passkey. What a test changes is what an attacker would."""

    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    credential_id: bytes = field(default_factory=lambda: os.urandom(16))
    handle: bytes = b""
    count: int = 0
    counts: bool = True
    flags: int = PRESENT | VERIFIED
    # In CBOR.
    extensions: bytes = b""
    origin: str = ORIGIN
    rp_id: str = RP_ID

    def registration(self, options: dict[str, Any], name: str = "A phone") -> dict[str, Any]:
        """`PublicKeyCredential.toJSON()` after `navigator.credentials.create()`."""
        self.handle = decoded(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        credential = bytes(16) + len(self.credential_id).to_bytes(2) + self.credential_id
        data = self._data(WITH_CREDENTIAL) + credential + cbor2.dumps(public) + self.extensions
        attestation = {"fmt": "none", "attStmt": {}, "authData": data}
        client_data = self._client_data("webauthn.create", options["challenge"])
        response = {
            "clientDataJSON": encoded(client_data),
            "attestationObject": encoded(cbor2.dumps(attestation)),
            "transports": ["internal"],
        }
        return {"name": name, **self._credential(response)}

    def login(self, options: dict[str, Any]) -> dict[str, Any]:
        """The same after `navigator.credentials.get()`."""
        self.count += self.counts
        data = self._data() + self.extensions
        client_data = self._client_data("webauthn.get", options["challenge"])
        signed = data + hashlib.sha256(client_data).digest()
        response = {
            "clientDataJSON": encoded(client_data),
            "authenticatorData": encoded(data),
            "signature": encoded(self.key.sign(signed, ec.ECDSA(SHA256()))),
            "userHandle": encoded(self.handle),
        }
        return self._credential(response)

    def _credential(self, response: dict[str, Any]) -> dict[str, Any]:
        name = encoded(self.credential_id)
        return {
            "id": name, "rawId": name, "type": "public-key", "response": response,
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
        }  # fmt: skip

    def _data(self, flags: int = 0) -> bytes:
        rp = hashlib.sha256(self.rp_id.encode()).digest()
        flags |= WITH_EXTENSIONS if self.extensions else 0
        return rp + bytes([self.flags | flags]) + self.count.to_bytes(4)

    def _client_data(self, kind: str, challenge: str) -> bytes:
        client_data = {
            "type": kind,
            "challenge": challenge,
            "origin": self.origin,
            "crossOrigin": False,
        }
        return json.dumps(client_data).encode()
