"""Which texts are mail addresses, and how each is written (RFC 5321, IDNA 2008)."""

from email_validator import EmailNotValidError, ValidatedEmail, validate_email

# RFC 5321 §4.5.3.1.3, without the brackets.
MAX_LENGTH = 254

# Of providers whose mailboxes have dots wherever people like them, and go by either name.
DOTLESS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}


def _valid(text: str) -> ValidatedEmail | None:
    if len(text) > MAX_LENGTH:
        return None
    try:
        # Few servers take letters beyond ASCII before the `@`; behind it, all of them do, in their
        # other spelling.
        # `strict` is the 64 octets before the `@` of RFC 5321 §4.5.3.1.1.
        return validate_email(text, check_deliverability=False, allow_smtputf8=False, strict=True)
    except EmailNotValidError:
        return None


def normalised(text: str) -> str | None:
    """The address as it is kept and shown, its domain in lower case; None if it is no address."""
    valid = _valid(text)
    return None if valid is None else valid.normalized


def in_ascii(address: str) -> str | None:
    """As mail servers take it: an internationalized domain in Punycode."""
    valid = _valid(address)
    return None if valid is None else valid.ascii_email


def mailbox(address: str) -> str:
    """What mails to it count for: all spellings that most providers deliver to one person."""
    local, _, domain = address.casefold().rpartition("@")
    local = local.partition("+")[0]
    if provider := DOTLESS.get(domain):
        local, domain = local.replace(".", ""), provider
    return f"{local}@{domain}"
