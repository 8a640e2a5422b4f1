"""`If-Match`: what the client has seen is changed, or nothing is (RFC 9110 §13.1.1)."""

from collections.abc import Awaitable, Callable

import pytest

from support.scene.api import PASSWORD, Api, Person, ad_form, image_form
from support.scene.categories import HOME, plant
from support.trouble.overtaking import LONG, Change, gzipped, is_refused, patch, send, tag_of

STALE = '"000000000000000000000000000000"'


async def goes_through(person: Person, seen: str, change: Change) -> None:
    """Whatever does not match leaves everything as it is; then the change, by another form."""
    tag = await tag_of(person, seen)
    weak = f"W/{tag}"
    for if_match in (STALE, weak, f"{STALE}, {weak}", gzipped(STALE), '"*"', '""'):
        is_refused(await send(person, change, if_match), tag)
    for malformed in ("", " ", ",", tag.strip('"'), f'{tag} "x"', f"{tag}, *", f"w/{tag}", '"'):
        answer = await send(person, change, malformed)
        assert answer.status_code == 400, (change, malformed)
        [fault] = answer.json()["errors"]
        assert fault["parameter"] == "If-Match"
    assert await tag_of(person, seen) == tag, change
    done = await send(person, change, f'"a,b" , ,{STALE},{gzipped(tag)}')
    assert done.is_success, (change, done.text)
    if done.status_code == 204:
        assert "ETag" not in done.headers
    else:
        assert done.headers["ETag"] == await tag_of(person, seen), change
        assert done.headers["ETag"] != tag, change


@pytest.mark.heavy
async def test_every_change_of_an_ad(api: Api) -> None:
    await plant(api, home=HOME)
    person = await api.person(phone="+49 30 1234567")
    ad = await person.post_ad(description=LONG, location={"latitude": 52.5, "longitude": 13.4})
    path = f"/ads/{ad['pk']}"
    changes: list[Change] = [
        ("PATCH", path, {"json": {"price": 7}}),
        ("PATCH", path, {"json": {"category": "home", "title": "A table"}}),
        ("POST", f"{path}/images", {"files": image_form()}),
        ("PATCH", f"{path}/image", {"files": image_form()}),
        *(("POST", f"{path}/{step}", {}) for step in
          ("reserve", "release", "withdraw", "publish", "renew")),
    ]  # fmt: skip
    for change in changes:
        await goes_through(person, path, change)
    ids = [image["id"] for image in (await person.get(path)).json()["images"]]
    for change in (
        ("PATCH", f"{path}/images", {"json": {"order": ids[::-1]}}),
        ("DELETE", f"{path}/images/{ids[0]}", {}),
        ("POST", f"{path}/sell", {"json": {"price": 5}}),
        ("DELETE", path, {}),
    ):
        await goes_through(person, path, change)
    assert (await person.get(path)).status_code == 404
    assert api.files() == {}


@pytest.mark.heavy
async def test_a_dry_run_of_a_change(api: Api) -> None:
    person = await api.person()
    ad = f"/ads/{(await person.post_ad())['pk']}"
    made = await person.post(f"{ad}/comments", json={"text": "Still there?"})
    comment = f"{ad}/comments/{made.json()['pk']}"
    for path, sent in (
        (ad, {"price": 7}),
        (ad, {"category": None}),
        (comment, {"text": "No more."}),
        ("/users/me", {"firstName": "Anna"}),
    ):
        tag = await tag_of(person, path)
        judged = patch(f"{path}?validate=true", **sent)
        for if_match in (STALE, f"W/{tag}"):
            is_refused(await send(person, judged, if_match), tag)
        for if_match in (tag, gzipped(tag), "*"):
            assert (await send(person, judged, if_match)).status_code == 204, path
        assert await tag_of(person, path) == tag, path


@pytest.mark.heavy
async def test_every_change_of_a_comment(api: Api) -> None:
    person, author = await api.person(), await api.person()
    ad = await author.post_ad()
    made = await person.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there?" * 100})
    path = f"/ads/{ad['pk']}/comments/{made.json()['pk']}"
    assert made.headers["ETag"] == await tag_of(person, path) == await tag_of(author, path)
    changes: list[Change] = [("PATCH", path, {"json": {"text": "No more."}}), ("DELETE", path, {})]
    for change in changes:
        await goes_through(person, path, change)
    assert (await person.get(path)).status_code == 404


