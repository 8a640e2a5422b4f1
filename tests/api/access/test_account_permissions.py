"""Who may do what with sessions, profiles and comments, as docs/interface.md lists it."""

import re
from typing import Any

import httpx2
import jwt
import pytest

from adsvc.settings import AdEditors
from conftest import ApiFactory
from support.contract.operations import authenticated_operations
from support.scene.api import PASSWORD, Api, Person, image_form
from support.scene.keys import created
from support.scene.logins import log_in
from support.scene.moderation import moderator
from support.scene.snapshots import snapshot

ANONYMOUS, STRANGER, AD_AUTHOR, AUTHOR, ADMIN, MODERATOR = ROLES = (
    "anonymous", "another user", "the ad's author", "the comment's author", "ADMIN", "MODERATOR",
)  # fmt: skip
TEXT: dict[str, Any] = {"json": {"text": "Changed."}}
MATRIX: list[tuple[str, str, dict[str, Any], tuple[int, ...]]] = [
    ("GET", "", {}, (401, 200, 200, 200, 200, 200)),
    ("POST", "", TEXT, (401, 200, 200, 200, 200, 200)),
    ("GET", "/{comment}", {}, (401, 200, 200, 200, 200, 200)),
    ("PATCH", "/{comment}", TEXT, (401, 403, 403, 200, 200, 403)),
    ("DELETE", "/{comment}", {}, (401, 403, 204, 204, 204, 403)),
]


async def scene(api: Api, role: str) -> tuple[Person | httpx2.AsyncClient, str, int]:
    """Who acts, and the path of an ad's comments with the id of one."""
    ad_author, author = await api.person(), await api.person()
    path = f"/ads/{(await ad_author.post_ad())['pk']}/comments"
    comment: int = (await author.post(path, json={"text": "Still there?"})).json()["pk"]
    match role:
        case "anonymous":
            return api.client, path, comment
        case "another user":
            return await api.person(), path, comment
        case "the ad's author":
            return ad_author, path, comment
        case "the comment's author":
            return author, path, comment
        case "MODERATOR":
            return await moderator(api), path, comment
    return await api.admin(), path, comment


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.heavy
async def test_everybody_may_do_to_comments_what_the_contract_says(api: Api, role: str) -> None:
    who, path, comment = await scene(api, role)
    # The one that deletes is the last.
    for method, rest, sent, statuses in MATRIX:
        status = statuses[ROLES.index(role)]
        before = await snapshot(api)
        answer = await who.request(method, path + rest.format(comment=comment), **sent)
        assert answer.status_code == status, (method, rest)
        if status == 403:
            assert answer.json()["type"] == "/problems#forbidden"
        changed = (await snapshot(api)) != before
        assert changed == (method != "GET" and status < 400), (method, rest)


@pytest.mark.heavy
async def test_who_may_edit_every_ad_may_not_edit_every_comment(start_api: ApiFactory) -> None:
    async with start_api(ad_editors=AdEditors.AUTHENTICATED) as api:
        # The ad's author may remove a comment on it, and change none.
        for role, removed in ((STRANGER, 403), (AD_AUTHOR, 204)):
            who, path, comment = await scene(api, role)
            for method, expected in (("PATCH", 403), ("DELETE", removed)):
                answer = await who.request(method, f"{path}/{comment}", **TEXT)
                assert answer.status_code == expected


@pytest.mark.heavy
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_checks_run_in_order_credentials_existence_ownership_body(
    api: Api, method: str
) -> None:
    nonsense: dict[str, Any] = {"content": b"\xff", "headers": {"Content-Type": "text/x"}}
    stranger, path, comment = await scene(api, STRANGER)
    assert isinstance(stranger, Person)

    async def status(who: Person | httpx2.AsyncClient, target: str) -> int:
        return (await who.request(method, target, **nonsense)).status_code

    for target in ("/ads/x/comments/x", "/ads/999/comments/999", f"{path}/{comment}"):
        assert await status(api.client, target) == 401
    for target in ("/ads/999/comments/1", f"/ads/999/comments/{comment}", f"{path}/999"):
        assert await status(stranger, target) == 404
    assert await status(stranger, f"{path}/{comment}") == 403
    author, path, comment = await scene(api, AUTHOR)
    assert isinstance(author, Person)
    assert await status(author, f"{path}/{comment}") == (204 if method == "DELETE" else 415)


