"""Authors are told of comments on their ads, of their coming end and of their end."""

from collections.abc import AsyncIterator

import pytest

from adsvc.services import following
from adsvc.services.ads import lifecycle
from conftest import ApiFactory
from support.mail.delivered import deliver
from support.mail.server import text_of
from support.scene.api import PASSWORD, Api, Person
from support.scene.fan_outs import work
from support.scene.moderation import TERMS, decide, moderator, only_case, reported, undo


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """Nothing else works on its database."""
    async with start_own_api(jobs="off") as started:
        yield started


async def posted(api: Api, language: str = "en") -> tuple[Person, str]:
    author = await api.person()
    await api.sql(
        "UPDATE users SET mail = username, mail_verified = TRUE, language = :language"
        " WHERE id = :id",
        id=author.id, language=language,
    )  # fmt: skip
    return author, f"/ads/{(await author.post_ad(title='Oak table'))['pk']}"


async def noticed(person: Person) -> list[str]:
    """The oldest first."""
    found = (await person.get("/users/me/notifications")).json()["results"]
    return [notice["type"] for notice in reversed(found)]


async def comment(person: Person, path: str) -> str:
    answer = await person.post(f"{path}/comments", json={"text": "Is it solid oak?"})
    assert answer.status_code == 200, answer.text
    return f"{path}/comments/{answer.json()['pk']}"


async def subjects(api: Api) -> list[str]:
    return [str(mail["Subject"]) for mail in await deliver(api)]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("en", "A new comment on your ad “Oak table”"),
        ("de", "Neuer Kommentar zu Ihrer Anzeige „Oak table“"),
        ("ru", "Новый комментарий к вашему объявлению «Oak table»"),
    ],
)
async def test_an_author_is_told_of_comments_by_others(
    api: Api, language: str, subject: str
) -> None:
    author, path = await posted(api, language)
    buyer = await api.person()
    for person in (author, buyer, buyer):
        await comment(person, path)
    await work(api)
    # One notification of an ad is unread, and each comment is a mail.
    assert await noticed(author) == ["comment"]
    assert await noticed(buyer) == []
    mails = await deliver(api)
    assert [mail["Subject"] for mail in mails] == [subject] * 2
    assert path.replace("/ads/", "/a/") in text_of(mails[0])
    [notice] = (await author.get("/users/me/notifications")).json()["results"]
    assert (notice["ad"]["title"], notice["count"]) == ("Oak table", None)
    await author.post("/users/me/notifications/read", json={"upTo": notice["id"]})
    await comment(buyer, path)
    await work(api)
    assert await noticed(author) == ["comment"] * 2


@pytest.mark.heavy
async def test_no_comment_is_told_that_is_gone_blocked_or_unwanted(api: Api) -> None:
    author, path = await posted(api)
    buyer, blocked = await api.person(), await api.person()
    await comment(blocked, path)
    assert (await author.put(f"/users/me/blocks/{blocked.id}")).status_code == 204
    gone = await comment(buyer, path)
    await buyer.delete(gone)
    await work(api)
    assert await noticed(author) == []
    # By mail neither, if it is deleted before the mail is sent.
    gone = await comment(buyer, path)
    await work(api)
    await buyer.delete(gone)
    assert await subjects(api) == []
    await author.patch("/users/me/preferences", json={"comment": {"site": False, "mail": False}})
    await comment(buyer, path)
    await work(api)
    assert await subjects(api) == []
    assert await noticed(author) == ["comment"]


async def ends_in(api: Api, path: str, hours: int) -> None:
    await api.sql(
        "UPDATE ads SET expires_at = now() + make_interval(hours => :hours) WHERE id = :id"
        " RETURNING id",
        hours=hours, id=int(path.rpartition("/")[2]),
    )  # fmt: skip


async def pass_hours(api: Api, hours: int) -> None:
    """Looks for endings until that moment before the end of an ad."""
    await api.sql(
        "UPDATE consumers SET position = (extract(epoch FROM now()) * 1000)::bigint + :passed"
        " WHERE name = 'own-endings' RETURNING position",
        passed=hours * 3600_000,
    )
    await following.queue_endings(api.state.database)


