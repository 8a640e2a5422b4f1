"""What to search for: phrases and categories for the beginning of a word, and near words."""

import asyncio
import heapq
import time
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from adsvc.enums import AttributeType
from adsvc.kit.db.database import Database
from adsvc.kit.db.statements import Statements
from adsvc.kit.invalidation import LruCache
from adsvc.repositories import categories as category_rows
from adsvc.repositories import suggestions as repository
from adsvc.repositories.ads.search_words import SINGLE_WORDS
from adsvc.repositories.suggestions import FEWEST_AUTHORS, NamedOption
from adsvc.schemas.finding import Suggestion
from adsvc.services.categories.reading import CategoryTree, Node, totals

# How often a job counts phrases anew.
PHRASES_SECONDS = 300.0
# How long a process keeps what it has read.
CACHE_SECONDS = 120.0

MOST_SUGGESTIONS = 10
# The others are phrases, as long as there are any.
MOST_CATEGORIES = 4
# Longer texts are sentences, for which there is no suggestion.
LONGEST_TEXT = 40
# Words within the category that they belong to: `golf` in Cars.
MOST_WITHIN = 2
# Texts whose suggestions a vocabulary remembers.
REMEMBERED = 2000

# The order of suggestions: of equal ones the more usual comes first.
WHOLE, BEGUN, FORGIVEN = range(3)

