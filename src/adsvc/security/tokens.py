"""Access tokens, refresh tokens, and those of links in mails."""

import base64
import binascii
import hashlib
import re
import secrets
import time
from dataclasses import dataclass
from typing import Self

import jwt

from adsvc.errors import UnauthenticatedError

ALGORITHM = "HS256"
# RFC 9068 §2.1: the kind of a token stands in its header, so that no other kind passes for it.
ACCESS_TOKEN_KIND = "at+jwt"  # noqa: S105 - a media type, not a password
# 192 bits each; a multiple of three bytes encodes without padding.
REFRESH_HALF_BYTES = 24
LINK_TOKEN_BYTES = 32
# Far longer than any token made here; longer ones are refused before they are decoded.
TOKEN_MAX_LENGTH = 4096
# How far the clocks of two machines may differ before one refuses a token that the other has just
# issued (`nbf`).
CLOCK_SKEW_SECONDS = 10
# As the database's ids are, with no sign and no more digits than fit 64 bits.
USER_ID = re.compile(r"[1-9][0-9]{0,17}")


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
                # A moment of issue that lies ahead is no fault of the token (RFC 7519 §4.1.6): the
                # clock was set back since.
                options={
                    "require": ["iss", "aud", "sub", "sid", "iat", "exp"],
                    "verify_iat": False,
                },
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

    Only their SHA-256 digests are stored, which is enough for random values.
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


@dataclass(frozen=True, slots=True)
class LinkToken:
    """What a link in a mail carries: 256 random bits. Only their digest is stored."""

    text: str

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_urlsafe(LINK_TOKEN_BYTES))

    @property
    def hash(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()
