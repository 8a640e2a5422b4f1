"""Passwords and access tokens."""

import base64
import binascii
import hashlib
import re
import secrets
import time
from dataclasses import dataclass
from typing import Self

import jwt
from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError
from pwdlib.hashers.argon2 import Argon2Hasher
from pwdlib.hashers.bcrypt import BcryptHasher

from adsvc.bulkheads.pools import ThreadPool
from adsvc.errors import UnauthenticatedError

ALGORITHM = "HS256"
# RFC 9068 §2.1: the kind of a token stands in its header, so that no other kind passes for it.
ACCESS_TOKEN_KIND = "at+jwt"  # noqa: S105 - a media type, not a password
# 192 bits each; a multiple of three bytes encodes without padding.
REFRESH_HALF_BYTES = 24
# Far above any token made here; what is longer is refused before it is decoded.
TOKEN_MAX_LENGTH = 4096
# So far may the clocks of two machines be apart before one refuses what the other has just issued.
CLOCK_SKEW_SECONDS = 10
# As the database's ids are, with no sign and no more digits than fit 64 bits.
USER_ID = re.compile(r"[1-9][0-9]{0,17}")
# bcrypt reads this much of a password; the bcrypt package refuses more, passlib cut it off.
BCRYPT_MAX_BYTES = 72
BCRYPT_HASH = re.compile(r"\$2[abxy]\$([0-9]{2})\$")


class _BcryptVerifier(BcryptHasher):
    """Verifies hashes that passlib wrote, which ignored what lies beyond 72 bytes."""

    def verify(self, password: str | bytes, hash: str | bytes) -> bool:
        raw = password.encode() if isinstance(password, str) else password
        try:
            return super().verify(raw[:BCRYPT_MAX_BYTES], hash)
        except ValueError:
            # It looks like a hash but has a salt or a cost that bcrypt does not know.
            raise UnknownHashError(hash) from None


class Passwords:
    """Argon2id (RFC 9106) with one lane, off the event loop.

    Hashes with other parameters, and bcrypt hashes, verify and are replaced at the next login.
    Until all of those are replaced, every login takes as long as theirs.
    """

    def __init__(self, pool: ThreadPool, *, memory_kib: int, iterations: int) -> None:
        argon2 = Argon2Hasher(time_cost=iterations, memory_cost=memory_kib, parallelism=1)
        self._hasher = PasswordHash((argon2, _BcryptVerifier()))
        self._pool = pool
        self._nobody = self._hasher.hash(secrets.token_urlsafe())

    @property
    def is_full(self) -> bool:
        """Whether the other methods would raise `OverloadedError`."""
        return self._pool.is_full

    async def hash(self, password: str) -> str:
        return await self._pool.run(self._hasher.hash, password)

    async def verify(
        self, password: str, stored: str | None, *, bcrypt_cost: int = 0
    ) -> tuple[bool, str | None]:
        """Whether the password is right, and the hash that should replace the stored one if any.

        Without a stored hash the answer is no. Every no takes the same amount of work: that of an
        Argon2id hash, and that of a bcrypt hash of `bcrypt_cost`, the highest there is among the
        accounts, or 0 if there is none.
        """
        return await self._pool.run(self._verify, password, stored, bcrypt_cost)

    def _verify(
        self, password: str, stored: str | None, bcrypt_cost: int
    ) -> tuple[bool, str | None]:
        bcrypt = BCRYPT_HASH.match(stored or "")
        try:
            valid, replacement = self._hasher.verify_and_update(password, stored or self._nobody)
        except UnknownHashError:
            valid, replacement, bcrypt = self._hasher.verify(password, self._nobody), None, None
        if stored is not None and valid:
            return True, replacement
        if bcrypt_cost:
            self._pay_difference(password, int(bcrypt[1]) if bcrypt else None, bcrypt_cost)
        return False, None

    def _pay_difference(self, password: str, paid: int | None, cost: int) -> None:
        """What a bcrypt hash of that cost would have taken beyond what was `paid` for one."""
        raw = password.encode()[:BCRYPT_MAX_BYTES]
        if paid is None:
            BcryptHasher(rounds=cost).hash(raw)
            return
        self._hasher.verify(password, self._nobody)
        # Each cost is twice the work of the one before: 2^c + … + 2^(n-1) = 2^n - 2^c.
        for step in range(paid, cost):
            BcryptHasher(rounds=step).hash(raw)


@dataclass(frozen=True, slots=True)
class AccessToken:
    text: str
    expires_in: int


@dataclass(frozen=True, slots=True)
class Claims:
    user_id: int
    session_id: int
    # Seconds since 1970.
    expires_at: int


class AccessTokens:
    """Signed JWTs (RFC 7519) of the kind RFC 9068 describes."""

    def __init__(self, secret: str, *, issuer: str, audience: str, lifetime: int) -> None:
        self._secret = secret
        self._issuer = issuer
        self._audience = audience
        self._lifetime = lifetime

    def issue(self, user_id: int, session_id: int) -> AccessToken:
        now = int(time.time())
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": str(user_id),
            "sid": session_id,
            "iat": now,
            "exp": now + self._lifetime,
            "jti": secrets.token_urlsafe(12),
        }
        text = jwt.encode(claims, self._secret, ALGORITHM, headers={"typ": ACCESS_TOKEN_KIND})
        return AccessToken(text, self._lifetime)

    def verify(self, text: str) -> Claims:
        """Whom the token was issued to, or `UnauthenticatedError`."""
        if len(text) > TOKEN_MAX_LENGTH:
            raise UnauthenticatedError
        try:
            token = jwt.decode_complete(
                text,
                self._secret,
                algorithms=[ALGORITHM],
                issuer=self._issuer,
                audience=self._audience,
                leeway=CLOCK_SKEW_SECONDS,
                options={"require": ["iss", "aud", "sub", "sid", "iat", "exp"]},
            )
            kind, subject = token["header"].get("typ"), token["payload"]["sub"]
            if kind != ACCESS_TOKEN_KIND or not USER_ID.fullmatch(subject):
                raise UnauthenticatedError
            payload = token["payload"]
            claims = Claims(int(payload["sub"]), int(payload["sid"]), int(payload["exp"]))
        except (jwt.PyJWTError, ValueError, RecursionError):
            # PyJWT lets the JSON parser's own errors through for some malformed headers.
            raise UnauthenticatedError from None
        # PyJWT has one leeway for all moments, and no token lives a second longer for it.
        if claims.expires_at <= time.time():
            raise UnauthenticatedError
        return claims


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """Two random halves: one names the session, the other is good for one use.

    Only their SHA-256 digests are stored, which is enough for values nobody can guess.
    """

    handle: bytes
    secret: bytes

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_bytes(REFRESH_HALF_BYTES), secrets.token_bytes(REFRESH_HALF_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """None for anything that no `text` here ever was."""
        try:
            raw = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            return None
        if len(raw) != 2 * REFRESH_HALF_BYTES:
            return None
        return cls(raw[:REFRESH_HALF_BYTES], raw[REFRESH_HALF_BYTES:])

    def next(self) -> Self:
        """The token that replaces this one in the same session."""
        return type(self)(self.handle, secrets.token_bytes(REFRESH_HALF_BYTES))

    @property
    def text(self) -> str:
        return base64.urlsafe_b64encode(self.handle + self.secret).decode()

    @property
    def handle_hash(self) -> bytes:
        return hashlib.sha256(self.handle).digest()

    @property
    def secret_hash(self) -> bytes:
        return hashlib.sha256(self.secret).digest()
