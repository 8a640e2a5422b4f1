"""Which mails there are, as entries of the outbox."""

from enum import StrEnum

from pydantic import JsonValue

from adsvc.repositories.outbox.entries import Entry

# Kinds of entries: a letter to an account; the same to an address that is not verified, with the
# token that verifies it; and a new password that somebody wants for a user name.
LETTER, VERIFICATION, RECOVERY = "letter", "verification", "recovery"


class Letter(StrEnum):
    """Each has a template of its name in every language; see `templates`."""

    VERIFY_ADDRESS = "verify-address"
    VERIFY_BEFORE_RESET = "verify-before-reset"
    RESET_PASSWORD = "reset-password"  # noqa: S105 - a letter, not a password
    PASSWORD_CHANGED = "password-changed"  # noqa: S105
    ADDRESS_ASKED = "address-asked"
    ADDRESS_CHANGED = "address-changed"
    # Because so many have reported it; nobody has decided.
    AD_HIDDEN = "ad-hidden"
    # Written by the statement that makes it: `repositories.moderation.decision_sql`.
    DECISION = "decision"


def to_account(letter: Letter, user_id: int, **values: JsonValue) -> Entry:
    """For the account's verified address; without one, nobody gets it.

    `values` are what the template asks for. It is written in the account's language.
    """
    return Entry(LETTER, {"letter": letter, "user_id": user_id, "values": values})


def to_former_address(letter: Letter, user_id: int, address: str) -> Entry:
    """For an address that was verified, whatever becomes of it by the time it is sent."""
    return Entry(LETTER, {"letter": letter, "user_id": user_id, "address": address, "values": {}})


def verification(user_id: int, address: str, language: str | None) -> Entry:
    """Asks whoever reads that address to prove it. Nothing in it is of the account's making."""
    return Entry(VERIFICATION, {"user_id": user_id, "address": address, "language": language})


def recovery(username: str, language: str | None) -> Entry:
    """For any user name, whether or not there is such an account: a worker finds that out."""
    return Entry(RECOVERY, {"username": username, "language": language})
