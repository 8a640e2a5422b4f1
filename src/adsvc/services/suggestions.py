"""What to search for: phrases and categories for the beginning of a word, and corrected queries."""

import asyncio
import heapq
import re
import time
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from adsvc.db.database import Database
from adsvc.db.pools import Reader
from adsvc.enums import AttributeType
from adsvc.repositories import suggestions as repository
from adsvc.repositories.ads.terms import SINGLE_WORDS, WORDS
from adsvc.repositories.categories import CategoryReadRepository
from adsvc.repositories.suggestions import NamedOption
from adsvc.schemas.finding import Suggestion
from adsvc.services.categories.reading import CategoryTree, Node, totals

# How often a job counts phrases anew.
PHRASES_SECONDS = 300.0
# How long a process keeps what it has read.
KEPT_SECONDS = 120.0

MOST_SUGGESTIONS = 10
# The others are phrases, as long as there are any.
MOST_CATEGORIES = 4
# Longer texts are sentences, for which there is no suggestion.
LONGEST_TEXT = 40
# To find a word that is near takes some milliseconds.
MOST_UNKNOWN = 3

# The order of suggestions: of equal ones the more usual comes first.
WHOLE, BEGUN, FORGIVEN = range(3)

# One error is forgiven from three letters on, two from eight.
SHORTEST_FORGIVEN = 3
LONG_WORD = 8


def folded(text: str) -> str:
    """Without case and accents: `Škoda` and `skoda` are the same to those who type them."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(
        SINGLE_WORDS.findall("".join(sign for sign in apart if not unicodedata.combining(sign)))
    )


def errors_forgiven(word: str) -> int:
    return 0 if len(word) < SHORTEST_FORGIVEN else 1 if len(word) < LONG_WORD else 2


def within(typed: str, word: str, errors: int, *, begins: bool) -> bool:
    """Whether the word differs by so many letters at most: wrong, missing, too many, or swapped.

    With `begins` the word may go on.
    """
    pairs = enumerate(zip(typed, word, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(typed), len(word)))
    typed, word = typed[same:], word[same:]
    if not typed:
        return begins or len(word) <= errors
    if errors == 0:
        return False
    rest = errors - 1
    return (
        within(typed[1:], word[1:], rest, begins=begins)
        or within(typed[1:], word, rest, begins=begins)
        or (bool(word) and within(typed, word[1:], rest, begins=begins))
        or (
            typed[:2] == word[1::-1]
            and len(word) > 1
            and within(typed[2:], word[2:], rest, begins=begins)
        )
    )


def errors_in(typed: str, word: str) -> int:
    """How many letters differ, of words that are near."""
    return next(errors for errors in count() if within(typed, word, errors, begins=False))


class _Entry(NamedTuple):
    text: str
    category: Node | None
    ads: int
    # By which the more usual comes first.
    weight: int


class Vocabulary:
    """All phrases and categories, as they are at one moment."""

    def __init__(
        self, tree: CategoryTree, counts: Mapping[str, int], phrases: Iterable[Mapping[str, Any]]
    ) -> None:
        self.tree = tree
        spelled = {folded(option.text): option.text for option in named_options(tree)}
        entries: list[_Entry] = []
        keys: list[tuple[str, int]] = []
        # Each known word, as it is spelled and how usual it is.
        self._words: dict[str, tuple[int, str]] = {}
        for node in tree.nodes.values():
            ads = counts[node.slug]
            texts = {node.name, *node.names.values()}
            texts.update(word for words in node.synonyms.values() for word in words)
            if ads:
                keys += _keys_of({folded(text) for text in texts}, len(entries))
                entries.append(_Entry(node.name, node, ads, ads))
            for text in texts:
                self._learn(text, ads)
            for attribute in node.own:
                for option in attribute.options:
                    for text in (option.label or option.value, *option.labels.values()):
                        self._learn(text, 0)
        for row in phrases:
            key = folded(row["phrase"])
            text = spelled.get(key, row["phrase"])
            keys += _keys_of([key], len(entries))
            entries.append(_Entry(text, None, row["ads"], row["authors"]))
            self._learn(text, row["ads"])
        self._entries = entries
        self._keys = sorted(keys)
        self._letters = {word: _letters(word) for word in {key for key, _ in keys} | {*self._words}}

    def _learn(self, text: str, ads: int) -> None:
        for word in SINGLE_WORDS.findall(text):
            key = folded(word)
            self._words[key] = max((ads, word), self._words.get(key, (-1, "")))

    def suggest(self, typed: str, languages: Sequence[str]) -> list[Suggestion]:
        """The best ones for what is typed, whose last word may be incomplete."""
        wanted = folded(typed)
        if len(wanted) > LONGEST_TEXT:
            return []
        found = self._beginning(wanted)
        if len(found) < MOST_SUGGESTIONS and (errors := errors_forgiven(wanted)):
            for key in self._near(wanted, errors, begins=True):
                found |= dict.fromkeys(self._beginning(key), FORGIVEN) | found
        ranked = heapq.nsmallest(
            MOST_SUGGESTIONS + MOST_CATEGORIES,
            found,
            key=lambda entry: (found[entry], -self._entries[entry].weight),
        )
        return self._chosen([self._entries[entry] for entry in ranked], languages)

    def _beginning(self, wanted: str) -> dict[int, int]:
        """Entries that have it at the beginning of a word, each with its rank."""
        found: dict[int, int] = {}
        for at in range(bisect_left(self._keys, (wanted, -1)), len(self._keys)):
            key, entry = self._keys[at]
            if not key.startswith(wanted):
                break
            rank = WHOLE if f"{key} ".startswith(f"{wanted} ") else BEGUN
            found[entry] = min(rank, found.get(entry, rank))
        return found

    def _near(self, typed: str, errors: int, *, begins: bool) -> Iterator[str]:
        letters = _letters(typed)
        for word, others in self._letters.items():
            # Each letter that the word does not have is an error.
            few = (letters & ~others).bit_count() <= errors
            if few and within(typed, word, errors, begins=begins):
                yield word

    def _chosen(self, entries: Sequence[_Entry], languages: Sequence[str]) -> list[Suggestion]:
        categories = [entry for entry in entries if entry.category is not None]
        phrases = [entry for entry in entries if entry.category is None]
        most = max(MOST_CATEGORIES, MOST_SUGGESTIONS - len(phrases))
        shown = [*categories[:most], *phrases][:MOST_SUGGESTIONS]
        return [
            Suggestion(
                text=entry.text if entry.category is None else named(entry.category, languages),
                category=None if entry.category is None else entry.category.slug,
                count=entry.ads,
            )
            for entry in shown
        ]

    def corrected(self, query: str) -> str | None:
        """The query with known words in place of those that are not, if these are near."""
        unknown: list[str] = []

        def replace(part: re.Match[str]) -> str:
            if part[0].startswith("-") or part[0].lower() == "or":
                return part[0]
            return SINGLE_WORDS.sub(replace_word, part[0])

        def replace_word(word: re.Match[str]) -> str:
            known = self._words.get(folded(word[0]))
            if known is not None:
                return word[0] if known[1].lower() == word[0].lower() else known[1]
            unknown.append(word[0])
            return self._nearest(folded(word[0])) or word[0]

        if len(query) > LONGEST_TEXT * MOST_UNKNOWN:
            return None
        found = WORDS.sub(replace, query)
        return found if found != query and len(unknown) <= MOST_UNKNOWN else None

    def _nearest(self, word: str) -> str | None:
        near = (
            (errors_in(word, found), -self._words[found][0], self._words[found][1])
            for found in self._near(word, errors_forgiven(word), begins=False)
            if found in self._words
        )
        return min(near, default=(0, 0, None))[2]


def _keys_of(texts: Iterable[str], entry: int) -> Iterator[tuple[str, int]]:
    """Each text, and what follows its first words."""
    for text in texts:
        words = text.split(" ")
        for at in range(len(words)):
            yield " ".join(words[at:]), entry


def _letters(text: str) -> int:
    """A bit for each letter that it has; some letters share one."""
    found = 0
    for letter in text:
        found |= 1 << (ord(letter) & 63)
    return found


def named(node: Node, languages: Sequence[str]) -> str:
    """The category's name in the first of the languages that it has one in."""
    names = {tag.partition("-")[0]: name for tag, name in node.names.items()}
    return next((names[language] for language in languages if language in names), node.name)


