"""Verifies what webhooks receive: `verify_webhook`; and signs what a developer forwards."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import AdsvcError

PREFIX = "whsec_"
TOLERANCE_SECONDS = 300


class WebhookVerificationError(AdsvcError):
    """What was received did not come from the service, or is too old to be trusted."""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secrets: str | Sequence[str]
) -> dict[str, Any]:
    """The event that a webhook has received, once its signature is verified (Standard Webhooks).

    `body` has to be as it was received, not parsed and written again. Of several secrets one is
    enough. Skip an event whose header `webhook-id` you have seen: it may come twice. A test has the
    id 0 and the type `webhook.test`.
    """
    found = {name.lower(): value for name, value in headers.items()}
    message, timestamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    signatures = found.get("webhook-signature", "").split()
    if not (message and signatures and timestamp.isascii() and timestamp.isdecimal()):
        raise WebhookVerificationError("The headers of a webhook are missing.")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The webhook is too old, or the clock is wrong.")
    content = body.encode() if isinstance(body, str) else body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = _signature(secret, message, timestamp, content)
        # In the same time wherever they differ.
        if any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures):
            event: dict[str, Any] = json.loads(content)
            return event
    raise WebhookVerificationError("No signature matches.")


def sign_webhook(body: str, secret: str, message: str, timestamp: int) -> dict[str, str]:
    """The headers of a request with that body, as the service sends them."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": _signature(secret, message, str(timestamp), body.encode()),
    }


def _signature(secret: str, message: str, timestamp: str, content: bytes) -> str:
    signed = f"{message}.{timestamp}.".encode() + content
    digest = hmac.digest(_key(secret), signed, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if not key:
        raise ValueError("The secret of a webhook begins with whsec_.")
    return key
