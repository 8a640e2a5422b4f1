"""Second factors: codes of authenticator apps (RFC 6238), recovery codes, challenges of logins, and
the public keys of passkeys (CBOR).
"""

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


# What authenticators send in CBOR (RFC 8949) is checked before a decoder reads it. A decoder makes
# objects of tags: tag 35 compiles a regular expression of any cost, tag 2 makes a number of any
# length. CTAP2's canonical form (§8) has none of them, and one encoding of each value.

# CTAP2 §8: "the maximum depth of nested CBOR structures" is four.
DEEPEST = 4

UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP = range(6)
FALSE, TRUE, NULL = range(0xF4, 0xF7)
# In authenticator data (Web Authentication, Level 3, §6.1): the flags, the counter's end, the
# length of the credential's id, and that id.
FLAGS, HEAD, ID_LENGTH, ID = 32, 37, slice(53, 55), 55
HAS_CREDENTIAL = 0x40

# RFC 8949 §3: shorter arguments are in the first byte; from 24 to 27, one to eight bytes follow.
SHORT, LONGEST = 24, 27


def require_plain(data: bytes) -> None:
    """`ValueError` unless it is a sequence of items of CTAP2's canonical form.

    So a decoder that writes items again finds each of them as long as it was. The order of members
    is not checked.
    """
    at = 0
    while at < len(data):
        at = _end_of_item(data, at, DEEPEST)


def require_plain_authenticator_data(data: bytes) -> None:
    """The same of what comes after the fixed part: the public key, if any, and extensions."""
    if len(data) < HEAD:
        raise ValueError("too short")
    has_credential = data[FLAGS] & HAS_CREDENTIAL
    require_plain(data[ID + int.from_bytes(data[ID_LENGTH]) if has_credential else HEAD :])


def _end_of_item(data: bytes, at: int, depth: int) -> int:
    if data[at] in {FALSE, TRUE, NULL}:
        return at + 1
    kind = data[at] >> 5
    if kind > MAP:
        raise ValueError("a tag, or a value that is not a whole number, a text or the like")
    value, at = _argument(data, at)
    if kind in {UNSIGNED, NEGATIVE}:
        return at
    if value > len(data) - at:
        raise ValueError("goes on beyond its end")
    if kind in {BYTES, TEXT}:
        return at + value
    if not depth:
        raise ValueError("too deep")
    for _ in range(value * 2 if kind == MAP else value):
        if at >= len(data):
            raise ValueError("goes on beyond its end")
        at = _end_of_item(data, at, depth - 1)
    return at


def _argument(data: bytes, at: int) -> tuple[int, int]:
    """The number that an item begins with, in its shortest form, and where it ends."""
    short = data[at] & 0x1F
    at += 1
    if short < SHORT:
        return short, at
    # 28 to 30 are not assigned, 31 is an item of indefinite length.
    if short > LONGEST:
        raise ValueError("of indefinite length")
    size = 1 << (short - SHORT)
    value = int.from_bytes(data[at : at + size])
    if len(data) < at + size or value < (SHORT if size == 1 else 1 << (4 * size)):
        raise ValueError("not in its shortest form")
    return value, at + size