@pytest.mark.heavy
async def test_an_author_is_told_three_days_before_an_ad_ends_and_when_it_has_ended(
    api: Api,
) -> None:
    author, path = await posted(api)
    await ends_in(api, path, 73)
    await pass_hours(api, 66)
    assert await noticed(author) == []
    await ends_in(api, path, 71)
    for _ in range(3):
        await following.queue_endings(api.state.database)
    assert await noticed(author) == []
    await pass_hours(api, 66)
    for _ in range(3):
        await following.queue_endings(api.state.database)
    assert await noticed(author) == ["adEnding"]
    mails = await deliver(api)
    assert [mail["Subject"] for mail in mails] == ["Your ad “Oak table” ends within three days"]
    assert "renew it" in text_of(mails[0])
    await ends_in(api, path, 0)
    await lifecycle.mark_expired(api.state.database)
    await work(api)
    assert await noticed(author) == ["adEnding", "adEnded"]
    assert await subjects(api) == ["Your ad “Oak table” has ended"]


@pytest.mark.heavy
async def test_an_ending_that_does_not_hold_any_more_is_no_mail(api: Api) -> None:
    author, path = await posted(api)
    await ends_in(api, path, 71)
    await pass_hours(api, 66)
    await ends_in(api, path, 24 * 30)
    assert await subjects(api) == []
    await ends_in(api, path, 0)
    await lifecycle.mark_expired(api.state.database)
    assert (await author.post(f"{path}/renew")).status_code == 200
    await work(api)
    assert await noticed(author) == ["adEnding"]


@pytest.mark.heavy
async def test_an_ad_that_was_hidden_as_its_end_came_near_is_announced_once_it_is_shown(
    api: Api,
) -> None:
    author, path = await posted(api)
    judge, other = await moderator(api), await moderator(api)
    await ends_in(api, path, 71)
    await reported(api, path)
    made = await decide(judge, (await only_case(judge))["id"], "suspendAd")
    await pass_hours(api, 66)
    await work(api)
    assert "adEnding" not in await noticed(author)
    assert (await undo(other, made["id"])).status_code == 201
    for _ in range(2):
        await following.queue_endings(api.state.database)
        await work(api)
    assert (await noticed(author)).count("adEnding") == 1
    # What was announced before it was hidden is not announced again.
    await reported(api, path)
    made = await decide(judge, (await only_case(judge))["id"], "suspendAd")
    await work(api)
    assert (await undo(other, made["id"])).status_code == 201
    await work(api)
    assert (await noticed(author)).count("adEnding") == 1


@pytest.mark.heavy
async def test_ads_of_an_account_that_was_suspended_as_their_end_came_near_are_announced(
    api: Api,
) -> None:
    author, path = await posted(api)
    admin = await api.admin()
    late, renewed = [f"/ads/{(await author.post_ad())['pk']}" for _ in range(2)]
    for ad in (path, renewed):
        await ends_in(api, ad, 71)
    await ends_in(api, late, 80)
    assert (await admin.post(f"/users/{author.id}/suspend", json=TERMS)).status_code == 200
    await pass_hours(api, 66)
    await ends_in(api, renewed, 24 * 30)
    assert (await admin.post(f"/users/{author.id}/restore")).status_code == 200
    await work(api)
    author.token = await api.log_in(author.username, PASSWORD)
    assert (await noticed(author)).count("adEnding") == 1


@pytest.mark.heavy
async def test_all_endings_are_found_after_a_pause_of_the_jobs(api: Api) -> None:
    author, path = await posted(api)
    other = f"/ads/{(await author.post_ad())['pk']}"
    await ends_in(api, path, 2)
    await ends_in(api, other, 71)
    await api.sql(
        "UPDATE consumers SET position = position - 86400000 WHERE name = 'own-endings'"
        " RETURNING position"
    )
    for _ in range(13):
        await following.queue_endings(api.state.database)
    assert await noticed(author) == ["adEnding"] * 2
