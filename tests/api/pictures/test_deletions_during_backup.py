"""A picture is not deleted while a backup has still to copy it."""

import asyncio

import pytest
from sqlalchemy.exc import DBAPIError

from adsvc.errors import OperatorError
from adsvc.kit.pictures.containers import files_of
from adsvc.repositories.operation import jobs as hold_rows
from adsvc.services import picture_deletion
from adsvc.services.picture_deletion import work_off
from adsvc_ops.backup.making import deletions_on_hold
from support.scene.api import Api


async def queued(api: Api) -> list[str]:
    return await api.sql("SELECT name FROM picture_deletions ORDER BY name")


async def sweep(api: Api) -> list[str]:
    async with api.state.database.autocommit() as session:
        return [
            name async for name in picture_deletion.sweep(session, api.state.store, grace_seconds=0)
        ]


@pytest.mark.heavy
async def test_pictures_deleted_while_a_backup_copies_them_stay_until_it_has(api: Api) -> None:
    person = await api.person()
    ad, other = await person.post_ad(), await person.post_ad()
    names = files_of([ad["image"].rpartition("/")[2]])
    async with deletions_on_hold(api.state.database):
        assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204
        assert (await person.get(f"/ads/{ad['pk']}")).status_code == 404
        await work_off(api.state.database, api.state.store)
        assert await queued(api) == sorted(names)
        with pytest.raises(OperatorError, match="A backup"):
            await sweep(api)
        assert set(names) < set(api.files())
    await work_off(api.state.database, api.state.store)
    assert await queued(api) == []
    assert set(api.files()) == set(files_of([other["image"].rpartition("/")[2]]))


@pytest.mark.heavy
async def test_deletions_at_once_do_not_take_each_other_for_a_backup(api: Api) -> None:
    person = await api.person()
    ads = [await person.post_ad() for _ in range(6)]
    answers = await asyncio.gather(*(person.delete(f"/ads/{ad['pk']}") for ad in ads))
    assert {answer.status_code for answer in answers} == {204}
    assert api.files() == {}


@pytest.mark.heavy
async def test_a_hold_ends_with_its_connection_and_the_backup_with_it(api: Api) -> None:
    database = api.state.database
    with pytest.raises(DBAPIError):
        await _hold_and_lose(api)
    async with deletions_on_hold(database):
        assert await hold_rows.are_deletions_held(database.writer)
    assert not await hold_rows.are_deletions_held(database.writer)


async def _hold_and_lose(api: Api) -> None:
    async with deletions_on_hold(api.state.database):
        await api.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks"
            " WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'"
            # Other tests have locks of their own at the same server.
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        assert not await hold_rows.are_deletions_held(api.state.database.writer)
