"""User names and mail addresses: what is taken, and in which form they are compared."""

import re
import unicodedata

from email_validator import EmailNotValidError, ValidatedEmail, validate_email
from precis_i18n import get_profile

USERNAME = get_profile("UsernameCasePreserved")

# Some of their letters look like some of another's.
ALIKE = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU"})

# What Unicode calls Default_Ignorable_Code_Point, without what `isprintable` knows already.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


def is_seen(character: str) -> bool:
    """Whether a screen shows it, and shows it where it stands; a space counts as seen."""
    return character.isprintable() and not UNSEEN.match(character)


def fault_of(username: str) -> str | None:
    """Why the name cannot be registered, or None. Accounts that have such a name keep it.

    The rule is that of RFC 8265's UsernameCasePreserved: letters and digits of any script and the
    punctuation of ASCII, in one direction of writing, parted by single spaces. Beyond it, nothing
    invisible is taken in any context, and no word and no side of an `@` mixes letters of scripts
    that look alike.
    """
    if username != " ".join(username.split()):
        return "must not begin or end with a space, nor have two in a row or another kind of space"
    if not all(map(is_seen, username)):
        return "must have nothing invisible"
    try:
        # Hyphens are neutral in both directions of writing, as spaces are.
        USERNAME.enforce(username.replace(" ", "-"))
    except UnicodeEncodeError as error:
        if "bidi" in error.reason:
            return "must not mix letters of both directions of writing"
        return (
            "must have letters, digits, single spaces and the punctuation of ASCII only, no"
            " symbols and no letters that stand for others (RFC 8265)"
        )
    if any(len(_scripts(part)) > 1 for part in re.split("[ @]", username)):
        return "must not mix letters that look alike, such as Latin and Cyrillic ones"
    return None


def _scripts(text: str) -> set[str]:
    # The name of a letter begins with its script.
    names = (unicodedata.name(letter, "") for letter in unicodedata.normalize("NFKC", text))
    return {name.partition(" ")[0] for name in names} & ALIKE


def as_seen(username: str) -> str:
    """The name without its invisible characters: it may be that of another account."""
    seen = "".join(
        character if is_seen(character) else " " if character.isspace() else ""
        for character in unicodedata.normalize("NFKC", username)
    )
    return " ".join(seen.split())


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
