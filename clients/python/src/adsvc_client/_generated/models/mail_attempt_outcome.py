from typing import Literal

MailAttemptOutcome = Literal["omitted", "refused", "sent"] | str


def check_mail_attempt_outcome(value: str) -> MailAttemptOutcome:
    """As it came: a service that is newer than this client may know more values."""
    return value
