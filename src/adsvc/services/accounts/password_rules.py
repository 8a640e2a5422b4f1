"""Refuses passwords that are too easy to guess (NIST SP 800-63B §5.1.1.2)."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from adsvc.kit.faults import Fault, FaultCode
from adsvc.settings import Settings

COMMON_PASSWORDS = files("adsvc.kit.security") / "common_passwords.txt"
COMMENT = re.compile(r"^#.*\n", re.MULTILINE)

# A password with fewer different characters is as easy to guess as one of the list.
FEWEST_DIFFERENT = 3

# Shorter words occur in too many good passwords.
WORD_MIN_LENGTH = 3


@cache
def common_passwords() -> str:
    """The 30,000 most common passwords, in lower case, each between two line feeds.

    A set of them would take 5 MiB. Searching this is quick beside hashing a password.
    """
    return COMMENT.sub("", f"\n{COMMON_PASSWORDS.read_text('ascii')}")


def weakness_of(password: str, settings: Settings, *names: str) -> str | None:
    """Why the password is too easy to guess; None if it is not. `names` are those of the account.

    The names, and that of the site, do not count: the rest of the password must be long enough, and
    must not be a common one either.
    """
    plain = _plain(password)
    left = plain
    for word in sorted(_words(settings.site_name, *names), key=len, reverse=True):
        left = left.replace(word, "")
    if len(set(plain)) < FEWEST_DIFFERENT:
        return f"must have at least {FEWEST_DIFFERENT} different characters"
    common = common_passwords()
    if any(f"\n{form}\n" in common for form in {plain, plain.strip(), left.strip()}):
        return "is among the most common passwords, which are guessed first; choose another"
    if len({ord(after) - ord(before) for before, after in pairwise(plain)}) == 1:
        return "must not be a mere sequence, which is guessed first"
    if left != plain and len(left) < settings.password_min_length:
        return (
            "is made of your user name, your name or that of the site, which are guessed first;"
            f" have at least {settings.password_min_length} characters besides them"
        )
    return None


def faults_of(
    settings: Settings, sent: Mapping[str, Any], member: str, *names: str
) -> Sequence[Fault]:
    """The faults of a new password in that member, if it is there."""
    weakness = weakness_of(sent[member], settings, *names) if member in sent else None
    if weakness is None:
        return ()
    return [Fault(FaultCode.WEAK_PASSWORD, weakness, pointer=f"/{member}")]


def registration_faults(settings: Settings, sent: Mapping[str, Any]) -> Sequence[Fault]:
    """The faults of a new account's password. `sent` are valid members of `Register`."""
    names = (sent.get(name, "") for name in ("username", "firstName", "lastName"))
    return faults_of(settings, sent, "password", *names)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _words(*names: str) -> set[str]:
    """The names, their parts before an `@`, and the words of those parts."""
    words = set()
    for name in map(_plain, names):
        own = name.partition("@")[0]
        words |= {name, own, *re.split(r"[\W_]+", own)}
    return {word for word in words if len(word) >= WORD_MIN_LENGTH}
