"""Signed tokens of links in mails, which do one thing for one account without a login."""

import base64
import binascii
import hmac
from enum import Enum

MAC_BYTES = 16
TOKEN_MAX_LENGTH = 200


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
        if len(token) > TOKEN_MAX_LENGTH or not token.isascii():
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
