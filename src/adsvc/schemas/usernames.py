"""What a user name may be, so that no two of them look alike (RFC 8265 §3.4)."""

import re
import unicodedata

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
    """The name without what nobody sees, which may be that of another account."""
    seen = "".join(
        character if is_seen(character) else " " if character.isspace() else ""
        for character in unicodedata.normalize("NFKC", username)
    )
    return " ".join(seen.split())
