"""Deletions that are undone: what comes back, what does not, and what is stored meanwhile."""

from typing import Any

import pytest
from sqlalchemy import MetaData, Table

from adsvc.repositories import deletions as deletion_rows
from adsvc.services import retention
from adsvc.services.picture_deletion import work
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import kind
from support.scene.talk import inbox, write


async def deleted(admin: Person, what: str, target: int) -> dict[str, Any]:
    listed = (await admin.get("/admin/deletions")).json()["results"]
    [found] = [each for each in listed if (each["kind"], each["targetId"]) == (what, target)]
    return dict(found)


async def undone(admin: Person, what: str, target: int) -> None:
    found = await deleted(admin, what, target)
    answer = await admin.post(f"/admin/deletions/{found['id']}/undo")
    assert answer.status_code == 204, answer.text


async def content(api: Api, reader: Person, *ads: int) -> list[Any]:
    """All that everyone sees of the ads, and the bytes of their authors' pictures."""
    found: list[Any] = []
    for ad in ads:
        details = (await api.client.get(f"/ads/{ad}/details")).json()
        found.append(details)
        found.append((await reader.get(f"/ads/{ad}/comments")).json())
        for image in details["images"]:
            picture = await api.client.get(image["image"])
            found.append((picture.status_code, picture.content))
    found.append((await api.client.get("/ads")).json()["count"])
    found.append(await api.sql("SELECT bytes FROM image_totals ORDER BY owner_id"))
    return found


async def files(api: Api) -> set[str]:
    return {path.name for path in api.paths() if not path.name.startswith(".")}


@pytest.mark.heavy
async def test_an_ad_or_account_comes_back_as_it_was(start_own_api: ApiFactory) -> None:
    async with start_own_api(undo_days=30) as api:
        admin, author, other = await api.admin(), await api.person(), await api.person()
        kept, lost = [
            (await author.post_ad(title=title))["pk"] for title in ("Oak table", "Elm table")
        ]
        for person, ad in ((author, lost), (other, lost), (author, kept)):
            sent = {"text": f"Of {person.username}"}
            assert (await person.post(f"/ads/{ad}/comments", json=sent)).is_success
        assert (await other.put(f"/users/me/favorites/{lost}")).status_code < 300
        await write(other, f"/ads/{kept}")
        talks = await inbox(other)
        before = await content(api, admin, kept, lost)
        [picture] = [image["image"] for image in before[0]["images"]]

        assert (await author.delete(f"/ads/{lost}")).status_code == 204
        assert (await api.client.get(f"/ads/{lost}/details")).status_code in {404, 410}
        found = await deleted(admin, "ad", lost)
        assert (found["kind"], found["label"], found["ownerId"]) == ("ad", "Elm table", author.id)
        assert found["actor"] == str(author.id)
        await undone(admin, "ad", lost)
        assert await content(api, admin, kept, lost) == before

        # Everything at once, and an ad that went before.
        assert (await author.delete(f"/ads/{lost}")).status_code == 204
        answer = await author.delete("/users/me", json={"currentPassword": PASSWORD})
        assert answer.status_code == 204, answer.text
        assert (await api.client.get(picture)).status_code == 404, picture
        names = await files(api)
        assert await work(api.state.database, api.state.store) == 0
        await retention.clean(api.state.database, api.state.settings)
        assert await files(api) == names
        missing = await deleted(admin, "ad", lost)
        refused = await admin.post(f"/admin/deletions/{missing['id']}/undo")
        assert (refused.status_code, kind(refused)) == (409, "undo-not-possible")
        await undone(admin, "account", author.id)
        await undone(admin, "ad", lost)
        assert await content(api, admin, kept, lost) == before
        assert await inbox(other) == talks
        assert (await author.get("/users/me")).status_code == 401
        login = {"username": author.username, "password": PASSWORD}
        assert (await api.client.post("/login", json=login)).status_code == 200
        # The sequencer moves them from one table to the other.
        events = (
            "SELECT type FROM (SELECT at, type, data FROM changes"
            " UNION SELECT at, type, data FROM events) AS found"
        )
        assert (await api.sql(events)).count("comment.created") == 3
        assert await api.sql("SELECT count(*) FROM deleted_rows") == [0]


@pytest.mark.heavy
async def test_a_deletion_ends(start_own_api: ApiFactory) -> None:
    async with start_own_api(undo_days=30) as api:
        author, other = await api.person(), await api.person()
        ad = (await author.post_ad())["pk"]
        assert (await other.post(f"/ads/{ad}/comments", json={"text": "x"})).is_success
        assert (await author.delete(f"/ads/{ad}")).status_code == 204
        # The deletion of the account at once takes what others' deletions have of it.
        async with api.state.database.transaction() as transaction:
            await deletion_rows.forget_owner(transaction, other.id)
        places = await api.sql("SELECT place FROM deleted_rows")
        assert "comments" not in places
        assert "ad_images" in places
        await api.sql("UPDATE deletions SET ends_at = now() - interval '1 second'")
        assert await retention.purge_ended(api.state.database) == 1
        await work(api.state.database, api.state.store)
        assert await files(api) == set()
        assert await api.sql("SELECT name FROM hidden_pictures") == []


@pytest.mark.heavy
@pytest.mark.parametrize("kind", deletion_rows.KINDS)
def test_every_table_comes_back_or_there_is_a_reason(kind: str, schema: MetaData) -> None:
    def below(table: Table) -> set[Table]:
        found = {
            each
            for each in schema.tables.values()
            for key in each.foreign_keys
            if key.ondelete == "CASCADE" and key.column.table is table
        }
        return found.union(*(below(each) for each in found))

    names = {table.name for table in below(schema.tables[deletion_rows.KINDS[kind].name])}
    kept = {table.name for table in deletion_rows.removed_with(kind, "$1")}
    assert names - kept <= deletion_rows.LEFT_OUT.keys()
    assert not kept & deletion_rows.LEFT_OUT.keys()
