"""The rules of words in Python and in SQL are the same."""

import unicodedata
from random import Random

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.word_forms import JOINERS, more_words, normal_words, plain_words

SQL = """
    SELECT normal_words(given) AS normal, plain_words(normal_words(given)) AS plain,
        more_words(normal_words(given)) AS more
    FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS texts (given, number) ORDER BY number
"""
# What this version of Unicode has: PostgreSQL may know others.
ASSIGNED = [
    sign
    for sign in map(chr, range(1, 0x10000))
    if not 0xD800 <= ord(sign) < 0xE000 and unicodedata.category(sign) not in {"Cn", "Cc", "Co"}
]


async def of_database(url: URL, texts: list[str]) -> list[tuple[list[str], ...]]:
    engine = create_async_engine(url)
    try:
        async with engine.connect() as connection:
            rows = await connection.execute(text(SQL), {"texts": texts})
            return [forms(*row) for row in rows]
    finally:
        await engine.dispose()


def forms(normal: str, plain: str, more: str) -> tuple[list[str], ...]:
    """The database gives the other forms in any order."""
    return normal.split(), plain.split(), sorted(more.split())


def here(given: str) -> tuple[list[str], ...]:
    normal = normal_words(given)
    return forms(normal, plain_words(normal), more_words(normal))


async def assert_same(url: URL, texts: list[str]) -> None:
    found = await of_database(url, texts)
    different = {
        given: (here(given), there)
        for given, there in zip(texts, found, strict=True)
        if here(given) != there
    }
    assert different == {}


@pytest.mark.long
@pytest.mark.heavy
async def test_every_letter_has_the_same_forms_in_the_database(migrated_url: URL) -> None:
    await assert_same(migrated_url, ASSIGNED)
    await assert_same(migrated_url, [f"a{sign}-{sign}9" for sign in ASSIGNED])


@pytest.mark.heavy
async def test_texts_have_the_same_forms_in_the_database(migrated_url: URL) -> None:
    random = Random(42)
    signs = [*"abz09 AZ", *JOINERS, *"éüößøŁ山自车ギでกั", *"’–\u00ad\u0301\u0308", *'!\\"(`\n']
    usual = ["".join(random.choices(signs, k=random.randrange(40))) for _ in range(3000)]
    any_sign = ["".join(random.choices(ASSIGNED, k=8)) for _ in range(3000)]
    await assert_same(migrated_url, usual + any_sign)
