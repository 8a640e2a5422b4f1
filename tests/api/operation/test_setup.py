"""The set-up in the browser: its link, what it sets, and that it is possible once."""

import pytest

from adsvc.enums import StarterTree
from adsvc.services.categories.changes import starter
from adsvc.services.site import new_setup_link
from support.scene.api import Api
from support.scene.factors import kind

ACCOUNT = {"username": "owner@example.com", "password": "correct horse battery"}
HTML = {"Accept": "text/html"}


async def link(api: Api) -> str:
    """Path and query."""
    found = await new_setup_link(api.state.database, api.state.settings)
    assert found is not None
    return found.removeprefix(api.state.settings.link_base)


@pytest.mark.heavy
async def test_a_link_sets_a_site_up_once(api: Api) -> None:
    older, path = await link(api), await link(api)
    assert (await api.client.get(path, headers=HTML)).status_code == 200
    for wrong in (older, "/setup", "/setup?token=", "/setup?token=x", f"{path}x"):
        assert (await api.client.get(wrong, headers=HTML)).status_code == 410, wrong
    token = path.partition("=")[2]
    site = {"name": "Horses", "currency": "CHF", "languages": ["de", "en"], "country": "CH"}
    sent = {**ACCOUNT, "token": token, "site": site, "categories": "animals"}
    weak = await api.client.post("/setup", json={**sent, "password": "owner@example.com"})
    assert weak.status_code == 400
    stale = await api.client.post("/setup", json={**sent, "token": older.partition("=")[2]})
    assert (stale.status_code, kind(stale)) == (410, "setup-ended")
    done = await api.client.post("/setup", json=sent)
    assert (done.status_code, done.json()["role"]) == (201, "ADMIN"), done.text
    now = (await api.client.get("/site")).json()
    assert (now["name"], now["currency"], now["languages"]) == ("Horses", "CHF", ["de", "en"])
    categories = (await api.client.get("/categories")).json()["results"]
    assert len(categories) == len(starter(StarterTree.ANIMALS))
    login = await api.client.post("/login", json=ACCOUNT)
    headers = {"Authorization": f"Bearer {login.json()['access_token']}"}
    answer = await api.client.get("/admin/site", headers=headers)
    assert (answer.status_code, answer.json()["country"]) == (200, "CH")
    other = {**sent, "username": "second@example.com"}
    again = await api.client.post("/setup", json=other)
    assert (again.status_code, kind(again)) == (410, "setup-ended")
    assert (await api.client.get(path, headers=HTML)).status_code == 410
    # With an administrator there is no link.
    assert await new_setup_link(api.state.database, api.state.settings) is None
    events = "SELECT event FROM audit_events WHERE event IN ('site_changed', 'role_changed')"
    assert sorted(await api.sql(events)) == ["role_changed", "site_changed"]


async def test_a_link_ends_after_half_an_hour_and_with_its_installation(api: Api) -> None:
    path = await link(api)
    sent = {**ACCOUNT, "token": path.partition("=")[2]}
    [before] = await api.sql("SELECT id FROM installation")
    for change, back in (
        ("setup_until = now() - interval '1 s'", "setup_until = now() + interval '1 h'"),
        ("id = gen_random_uuid()", f"id = '{before}'"),
    ):
        await api.sql(f"UPDATE installation SET {change} RETURNING 1")  # noqa: S608 - no input
        refused = await api.client.post("/setup", json=sent)
        assert (refused.status_code, kind(refused)) == (410, "setup-ended")
        await api.sql(f"UPDATE installation SET {back} RETURNING 1")  # noqa: S608 - no input
    path = await link(api)
    left = "SELECT extract(epoch FROM setup_until - now())::int FROM installation"
    assert 1790 <= (await api.sql(left))[0] <= 1800
    # What is refused changes nothing, and leaves the link.
    taken = {"username": (await api.person()).username, "password": "correct horse battery"}
    token = path.partition("=")[2]
    refused = await api.client.post("/setup", json={**taken, "token": token})
    assert (refused.status_code, kind(refused)) == (409, "username-taken")
    assert (await api.client.get("/categories")).json()["results"] == []
    sent = {**ACCOUNT, "token": token, "categories": "empty"}
    assert (await api.client.post("/setup", json=sent)).status_code == 201


@pytest.mark.heavy
@pytest.mark.parametrize("tree", [*StarterTree])
def test_each_tree_has_names_in_three_languages(tree: StarterTree) -> None:
    for category in starter(tree):
        assert category.names.keys() >= {"de", "ru"}, category.slug
        for attribute in category.attributes:
            assert attribute.labels.keys() >= {"de", "ru"}, (category.slug, attribute.name)
