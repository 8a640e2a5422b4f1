"""What the service signs is verified by the reference libraries, and by both clients."""

import importlib
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from adsvc.services.webhooks import WebhookSecrets, headers_of

CLIENTS = Path(__file__).parents[2] / "clients"
TYPESCRIPT = CLIENTS / "typescript" / "build" / "src" / "index.js"
REFERENCE = CLIENTS / "typescript" / "node_modules" / "standardwebhooks" / "dist" / "index.js"
BODY = '{"id" : 7, "type" : "ad.sold", "at" : 1, "ad" : 42, "user" : 7, "data" : {"note": "Grün"}}'

PROGRAM = """
import {{ Webhook }} from "{reference}";
import {{ verifyWebhook }} from "{client}";
const {{ body, headers, secrets, other }} = JSON.parse(process.argv[2]);
const ways = [
  async (secret) => new Webhook(secret).verify(body, headers),
  async (secret) => verifyWebhook(body, headers, secret),
];
for (const verify of ways) {{
  for (const secret of secrets) {{
    if ((await verify(secret)).id !== 7) throw new Error("another event");
  }}
  const verified = await verify(other).then(() => true, () => false);
  if (verified) throw new Error("verified by another secret");
}}
"""


@pytest.fixture
def secrets() -> list[str]:
    return [WebhookSecrets.new(), WebhookSecrets.new()]


@pytest.fixture
def headers(secrets: list[str]) -> dict[str, str]:
    return headers_of(UUID(int=7), BODY, secrets, datetime.now(UTC))


@pytest.mark.heavy
def test_by_the_reference_for_python_and_the_client(
    secrets: list[str], headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(CLIENTS / "python" / "src")
    client = importlib.import_module("adsvc_client")
    assert headers["webhook-id"] == "msg_00000000000000000000000000000007"
    for secret in secrets:
        expected = json.loads(BODY)
        assert Webhook(secret).verify(BODY, headers) == expected
        assert client.verify_webhook(BODY, headers, secret) == expected
    other = WebhookSecrets.new()
    with pytest.raises(WebhookVerificationError):
        Webhook(other).verify(BODY, headers)
    with pytest.raises(client.WebhookVerificationError):
        client.verify_webhook(BODY, headers, other)


@pytest.mark.heavy
@pytest.mark.skipif(
    not (TYPESCRIPT.exists() and REFERENCE.exists()),
    reason="the client for TypeScript is not built",
)
def test_by_the_reference_for_typescript_and_the_client(
    secrets: list[str], headers: dict[str, str], tmp_path: Path
) -> None:
    program = PROGRAM.format(reference=REFERENCE.as_uri(), client=TYPESCRIPT.as_uri())
    (tmp_path / "verify.mjs").write_text(program)
    sent = {"body": BODY, "headers": headers, "secrets": secrets, "other": WebhookSecrets.new()}
    done = subprocess.run(
        ["node", "verify.mjs", json.dumps(sent)], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
