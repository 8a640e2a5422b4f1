"""Records of the development mode."""

from typing import Annotated

from pydantic import Field

from adsvc.kit.records import Milliseconds, Record, moment

# Ten years.
MOST_MILLISECONDS = 10 * 366 * 24 * 3600 * 1000


class AdvanceClock(Record):
    """How far the clock goes on."""

    milliseconds: Annotated[
        int, Field(ge=1, le=MOST_MILLISECONDS, examples=[172_800_000], strict=True)
    ]
    """Everything that is stored becomes older by so much."""


class WrittenMail(Record):
    """A mail that the service has written to a file instead of sending it."""

    at: Annotated[Milliseconds, moment("When it was written")]
    to: Annotated[str, Field(examples=["ann@example.com"])]
    """The receiver."""
    subject: Annotated[str, Field(examples=["Confirm your mail address"])]
    """Its subject."""
    text: Annotated[str, Field(examples=["Hello ..."])]
    """The text, with its links."""


class WrittenMails(Record):
    """Mails that were written."""

    results: list[WrittenMail]
    """The newest first, at most 100."""