@pytest.mark.heavy
async def test_no_anonymous_request_gets_to_anything_of_an_account(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    await person.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there?"})
    before = await snapshot(api)
    for operation in authenticated_operations(api):
        for headers in ({}, {"Content-Type": "application/json"}):
            answer = await operation.call(api.client, headers, id=ad["pk"])
            assert answer.status_code == 401, operation
            assert answer.headers["WWW-Authenticate"]
    assert await snapshot(api) == before


@pytest.mark.heavy
async def test_just_the_operations_the_contract_opens_are_open(api: Api) -> None:
    closed = {
        (operation.method.upper(), operation.path) for operation in authenticated_operations(api)
    }
    everything = {
        (method.upper(), path)
        for path, operations in api.app.openapi()["paths"].items()
        for method in operations
    }
    assert everything - closed == {
        ("POST", "/login"),
        ("POST", "/login/second-factor"),
        ("POST", "/login/report"),
        ("POST", "/login/passkey"),
        ("POST", "/login/passkey/options"),
        ("POST", "/login/oidc"),
        ("POST", "/login/oidc/link"),
        ("POST", "/register"),
        ("POST", "/token"),
        ("POST", "/revoke"),
        ("POST", "/mail/verify"),
        ("POST", "/unsubscribe"),
        # With the token of the mail about the decision.
        ("POST", "/decisions/read"),
        ("POST", "/decisions/appeal"),
        ("POST", "/password/forgot"),
        ("POST", "/password/reset"),
        ("GET", "/ads"),
        ("GET", "/ads/facets"),
        ("GET", "/ads/suggest"),
        ("GET", "/places"),
        ("GET", "/places/nearest"),
        ("GET", "/ads/{id}/details"),
        ("GET", "/ads/{id}/similar"),
        ("GET", "/ads/map"),
        ("GET", "/sellers/{id}"),
        ("GET", "/site"),
        ("GET", "/categories"),
        ("GET", "/categories/{slug}"),
        ("GET", "/categories/{slug}/schema"),
        ("GET", "/images/{name}"),
        ("GET", "/sellers/{id}/ratings"),
        ("POST", "/setup"),
        ("GET", "/livez"),
        ("GET", "/readyz"),
    }


NEW = "another horse, another staple"
HOOK = {"url": "https://shop.example.com/hooks", "types": ["ad.sold"]}
# What anybody with an account does to it; `{session}` and `{key}` are their own. What ends the
# session that is used, or the account, comes last.
OWN: list[tuple[str, str, dict[str, Any], int]] = [
    ("GET", "/users/me", {}, 200),
    ("PATCH", "/users/me", {"json": {"firstName": "Mine"}}, 200),
    ("PATCH", "/users/me/image", {"files": image_form()}, 200),
    ("POST", "/users/me/terms", {"json": {"version": 1}}, 400),
    ("GET", "/users/me/export", {}, 200),
    ("GET", "/users/me/sessions", {}, 200),
    ("DELETE", "/users/me/sessions/{session}", {}, 204),
    ("POST", "/users/me/keys", {"json": {"name": "A", "scopes": ["ads:read"]}}, 201),
    ("GET", "/users/me/keys", {}, 200),
    ("POST", "/users/me/passkeys/options", {}, 200),
    ("POST", "/users/me/passkeys", {"json": {}}, 400),
    ("GET", "/users/me/passkeys", {}, 200),
    ("DELETE", "/users/me/passkeys/1", {}, 404),
    ("GET", "/users/me/identities", {}, 200),
    ("POST", "/users/me/identities", {"json": {"code": "a"}}, 401),
    ("DELETE", "/users/me/identities/1", {}, 404),
    ("POST", "/users/me/totp", {"json": {"currentPassword": PASSWORD}}, 200),
    ("POST", "/users/me/totp/confirm", {"json": {"code": "none"}}, 403),
    ("DELETE", "/users/me/totp", {"json": {"currentPassword": PASSWORD, "code": "none"}}, 404),
    ("DELETE", "/users/me/keys/{key}", {}, 204),
    ("PUT", "/users/me/favorites/1", {}, 204),
    ("DELETE", "/users/me/favorites/1", {}, 204),
    ("GET", "/users/me/favorites", {}, 200),
    ("GET", "/users/me/notifications", {}, 200),
    ("POST", "/users/me/notifications/read", {"json": {"upTo": 1}}, 204),
    ("POST", "/users/me/searches", {"json": {"query": "q=oak", "name": "Oak"}}, 201),
    ("GET", "/users/me/searches", {}, 200),
    ("PATCH", "/users/me/searches/1", {"json": {"name": "Oak"}}, 200),
    ("POST", "/users/me/searches/1/seen", {}, 204),
    ("DELETE", "/users/me/searches/1", {}, 204),
    ("GET", "/users/me/searches/1/ads", {}, 404),
    ("PUT", "/users/me/blocks/999999999", {}, 404),
    ("DELETE", "/users/me/blocks/1", {}, 204),
    ("GET", "/users/me/blocks", {}, 200),
    ("PUT", "/users/me/push", {"json": {}}, 400),
    ("DELETE", "/users/me/push", {"json": {"endpoint": "https://push.example.com/"}}, 204),
    ("GET", "/users/me/push", {}, 200),
    ("DELETE", "/users/me/push/1", {}, 404),
    ("GET", "/users/me/preferences", {}, 200),
    ("PATCH", "/users/me/preferences", {"json": {"offer": {"mail": False}}}, 200),
    ("POST", "/users/me/mail/verification", {}, 202),
    ("GET", "/users/me/decisions", {}, 200),
    ("GET", "/users/me/deals", {}, 200),
    ("GET", "/users/me/limits", {}, 200),
    ("GET", "/users/me/export/ads", {}, 200),
    ("POST", "/users/me/webhooks", {"json": HOOK}, 201),
    ("GET", "/users/me/webhooks", {}, 200),
    ("GET", "/users/me/webhooks/1", {}, 200),
    ("PATCH", "/users/me/webhooks/1", {"json": {"enabled": False}}, 200),
    ("POST", "/users/me/webhooks/1/rotate", {}, 200),
    ("POST", "/users/me/webhooks/1/test", {}, 409),
    ("GET", "/users/me/webhooks/1/deliveries", {}, 200),
    ("POST", "/users/me/webhooks/1/deliveries/1/retry", {}, 409),
    ("POST", "/users/me/webhooks/1/replay", {"json": {"since": 0}}, 409),
    ("DELETE", "/users/me/webhooks/1", {}, 204),
    ("POST", "/users/me/decisions/1/appeal", {"json": {"text": "Mine."}}, 404),
    (
        "POST", "/users/set_password",
        {"json": {"currentPassword": PASSWORD, "newPassword": NEW}}, 200,
    ),
    (
        "PATCH", "/users/set_password",
        {"json": {"currentPassword": NEW, "newPassword": PASSWORD}}, 200,
    ),
    ("DELETE", "/users/me", {"json": {"currentPassword": PASSWORD}}, 204),
]  # fmt: skip


@pytest.mark.heavy
@pytest.mark.parametrize("role", [STRANGER, MODERATOR, ADMIN])
async def test_everybody_does_the_same_to_their_own_account(api: Api, role: str) -> None:
    """Whatever their role: nothing that moderators or administrators may do is among it."""
    who, _, _ = await scene(api, role)
    assert isinstance(who, Person)
    other = await api.person()
    before = await rows_of(api, other)
    session = (await log_in(api, who))["access_token"]
    own = jwt.decode(session, options={"verify_signature": False})["sid"]
    key = (await created(who))["id"]
    theirs = jwt.decode(other.token, options={"verify_signature": False})["sid"]
    assert (await who.delete(f"/users/me/sessions/{theirs}")).status_code == 404
    for method, path, sent, status in OWN:
        answer = await who.request(method, path.format(session=own, key=key), **sent)
        assert answer.status_code == status, (method, path)
        if path == "/users/set_password":
            who.token = answer.json()["access_token"]
    assert await rows_of(api, other) == before
    assert await api.sql("SELECT id FROM users WHERE id = :id", id=who.id) == []


async def rows_of(api: Api, person: Person) -> list[str]:
    account = await api.sql("SELECT u::text FROM users u WHERE id = :id", id=person.id)
    sessions = await api.sql("SELECT s::text FROM sessions s WHERE user_id = :id", id=person.id)
    return [*account, *sessions]


@pytest.mark.heavy
async def test_no_operation_on_ones_own_account_is_left_out(api: Api) -> None:
    tried = {
        (method, re.sub(r"/(\{session\}|\{key\}|1|999999999)", "/{id}", path))
        for method, path, *_ in OWN
    }
    assert tried == {
        (operation.method.upper(), re.sub(r"\{(?:ad|user|delivery)Id\}", "{id}", operation.path))
        for operation in authenticated_operations(api)
        if operation.path.startswith(("/users/me", "/users/set_password"))
        # It does not end; see `api/operation`.
        and not operation.path.endswith("/stream")
    }


@pytest.mark.heavy
async def test_categories_are_read_by_all_and_changed_by_administrators(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    await author.post_ad()
    everybody: list[Person | httpx2.AsyncClient] = [
        api.client, await moderator(api), author, admin,
    ]  # fmt: skip
    home: dict[str, Any] = {"json": {"name": "Home"}}
    matrix: list[tuple[str, str, dict[str, Any], tuple[int, ...]]] = [
        ("PUT", "/categories/home", home, (401, 403, 403, 201)),
        ("PUT", "/categories/home", home, (401, 403, 403, 200)),
        ("GET", "/categories", {}, (200, 200, 200, 200)),
        ("GET", "/categories/home", {}, (200, 200, 200, 200)),
        ("GET", "/categories/home/schema", {}, (200, 200, 200, 200)),
        ("DELETE", "/categories/home", {}, (401, 403, 403, 204)),
    ]
    for method, path, sent, statuses in matrix:
        for who, status in zip(everybody, statuses, strict=True):
            before = (await snapshot(api)).rows["categories"]
            answer = await who.request(method, path, **sent)
            assert answer.status_code == status, (method, path)
            if status > 400:
                assert (await snapshot(api)).rows["categories"] == before, (method, path)


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_an_account_shows_only_its_own_profile(api: Api, method: str) -> None:
    people = [await api.person(), await api.admin()]
    for person in people:
        answer = await person.request(method, "/users/me", json={"firstName": "Anna"})
        assert answer.json()["id"] == person.id
    assert (await people[1].request(method, f"/users/{people[0].id}/image")).status_code == 404
    # Nor does an administrator change more of another one than the role.
    sent = {"role": "USER", "currentPassword": PASSWORD, "firstName": "Mine"}
    answer = await people[1].patch(f"/users/{people[0].id}", json=sent)
    assert (answer.status_code, answer.json()["firstName"]) == (
        200,
        "Anna" if method == "PATCH" else "",
    )
