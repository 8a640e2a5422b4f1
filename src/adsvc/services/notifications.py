"""Which notifications an account wants. Web Push: messages to browsers (RFC 8030), encrypted for
them (RFC 8291) and signed by the site (RFC 8292).
"""

import base64
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from adsvc.enums import NotificationType
from adsvc.errors import InvalidRequestError, UnauthenticatedError
from adsvc.kit import faults
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.faults import Fault
from adsvc.kit.http.outbound import ForbiddenAddressError, checked_url, networks_of
from adsvc.kit.security.tokens import Purpose
from adsvc.repositories import following
from adsvc.repositories import notifications as notification_rows
from adsvc.repositories import push as push_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.notifications import DEFAULT_WAYS, TEXT, WAYS
from adsvc.repositories.operation import server as server_rows
from adsvc.schemas.notifications import Preferences, PushSubscription, UpdatePreferences
from adsvc.services.installation import signed_links
from adsvc.settings import Settings

# Of one account. The oldest makes room for a new one: a browser that is set up anew leaves one.
MOST_SUBSCRIPTIONS = 10
# RFC 8292 §2: at most a day.
TOKEN_SECONDS = 12 * 3600
# RFC 8291 §4: one record, of at most 4096 bytes with 103 of header and tag.
RECORD_BYTES = 4096
MOST_BYTES = RECORD_BYTES - 103
KEY_BYTES, AUTH_BYTES, SALT_BYTES = 65, 16, 16
CURVE = ec.SECP256R1()
# How long a push service keeps a message for a browser that is away.
TTL_SECONDS = 24 * 3600


def from_base64url(text: str) -> bytes:
    """Raises `ValueError`. Browsers leave out the padding."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def in_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length=length, salt=salt, info=info).derive(secret)


def encrypted(content: bytes, public_key: bytes, auth: bytes) -> bytes:
    """For the browser that has this key and secret (RFC 8291 §3, as one record of RFC 8188)."""
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, public_key)
    own = ec.generate_private_key(CURVE)
    own_point, salt = _point(own.public_key()), os.urandom(SALT_BYTES)
    shared = own.exchange(ec.ECDH(), theirs)
    secret = _derived(shared, auth, b"WebPush: info\0" + public_key + own_point, 32)
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    # 2 ends the last record.
    sealed = AESGCM(key).encrypt(nonce, content + b"\2", None)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(own_point)]) + own_point
    return head + sealed


@dataclass(frozen=True, slots=True)
class SiteKey:
    """The pair by which push services know the site."""

    private: ec.EllipticCurvePrivateKey

    @property
    def public(self) -> str:
        """As browsers take it: the point, in base64url."""
        return in_base64url(_point(self.private.public_key()))

    def headers(self, endpoint: str, contact: str) -> Mapping[str, str]:
        """`contact` is where the operator of a push service can complain: a URL."""
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int(time.time()) + TOKEN_SECONDS,
            "sub": contact,
        }
        token = jwt.encode(claims, self.private, "ES256")
        return {
            "authorization": f"vapid t={token}, k={self.public}",
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(TTL_SECONDS),
        }


class SiteKeys:
    """The key of the installation, which is made when it is first needed, and never changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._key: SiteKey | None = None

    async def key(self) -> SiteKey:
        if self._key is None:
            number = ec.generate_private_key(CURVE).private_numbers().private_value
            async with self._database.transaction() as transaction:
                stored = await server_rows.push_key(transaction, number.to_bytes(32, "big"))
            self._key = SiteKey(ec.derive_private_key(int.from_bytes(stored, "big"), CURVE))
        return self._key

    async def public(self) -> str | None:
        """None while the database is away and the key is not known."""
        try:
            return (await self.key()).public
        except Exception as error:
            if not is_database_fault(error):
                raise
            return None


