"""Tokens: those of access, refresh and links in mails, secrets of keys, and caches of callers.

The caches have the callers whose token, key, or user name and password were verified before.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
import re
import secrets
import string
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Self
from weakref import WeakValueDictionary

import jwt

from adsvc.kit.errors import UnauthenticatedError
from adsvc.kit.invalidation import (
    KEY,
    SESSION,
    USER,
    Invalidation,
    InvalidationBus,
    LruCache,
    SubjectCache,
)

ALGORITHM = "HS256"
# The type in a token's header, so that no other kind of token passes for it (RFC 9068 §2.1).
ACCESS_TOKEN_KIND = "at+jwt"  # noqa: S105 - a media type, not a password
# 192 bits each; a multiple of three bytes encodes without padding.
REFRESH_HALF_BYTES = 24
LINK_TOKEN_BYTES = 32
# Far longer than any token made here; longer ones are refused before they are decoded.
TOKEN_MAX_LENGTH = 4096
# How far the clocks of two machines may differ before one refuses a token that the other has just
# issued (`nbf`).
CLOCK_SKEW_SECONDS = 10
# As the database's ids: without a sign, and within 64 bits.
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


def verified(text: str, secrets: Sequence[str], **rules: Any) -> dict[str, Any]:  # noqa: ANN401 - PyJWT's own
    """Header and payload of a token that one of the secrets has signed, or an error of PyJWT."""
    *others, last = secrets
    for secret in others:
        with suppress(jwt.InvalidSignatureError):
            return jwt.decode_complete(text, secret, algorithms=[ALGORITHM], **rules)
    return jwt.decode_complete(text, last, algorithms=[ALGORITHM], **rules)


class AccessTokens:
    """Signed JWTs (RFC 7519) as RFC 9068 describes them.

    The first of the secrets signs, all of them verify.
    """

    def __init__(self, *secrets: str, issuer: str, audience: str, lifetime: int) -> None:
        self._secrets = secrets
        self._issuer = issuer
        self._audience = audience
        self._lifetime = lifetime

    def issue(
        self,
        user_id: int,
        session_id: int,
        *,
        at: float | None = None,
        token_id: str | None = None,
    ) -> AccessToken:
        """`at` is the moment of issue, in seconds since 1970: now without it.

        The same arguments give the same text.
        """
        issued_at = int(time.time() if at is None else at)
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": str(user_id),
            "sid": session_id,
            "iat": issued_at,
            "exp": issued_at + self._lifetime,
            "jti": token_id or secrets.token_urlsafe(12),
        }
        text = jwt.encode(claims, self._secrets[0], ALGORITHM, headers={"typ": ACCESS_TOKEN_KIND})
        return AccessToken(text, self._lifetime)

    def verify(self, text: str) -> Claims:
        """The claims of the token, or `UnauthenticatedError`."""
        if len(text) > TOKEN_MAX_LENGTH:
            raise UnauthenticatedError
        try:
            token = verified(
                text,
                self._secrets,
                issuer=self._issuer,
                audience=self._audience,
                leeway=CLOCK_SKEW_SECONDS,
                # A moment of issue in the future is accepted (RFC 7519 §4.1.6): the clock was set
                # back since.
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
            # PyJWT passes on the JSON parser's errors for some malformed headers.
            raise UnauthenticatedError from None
        # PyJWT applies its leeway to the expiry too, which must be exact.
        if claims.expires_at <= time.time():
            raise UnauthenticatedError
        return claims


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """Two halves: one names the session, the other is good for one use.

    Both are random at first. Only their SHA-256 digests are stored, which is enough for values that
    nobody can guess.
    """

    handle: bytes
    secret: bytes

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_bytes(REFRESH_HALF_BYTES), secrets.token_bytes(REFRESH_HALF_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """None for a text that no token can have."""
        try:
            raw = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            return None
        if len(raw) != 2 * REFRESH_HALF_BYTES:
            return None
        return cls(raw[:REFRESH_HALF_BYTES], raw[REFRESH_HALF_BYTES:])

    def next(self, secret: str) -> Self:
        """The token that replaces this one in the same session.

        It follows from this token and the service's secret, so that any process can compute it once
        more for a client that repeats a refresh. So nothing of a token needs to be stored.
        """
        message = b"adsvc refresh token\0" + self.handle + self.secret
        following = hmac.digest(secret.encode(), message, hashlib.sha256)[:REFRESH_HALF_BYTES]
        return type(self)(self.handle, following)

    @property
    def access_token_id(self) -> str:
        """The `jti` of the access token that is issued together with this token."""
        digest = hashlib.sha256(b"adsvc access token\0" + self.handle + self.secret).digest()
        return base64.urlsafe_b64encode(digest[:12]).decode()

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
    """The token of a link in a mail: 256 random bits. Only their digest is stored."""

    text: str

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_urlsafe(LINK_TOKEN_BYTES))

    @property
    def hash(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()


# In the order of their values, as in GitHub's tokens.
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
KEY_MARK = "adsvc_"
# 178 bits.
KEY_RANDOM_LENGTH = 30
# What 32 bits take at most.
CHECKSUM_LENGTH = 6
KEY_LENGTH = len(KEY_MARK) + KEY_RANDOM_LENGTH + CHECKSUM_LENGTH
# As much as people recognise it by: 36 bits of what is random, at most.
PREFIX_LENGTH = len(KEY_MARK) + 6


@dataclass(frozen=True, slots=True)
class KeySecret:
    """The secret of an API key: `adsvc_`, thirty random characters, and their checksum.

    Scanners of source code find it by its beginning, and know a true one by its checksum, which is
    the CRC-32 of all before it. So a mistyped one needs no look into the database. Only the SHA-256
    digest of the whole is stored, which is enough for random values.
    """

    text: str

    @classmethod
    def new(cls) -> Self:
        drawn = "".join(secrets.choice(BASE62) for _ in range(KEY_RANDOM_LENGTH))
        return cls(KEY_MARK + drawn + _checksum(KEY_MARK + drawn))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """None for anything that no `text` here ever was."""
        checked, checksum = text[:-CHECKSUM_LENGTH], text[-CHECKSUM_LENGTH:]
        if len(text) != KEY_LENGTH or not (text.isascii() and text.startswith(KEY_MARK)):
            return None
        return cls(text) if checksum == _checksum(checked) else None

    @property
    def prefix(self) -> str:
        return self.text[:PREFIX_LENGTH]

    @property
    def hash(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()


def _checksum(text: str) -> str:
    """The CRC-32 in base 62, with leading zeros."""
    rest, digits = zlib.crc32(text.encode()), ""
    for _ in range(CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(BASE62))
        digits = BASE62[digit] + digits
    return digits


CACHE_SECONDS = 60
CREDENTIALS_CAPACITY = 10_000


class CheckedCredentials(NamedTuple):
    # The hash that the password matched, or did not; None if there was no such account. Compared
    # with the stored hash at each use, so that a changed password counts at once.
    password_hash: str | None
    expires: float
    user_id: int = 0


class CredentialCache:
    """Spares HTTP Basic the hashing on every request. It contains no plain text.

    Wrong pairs are cached too, because an open tab with an old password repeats it forever.

    The key of an entry is a keyed digest of name and password. The secret of the digest is drawn at
    the start of the process and never leaves it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._key = secrets.token_bytes(32)
        # In order of age, which is the order of expiry, because reads do not move an entry.
        self._verified, self._wrong = (
            LruCache[bytes, CheckedCredentials](CREDENTIALS_CAPACITY) for _ in range(2)
        )
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        """The number of verified pairs."""
        return self._verified.size

    def lock(self, username: str, password: str) -> asyncio.Lock:
        """Held while the pair is verified, so that concurrent requests verify it once."""
        return self._locks.setdefault(self._digest(username, password), asyncio.Lock())

    def get(self, username: str, password: str) -> CheckedCredentials | None:
        self._drop_expired()
        return self._verified.peek(self._digest(username, password))

    def keep(self, username: str, password: str, *, user_id: int, password_hash: str) -> None:
        self._drop_expired()
        verified = CheckedCredentials(password_hash, self.now() + CACHE_SECONDS, user_id)
        self._verified.keep(self._digest(username, password), verified)

    def seconds_left(self, username: str, password: str) -> float:
        """How long the pair counts as verified."""
        verified = self.get(username, password)
        return verified.expires - self.now() if verified else 0

    def key_of(self, authorization: str) -> str:
        """A digest that other caches use as the key of a header with a password."""
        return hmac.digest(self._key, authorization.encode(), hashlib.sha256).hex()

    def is_wrong(self, username: str, password: str, password_hash: str | None) -> bool:
        """Whether the pair was found not to match that hash. Repeating it is no new guess."""
        wrong = self._wrong.peek(self._digest(username, password))
        return (
            wrong is not None
            and wrong.expires > self.now()
            and wrong.password_hash == password_hash
        )

    def keep_wrong(
        self, username: str, password: str, *, password_hash: str | None, seconds: float
    ) -> None:
        wrong = CheckedCredentials(password_hash, self.now() + seconds)
        self._wrong.keep(self._digest(username, password), wrong)

    def _drop_expired(self) -> None:
        now = self.now()
        self._verified.drop_first_while(lambda verified: verified.expires <= now)

    def _digest(self, username: str, password: str) -> bytes:
        message = f"{username}\0{password}".encode()
        return hmac.digest(self._key, message, hashlib.sha256)