@pytest.mark.heavy
async def test_every_change_of_a_profile(api: Api) -> None:
    registered = await api.client.post(
        "/register", json={"username": "anna@example.com", "password": PASSWORD}
    )
    token = await api.log_in("anna@example.com", PASSWORD)
    person = Person(registered.json()["id"], "anna@example.com", token, api.client)
    me = "/users/me"
    assert registered.headers["ETag"] == await tag_of(person, me)
    changes: list[Change] = [
        ("PATCH", me, {"json": {"firstName": "Anna"}}),
        ("PATCH", f"{me}/image", {"files": image_form()}),
        ("PATCH", f"{me}/image", {"files": image_form()}),
        ("DELETE", me, {"json": {"currentPassword": PASSWORD}}),
    ]
    for change in changes:
        await goes_through(person, me, change)
    assert (await person.get(me)).status_code == 401
    assert api.files() == {}


@pytest.mark.heavy
async def test_every_change_of_a_category(api: Api) -> None:
    admin = await plant(api, home=HOME)
    path = "/categories/home"
    changes: list[Change] = [("PUT", path, {"json": {"name": "House"}}), ("DELETE", path, {})]
    for change in changes:
        await goes_through(admin, path, change)
    # There is nothing that anything could match.
    for if_match in ("*", STALE):
        answer = await send(admin, changes[0], if_match)
        assert answer.status_code == 412
        assert "ETag" not in answer.headers
        assert (await send(admin, changes[1], if_match)).status_code == 404
    assert (await api.client.get("/categories")).json() == {"results": []}
    new = await admin.request("PUT", path, json=HOME)
    assert new.headers["ETag"] == await tag_of(admin, path)
    ad = await admin.post_ad(category="home")
    # It contains the number of ads.
    is_refused(await send(admin, changes[0], new.headers["ETag"]), await tag_of(admin, path))
    assert (await admin.delete(f"/ads/{ad['pk']}")).status_code == 204
    assert (await send(admin, changes[0], "*")).status_code == 200


async def test_tags_as_answers_gave_them(api: Api) -> None:
    person = await api.person()
    created = await person.post("/ads", files=ad_form(description=LONG))
    path = f"/ads/{created.json()['pk']}"
    tag = created.headers["ETag"]
    answer = await person.get(path)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["ETag"] == gzipped(tag)
    # From answer to answer, without asking in between, and again what a browser keeps.
    for number in range(3):
        sent = (tag, "*", gzipped(tag))[number]
        changed = await send(person, ("PATCH", path, {"json": {"price": number}}), sent)
        assert changed.status_code == 200
        tag = changed.headers["ETag"]
        unchanged = await person.get(path, headers={"If-None-Match": gzipped(tag)})
        assert unchanged.status_code == 304
    two = [("If-Match", STALE), ("If-Match", tag)]
    headers = [*person.headers.items(), *two]
    answer = await api.client.patch(path, json={"price": 1}, headers=headers)
    assert answer.status_code == 200


