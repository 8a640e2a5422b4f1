"""Two writers, one tag: of every two changes at once one happens, and the other gets 412."""

import asyncio

import httpx2
import pytest

from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import register
from support.scene.api import Person, image_form

pytestmark = pytest.mark.drill

RACES = times(1000, short=30)
# Of those with pictures, which take longer.
UPLOADS = times(50, short=4)
LONG = "Solid oak, oiled. " * 400
WON_AND_LOST = [httpx2.codes.OK, httpx2.codes.PRECONDITION_FAILED]


async def race(
    pair: tuple[Person, Person], path: str, tag: str, *bodies: object
) -> tuple[str, int]:
    """The tag that the winner left, and who it was."""
    answers = await asyncio.gather(
        *(
            person.patch(path, json=body, headers={"If-Match": tag})
            for person, body in zip(pair, bodies, strict=True)
        )
    )
    assert sorted(answer.status_code for answer in answers) == WON_AND_LOST, path
    left = {answer.headers["ETag"] for answer in answers}
    assert len(left) == 1, path
    won = [answer.status_code for answer in answers].index(httpx2.codes.OK)
    return left.pop(), won


async def test_of_two_writers_with_one_tag_one_wins_each_time(new_service: NewService) -> None:
    """The author from two devices, each at a process of its own as often as not."""
    service = new_service(workers=2)
    await service.start()
    async with service.client() as one, service.client() as other:
        author = await register(one)
        # An ad shows its author's name, so another user's profile changes.
        reader = await register(one)
        authors, readers = [
            (person, Person(person.id, person.username, person.token, other))
            for person in (author, reader)
        ]
        pairs = {"/users/me": readers}
        ad = await author.post_ad(description=LONG)
        path = f"/ads/{ad['pk']}"
        made = await author.post(f"{path}/comments", json={"text": "Hello"})
        comment = f"{path}/comments/{made.json()['pk']}"
        tags = {seen: (await pairs.get(seen, authors)[0].get(seen)).headers["ETag"]
                for seen in (path, comment, "/users/me")}  # fmt: skip
        assert tags[path].endswith('-gzip"')
        wins = [0, 0]
        for number in range(RACES):
            texts = f"{number} a", f"{number} b"
            for seen, member in ((path, "title"), (comment, "text"), ("/users/me", "lastName")):
                bodies = [{member: f"Name {text}"} for text in texts]
                tag, won = await race(pairs.get(seen, authors), seen, tags[seen], *bodies)
                wins[won] += 1
                # The next round is with what comes compressed, as clients keep it, or as it is.
                tags[seen] = f'{tag[:-1]}-gzip"' if number % 2 else tag
        # Else there was no race.
        assert min(wins) > 0
        measured("Races that the second connection won", wins[1] / sum(wins) * 100, "%")
        last = await other.get(f"{path}/details")
        assert last.json()["title"] in {f"Name {RACES - 1} a", f"Name {RACES - 1} b"}


async def test_a_picture_and_a_change_with_one_tag(new_service: NewService) -> None:
    service = new_service(workers=2)
    await service.start()
    async with service.client() as one, service.client() as other:
        author = await register(one)
        twin = Person(author.id, author.username, author.token, other)
        ad = await author.post_ad(description=LONG)
        path, files = f"/ads/{ad['pk']}", len(service.image_files())
        tag = (await author.get(path)).headers["ETag"]
        for number in range(UPLOADS):
            headers = {"If-Match": tag}
            answers = await asyncio.gather(
                author.patch(f"{path}/image", files=image_form(), headers=headers),
                delayed(twin, path, headers, number),
            )
            codes = sorted(answer.status_code for answer in answers)
            assert codes == WON_AND_LOST, codes
            tags = {answer.headers["ETag"] for answer in answers}
            assert len(tags) == 1
            tag = tags.pop()
        assert len(service.image_files()) == files


async def delayed(
    person: Person, path: str, headers: dict[str, str], number: int
) -> httpx2.Response:
    """At another moment of the upload each time."""
    await asyncio.sleep(number % 10 * 0.005)
    return await person.patch(path, json={"price": number}, headers=headers)
