"""What webhooks receive is verified as Standard Webhooks says."""

import base64
import hashlib
import hmac
import json
import time

import pytest

from adsvc_client import WebhookVerificationError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
OTHER = "whsec_" + base64.b64encode(b"another secret of 32 characters.").decode()
EVENT = {"id": 7, "type": "ad.sold", "at": 1, "ad": 42, "user": 7, "data": {"note": "Grün"}}
BODY = json.dumps(EVENT, ensure_ascii=False)


def sent(body: str = BODY, at: float | None = None, *secrets: str) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    signatures = []
    for secret in secrets or (SECRET,):
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.digest(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256)
        signatures.append("v1," + base64.b64encode(digest).decode())
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": timestamp,
        "Webhook-Signature": " ".join(signatures),
    }


def test_the_documented_vector_is_signed_like_that() -> None:
    """That of Standard Webhooks."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = b'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
    digest = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert digest == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_is_signed_is_verified() -> None:
    assert verify_webhook(BODY, sent(), SECRET) == EVENT
    assert verify_webhook(BODY.encode(), sent(), [OTHER, SECRET]) == EVENT
    assert verify_webhook(BODY, sent(BODY, None, OTHER, SECRET), SECRET) == EVENT


def test_nothing_else_is() -> None:
    headers = sent()
    now = time.time()
    for body, changed, secret in (
        (BODY + " ", headers, SECRET),
        (BODY, headers, OTHER),
        (BODY, {**headers, "Webhook-Id": "msg_2"}, SECRET),
        (BODY, {**headers, "Webhook-Timestamp": str(int(now) - 1)}, SECRET),
        (BODY, {**headers, "Webhook-Timestamp": ""}, SECRET),
        (BODY, {**headers, "Webhook-Timestamp": "nan"}, SECRET),
        (BODY, {**headers, "Webhook-Signature": ""}, SECRET),
        (BODY, {**headers, "Webhook-Signature": "v1,ü"}, SECRET),
        (BODY, {**headers, "Webhook-Signature": "v2" + sent()["Webhook-Signature"][2:]}, SECRET),
        (BODY, {}, SECRET),
        (BODY, sent(BODY, now - 360), SECRET),
        (BODY, sent(BODY, now + 360), SECRET),
    ):
        with pytest.raises(WebhookVerificationError):
            verify_webhook(body, changed, secret)
    for bad in ("", "whsec_", "whsec_%"):
        with pytest.raises(ValueError, match="whsec_"):
            verify_webhook(BODY, headers, bad)