def named_options(tree: CategoryTree) -> Iterator[NamedOption]:
    """Options with names of their own, such as makes: others have translations."""
    for node in tree.nodes.values():
        for attribute in node.own:
            if attribute.type is not AttributeType.ENUM:
                continue
            for option in attribute.options:
                text = option.label or option.value
                if not option.labels and len(text) >= SHORTEST_FORGIVEN:
                    yield NamedOption(attribute.name, option.value, text)


class VocabularyCache:
    """Keeps the vocabulary for a while, and reads it again when the tree has changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: Vocabulary | None = None
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def vocabulary(self, tree: CategoryTree) -> Vocabulary:
        async with self._lock:
            kept = self._kept
            if kept is None or kept.tree is not tree or time.monotonic() >= self._until:
                self._kept = kept = await _read(self._database.list_reader, tree)
                self._until = time.monotonic() + KEPT_SECONDS
            return kept


async def _read(reader: Reader, tree: CategoryTree) -> Vocabulary:
    counts = totals(tree, await CategoryReadRepository(reader).counts())
    phrases = await repository.all_phrases(reader)
    # It takes some ten milliseconds.
    return await asyncio.to_thread(Vocabulary, tree, counts, phrases)


async def renew_phrases(database: Database) -> int:
    """Counts the phrases of ads anew; returns how many there are."""
    tree = CategoryTree.of_rows(await CategoryReadRepository(database.reader).tree())
    options = [option._replace(text=folded(option.text)) for option in named_options(tree)]
    return await repository.renew(database.writer, options)
