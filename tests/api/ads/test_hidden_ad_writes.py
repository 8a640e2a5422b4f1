"""A user who cannot see an ad learns nothing of it by trying to change it."""

from typing import Any

import httpx2
import pytest

from adsvc.enums import AdStatus
from conftest import ApiFactory
from support.contract.operations import authenticated_operations
from support.scene.api import Api, Person
from support.scene.moderation import moderator
from support.scene.snapshots import snapshot

HIDDEN = {
    AdStatus.DRAFT: 404, AdStatus.WITHDRAWN: 404, AdStatus.SUSPENDED: 404, AdStatus.REMOVED: 404,
    AdStatus.SOLD: 410, AdStatus.EXPIRED: 410,
}  # fmt: skip


def told(answer: httpx2.Response) -> dict[str, Any]:
    """All but what differs between any two requests."""
    problem: dict[str, Any] = answer.json()
    return {name: value for name, value in problem.items() if name != "instance"}


async def scene(api: Api) -> tuple[dict[str, int], Person]:
    """The ids of an ad with two pictures and a comment, and its author."""
    author = await api.person()
    ad = (await author.post_ad())["pk"]
    comment = (await author.post(f"/ads/{ad}/comments", json={"text": "Still there."})).json()["pk"]
    [image] = await api.sql("SELECT id FROM ad_images WHERE ad_id = :ad", ad=ad)
    return {"id": ad, "imageId": image, "commentId": comment}, author


async def hide(api: Api, ad: int, status: AdStatus) -> None:
    if status is AdStatus.EXPIRED:
        # Whether or not it has been marked.
        await api.sql("UPDATE ads SET expires_at = now() - interval '1 s' WHERE id = :ad", ad=ad)
    else:
        await api.sql("UPDATE ads SET status = :status WHERE id = :ad", status=status, ad=ad)


@pytest.mark.parametrize("editors", ["author", "authenticated"])
@pytest.mark.heavy
async def test_every_operation_refuses_what_a_read_refuses(
    start_api: ApiFactory, editors: str
) -> None:
    async with start_api(ad_editors=editors) as api:
        operations = [
            operation
            for operation in authenticated_operations(api)
            if operation.path.startswith("/ads/{id}")
        ]
        assert len(operations) > 15
        assert set(HIDDEN) | {AdStatus.ACTIVE, AdStatus.RESERVED} == set(AdStatus)
        people = [await api.person(), await moderator(api)]
        for status, expected in HIDDEN.items():
            ids, _ = await scene(api)
            await hide(api, ids["id"], status)
            before = await snapshot(api)
            for person in people:
                read = await person.get(f"/ads/{ids['id']}")
                assert read.status_code == expected, status
                for operation in operations:
                    # Those of what it has, and of what it has not.
                    others = dict.fromkeys(("imageId", "commentId"), 999999999)
                    within = any(f"{{{name}}}" in operation.path for name in others)
                    for sent in (ids, {**ids, **others}) if within else (ids,):
                        answer = await operation.call(api.client, person.headers, **sent)
                        assert told(answer) == told(read), (status, operation)
            # What has expired is marked meanwhile.
            assert status is AdStatus.EXPIRED or await snapshot(api) == before, status


@pytest.mark.heavy
async def test_an_ad_that_is_hidden_is_no_other_than_one_that_never_was(api: Api) -> None:
    ids, _ = await scene(api)
    await hide(api, ids["id"], AdStatus.SUSPENDED)
    stranger = await api.person()
    for operation in authenticated_operations(api):
        if operation.path.startswith("/ads/{id}"):
            answers = [
                await operation.call(api.client, stranger.headers, **{**ids, "id": number})
                for number in (ids["id"], 999_999_999)
            ]
            assert told(answers[0]) == told(answers[1]), operation


async def test_a_user_who_sees_an_ad_gets_403_for_changing_it(api: Api) -> None:
    ids, author = await scene(api)
    stranger = await api.person()
    for who, status in ((stranger, 403), (author, 200)):
        path = f"/ads/{ids['id']}"
        assert (await who.patch(path, json={"price": 7})).status_code == status
    await hide(api, ids["id"], AdStatus.SOLD)
    for who, status in ((stranger, 410), (author, 200), (await api.admin(), 200)):
        assert (await who.patch(path, json={"price": 8})).status_code == status
