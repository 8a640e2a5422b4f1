"""How tests reach an S3, whichever it is."""

import socket
from dataclasses import dataclass
from typing import Any

BUCKET = "adsvc-tests"
REGION = "us-east-1"
ACCESS_KEY = "tests"
SECRET_KEY = "not a secret"

# What an operator of it would set besides ADSVC_*.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": ACCESS_KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class S3Server:
    endpoint: str

    def settings(self, prefix: str) -> dict[str, Any]:
        """Of a service that keeps its pictures there."""
        return {
            "image_store": f"s3://{BUCKET}/{prefix}",
            "s3_endpoint": self.endpoint,
            "s3_region": REGION,
        }

    def environment(self, prefix: str) -> dict[str, str]:
        """The same as variables."""
        settings = self.settings(prefix)
        return {f"ADSVC_{name.upper()}": str(value) for name, value in settings.items()}
