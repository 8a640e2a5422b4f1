"""Parses what people type into a search field.

The syntax is that of `websearch_to_tsquery`: words, "phrases", -word and or. In addition, the last
word may be the beginning of one, so that results appear while people type. What follows it is not a
matter of stems: "cars" begins neither "carpenter" nor "carpet".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import NamedTuple

from adsvc.kit.normalisation import as_line
from adsvc.word_forms import JOINERS

WORDS = re.compile(r'-?"[^"]*"?|\S+')

# A last word that may still be incomplete.
LAST_WORD = re.compile(r"(?:^|(?<=[\s\-/.,:;'(+]))(\w+)$")

# Several minus signs before a word exclude nothing: they are a dash. PostgreSQL would exclude what
# is excluded, and refuses more than 32 of them. It reads over what is between them here.
DASHES = re.compile(r"-(?:[\s!&|()]*-)+")

SPACES = re.compile(r" +")

SHORTEST_PREFIX = 2
# Characters of a query with words that may be one.
LONGEST_JOINED = 100
SINGLE_WORDS = re.compile(r"\w+")


class TypedPart(NamedTuple):
    """A word, a phrase, or words with signs between them."""

    text: str
    is_phrase: bool = False
    excluded: bool = False
    # Whether it may be the beginning of a word.
    is_beginning: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """`alternative or (rest and prefix*)`; empty parts are left out."""

    alternative: str
    rest: str
    prefix: str

    @property
    def parts(self) -> list[list[TypedPart]]:
        """For each alternative its parts. The prefix belongs to the last one."""
        texts = _split(self.alternative) if self.alternative else []
        # `e-bi` is the beginning of one word.
        space = "" if self.rest.endswith(tuple(JOINERS)) else " "
        texts += _split(f"{self.rest}{space}{self.prefix}")
        found = [[_part(word) for word in words] for words in texts]
        if self.prefix:
            found[-1][-1] = found[-1][-1]._replace(is_beginning=True)
        return [*found, *filter(None, map(_joined, found))]


def _part(text: str) -> TypedPart:
    excluded = text.startswith("-")
    text = text.removeprefix("-")
    return TypedPart(text.strip('"'), is_phrase=text.startswith('"'), excluded=excluded)


def _joined(words: Sequence[TypedPart]) -> list[TypedPart]:
    """With a letter and the word behind it as one word, or two short ones: `e bike`, `hi fi`.

    Empty if there are none, or if the others are many: they are looked up twice.
    """
    if sum(len(word.text) for word in words) > LONGEST_JOINED:
        return []
    for at, (first, second) in enumerate(pairwise(words)):
        short = len(first.text), len(second.text)
        if (
            (short[0] == 1 or max(short) <= SHORTEST_PREFIX)
            and not (first.is_phrase or first.excluded or second.is_phrase or second.excluded)
            and SINGLE_WORDS.fullmatch(first.text + second.text)
        ):
            joined = second._replace(text=first.text + second.text)
            return [*words[:at], joined, *words[at + 2 :]]
    return []


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
    counts = [count_words(part) for part in parts]
    excess = sum(counts) - most
    dropped: list[int] = []
    # Of equally common words the last ones go first.
    order = sorted(plain, key=lambda at: (ads.get(plain[at], inf), at))
    while excess > 0 and order:
        dropped.append(at := order.pop())
        excess -= counts[at]
    return sorted(dropped) if excess <= 0 else []


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