class UnknownKeys:
    """Keys that were looked up in vain. To look for them again costs no statement."""

    def __init__(self, changes: InvalidationBus) -> None:
        # Until when.
        self._unknown: SubjectCache[bytes, float] = SubjectCache(CREDENTIALS_CAPACITY)
        changes.follow(self._forget)

    def has(self, hash_: bytes) -> bool:
        until = self._unknown.peek(hash_)
        return until is not None and until > time.monotonic()

    @property
    def begun(self) -> int:
        """Read it before the query of the database, and pass it to `keep` afterwards."""
        return self._unknown.changes

    def keep(self, hash_: bytes, begun: int) -> None:
        self._unknown.keep_since(begun, hash_, time.monotonic() + CACHE_SECONDS)

    def _forget(self, change: Invalidation) -> None:
        """An account whose suspension ends has its keys again."""
        if change.kind == USER:
            self._unknown.clear()


# Tokens are a few hundred bytes; so many fit into a few megabytes.
TOKENS_CAPACITY = 10_000

# A change of one of these may change what a token is good for.
CALLERS = (SESSION, KEY, USER)


@dataclass(frozen=True, slots=True)
class KnownCaller:
    """A caller by a cached token, key or password. An account's change drops its entries."""

    user_id: int
    # None for a caller who sent user name and password, or a key.
    session_id: int | None
    # Seconds since 1970.
    expires_at: float
    is_admin: bool
    has_verified_mail: bool = False
    # What the account's limits depend on.
    plan: str = ""
    key_id: int | None = None
    # What the key is good for; None for a caller without one, who may do whatever the account may.
    scopes: frozenset[str] | None = None

    @property
    def subjects(self) -> Sequence[tuple[str, str]]:
        """Whose change or end ends it."""
        ids = zip(CALLERS, (self.session_id, self.key_id, self.user_id), strict=True)
        return [(kind, str(identifier)) for kind, identifier in ids if identifier is not None]


