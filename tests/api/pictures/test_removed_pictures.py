"""Pictures of what moderators have removed: for moderators alone, until it is shown again."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from pydantic import SecretStr

from adsvc.errors import NotDeliveredError
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.storage import LocalImageStore
from adsvc.repositories.outbox import ClaimedEntry
from adsvc.services import installation, picture_deletion
from adsvc.services.moderation import decisions
from adsvc.services.picture_deletion import PURGE, Purging, move_pictures, work, work_off
from adsvc_ops.backup.database import BackupQueries, picture_named
from adsvc_ops.backup.making import deletions_on_hold
from conftest import ApiFactory
from support.mail.received import sent
from support.outside.receiver import receiving
from support.pictures.samples import jpeg
from support.s3.light import LightS3, Trouble
from support.s3.server import S3Server
from support.scene.api import PASSWORD, Api, Person
from support.scene.moderation import TERMS, decide, moderator, only_case, reported

S3 = tuple[S3Server, LightS3]


async def with_avatar(person: Person) -> str:
    answer = await person.patch("/users/me/image", files={"image": ("a.jpg", jpeg())})
    assert answer.status_code == 200, answer.text
    path: str = answer.json()["image"]
    return path


def paths_of(ad: dict[str, Any]) -> list[str]:
    """The picture of the ad, and its variants."""
    return [f"/images/{file}" for file in files_of([ad["image"].rpartition("/")[2]])]


async def statuses(api: Api, paths: list[str]) -> set[int]:
    return {(await api.client.get(path)).status_code for path in paths}


async def seen(moderator: Person, path: str) -> Any:
    return await moderator.get(f"/moderation{path}")


@pytest.mark.heavy
@pytest.mark.parametrize("action", ["suspendAd", "removeAd", "suspendAccount"])
async def test_pictures_of_a_removed_ad_are_gone_for_all_but_moderators(
    api: Api, action: str
) -> None:
    author, judge, stranger = await api.person(), await moderator(api), await api.person()
    ad, paths = await author.post_ad(), []
    paths = paths_of(ad)
    # In memory from here on, and known to a client that asks again with its tag.
    before = {path: await api.client.get(path) for path in paths}
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(judge, ad["pk"])
    made = await decide(judge, case["id"], action)

    for path in paths:
        tag = {"If-None-Match": before[path].headers["ETag"]}
        for headers in ({}, tag, {"Range": "bytes=0-9"}):
            assert (await api.client.get(path, headers=headers)).status_code == 404
            assert (await author.get(path, headers=headers)).status_code == 404
        answer = await seen(judge, path)
        assert answer.content == before[path].content
        assert answer.headers["Content-Type"] == before[path].headers["Content-Type"]
        assert answer.headers["Cache-Control"] == "private, no-store"
        own = await seen(author, path)
        if action == "suspendAccount":
            assert own.status_code == 401
        else:
            # Its author sees the ad, and so its pictures.
            assert (await author.get(f"/ads/{ad['pk']}")).status_code == 200
            assert own.content == before[path].content
            assert own.headers["Cache-Control"] == "private, no-store"
        assert (await seen(stranger, path)).status_code == 404
        assert (await api.client.get(f"/moderation{path}")).status_code == 401
    # What a proxy would send from the directory has another name.
    assert not {path.rpartition("/")[2] for path in paths} & set(api.files())

    undone = await (await api.admin()).post(f"/moderation/decisions/{made['id']}/undo")
    assert undone.status_code == 201, undone.text
    for path in paths:
        assert (await api.client.get(path)).content == before[path].content
    assert await api.sql("SELECT name FROM hidden_pictures") == []


@pytest.mark.heavy
async def test_all_pictures_and_the_avatar_of_a_suspended_account_are_gone(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    avatar = await with_avatar(person)
    shown, withdrawn, sold = [await person.post_ad() for _ in range(3)]
    for ad, step in ((withdrawn, "withdraw"), (sold, "sell")):
        assert (await person.post(f"/ads/{ad['pk']}/{step}")).status_code == 200
    paths = [avatar, *(path for ad in (shown, withdrawn, sold) for path in paths_of(ad))]
    assert await statuses(api, paths) == {200}

    suspended = await admin.post(f"/users/{person.id}/suspend", json=TERMS)
    assert suspended.status_code == 200, suspended.text
    assert await statuses(api, paths) == {404}
    assert (await seen(admin, avatar)).status_code == 200

    restored = await admin.post(f"/users/{person.id}/restore")
    assert restored.status_code == 200, restored.text
    assert await statuses(api, paths) == {200}


@pytest.mark.heavy
async def test_pictures_come_back_when_the_suspension_is_over(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    avatar = await with_avatar(person)
    ad = await person.post_ad()
    await admin.post(f"/users/{person.id}/suspend", json={**TERMS, "days": 1})
    await api.sql("UPDATE users SET suspended_until = now() WHERE id = :id", id=person.id)
    await decisions.show_again(api.state.database, api.state.store)
    assert await statuses(api, [avatar, *paths_of(ad)]) == {200}


@pytest.mark.heavy
async def test_an_ad_that_reports_have_hidden_shows_no_pictures(start_api: ApiFactory) -> None:
    async with start_api(reports_to_hide=2) as api:
        author = await api.person()
        ad = await author.post_ad()
        await reported(api, f"/ads/{ad['pk']}", by=2)
        assert (await author.get(f"/ads/{ad['pk']}")).json()["status"] == "suspended"
        assert await statuses(api, paths_of(ad)) == {404}


@pytest.mark.heavy
async def test_a_suspended_ad_of_a_restored_account_stays_without_pictures(api: Api) -> None:
    author, judge, admin = await api.person(), await moderator(api), await api.admin()
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    await decide(judge, (await only_case(judge, ad["pk"]))["id"], "suspendAd")
    await admin.post(f"/users/{author.id}/suspend", json=TERMS)
    await admin.post(f"/users/{author.id}/restore")
    assert await statuses(api, paths_of(ad)) == {404}


@pytest.mark.heavy
async def test_a_picture_added_to_a_suspended_ad_is_not_public(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    await decide(judge, (await only_case(judge, ad["pk"]))["id"], "suspendAd")
    files = {"image": ("b.jpg", jpeg())}
    added = await author.post(f"/ads/{ad['pk']}/images", files=files)
    assert added.status_code == 201, added.text
    paths = [image["image"] for image in added.json()["results"]]
    assert len(paths) == 2
    assert await statuses(api, paths) == {404}
    assert (await seen(judge, paths[1])).status_code == 200


@pytest.mark.heavy
async def test_many_ads_hidden_at_once_show_no_pictures(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ads = [await author.post_ad() for _ in range(3)]
    body = {"ads": [ad["pk"] for ad in ads], "action": "suspendAd", **TERMS}
    answer = await admin.post("/admin/ads/decisions", json=body)
    assert answer.status_code == 200, answer.text
    assert await statuses(api, [path for ad in ads for path in paths_of(ad)]) == {404}


@pytest.mark.heavy
async def test_hidden_pictures_are_deleted_with_their_account(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    await decide(judge, (await only_case(judge, ad["pk"]))["id"], "removeAd")
    hidden = set(api.files())
    assert len(hidden) == 4
    gone = await author.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
    assert gone.status_code == 204
    await work_off(api.state.database, api.state.store)
    assert api.files() == {}
    assert (await seen(judge, ad["image"])).status_code == 404


@pytest.mark.heavy
async def test_the_sweep_leaves_hidden_pictures_alone(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    await decide(judge, (await only_case(judge, ad["pk"]))["id"], "removeAd")
    async with api.state.database.autocommit() as session:
        swept = [
            name async for name in picture_deletion.sweep(session, api.state.store, grace_seconds=0)
        ]
    assert swept == []
    assert len(api.files()) == 4


@pytest.mark.heavy
async def test_pictures_removed_during_a_backup_go_when_it_has_copied_them(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(judge, ad["pk"])
    async with deletions_on_hold(api.state.database):
        await decide(judge, case["id"], "removeAd")
        assert await statuses(api, [ad["image"]]) == {200}
    await move_pictures(api.state.database, api.state.store)
    assert await statuses(api, paths_of(ad)) == {404}


async def test_a_move_that_was_interrupted_is_ended_later(api: Api) -> None:
    author = await api.person()
    ad = await author.post_ad()
    store = api.state.store
    assert isinstance(store, LocalImageStore)
    # As if the process had been killed between a file and the next.
    await api.sql("UPDATE ads SET status = 'removed', hidden_from = 'active' RETURNING id")
    [stem] = await api.sql("SELECT stem FROM hidden_pictures")
    first, *_ = files = [path.rpartition("/")[2] for path in paths_of(ad)]
    await store.rename_all({first: stem + first[32:]})
    for _ in range(2):
        await move_pictures(api.state.database, store)
    assert sorted(api.files()) == sorted(stem + file[32:] for file in files)


@pytest.mark.heavy
async def test_a_cdn_is_sent_the_addresses_of_deleted_and_hidden_pictures(
    start_own_api: ApiFactory,
) -> None:
    async with receiving() as cdn:
        settings = {
            "cdn_purge_url": cdn.url,
            "cdn_purge_token": SecretStr("sesame"),
            "image_redirect_url": "https://img.example.com/plain/s3://ads/{name}@avif",
        }
        async with start_own_api(**settings) as api:
            author, judge = await api.person(), await moderator(api)
            deleted, removed = await author.post_ad(), await author.post_ad()
            redirect = await api.client.get(paths_of(deleted)[0])
            assert (await author.delete(f"/ads/{deleted['pk']}")).status_code == 204
            await reported(api, f"/ads/{removed['pk']}")
            case = await only_case(judge, removed["pk"])
            await decide(judge, case["id"], "removeAd")
            await sent(api)
            wanted = {
                f"https://img.example.com/plain/s3://ads/{path.rpartition('/')[2]}@avif"
                for ad in (deleted, removed)
                for path in paths_of(ad)
            }
            assert redirect.headers["Location"] in wanted
            assert {file for each in cdn.received for file in each.event["files"]} == wanted
            assert {each.headers["authorization"] for each in cdn.received} == {"Bearer sesame"}

            cdn.status = 500
            now = datetime.now(UTC)
            entry = ClaimedEntry(
                id=1, attempts=1, claimed_until=now, kind=PURGE, payload={"files": ["a.jpg"]},
                message_id=uuid4(), created_at=now,
            )  # fmt: skip
            purging = Purging(api.state.settings)
            with pytest.raises(NotDeliveredError, match="answered 500"):
                await purging.deliver(entry)


@pytest.mark.heavy
async def test_a_redirect_to_the_bucket_ends_with_the_removal(
    s3: S3, prefix: str, start_api: ApiFactory
) -> None:
    there = "https://cdn.example.com/ads"
    async with start_api(**s3[0].settings(prefix), image_redirect_url=there) as api:
        author, judge = await api.person(), await moderator(api)
        ad = await author.post_ad()
        assert await statuses(api, paths_of(ad)) == {307}
        await reported(api, f"/ads/{ad['pk']}")
        await decide(judge, (await only_case(judge, ad["pk"]))["id"], "removeAd")
        assert await statuses(api, paths_of(ad)) == {404}
        assert (await seen(judge, ad["image"])).status_code == 200


@pytest.mark.heavy
async def test_a_backup_copies_hidden_pictures_under_the_names_of_their_files(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    await decide(judge, (await only_case(judge, ad["pk"]))["id"], "removeAd")
    async with api.state.database.transaction() as transaction:
        pictures = [found async for found in BackupQueries(transaction).pictures()]
    [picture] = pictures
    assert sorted(picture.files()) == sorted(api.files())
    assert await picture_named(api.state.database.reader, picture.name) == picture


@pytest.mark.heavy
async def test_a_picture_that_the_store_does_not_rename_is_renamed_later(
    s3: S3, prefix: str, start_api: ApiFactory
) -> None:
    async with start_api(**s3[0].settings(prefix), answers_max_bytes=0) as api:
        author, judge = await api.person(), await moderator(api)
        ad = await author.post_ad()
        await reported(api, f"/ads/{ad['pk']}")
        case = await only_case(judge, ad["pk"])
        s3[1].trouble = Trouble.FORBIDDEN
        await decide(judge, case["id"], "removeAd")
        s3[1].trouble = None
        await work(api.state.database, api.state.store)
        assert await statuses(api, paths_of(ad)) == {404}


@pytest.mark.heavy
async def test_a_store_that_the_pictures_were_copied_to_earlier_hides_them_too(api: Api) -> None:
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad()
    name = ad["image"].rpartition("/")[2]
    content = api.files()[name]
    await reported(api, f"/ads/{ad['pk']}")
    await decide(judge, (await only_case(judge, ad["pk"]))["id"], "removeAd")
    # The copy was made before the decision.
    await api.state.store.put(name, content)
    await installation.adopt(api.state.database, api.state.store, renew=False)
    await work(api.state.database, api.state.store)
    assert await statuses(api, paths_of(ad)) == {404}
    assert len(api.files()) == 4
