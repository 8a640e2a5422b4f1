"""Development mode: provoked answers, and the mails that would have been sent."""

import asyncio
import re
from contextvars import ContextVar
from email import message_from_bytes, policy
from pathlib import Path

from adsvc import errors
from adsvc.kit import faults
from adsvc.schemas.console import WrittenMail

# The header of requests that provoke an answer.
PROVOKE = "Adsvc-Provoke"
PROVOCATIONS = ("429", "503", "slow=SECONDS", "held")
SLOW = re.compile(r"slow=([1-9]|[1-5][0-9]|60)")
MOST_MAILS = 100

# Whether a message that the request sends is held for moderators.
holds_message: ContextVar[bool] = ContextVar("holds_message", default=False)


async def provoke(value: str | None) -> None:
    """Raises the refusal, or waits, as the header of the request says."""
    holds_message.set(value == "held")
    if value in {None, "held"}:
        return
    if value == "429":
        raise errors.RateLimitedError("provoked", 1, 1, retry_after=1)
    if value == "503":
        raise errors.OverloadedError
    slow = SLOW.fullmatch(value or "")
    if slow is None:
        raise errors.InvalidRequestError(faults.not_an_option(PROVOCATIONS).of(PROVOKE))
    await asyncio.sleep(int(slow[1]))


def written_mails(directory: Path) -> list[WrittenMail]:
    """The newest first."""
    files = [(file.stat().st_mtime, file) for file in directory.glob("*.eml")]
    return [_read(file, at) for at, file in sorted(files, reverse=True)[:MOST_MAILS]]


def _read(file: Path, at: float) -> WrittenMail:
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    body = mail.get_body(("plain",))
    return WrittenMail(
        at=int(at * 1000),
        to=str(mail["to"]),
        subject=str(mail["subject"]),
        text="" if body is None else body.get_content(),
    )