class TokenCache:
    """Callers by tokens that have not expired and whose session and account have not ended.

    The end of a session drops that session's entries; a change of an account drops all of its
    entries. Keys are tokens here, and each is its own session.

    Entries are found by the value of `Authorization` as most clients write it, and by no other
    spelling; those of user name and password by `CredentialCache.key_of` of that value.
    """

    def __init__(self, changes: InvalidationBus, *, enabled: bool) -> None:
        self._changes = changes
        self._known: SubjectCache[str, KnownCaller] = SubjectCache(
            TOKENS_CAPACITY if enabled else 0
        )
        # How often a caller was found, and how often one had to be looked up.
        self.hits = self.misses = 0
        changes.follow(self._forget)

    @property
    def begun(self) -> int:
        """Read it before the query of the database, and pass it to `keep_known` afterwards."""
        return self._known.changes

    def get(self, authorization: str) -> KnownCaller | None:
        known = self._known.get(authorization)
        if known is None or not self._changes.reliable or known.expires_at <= time.time():
            return None
        self.hits += 1
        return known

    def keep_known(self, key: str, known: KnownCaller, begun: int) -> None:
        """Caches the caller, unless its session or account has changed since."""
        self.misses += 1
        self._known.keep_since(begun, key, known, known.subjects)

    def _forget(self, change: Invalidation) -> None:
        if change.kind in CALLERS:
            self._known.forget(change.id and (change.kind, change.id))


MAC_BYTES = 16
SIGNED_MAX_LENGTH = 200


class Purpose(Enum):
    """What a token is good for. Its value is part of what is signed."""

    # Ends mails of one kind: a type of notifications, `search:ID`, or all notices.
    UNSUBSCRIBE = b"unsubscribe "
    # Shows one decision about the account, by its id, and takes an appeal against it.
    APPEAL = b"appeal "


class SignedLinks:
    """Makes and reads tokens of one purpose.

    A token is `MAC || ACCOUNT:SUBJECT` in base64url. It is good for as long as the account exists,
    as people open old mails; it can do nothing but what it was made for.
    """

    def __init__(self, key: bytes, purpose: Purpose) -> None:
        self._key = key
        self._purpose = purpose

    def token(self, user_id: int, subject: str) -> str:
        meant = f"{user_id}:{subject}".encode()
        return base64.urlsafe_b64encode(self._mac(meant) + meant).rstrip(b"=").decode()

    def read(self, token: str) -> tuple[int, str] | None:
        """The account and the subject; None if the token was not made here."""
        if len(token) > SIGNED_MAX_LENGTH or not token.isascii():
            return None
        try:
            content = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except (binascii.Error, ValueError):
            return None
        mac, meant = content[:MAC_BYTES], content[MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(meant)):
            return None
        user_id, _, subject = meant.decode().partition(":")
        # A token has one spelling.
        return (int(user_id), subject) if token == self.token(int(user_id), subject) else None

    def _mac(self, meant: bytes) -> bytes:
        return hmac.digest(self._key, self._purpose.value + meant, "sha256")[:MAC_BYTES]
