"""Turns what people type into a search field into a PostgreSQL text search query.

The syntax is that of `websearch_to_tsquery`: words, "phrases", -word and or. In addition, the last
word may be the beginning of one, so that results appear while people type. What follows it is not a
matter of stems: "cars" begins neither "carpenter" nor "carpet".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from adsvc.normalisation import as_line

WORDS = re.compile(r'"[^"]*"?|\S+')

# A last word that may still be incomplete.
LAST_WORD = re.compile(r"(?:^|(?<=[\s\-/.,:;'(+]))(\w+)$")

# Several minus signs before a word exclude nothing: they are a dash. PostgreSQL would exclude what
# is excluded, and refuses more than 32 of them. It reads over what is between them here.
DASHES = re.compile(r"-(?:[\s!&|()]*-)+")

SPACES = re.compile(r" +")

SHORTEST_PREFIX = 2
SINGLE_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Terms:
    """`alternative or (rest and prefix*)`; empty parts are left out."""

    alternative: str
    rest: str
    prefix: str

    @property
    def wanted(self) -> list[list[str]]:
        """For each alternative its required words, without `prefix`.

        The prefix belongs to the last alternative. An alternative without words only excludes.
        """
        texts = _split(self.alternative) if self.alternative else []
        texts += _split(self.rest) if self.rest or self.prefix or not texts else []
        return [[word for word in words if not word.startswith("-")] for words in texts]

    @property
    def whole(self) -> "Terms":
        """The same words, of which the last one is complete."""
        return Terms(self.alternative, f"{self.rest} {self.prefix}".strip(), "")

    @property
    def has_phrases(self) -> bool:
        """Whether words have to be adjacent: in quotes, or joined by punctuation."""
        typed = WORDS.findall(f"{self.alternative} {self.rest}")
        return any(SINGLE_WORDS.fullmatch(word.lstrip("-")) is None for word in typed)

    @property
    def excludes(self) -> bool:
        typed = WORDS.findall(f"{self.alternative} {self.rest}")
        return any(word.startswith("-") for word in typed)

    @property
    def only_excludes(self) -> bool:
        return self.excludes and not self.prefix and not any(self.wanted)


def _split(text: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for word in WORDS.findall(text):
        if word.lower() != "or":
            found[-1].append(word)
        elif found[-1]:
            found.append([])
    return found if found[-1] or len(found) == 1 else found[:-1]


def normal_form(text: str) -> str:
    """The form of the texts that are searched, with single spaces.

    One at the end stays: after it, the last word is complete.
    """
    return (SPACES.sub(" ", as_line(text)) + " " * text[-1:].isspace()).lstrip(" ")


def count_words(text: str) -> int:
    """How many words PostgreSQL may look up: punctuation joins several."""
    return sum(word.lower() != "or" for word in SINGLE_WORDS.findall(text))


def plain_words(q: str) -> dict[int, str]:
    """Its words by their places, without phrases, excluded words and `or`."""
    return {
        at: part
        for at, part in enumerate(WORDS.findall(q))
        if not part.startswith(("-", '"')) and part.lower() != "or"
    }


def excess_words(q: str, most: int, ads: Mapping[str, float]) -> list[int]:
    """The places of the words to leave out, so that so many stay: the most common ones.

    `ads` says how many ads have a word; one that it lacks is the most common. Only plain words are
    left out. If the others are too many, nothing is.
    """
    parts, plain = WORDS.findall(q), plain_words(q)
    # Of equally common words the last ones go first.
    order = sorted(plain, key=lambda at: (ads.get(plain[at], inf), at), reverse=True)
    for number in range(len(order) + 1):
        dropped = sorted(order[:number])
        text = " ".join(part for at, part in enumerate(parts) if at not in dropped)
        if count_words(text) <= most:
            return dropped
    return []


def parse(text: str) -> Terms:
    """Any text is a query. An empty one matches nothing."""
    text = DASHES.sub(" ", text)
    words = WORDS.findall(text)
    if not words or text[-1].isspace() or words[-1].startswith(('"', "-")):
        return Terms("", text, "")
    found = LAST_WORD.search(words[-1])
    if found is None or len(found[1]) < SHORTEST_PREFIX or words[-1].lower() == "or":
        return Terms("", text, "")
    prefix = found[1]
    before = [*words[:-1], words[-1][: found.start(1)]]
    # "and" binds tighter than "or", so the prefix belongs to what follows the last "or".
    last_or = max((n for n, word in enumerate(before) if word.lower() == "or"), default=-1)
    return Terms(
        " ".join(before[:last_or]) if last_or > 0 else "", " ".join(before[last_or + 1 :]), prefix
    )


NOTHING = "''::tsquery"


@dataclass
class Parameters:
    values: list[object] = field(default_factory=list)

    def add(self, value: object) -> str:
        self.values.append(value)
        return f"${len(self.values)}"


class Columns(Parameters):
    """Parameters that are SQL already: columns of a row."""

    def add(self, value: object) -> str:
        return str(value)


def words(terms: Terms, parameters: Parameters, *, whole: bool = False) -> str:
    """The query by stems or, if only stop words were typed, by the unchanged words.

    Stems find everything that whole words would, and make `-word` exclude every form of the word.
    With `whole` the last word is a whole one too.
    """
    places = {
        text: parameters.add(text) for text in (terms.alternative, terms.rest, terms.prefix) if text
    }
    stems, unchanged = (
        _words(configuration, terms, places, whole=whole) for configuration in ("adsvc", "simple")
    )
    return f"(CASE numnode({stems}) WHEN 0 THEN {unchanged} ELSE {stems} END)"


def _words(configuration: str, terms: Terms, places: Mapping[str, str], *, whole: bool) -> str:
    def typed(text: str) -> str:
        return f"websearch_to_tsquery('{configuration}', {places[text]})" if text else NOTHING

    query = typed(terms.rest)
    if terms.prefix:
        place = places[terms.prefix]
        stem = f"to_tsquery('{configuration}', {place})"
        last = stem
        if not whole:
            begun = f"to_tsquery('simple', {place} || ':*')"
            # A stop word matches nothing here either, though it may begin another word.
            last = f"CASE numnode({stem}) WHEN 0 THEN {NOTHING} ELSE {stem} || {begun} END"
        query = f"({query} && {last})"
    return f"({typed(terms.alternative)} || {query})"
