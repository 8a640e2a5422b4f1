import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from support.scene.api import Api, Person, image_form
from support.scene.snapshots import snapshot


async def comment_on(person: Person, path: str, count: int) -> list[int]:
    """The new comments' ids, newest first."""
    found = [
        (await person.post(path, json={"text": f"Comment {number}"})).json()["pk"]
        for number in range(count)
    ]
    return found[::-1]


def ids(page: dict[str, Any]) -> list[int]:
    return [comment["pk"] for comment in page["results"]]


async def page(person: Person, path: str, **query: object) -> dict[str, Any]:
    answer = await person.get(path, params=query)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    link = answer.headers.get("Link")
    assert (found["next"] is None) == (link is None)
    if link:
        target = link.removeprefix("<").removesuffix('>; rel="next"')
        assert (await person.get(target)).status_code == 200
        assert found["next"] in target
    return found


async def walk(person: Person, path: str, limit: int) -> list[int]:
    found: list[int] = []
    query: dict[str, object] = {"limit": limit}
    while True:
        current = await page(person, path, **query)
        found += ids(current)
        if current["next"] is None:
            return found
        assert len(current["results"]) == limit
        query["cursor"] = current["next"]


async def ad_path(person: Person) -> str:
    return f"/ads/{(await person.post_ad())['pk']}/comments"


@pytest.mark.heavy
async def test_a_walk_meets_every_comment_once_newest_first(api: Api) -> None:
    person = await api.person()
    path, other = await ad_path(person), await ad_path(person)
    expected: list[int] = []
    for _ in range(7):
        expected = await comment_on(person, path, 1) + expected
        await comment_on(person, other, 1)
    for limit in (1, 2, 3, 6, 7, 8, 1000):
        assert await walk(person, path, limit) == expected, limit


@pytest.mark.heavy
async def test_a_walk_is_not_disturbed_by_what_comes_and_goes(api: Api) -> None:
    person = await api.person()
    path = await ad_path(person)
    comments = await comment_on(person, path, 6)
    first = await page(person, path, limit=2)
    assert (ids(first), first["count"]) == (comments[:2], 6)
    # The comment the cursor was made from, one before it, and the next one go; two come.
    for gone in (comments[1], comments[0], comments[2]):
        assert (await person.delete(f"{path}/{gone}")).status_code == 204
    await comment_on(person, path, 2)
    second = await page(person, path, limit=2, cursor=first["next"])
    assert (ids(second), second["count"]) == (comments[3:5], 5)
    third = await page(person, path, limit=2, cursor=second["next"])
    assert (ids(third), third["next"]) == (comments[5:], None)


@pytest.mark.heavy
async def test_counts_are_exact_whatever_comes_and_goes(api: Api) -> None:
    people = [await api.person() for _ in range(2)]
    paths = [await ad_path(people[0]) for _ in range(2)]
    await asyncio.gather(*(comment_on(person, path, 4) for person in people for path in paths))
    assert await counts(people[0], paths) == [8, 8]
    comments = ids(await page(people[0], paths[0]))
    admin = await api.admin()
    removed = [admin.delete(f"{paths[0]}/{comment}") for comment in comments[:3]]
    answers = await asyncio.gather(*removed)
    assert [answer.status_code for answer in answers] == [204] * 3
    assert await counts(people[0], paths) == [5, 8]
    confirmation = {"currentPassword": people[1].password}
    await people[1].request("DELETE", "/users/me", json=confirmation)
    left = await counts(people[0], paths)
    assert left == [len(ids(await page(people[0], path))) for path in paths]
    assert left[1] == 4


@pytest.mark.heavy
async def test_a_page_and_its_count_are_of_the_same_moment(api: Api) -> None:
    person = await api.person()
    path = await ad_path(person)

    async def come_and_go() -> None:
        for _ in range(25):
            (comment,) = await comment_on(person, path, 1)
            assert (await person.delete(f"{path}/{comment}")).status_code == 204

    async def look() -> None:
        for _ in range(50):
            found = await page(person, path)
            assert found["count"] == len(found["results"])

    await asyncio.gather(come_and_go(), come_and_go(), look(), look())


async def counts(person: Person, paths: Iterable[str]) -> list[int]:
    return [(await page(person, path, limit=1))["count"] for path in paths]


