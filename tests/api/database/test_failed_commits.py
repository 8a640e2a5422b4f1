"""The response, and what is left behind, when the database fails at the commit."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from adsvc.services import picture_deletion
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, ad_form, image_form
from support.scene.snapshots import snapshot

REFUSE = "RAISE EXCEPTION 'not today'"
HANG_UP = "PERFORM pg_terminate_backend(pg_backend_pid())"
FAILURES = [(REFUSE, 500), (HANG_UP, 503)]


@pytest.fixture
async def own_api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_own_api() as api:
        yield api


def failing_commits(api: Api, table: str, failure: str) -> AbstractAsyncContextManager[None]:
    """Every commit that changed the table fails, after all its statements went well."""

    @asynccontextmanager
    async def fail() -> AsyncIterator[None]:
        await api.sql(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN {failure}; RETURN NULL; END $$"
        )
        await api.sql(
            f"CREATE CONSTRAINT TRIGGER fail AFTER INSERT OR UPDATE OR DELETE ON {table} "
            "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()"
        )
        yield
        await api.sql("DROP FUNCTION fail() CASCADE")

    return fail()


@pytest.mark.heavy
@pytest.mark.parametrize(("failure", "status"), FAILURES)
async def test_a_failing_commit_is_never_a_success(own_api: Api, failure: str, status: int) -> None:
    person = await own_api.person()
    ad = await person.post_ad()
    before = await snapshot(own_api)
    async with failing_commits(own_api, "ads", failure):
        answers = [
            await person.patch("/ads/1", json={"price": 7}),
            await person.delete("/ads/1"),
            await person.patch("/ads/1/image", files=image_form()),
        ]
    assert [answer.status_code for answer in answers] == [status] * 3
    after = await snapshot(own_api)
    assert after.rows == before.rows
    # The old picture is still there; a new one may be, until it is swept.
    assert before.files.items() <= after.files.items()
    assert (await own_api.client.get(ad["image"])).status_code == 200
    assert (await person.delete("/ads/1")).status_code == 204


@pytest.mark.heavy
@pytest.mark.parametrize(("failure", "status"), FAILURES)
async def test_a_failing_commit_leaves_no_ad_and_a_picture_only_for_the_sweep(
    own_api: Api, failure: str, status: int
) -> None:
    person = await own_api.person()
    async with failing_commits(own_api, "ads", failure):
        answer = await person.post("/ads", files=ad_form())
    assert answer.status_code == status
    assert "Location" not in answer.headers
    assert (await own_api.client.get("/ads")).json()["count"] == 0
    async with own_api.state.database.autocommit() as session:
        store = own_api.state.store
        swept = [name async for name in picture_deletion.sweep(session, store, grace_seconds=0)]
    assert own_api.files() == {}
    # The picture with its variants, or nothing where it could be removed at once.
    assert len(swept) in {0, 4}


@pytest.mark.heavy
@pytest.mark.parametrize(("failure", "status"), FAILURES)
async def test_a_failing_commit_leaves_no_account(own_api: Api, failure: str, status: int) -> None:
    record = {"username": "anna", "password": PASSWORD}
    async with failing_commits(own_api, "users", failure):
        answer = await own_api.client.post("/register", json=record)
    assert answer.status_code == status
    assert "Location" not in answer.headers
    assert (await own_api.client.post("/login", json=record)).status_code == 401
    assert (await own_api.client.post("/register", json=record)).status_code == 201
