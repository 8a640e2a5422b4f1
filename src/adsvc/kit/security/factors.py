"""Second factors: codes of authenticator apps (RFC 6238), recovery codes, challenges of logins."""

import asyncio
import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from enum import StrEnum
from weakref import WeakValueDictionary

import jwt
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from adsvc.kit.errors import InvalidChallengeError
from adsvc.kit.security.tokens import ALGORITHM, TOKEN_MAX_LENGTH, verified

# What all authenticator apps can do; some ignore other values of the URI.
STEP_SECONDS = 30
DIGITS = 6
# RFC 4226 §4, R6.
SECRET_BYTES = 20
# How many steps a clock may be off, in either direction.
TOLERANCE = 1

RECOVERY_CODES = 10
# 80 bits: too many to find one by its hash.
RECOVERY_BYTES = 10
GROUP = 4
# What people type for characters that look alike and are not in the alphabet of base 32.
MISREAD = str.maketrans({"0": "O", "1": "I", "8": "B"})

CHALLENGE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class TotpSecret:
    value: bytes

    @classmethod
    def new(cls) -> "TotpSecret":
        return cls(secrets.token_bytes(SECRET_BYTES))

    @property
    def text(self) -> str:
        return base64.b32encode(self.value).decode()

    def uri(self, account: str, issuer: str) -> str:
        # A colon ends the issuer in the label, even where it is encoded.
        return self._totp.get_provisioning_uri(account, issuer.replace(":", " "))

    def code(self, step: int) -> str:
        return self._totp.generate(step * STEP_SECONDS).decode()

    def step_of(self, code: str, now: float) -> int | None:
        """The time step that has this code; None if no step about `now` has it."""
        current = int(now) // STEP_SECONDS
        steps = range(current - TOLERANCE, current + TOLERANCE + 1)
        # All are compared, the latest last: what matches first says nothing in time.
        matching = [
            step for step in steps if hmac.compare_digest(self.code(step).encode(), code.encode())
        ]
        return matching[-1] if matching else None

    @property
    def _totp(self) -> TOTP:
        # SHA-1 is what apps support, and its weakness does not concern HMAC.
        return TOTP(self.value, DIGITS, SHA1(), STEP_SECONDS)  # noqa: S303


def plain_code(code: str) -> str:
    """A code without the spaces and hyphens that people type, in upper case."""
    return "".join(code.split()).replace("-", "").upper()


def is_totp(code: str) -> bool:
    return len(code) == DIGITS and code.isascii() and code.isdigit()


def new_recovery_codes() -> list[str]:
    drawn = [
        base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode()
        for _ in range(RECOVERY_CODES)
    ]
    return [
        "-".join(text[start : start + GROUP] for start in range(0, len(text), GROUP))
        for text in drawn
    ]


def recovery_hash(code: str) -> bytes:
    """By `plain_code`. A digest is enough for what is random."""
    return hashlib.sha256(code.translate(MISREAD).encode()).digest()


class ChallengePurpose(StrEnum):
    """The types in the headers of challenges, so that no other kind of token passes for one."""

    LOGIN = "login+jwt"
    PASSKEY_LOGIN = "passkey-login+jwt"
    PASSKEY_REGISTRATION = "passkey-registration+jwt"


@dataclass(frozen=True, slots=True)
class Challenge:
    id: str
    user_id: int
    # Seconds since 1970.
    expires_at: int
    # A digest of the password's hash: a new password makes the challenge void.
    password: str


class Challenges:
    """Signed, so that a challenge that is never met leaves no row. What is met is kept until it
    has expired: it counts once. The first of the secrets signs, all of them verify.
    """

    def __init__(self, *secrets: str) -> None:
        self._secrets = secrets
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def lock(self, user_id: int) -> asyncio.Lock:
        """Held while a challenge of the account is met: those that wait hold no connection."""
        return self._locks.setdefault(user_id, asyncio.Lock())

    def issue(self, purpose: ChallengePurpose, user_id: int, password_hash: str) -> str:
        claims = {
            "jti": secrets.token_urlsafe(16),
            "sub": str(user_id),
            "exp": int(time.time()) + CHALLENGE_SECONDS,
            "pwd": _digest(self._secrets[0], password_hash),
        }
        return jwt.encode(claims, self._secrets[0], ALGORITHM, headers={"typ": purpose.value})

    def read(self, text: str, purpose: ChallengePurpose) -> Challenge:
        """`InvalidChallengeError` if it is not one of these, or has expired."""
        if len(text) > TOKEN_MAX_LENGTH:
            raise InvalidChallengeError
        try:
            rules = {"require": ["jti", "sub", "exp", "pwd"]}
            token = verified(text, self._secrets, options=rules)
            claims = token["payload"]
            challenge = Challenge(
                str(claims["jti"]), int(claims["sub"]), int(claims["exp"]), str(claims["pwd"])
            )
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise InvalidChallengeError from None
        if token["header"].get("typ") != purpose:
            raise InvalidChallengeError
        return challenge

    def is_for(self, challenge: Challenge, password_hash: str) -> bool:
        return any(
            hmac.compare_digest(challenge.password, _digest(secret, password_hash))
            for secret in self._secrets
        )


def _digest(secret: str, password_hash: str) -> str:
    message = f"adsvc challenge\0{password_hash}".encode()
    return hmac.digest(secret.encode(), message, hashlib.sha256).hex()[:32]
