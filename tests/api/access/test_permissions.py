"""Who may do what with ads, as docs/interface.md lists it, and in which order checks run."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import jwt
import pytest

from adsvc.enums import Role
from adsvc.main import create_app
from adsvc.settings import AdEditors
from support.running.in_process import running
from support.scene.api import Api, Person, ad_form, image_form
from support.scene.moderation import moderator
from support.scene.snapshots import snapshot

ANONYMOUS, STRANGER, AUTHOR, ADMIN = "anonymous", "another user", "the author", "ADMIN"
MODERATOR = "MODERATOR"
# A moderator may do to ads what another user may.
ROLES = (ANONYMOUS, STRANGER, AUTHOR, ADMIN, MODERATOR)
# (operation, the path for the ad's id and image, what is sent, the answers to ROLES under each
# setting of ADSVC_AD_EDITORS)
OPEN = (200, 200, 200, 200)
KNOWN = (401, 200, 200, 200)
GUARDED = (401, 403, 200, 200)
ADDED = (401, 403, 201, 201)
REFUSED = (401, 403, 409, 409)
MATRIX: list[tuple[str, str, dict[str, Any], tuple[int, ...], tuple[int, ...]]] = [
    ("GET", "/ads", {}, OPEN, OPEN),
    ("GET", "{image}", {}, OPEN, OPEN),
    ("POST", "/ads", {"files": ad_form()}, (401, 201, 201, 201), (401, 201, 201, 201)),
    ("GET", "/ads/me", {}, KNOWN, KNOWN),
    ("GET", "/ads/{id}", {}, KNOWN, KNOWN),
    ("GET", "/ads/{id}/details", {}, OPEN, OPEN),
    ("GET", "/ads/{id}/similar", {}, OPEN, OPEN),
    ("GET", "/ads/map?bbox=13,52,14,53", {}, OPEN, OPEN),
    ("GET", "/site", {}, OPEN, OPEN),
    ("DELETE", "/ads/{id}", {}, (401, 403, 204, 204), (401, 403, 204, 204)),
    ("PATCH", "/ads/{id}", {"json": {"price": 7}}, GUARDED, KNOWN),
    ("PATCH", "/ads/{id}/image", {"files": image_form()}, GUARDED, KNOWN),
    ("POST", "/ads/{id}/images", {"files": image_form()}, ADDED, ADDED),
    ("GET", "{thumbnail}", {}, OPEN, OPEN),
    # Of a new ad, which is active: none of them is for everybody, whatever the setting.
    ("POST", "/ads/{id}/publish", {}, REFUSED, REFUSED),
    ("POST", "/ads/{id}/reserve", {}, GUARDED, GUARDED),
    ("POST", "/ads/{id}/release", {}, REFUSED, REFUSED),
    ("POST", "/ads/{id}/sell", {"json": {"price": 7}}, GUARDED, GUARDED),
    ("POST", "/ads/{id}/withdraw", {}, GUARDED, GUARDED),
    ("POST", "/ads/{id}/renew", {}, GUARDED, GUARDED),
]


async def actor(api: Api, author: Person, role: str) -> Person | httpx2.AsyncClient:
    match role:
        case "another user":
            return await api.person()
        case "the author":
            return author
        case "ADMIN":
            return await api.admin()
        case "MODERATOR":
            return await moderator(api)
    return api.client


@pytest.fixture(scope="module")
async def literal_api(shared_api: Api) -> AsyncIterator[Api]:
    """A second process of the service, which lets every user edit every ad."""
    changed = {"ad_editors": AdEditors.AUTHENTICATED}
    app = create_app(shared_api.state.settings.model_copy(update=changed))
    async with running(app) as client:
        yield Api(client, app)


@pytest.mark.heavy
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("setting", [0, 1], ids=["author", "authenticated"])
async def test_everybody_may_do_just_what_the_contract_says(
    api: Api, literal_api: Api, setting: int, role: str
) -> None:
    api = (api, literal_api)[setting]
    author = await api.person()
    who = await actor(api, author, role)
    ad: dict[str, Any] | None = None
    # Whoever asks first has the installation's keys made.
    assert (await api.client.get("/site")).status_code == 200
    for method, path, sent, *by_setting in MATRIX:
        statuses = by_setting[setting]
        expected = statuses[ROLES.index(STRANGER if role == MODERATOR else role)]
        # Another one only when the last one may have been changed.
        if ad is None:
            ad = await author.post_ad()
            await author.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there."})
        before = await snapshot(api)
        answer = await who.request(method, path.format(id=ad["pk"], **ad), **sent)
        assert answer.status_code == expected, (method, path)
        if expected == 403:
            assert answer.json()["type"] == "/problems#forbidden"
        changed = await snapshot(api) != before
        assert changed == (method != "GET" and expected < 400), (method, path)
        if changed:
            ad = None


OWNED = [
    ("DELETE", ""),
    ("PATCH", ""),
    ("PATCH", "/image"),
    ("POST", "/images"),
    ("PATCH", "/images"),
]


@pytest.mark.parametrize(("method", "rest"), OWNED)
async def test_credentials_are_checked_before_existence_before_authorship_before_the_body(
    api: Api, method: str, rest: str
) -> None:
    author, stranger = await api.person(), await api.person()
    await author.post_ad()
    nonsense: dict[str, Any] = {"content": b"\xff", "headers": {"Content-Type": "text/x"}}

    async def status(who: Person | httpx2.AsyncClient, id: str) -> int:
        return (await who.request(method, f"/ads/{id}{rest}", **nonsense)).status_code

    assert await status(api.client, "abc") == 401
    assert await status(api.client, "99") == 401
    assert await status(api.client, "1") == 401
    assert await status(stranger, "99") == 404
    assert await status(stranger, "1") == 403
    assert await status(author, "99") == 404
    assert await status(author, "1") == (204 if method == "DELETE" else 415)


@pytest.mark.heavy
async def test_a_change_of_role_counts_from_the_next_request_on(api: Api) -> None:
    author, other = await api.person(), await api.person()
    for number in range(1, 3):
        await author.post_ad()
        assert (await other.delete(f"/ads/{number}")).status_code == 403
        await api.set_role(other, Role.ADMIN)
        assert (await other.patch(f"/ads/{number}", json={"price": 7})).status_code == 200
        await api.set_role(other, Role.USER)
        assert (await other.delete(f"/ads/{number}")).status_code == 403


async def test_a_role_claimed_in_the_token_counts_for_nothing(api: Api) -> None:
    author, other = await api.person(), await api.person()
    await author.post_ad()
    secret = api.state.settings.required_jwt_secret()
    claims = jwt.decode(other.token, secret, ["HS256"], audience="adsvc")
    claims |= {"role": "ADMIN", "scope": "admin", "author": author.id}
    other.token = jwt.encode(claims, secret, "HS256", {"typ": "at+jwt"})
    assert (await other.get("/ads/1")).status_code == 200
    assert (await other.delete("/ads/1")).status_code == 403


async def test_a_deleted_user_s_token_is_no_longer_one(api: Api) -> None:
    author, other = await api.person(), await api.admin()
    await author.post_ad()
    await api.sql("DELETE FROM users WHERE id = :id", id=other.id)
    for method, path in (("GET", "/ads/me"), ("DELETE", "/ads/1"), ("GET", "/ads/1")):
        assert (await other.request(method, path)).status_code == 401
    # Nor does a new account come under the old one's token.
    await api.person(other.username)
    assert (await other.delete("/ads/1")).status_code == 401