async def test_an_administrator_gets_the_tags_of_the_public_view(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ad = await author.post_ad(location={"latitude": 52.5123, "longitude": 13.4123})
    path = f"/ads/{ad['pk']}"
    exact, public = await tag_of(author, path), await tag_of(admin, path)
    assert exact != public
    change: Change = ("PATCH", path, {"json": {"price": 3}})
    is_refused(await send(admin, change, exact), public)
    changed = await send(admin, change, public)
    assert changed.headers["ETag"] == await tag_of(admin, path)
    assert (await send(author, change, changed.headers["ETag"])).status_code == 412
    step: Change = ("POST", f"{path}/withdraw", {})
    is_refused(await send(admin, step, exact), await tag_of(admin, path))
    withdrawn = await send(admin, step, await tag_of(admin, path))
    assert withdrawn.headers["ETag"] == await tag_of(admin, path)
    assert (await send(admin, ("DELETE", path, {}), await tag_of(admin, path))).status_code == 204
    events = await api.sql("SELECT event FROM audit_events WHERE owner_id IS NOT NULL ORDER BY id")
    assert events == ["foreign_ad_changed", "foreign_ad_changed", "foreign_ad_deleted"]


@pytest.mark.heavy
async def test_what_else_the_answer_shows_counts_too(api: Api) -> None:
    """The contact of its author, and what the clock makes of it."""
    author, commenter = await api.person(), await api.person()
    ad = await author.post_ad()
    path = f"/ads/{ad['pk']}"
    comment = f"{path}/comments/"
    comment += str((await commenter.post(comment[:-1], json={"text": "Here?"})).json()["pk"])

    async def another(person: Person, **members: str) -> None:
        assert (await person.patch("/users/me", json=members)).status_code == 200

    async def expired() -> None:
        await api.sql("UPDATE ads SET expires_at = now() - interval '1 second'")

    async def told(person: Person, path: str, event: Callable[[], Awaitable[None]]) -> None:
        before = await tag_of(person, path)
        await event()
        change: Change = ("DELETE", path, {})
        is_refused(await send(person, change, before), await tag_of(person, path))

    await told(author, path, lambda: another(author, phone="+49 30 7654321"))
    await told(commenter, comment, lambda: another(commenter, firstName="Anna"))
    await told(author, path, expired)
    # A profile shows how much room the account's pictures take.
    tag = await tag_of(author, "/users/me")
    await author.post_ad()
    is_refused(
        await send(author, ("PATCH", "/users/me", {"json": {"lastName": "Berg"}}), tag),
        await tag_of(author, "/users/me"),
    )


@pytest.mark.heavy
async def test_other_refusals_come_first(api: Api) -> None:
    author, stranger = await api.person(), await api.person()
    ad = await author.post_ad()
    path = f"/ads/{ad['pk']}"
    comments = f"{path}/comments"
    comment = f"{comments}/{(await author.post(comments, json={'text': 'Hello'})).json()['pk']}"
    bodies: list[Change] = [
        ("PATCH", path, {"json": {"price": -1}}),
        ("PATCH", comment, {"json": {"text": ""}}),
        ("PATCH", f"{path}/images", {"json": {}}),
        ("PATCH", "/users/me", {"json": {}}),
        ("POST", f"{path}/sell", {"json": {"price": -1}}),
    ]
    for change in bodies:
        assert (await send(author, change, STALE)).status_code == 400, change
    changes: list[Change] = [
        ("PATCH", path, {"json": {"price": 1}}),
        ("PATCH", f"{path}/image", {"files": image_form()}),
        ("POST", f"{path}/images", {"files": image_form()}),
        ("DELETE", path, {}),
        ("POST", f"{path}/withdraw", {}),
        ("PATCH", comment, {"json": {"text": "Hi"}}),
        ("DELETE", comment, {}),
    ]
    nobody = Person(0, "", "x", api.client)
    for method, at, options in changes:
        missing = at.replace(path, "/ads/999999")
        for if_match in ("*", STALE, "malformed"):
            assert (await send(author, (method, missing, options), if_match)).status_code == 404
            assert (await send(stranger, (method, at, options), if_match)).status_code == 403
            assert (await send(nobody, (method, at, options), if_match)).status_code == 401
    assert (await author.post(f"{path}/withdraw")).status_code == 200
    # What the client saw comes before what the status allows.
    again: Change = ("POST", f"{path}/withdraw", {})
    assert (await send(author, again, STALE)).status_code == 412
    assert (await send(author, again, await tag_of(author, path))).status_code == 409
    gone: Change = ("DELETE", f"{path}/images/{10**9}", {})
    assert (await send(author, gone, STALE)).status_code == 404


async def test_without_the_header_changes_work_as_ever_and_later_ones_outdate_earlier(
    api: Api,
) -> None:
    """Each change of an ad counts, also one back to what was, within one millisecond."""
    person = await api.person()
    ad = await person.post_ad()
    path = f"/ads/{ad['pk']}"
    tags = [(await person.patch(path, json={"price": n % 2})).headers["ETag"] for n in range(20)]
    assert len(set(tags)) == 20


async def test_answers_about_the_caller_and_comments_have_tags(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    comments = f"/ads/{ad['pk']}/comments"
    for number in range(3):
        made = await person.post(comments, json={"text": f"{number}" * 2000})
    for path in ("/users/me", "/users/me/sessions", comments, f"{comments}?limit=2",
                 f"{comments}/{made.json()['pk']}"):  # fmt: skip
        answer = await person.get(path)
        assert answer.headers["Cache-Control"] == "private, no-cache", path
        assert answer.headers["Vary"] == "Authorization, Accept-Encoding, Origin", path
        again = await person.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b""), path
        assert again.headers.get("Link") == answer.headers.get("Link")
        assert ("Link" in answer.headers) == ("limit" in path)