async def subscribe(
    transaction: Transaction,
    settings: Settings,
    user: CallerAccount,
    session_id: int,
    sent: PushSubscription,
) -> None:
    """Notifications go to this browser until the session ends, and to no other account's there.

    A browser that another account has subscribed proves itself by its keys.
    """
    gathered: list[Fault] = []
    endpoint = sent.endpoint
    try:
        endpoint = str(checked_url(sent.endpoint, networks_of(settings.webhook_networks)))
    except ForbiddenAddressError as error:
        gathered.append(faults.wrong_format(str(error)).at("/endpoint"))
    public_key, auth = _decoded(sent.keys.p256dh), _decoded(sent.keys.auth)
    if not _is_point(public_key):
        gathered.append(faults.wrong_format("must be a point of P-256").at("/keys/p256dh"))
    if len(auth) != AUTH_BYTES:
        gathered.append(faults.wrong_format("must be 16 bytes").at("/keys/auth"))
    if gathered:
        raise InvalidRequestError(*gathered)
    if not await user_rows.lock_unless_suspended(transaction, user.id):
        raise UnauthenticatedError
    if not await push_rows.lock_session(transaction, user.id, session_id):
        raise UnauthenticatedError
    if not await push_rows.add(transaction, user.id, session_id, endpoint, public_key, auth):
        wrong = "must be those of the browser, which another account has subscribed"
        raise InvalidRequestError(faults.wrong_format(wrong).at("/keys"))
    await push_rows.keep_newest(transaction, user.id, MOST_SUBSCRIPTIONS)


def _decoded(text: str) -> bytes:
    """Nothing if it is not base64url."""
    try:
        return from_base64url(text)
    except ValueError:
        return b""


def _is_point(content: bytes) -> bool:
    if len(content) != KEY_BYTES:
        return False
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, content)
    except ValueError:
        return False
    return True


async def unsubscribe(
    transaction: Transaction, settings: Settings, user: CallerAccount, endpoint: str
) -> None:
    """Nothing if there is no such subscription."""
    with suppress(ForbiddenAddressError):
        endpoint = str(checked_url(endpoint, networks_of(settings.webhook_networks)))
    await push_rows.delete_endpoint(transaction, user.id, endpoint)


# The kind of mails about one saved search, before its id.
SEARCH = "search:"
# All kinds at once, as a digest has them.
ALL_NOTICES = "all"

NO_DATA: Mapping[str, Any] = {}


async def unsubscribe_mails(transaction: Transaction, token: str) -> None:
    """Nothing if the token is none, or if the account is gone."""
    links = await signed_links(transaction, Purpose.UNSUBSCRIBE)
    meant = links.read(token)
    if meant is None:
        return
    user_id, kind = meant
    if kind in set(NotificationType):
        await _choose(transaction, user_id, {kind: {"mail": False}})
    elif kind == ALL_NOTICES:
        await _choose(transaction, user_id, {each: {"mail": False} for each in NotificationType})
    elif kind.startswith(SEARCH):
        search_id = int(kind.removeprefix(SEARCH))
        await following.silence(transaction, user_id, search_id)


def notice_values(
    kind: str,
    title: str | None,
    settings: Settings,
    language: str,
    data: Mapping[str, Any] = NO_DATA,
    **about: object,
) -> dict[str, object]:
    """The values of the letter about a notification, with those of what it is about."""
    return {
        "type": kind,
        "title": title,
        "price_from": settings.money.text(data.get("from") or 0, language),
        "price_to": settings.money.text(data.get("to") or 0, language),
        **about,
    }


async def preferences(session: DatabaseSession, user: CallerAccount) -> Preferences:
    return _record(await notification_rows.ways(session, user.id))


async def choose(
    transaction: Transaction, user: CallerAccount, sent: UpdatePreferences
) -> Preferences:
    chosen = sent.model_dump(by_alias=True, exclude_unset=True)
    ways = await _choose(transaction, user.id, chosen)
    if ways is None:
        raise UnauthenticatedError
    return _record(ways)


async def _choose(
    transaction: Transaction, user_id: int, chosen: Mapping[str, Mapping[str, bool]]
) -> Mapping[str, Mapping[str, bool]] | None:
    """All that the account has chosen; None if it is gone."""
    if await user_rows.lock(transaction, user_id) is None:
        return None
    ways = await notification_rows.ways(transaction, user_id)
    for kind, new in chosen.items():
        ways[kind] = {**ways.get(kind, {}), **new}
    await notification_rows.set_ways(transaction, user_id, ways)
    return ways


def _record(chosen: Mapping[str, Mapping[str, bool]]) -> Preferences:
    return Preferences.model_validate(
        {
            kind: {way: way in DEFAULT_WAYS[kind] for way in (*WAYS, TEXT)}
            | dict(chosen.get(kind, {}))
            for kind in NotificationType
        }
    )