async def test_a_comment_is_deleted_and_counted_only_once(api: Api) -> None:
    person = await api.person()
    path = await ad_path(person)
    comments = await comment_on(person, path, 2)
    answers = await asyncio.gather(*(person.delete(f"{path}/{comments[0]}") for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [204, 404, 404, 404, 404]
    assert await counts(person, [path]) == [1]


@pytest.mark.heavy
async def test_a_cursor_of_another_listing_is_refused(api: Api) -> None:
    person = await api.person()
    path, other = await ad_path(person), await ad_path(person)
    for target in (path, other):
        await comment_on(person, target, 3)
    cursor = (await page(person, path, limit=1))["next"]
    ads = (await person.get("/ads", params={"limit": 1})).json()["next"]
    for target, wrong in (
        (other, cursor), ("/ads", cursor), ("/ads/me", cursor), (path, ads),
    ):  # fmt: skip
        answer = await person.get(target, params={"cursor": wrong})
        assert answer.status_code == 410, wrong
        assert answer.json()["type"] == "/problems#cursor-expired"
    for target, wrong in (
        (path, cursor[:15]), (path, "x"), (path, ""), (path, "A" * 5000), (path, "é"),
    ):  # fmt: skip
        answer = await person.get(target, params={"cursor": wrong})
        assert answer.status_code == 400, wrong
        assert [fault["parameter"] for fault in answer.json()["errors"]] == ["cursor"]


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "1.0", "1_0", "abc", "", "9" * 30, "%00"])
async def test_a_limit_out_of_range_is_refused(api: Api, limit: str) -> None:
    person = await api.person()
    answer = await person.get(f"{await ad_path(person)}?limit={limit}")
    assert answer.status_code == 400
    assert [fault["parameter"] for fault in answer.json()["errors"]] == ["limit"]


async def test_an_ad_takes_its_comments_and_files_along(api: Api) -> None:
    author, commenter = await api.person(), await api.person()
    gone, kept = await author.post_ad(), await author.post_ad()
    for ad in (gone, kept):
        await comment_on(commenter, f"/ads/{ad['pk']}/comments", 3)
    assert (await author.delete(f"/ads/{gone['pk']}")).status_code == 204
    assert (await commenter.get(f"/ads/{gone['pk']}/comments")).status_code == 404
    after = await snapshot(api)
    assert len(after.rows["comments"]) == 3
    assert await api.sql("SELECT DISTINCT ad_id FROM comments") == [kept["pk"]]
    assert await api.sql("SELECT ad_id FROM ad_comment_totals") == [kept["pk"]]
    left = {f"/images/{name}" for name in after.files}
    assert left > {kept["image"], kept["thumbnail"]}
    assert len(left) == 4


async def test_head_counts_for_get(api: Api) -> None:
    person = await api.person()
    path = await ad_path(person)
    (comment,) = await comment_on(person, path, 1)
    for target in (path, f"{path}/{comment}"):
        answer = await person.request("HEAD", target)
        assert (answer.status_code, answer.content) == (200, b"")
        allowed = (await person.request("PUT", target)).headers["Allow"]
        assert set(allowed.split(", ")) >= {"GET", "HEAD"}


async def test_a_page_of_comments_is_what_each_of_them_is(api: Api) -> None:
    """Whatever stands in them; the list is made another way than the single comment."""
    person, other = await api.person(), await api.person()
    path = await ad_path(person)
    assert (await other.patch("/users/me", json={"firstName": 'Ö "x" \\'})).status_code == 200
    assert (await other.patch("/users/me/image", files=image_form())).status_code == 200
    texts = [
        '"quoted" \\ and\nlines\twith tabs',
        "Ωλ 🪑 \u00a0 end",
        "</script>",
        "x" * 2000,
        "\\u0041 {}",
    ]
    for author, text in zip((person, other, other, person, other), texts, strict=True):
        assert (await author.post(path, json={"text": text})).status_code == 200
    found = (await page(person, path))["results"]
    assert [comment["text"] for comment in found] == texts[::-1]
    for comment in found:
        assert comment == (await person.get(f"{path}/{comment['pk']}")).json()


@pytest.mark.heavy
async def test_a_page_ends_when_it_is_large_and_the_next_one_goes_on(api: Api) -> None:
    person = await api.person()
    path = await ad_path(person)
    longest = 2000
    await api.sql(
        "INSERT INTO comments (ad_id, author_id, text)"
        " SELECT 1, :author, n || repeat(' 𝔸', :repeated)"
        " FROM generate_series(1, 200) n RETURNING id",
        author=person.id,
        repeated=(longest - 3) // 2,
    )
    found: list[int] = []
    query: dict[str, object] = {"limit": 1000}
    sizes = []
    while True:
        answer = await person.get(path, params=query)
        current = answer.json()
        assert current["count"] == 200
        found += ids(current)
        sizes.append(len(answer.content))
        if current["next"] is None:
            break
        query["cursor"] = current["next"]
    assert found == list(range(200, 0, -1))
    assert len(sizes) > 1
    assert max(sizes) < 160 * 1024
