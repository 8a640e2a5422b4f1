"""Places by name, postcode and point."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import pytest

from adsvc.errors import OperatorError
from adsvc.public_location import cell_of
from adsvc.services.places import geonames, loading
from adsvc.services.places.loading import GivenPlace, add
from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.places import scattered


def _place(
    place_id: int,
    name: str,
    at: tuple[float, float],
    population: int,
    others: str = "",
    *,
    country: str = "DE",
    feature: str = "PPL",
    region: str = "06",
) -> str:
    """A line as GeoNames has them."""
    cells = [str(place_id), name, name, others, *map(str, at), "P", feature, country, ""]
    return "\t".join([*cells, region, "", "", "", str(population), "", "", "", "2026-11-28"])


PLACES = [
    _place(2867714, "Munich", (48.137, 11.575), 1505005, "München,Мюнхен,慕尼黑,Monaco di Baviera"),
    _place(2875115, "Lüneburg", (53.251, 10.415), 71260, "Luneburg,Люнебург,リューネブルク"),
    _place(2956584, "Amelinghausen", (53.124, 10.213), 780),
    _place(2867542, "Munster", (52.985, 10.09), 15000),
    _place(2867543, "Münster", (51.962, 7.626), 270184),
    _place(1, "L’Aquila", (42.35, 13.4), 69000, country="IT"),
    _place(2, "Gone", (53.2, 10.4), 0, feature="PPLQ"),
    _place(3, "Null\\Island", (0.0, 0.0), 0, country="GB"),
]
REGION = "\t".join(
    ["2862926", "Lower Saxony", "", "", "52.8", "9.1", "A", "ADM1", "DE", "", "06", *[""] * 8]
)
POSTCODES = [
    "DE\t10115\tBerlin\tBerlin\tBE\t\t00\tBerlin\t11000\t52.5323\t13.3846\t4",
    "DE\t21335\tLüneburg\tNiedersachsen\tNI\t\t\t\t\t53.2464\t10.4115\t4",
    "GB\tSW1A 1AA\tLondon\tEngland\tENG\t\t\t\t\t51.501\t-0.141\t6",
]


async def load(api: Api, directory: Path, lines: Sequence[str]) -> geonames.Loaded:
    file = directory / "geonames.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return await geonames.load(api.state.database, file)


async def found(
    api: Api, q: str, language: str = "en", **others: str | int
) -> list[dict[str, Any]]:
    params: dict[str, str | int] = {"q": q, **others}
    answer = await api.client.get("/places", params=params, headers={"Accept-Language": language})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


async def names(api: Api, q: str, **others: str) -> list[str]:
    return [place["name"] for place in await found(api, q, "en", **others)]


async def test_a_place_is_found_by_any_of_its_names(api: Api, tmp_path: Path) -> None:
    loaded = await load(api, tmp_path, [*PLACES, REGION])
    assert (loaded.kind, loaded.places) == (geonames.Kind.PLACES, 7)

    for typed in (
        "Lüneburg",
        "Luneburg",
        "Lueneburg",
        "LÜNEB",
        "lu\u0308neburg",
        "Люнеб",
        "リューネ",
    ):
        assert await names(api, typed) == ["Lüneburg"], typed
    for typed in ("Munich", "München", "Muenchen", "мюнхен", "慕尼黑", "monaco di"):
        assert (await names(api, typed))[0] == "Munich", typed
    assert await names(api, "amelingh") == ["Amelinghausen"]
    for typed in ("L'Aquila", "laquila", "L`aquila"):
        assert await names(api, typed) == ["L’Aquila"], typed
    assert await names(api, "Gone") == []
    assert await names(api, "null island") == ["Null\\Island"]
    [place] = await found(api, "Lüneburg, Niedersachsen")
    assert place == {
        "id": 2875115,
        "name": "Lüneburg",
        "region": "Lower Saxony",
        "country": "DE",
        "latitude": 53.251,
        "longitude": 10.415,
    }


@pytest.mark.heavy
async def test_misspelt_names_are_forgiven(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    for typed in ("Lünebrg", "Lunenburg", "ulneburg", "Lünebu rg", "lüneburk"):
        assert await names(api, typed) == ["Lüneburg"], typed
    assert await names(api, "Munihc") == ["Munich"]
    for typed in ("lxb", "xyzzy", "lqqqburg"):
        assert await names(api, typed) == [], typed


async def test_larger_and_nearer_places_come_first(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    assert await names(api, "mun") == ["Munich", "Münster", "Munster"]
    assert (await names(api, "munster"))[0] == "Münster"
    assert (await names(api, "munster", near="53.0, 10.1"))[0] == "Munster"
    assert await names(api, "mun", limit="1") == ["Munich"]
    assert await names(api, "mun", country="it") == []
    assert (await names(api, "mun", country="de"))[0] == "Munich"


@pytest.mark.heavy
async def test_postcodes_are_found_once_loaded(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    assert await names(api, "10115") == []
    loaded = await load(api, tmp_path, POSTCODES)
    assert loaded == (geonames.Kind.POSTCODES, 3, {"DE", "GB"})
    for typed in ("10115", "10115 Berlin", "1011"):
        [place] = await found(api, typed)
        assert (place["name"], place["postcode"], place["latitude"]) == ("Berlin", "10115", 52.5323)
    for typed in ("SW1A 1AA", "sw1a1aa", "sw1a"):
        [place] = await found(api, typed)
        assert (place["name"], place["postcode"]) == ("London", "SW1A 1AA"), typed
    # A name is not found by each of its postcodes.
    assert len(await found(api, "Lüneburg")) == 1
    before = [place["id"] for place in await found(api, "10115")]
    await load(api, tmp_path, POSTCODES)
    assert [place["id"] for place in await found(api, "10115")] == before, "ids stay"
    nearest = await api.client.get("/places/nearest", params={"near": "53.2464,10.4115"})
    assert "postcode" not in nearest.json()


@pytest.mark.heavy
async def test_names_by_language_come_from_a_file(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    rows = [
        "1\t2867714\tde\tMünchen\t1\t\t\t\t\t",
        "2\t2867714\tde\tMinga\t\t\t1\t\t\t",
        "3\t2867714\tit\tMonaco\t\t\t\t\t\t",
        "4\t2867714\tlink\thttps://example.com\t\t\t\t\t\t",
        "5\t99\tde\tUnbekannt\t\t\t\t\t\t",
    ]
    file = tmp_path / "DE.zip"
    with ZipFile(file, "w") as archive:
        archive.writestr("DE.txt", "\n".join(rows))
        archive.writestr("readme.txt", "Not a table")
    loaded = await geonames.load(api.state.database, file)
    assert (loaded.kind, loaded.places) == (geonames.Kind.ALTERNATE_NAMES, 1)
    for languages, name in (
        ("de", "München"),
        ("de-AT, en", "München"),
        ("fr, it;q=0.5", "Monaco"),
        ("en, de", "Munich"),
        ("", "Munich"),
    ):
        assert (await found(api, "Minga", languages))[0]["name"] == name, languages
    assert await names(api, "https") == []
    # Places that are loaded again keep them.
    await load(api, tmp_path, PLACES)
    assert (await found(api, "munich", "de"))[0]["name"] == "München"


async def test_a_country_is_replaced_as_a_whole_or_not_at_all(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    for bad, reason in (
        ("a\tb", "has 2 columns"),
        (PLACES[1].replace("2875115", "x"), "column 1"),
        (PLACES[1].replace("53.251", "91"), "column 5"),
        (PLACES[1].replace("\tDE\t", "\tde\t"), "column 9"),
        (PLACES[1].replace("71260", "-1"), "column 15"),
        (POSTCODES[0], "another number of columns"),
        (PLACES[1].replace("Lüneburg", ""), "column 2"),
    ):
        with pytest.raises(OperatorError, match=f"Line 2 .*{reason}"):
            await load(api, tmp_path, [PLACES[0], bad])
    (tmp_path / "bytes.txt").write_bytes(b"\xff\t")
    with pytest.raises(OperatorError, match="Line 1 is not UTF-8"):
        await geonames.load(api.state.database, tmp_path / "bytes.txt")
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(OperatorError, match="is empty"):
        await geonames.load(api.state.database, tmp_path / "empty.txt")
    with pytest.raises(OperatorError, match="cannot be read"):
        await geonames.load(api.state.database, tmp_path / "none.txt")
    assert len(await names(api, "lüneburg")) == 1

    await load(api, tmp_path, PLACES[:1])
    assert await names(api, "lüneburg") == []
    assert await names(api, "laquila") == ["L’Aquila"], "of another country"


async def test_the_nearest_place_names_a_point(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    for near, name in (
        ("53.25, 10.41", "Lüneburg"),
        ("53.1,10.2", "Amelinghausen"),
        ("48.9,11.5", "Munich"),
        ("0.1,-0.1", "Null\\Island"),
    ):
        answer = await api.client.get("/places/nearest", params={"near": near})
        assert answer.json()["name"] == name
    for near in ("60,10", "90,0", "-90,180", "0,180"):
        answer = await api.client.get("/places/nearest", params={"near": near})
        assert answer.status_code == 404, near
    for bad in ("", "north", "91,0", "1;2", "53.25", "place:1"):
        answer = await api.client.get("/places/nearest", params={"near": bad})
        assert answer.status_code == 400, bad
        assert answer.json()["errors"][0]["parameter"] == "near"
    assert (await api.client.get("/places/nearest")).status_code == 400


async def test_hostile_text_is_refused_or_finds_nothing(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    for bad in ("", " ", "a", "\u200b\u200b", "x" * 61, "\0"):
        answer = await api.client.get("/places", params={"q": bad})
        assert answer.status_code == 400, repr(bad)
        assert answer.json()["errors"][0]["parameter"] == "q"
    assert (await api.client.get("/places")).status_code == 400
    for harmless in ("%%", "__", "'; DROP", "--", "\\\\", "\U0010ffff\U0010ffff",
                     "\ufdfa" * 60, "e" + "\u0301" * 59, "??"):  # fmt: skip
        assert await names(api, harmless) == [], repr(harmless)
    for name, bad in (("limit", "0"), ("limit", "21"), ("limit", "x"), ("country", "DEU"),
                      ("country", "1"), ("near", "1"), ("near", "")):  # fmt: skip
        answer = await api.client.get("/places", params={"q": "mun", name: bad})
        assert answer.status_code == 400, (name, bad)
        assert answer.json()["errors"][0]["parameter"] == name


async def test_answers_may_be_kept_for_a_day(api: Api, tmp_path: Path) -> None:
    await load(api, tmp_path, PLACES)
    answer = await api.client.get("/places", params={"q": "mun"})
    assert answer.headers["cache-control"] == "public, max-age=86400"
    assert "Accept-Language" in answer.headers["vary"]
    again = await api.client.get(
        "/places", params={"q": "mun"}, headers={"If-None-Match": answer.headers["etag"]}
    )
    assert again.status_code == 304
    assert (await api.client.head("/places", params={"q": "mun"})).status_code == 200


@pytest.mark.heavy
async def test_an_address_is_limited(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, suggestions_per_address=3) as api:
        for path in ("/places?q=mun", "/places?q=mun", "/ads/suggest?q=mun"):
            assert (await api.client.get(path)).status_code == 200
        for path in ("/places?q=mun", "/places/nearest?near=1,1", "/ads/suggest?q=mun"):
            refused = await api.client.get(path)
            assert refused.status_code == 429, path
            assert int(refused.headers["retry-after"]) > 0


@pytest.mark.heavy
async def test_the_shipped_places_are_loaded_once(
    start_own_api: ApiFactory, tmp_path: Path
) -> None:
    async with start_own_api() as api:
        database = api.state.database
        assert await loading.load(database, ("LI", "MC")) > 5
        assert await loading.load(database, ("LI", "MC")) == 0
        assert (await names(api, "Vaduz"))[0] == "Vaduz"
        # Another choice of countries replaces them.
        assert await loading.load(database, ("LI",)) > 5
        assert await names(api, "Monte Carlo") == []
        # What an operator has loaded stays.
        await load(api, tmp_path, [_place(5, "Schaan", (47.165, 9.509), 5748, country="LI")])
        assert await loading.load(database, ("LI",)) == 0
        assert await loading.load(database, ("LI", "MC")) > 0
        assert await names(api, "Vaduz") == []
        assert await names(api, "Schaan") == ["Schaan"]
        assert (await names(api, "Monte Carlo"))[0] == "Monte-Carlo"


@pytest.mark.heavy
async def test_a_new_service_loads_its_places_while_it_serves(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="on") as api:
        while not (found := await names(api, "Vaduz")):  # noqa: ASYNC110 - another process may do it
            await asyncio.sleep(0.05)
        assert found[0] == "Vaduz"


@pytest.mark.heavy
async def test_two_loads_at_once_load_once(start_own_api: ApiFactory) -> None:
    async with start_own_api() as api:
        database = api.state.database
        both = await asyncio.gather(*[loading.load(database, ("LI", "MC")) for _ in range(2)])
        assert min(both) == 0
        assert max(both) > 5
        rows = await database.reader.fetch("SELECT count(*) AS places FROM places")
        assert rows[0]["places"] == max(both)


async def test_an_empty_list_may_be_kept_for_a_minute(api: Api) -> None:
    answer = await api.client.get("/places", params={"q": "mun"})
    assert answer.json() == {"results": []}
    assert answer.headers["cache-control"] == "public, max-age=60"


async def test_the_database_has_the_same_cells(api: Api) -> None:
    corners = [(-90.0, -180.0), (90.0, 180.0), (89.999, 179.999), (-0.001, -0.001), (52.5, 13.4)]
    points = [*corners, *scattered(Random(4), 200)]
    places = [GivenPlace("DE", one, "Town", *at, keys=["town"]) for one, at in enumerate(points)]
    async with api.state.database.transaction() as transaction:
        await add(transaction, places)
    rows = await api.state.database.reader.fetch("SELECT latitude, longitude, cell FROM places")
    assert len(rows) == len(points)
    assert all(row["cell"] == cell_of(row["latitude"], row["longitude"]) for row in rows)
