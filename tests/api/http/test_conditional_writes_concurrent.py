"""`If-Match` when several clients change one thing at the same time: one wins."""

import asyncio

import pytest

from support.scene.api import PROPERTIES, Api, image_form
from support.trouble.blocking import meanwhile
from support.trouble.overtaking import LONG, Change, gzipped, is_refused, patch, send, tag_of

ROUNDS = 15


@pytest.mark.heavy
async def test_who_was_overtaken_while_waiting_is_refused(api: Api) -> None:
    """The condition counts at the moment of the change, not when the request came."""
    person = await api.person()
    ad = await person.post_ad()
    path = f"/ads/{ad['pk']}"
    comments = f"{path}/comments"
    comment = f"{comments}/{(await person.post(comments, json={'text': 'Hello'})).json()['pk']}"
    price = "UPDATE ads SET price = price + 1"
    cases: list[tuple[Change, str, str]] = [
        (("PATCH", path, {"json": {"title": "A table"}}), path, price),
        (("PATCH", path, {"json": {"attributes": {}}}), path, price),
        (("POST", f"{path}/reserve", {}), path, price),
        (("PATCH", f"{path}/image", {"files": image_form()}), path, price),
        (("DELETE", path, {}), path, price),
        (("PATCH", comment, {"json": {"text": "Hi"}}), comment, "UPDATE comments SET text = 'Ho'"),
        (("DELETE", comment, {}), comment, "UPDATE comments SET text = 'He'"),
        (
            ("PATCH", "/users/me", {"json": {"lastName": "Berg"}}),
            "/users/me",
            "UPDATE users SET first_name = 'Anna'",
        ),
    ]
    for change, seen, other in cases:
        tag = await tag_of(person, seen)
        refused = await (await meanwhile(api, send(person, change, tag), other))
        api.state.database.changes.apply_all()
        is_refused(refused, await tag_of(person, seen))


@pytest.mark.heavy
async def test_of_two_writers_with_one_tag_one_wins(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad(description=LONG)
    path = f"/ads/{ad['pk']}"
    comments = f"{path}/comments"
    made = await person.post(comments, json={"text": "Hello"})
    comment = f"{comments}/{made.json()['pk']}"
    for number in range(ROUNDS):
        step = f"{path}/{('reserve', 'release')[number % 2]}"
        pairs: list[tuple[str, Change, Change]] = [
            (path, patch(path, price=2 * number), patch(path, price=2 * number + 1)),
            (comment, patch(comment, text=f"{number} a"), patch(comment, text=f"{number} b")),
            ("/users/me", patch("/users/me", phone=f"+49 {number} 12345"),
             patch("/users/me", phone=f"+49 {number} 54321")),
            (path, patch(path, place=f"Here {number}"), ("POST", step, {})),
        ]  # fmt: skip
        for seen, *changes in pairs:
            tag = await tag_of(person, seen)
            sent = gzipped(tag) if number % 2 else tag
            answers = await asyncio.gather(*(send(person, change, sent) for change in changes))
            assert sorted(answer.status_code for answer in answers) == [200, 412], seen
            assert len({answer.headers["ETag"] for answer in answers}) == 1
            assert answers[0].headers["ETag"] == await tag_of(person, seen)
            if changes[1][0] == "POST" and answers[1].status_code == 412:
                assert (await person.post(step)).status_code == 200


@pytest.mark.heavy
async def test_a_picture_that_comes_in_between_is_a_change_of_the_ad(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    path = f"/ads/{ad['pk']}"
    for _ in range(3):
        tag = await tag_of(person, path)
        answers = await asyncio.gather(
            send(person, ("POST", f"{path}/images", {"files": image_form()}), tag),
            send(person, ("PATCH", path, {"json": PROPERTIES}), tag),
        )
        codes = sorted(answer.status_code for answer in answers)
        assert codes[1] == 412, codes
        assert len({answer.headers["ETag"] for answer in answers}) == 1
        assert answers[0].headers["ETag"] == await tag_of(person, path)
