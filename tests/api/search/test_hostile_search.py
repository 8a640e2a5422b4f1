"""Queries that no person types."""

from itertools import product

import httpx2
import pytest

from support.scene.api import Api
from support.scene.listings import faulty_parameters, listed, titles_of

HOSTILE = {
    "empty": "",
    "blank": "   ",
    "one quote": '"',
    "open phrase": '"oak table',
    "quotes": '"\'`´«»“”"',
    "operators": "& | ! <-> <2> :* () :A",
    "operators at words": "oak & table | !lamp:* <-> (desk)",
    "backslashes": "oak\\ \\' \\\\ table\\",
    "SQL": "'; DROP TABLE ads; --",
    "parameters": "$1 :q %s %(q)s {q}",
    "stop words": "the of and a",
    "excluded stop words": "-the -of",
    "only excluded": "-oak -table",
    "minus signs": "- -- ---",
    "or": "or or OR",
    "punctuation": "?!.,;:/()[]{}<>*#+~^",
    "prefixes": "oak:* ta*",
    "underscore": "__ _a",
    "superscripts": "²² ½½ ªª",
    "other digits": "٣٣ १२",
    "combining": "e\u0301e\u0301 \u0301\u0301",
    "emoji": "🪑🪑 👩\u200d👩\u200d👧",
    "emoji after a word": "oak🪑",
    "right to left": "שולחן طاولة",
    "no spaces": "桌子桌子",
    "controls": "oak\x01\x7f\u0085\u2028\ufeff",
    "HTML": "<script>alert(1)</script> &amp; </b>",
    "addresses": "https://example.com/a?b=c&d#e anna@example.com ../etc",
    "numbers": "1e999 -1 0x10 1.5.5 99999999999999999999",
    "256 letters": "a" * 256,
    "12 words": "a " * 12,
    "12 prefixes": "oa " * 11 + "o",
    "12 negations": "-a" * 12,
    "12 alternatives": "a or " * 12,
    "256 quotes": '"' * 256,
    "256 emoji": "🪑" * 256,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_whatever_is_typed_is_a_query(client: httpx2.AsyncClient, name: str) -> None:
    for sort in ("relevance", "-created", "price"):
        found = await listed(client, q=HOSTILE[name], sort=sort)
        assert found == {"count": 0, "countExact": True, "results": [], "next": None}
    assert (await listed(client, "/ads/facets", q=HOSTILE[name]))["count"] == 0


@pytest.mark.parametrize("query", ["a" * 257, "🪑" * 257, "oak " * 2500, "x\0y", "\0"])
async def test_what_is_too_long_or_no_text_is_refused(
    client: httpx2.AsyncClient, query: str
) -> None:
    assert await faulty_parameters(client, q=query) == ["q"]


# What PostgreSQL's parser of queries, or ours, may count or nest.
SIGNS = (
    "-",
    '"',
    "!",
    "&",
    "|",
    "(",
    ")",
    "<->",
    ":*",
    "\\",
    "'",
    "or",
    "a",
    " ",
    "\u3000",
    "é",
    ".",
)
PATHS = ("/ads", "/ads/facets", "/ads/suggest", "/ads/map", "/search", "/feed.atom")


@pytest.mark.heavy
async def test_no_query_of_any_signs_fails(client: httpx2.AsyncClient) -> None:
    """A query has 256 characters at most; a longer one is refused."""
    patterns = [*SIGNS, *map("".join, product(SIGNS, repeat=2)), "-a ", "a -", "- -", '-"', '-""']
    for pattern in patterns:
        q = (pattern * 256)[:256]
        answer = await client.get("/ads", params={"q": q})
        assert answer.status_code in {200, 400}, pattern
    for pattern, path in product(SIGNS, PATHS):
        for length in (200, 2000):
            q = (pattern * length)[:length]
            answer = await client.get(path, params={"q": q})
            assert answer.status_code in {200, 301, 400, 404}, (path, pattern)


async def test_a_dash_excludes_nothing(api: Api) -> None:
    await (await api.person()).post_ad(title="Oak table - a desk")
    dashes = ("oak -- table", "oak --desk", "oak - - desk", "oak - desk", '"oak -- table"')
    for q in (*dashes, f"oak {'-' * 200}desk"):
        assert await titles_of(api.client, q=q) == ["Oak table - a desk"], q
    assert await titles_of(api.client, q="oak -desk") == []
