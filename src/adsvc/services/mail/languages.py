"""In which language an account is written to."""

import re
from collections.abc import Sequence

# Those that there are templates in.
LANGUAGES = ("en", "de", "ru")

# Longer ones are nobody's preferences.
ACCEPTED_MAX_LENGTH = 500

ITEM = re.compile(
    r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?"
)


def preferred(accepted: str) -> str | None:
    """The one that `Accept-Language` (RFC 9110 §12.5.4) likes best; None if it names none."""
    best, language = 0.0, None
    for item in accepted[:ACCEPTED_MAX_LENGTH].split(","):
        match = ITEM.fullmatch(item)
        if match is None:
            continue
        weight = float(match[2] or 1)
        if match[1].lower() in LANGUAGES and weight > best:
            best, language = weight, match[1].lower()
    return language


def usual(site: Sequence[str]) -> str:
    """For accounts that have said nothing: the first of the site's own that there is."""
    spoken = (tag.partition("-")[0] for tag in site)
    return next((language for language in spoken if language in LANGUAGES), LANGUAGES[0])