# One error is forgiven from three letters on, two from six.
SHORTEST_FORGIVEN = 3
LONG_WORD = 6
LONG_ERRORS = 2
# Of a compound.
SHORTEST_PART = 4
# Brands are typed in Cyrillic, too.
LATIN = str.maketrans("абвгдезиклмнопрстуфхыэ", "abvgdeziklmnoprstufhye", "ъь") | str.maketrans(
    {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ю": "yu", "я": "ya"}
)


def folded(text: str) -> str:
    """Without case and accents: `Škoda` and `skoda` are the same to those who type them."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(
        SINGLE_WORDS.findall("".join(sign for sign in apart if not unicodedata.combining(sign)))
    )


def errors_forgiven(word: str) -> int:
    return 0 if len(word) < SHORTEST_FORGIVEN else 1 if len(word) < LONG_WORD else LONG_ERRORS


def near(typed: str, words: Sequence[str], errors: int) -> list[tuple[int, str]]:
    """Those of the words that differ by so many letters at most, each with how many they are.

    A letter may be wrong, missing, too many, or swapped with the next one: the distance of optimal
    string alignment.
    """
    found = process.extract(typed, words, scorer=OSA.distance, score_cutoff=errors, limit=None)
    return [(int(distance), word) for word, distance, _ in found]


class _Entry(NamedTuple):
    text: str
    category: Node | None
    ads: int
    # By which the more usual comes first.
    weight: int
    kind: Literal["category", "brand", "place", "phrase"] = "phrase"


class Vocabulary:
    """All phrases and categories, as they are at one moment."""

    def __init__(
        self,
        tree: CategoryTree,
        counts: Mapping[str, int],
        phrases: Iterable[Mapping[str, Any]],
        places: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.tree = tree
        spelling = {folded(option.text): option.text for option in named_options(tree)}
        entries: list[_Entry] = []
        keys: list[tuple[str, int]] = []
        # Each known word, as it is spelled and how usual it is.
        self._words: dict[str, tuple[int, str]] = {}
        # Slugs by their names and synonyms; names of options.
        self._categories: dict[str, str] = {}
        self._options = spelling.keys()
        for node in tree.nodes.values():
            ads = counts[node.slug]
            texts = {node.name, *node.names.values()}
            texts.update(word for words in node.synonyms.values() for word in words)
            if ads:
                keys += _keys_of({folded(text) for text in texts}, len(entries))
                entries.append(_Entry(node.name, node, ads, ads, "category"))
            for text in texts:
                self._learn(text, ads)
                self._categories.setdefault(folded(text), node.slug)
            for attribute in node.own:
                for option in attribute.options:
                    for text in (option.label or option.value, *option.labels.values()):
                        self._learn(text, 0)
        for entry in _phrases(tree, phrases, spelling):
            keys += _keys_of([folded(entry.text)], len(entries))
            entries.append(entry)
            self._learn(entry.text, entry.ads)
        known = {folded(entry.text) for entry in entries}
        for row in places:
            if (key := folded(row["place"])) not in known:
                keys += _keys_of([key], len(entries))
                entries.append(_Entry(row["place"], None, row["ads"], row["authors"], "place"))
        self._entries = entries
        self._keys = sorted(keys)
        self._known = sorted(self._words)
        # Beginnings of keys, by their length.
        self._beginnings: dict[int, Sequence[str]] = {}
        # Many people type the same.
        self._suggested: LruCache[tuple[str, Sequence[str]], list[Suggestion]] = LruCache(
            REMEMBERED
        )

    def _learn(self, text: str, ads: int) -> None:
        for word in SINGLE_WORDS.findall(text):
            key = folded(word)
            self._words[key] = max((ads, word), self._words.get(key, (-1, "")))

    async def suggest(self, typed: str, languages: tuple[str, ...]) -> list[Suggestion]:
        """The best ones for what is typed, whose last word may be incomplete.

        Of words that are much alike they take some ten milliseconds.
        """
        wanted = folded(typed)
        if len(wanted) > LONGEST_TEXT:
            return []
        known = self._suggested.get((wanted, languages))
        if known is None:
            known = await asyncio.to_thread(self._suggestions, wanted, languages)
            self._suggested.keep((wanted, languages), known)
        return known

    def _suggestions(self, wanted: str, languages: Sequence[str]) -> list[Suggestion]:
        found = self._beginning(wanted)
        if not found and (errors := errors_forgiven(wanted)):
            for length in range(len(wanted) - errors, len(wanted) + errors + 1):
                for _, beginning in near(wanted, self._beginnings_of(length), errors):
                    for entry in self._beginning(beginning):
                        found.setdefault(entry, FORGIVEN)
        ranked = heapq.nsmallest(
            2 * MOST_SUGGESTIONS + MOST_CATEGORIES,
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

    def _beginnings_of(self, length: int) -> Sequence[str]:
        found = self._beginnings.get(length)
        if found is None:
            beginnings = (key[:length] for key, _ in self._keys if len(key) >= length)
            found = self._beginnings[length] = list(dict.fromkeys(beginnings))
        return found

    def _chosen(self, entries: Sequence[_Entry], languages: Sequence[str]) -> list[Suggestion]:
        categories = [entry for entry in entries if entry.kind == "category"]
        within = [entry for entry in entries if entry.category and entry.kind != "category"]
        phrases = [
            entry for entry in entries if entry.category is None or entry in within[:MOST_WITHIN]
        ]
        most = max(MOST_CATEGORIES, MOST_SUGGESTIONS - len(phrases))
        shown = [*categories[:most], *phrases][:MOST_SUGGESTIONS]
        return [
            Suggestion(
                kind=entry.kind,
                text=named(entry.category, languages)
                if entry.category and entry.kind == "category"
                else entry.text,
                category=entry.category.slug if entry.category else None,
                count=entry.ads,
            )
            for entry in shown
        ]

    def nearest(self, words: Sequence[str]) -> list[str | None]:
        """For each word the nearest known one, of equally near ones the more usual.

        Of a compound the last part, which says what it is: a Kinderfahrrad is a Fahrrad. Takes a
        millisecond a word, so it is for a thread.
        """
        return [self._nearest(word, folded(word)) for word in words]

    def _nearest(self, typed: str, key: str) -> str | None:
        if len(key) > LONGEST_TEXT:
            return None
        found = (
            # A word that no ad has helps nothing.
            (not self._words[known][0], errors, -self._words[known][0], self._words[known][1])
            for errors, known in near(key, self._known, errors_forgiven(key))
            # The first letter is seldom wrong beside another one.
            if errors < LONG_ERRORS or known[0] == key[0]
        )
        word = min(found, default=(True, 0, 0, typed))[3]
        if word is typed and (latin := key.translate(LATIN)) != key:
            word = self._nearest(typed, latin) or typed
        if word is typed:
            ends = (key[at:] for at in range(1, len(key) - SHORTEST_PART + 1))
            word = next((self._words[end][1] for end in ends if end in self._words), typed)
        return None if word.casefold() == typed.casefold() else word

    def category_named(self, text: str) -> str | None:
        """The slug of a category with this name or synonym."""
        return self._categories.get(folded(text))

    def weight(self, word: str) -> int:
        """How much a word says of what is meant: the name of a category most, a phrase least."""
        key = folded(word)
        return 2 if key in self._categories else 1 if key in self._options else 0


def _phrases(
    tree: CategoryTree, rows: Iterable[Mapping[str, Any]], spelling: Mapping[str, str]
) -> Iterator[_Entry]:
    """A word that belongs to a category is suggested within it, too."""
    nodes = {node.id: node for node in tree.nodes.values()}
    for row in rows:
        key = folded(row["phrase"])
        text = spelling.get(key, row["phrase"])
        entry = _Entry(text, None, row["ads"], row["authors"], "phrase")
        if key in spelling:
            entry = entry._replace(kind="brand")
        yield entry
        within = nodes.get(row["category_id"])
        if within is not None and " " not in key and row["authors"] >= FEWEST_AUTHORS:
            yield entry._replace(category=within)


def _keys_of(texts: Iterable[str], entry: int) -> Iterator[tuple[str, int]]:
    """Each text, and what follows its first words."""
    for text in texts:
        words = text.split(" ")
        for at in range(len(words)):
            yield " ".join(words[at:]), entry


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
        self._cached: Vocabulary | None = None
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def vocabulary(self, tree: CategoryTree) -> Vocabulary:
        async with self._lock:
            cached = self._cached
            if cached is None or cached.tree is not tree or time.monotonic() >= self._until:
                self._cached = cached = await _read(self._database.list_reader, tree)
                self._until = time.monotonic() + CACHE_SECONDS
            return cached


async def _read(reader: Statements, tree: CategoryTree) -> Vocabulary:
    counts = totals(tree, await category_rows.counts(reader))
    phrases = await repository.all_phrases(reader)
    places = await repository.all_places(reader)
    # It takes some ten milliseconds.
    return await asyncio.to_thread(Vocabulary, tree, counts, phrases, places)


async def renew_phrases(database: Database) -> int:
    """Counts the phrases of ads anew; returns how many there are."""
    tree = CategoryTree.of_rows(await category_rows.tree(database.reader))
    options = [option._replace(text=folded(option.text)) for option in named_options(tree)]
    texts = {
        attribute.name
        for node in tree.nodes.values()
        for attribute in node.own
        if attribute.type is AttributeType.STRING
    }
    return await repository.renew(database.writer, options, list(texts))
