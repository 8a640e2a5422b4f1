"""What a key may do: every operation of the document with every scope, and the order of checks."""

import re
from typing import Any

import pytest
from fastapi.routing import APIRoute

from adsvc.api.dependencies.endpoints import Endpoint, Router
from adsvc.enums import KeyScope
from support.contract.operations import METHODS, authenticated_operations
from support.scene.api import Api, Person
from support.scene.keys import create_key, with_key
from support.scene.logins import bearer as as_bearer
from support.scene.warmth import reads, settle

NOWHERE = 2**53

# What a key needs, by hand: the first pattern that the whole of method and path matches. None: no
# key may.
SCOPES: tuple[tuple[str, str | None], ...] = (
    (r"\w+ /(webhooks|admin)(/.*)?", "admin"),
    (r"(PUT|POST|DELETE) /categories/.*", "admin"),
    (r"GET /events(/stream)?", "events:read"),
    (r"\w+ /moderation/.*", "moderation"),
    # As every report.
    (r"POST /conversations/\{id\}/messages/\{messageId\}/reports", "ads:write"),
    (r"GET (/conversations(/.*)?|/users/me/stream)", "messages:read"),
    (r"POST (/conversations|/offers)/.*", "messages:write"),
    (r"POST /ads/\{id\}/(messages|phone)", "messages:write"),
    (r"DELETE /users/(me|\{id\})|GET /users/(me|\{id\})/export", None),
    (r"\w+ /users/set_password", None),
    (r"\w+ /users/me/(sessions|keys|totp|passkeys|identities|push|terms)(/.*)?", None),
    (r"GET /users/me/export/ads", "ads:read"),
    (r"GET /users/me(/.*)?", "account:read"),
    (r"\w+ /users/me(/.*)?", "account:write"),
    (r"\w+ /users(/.*)?", "admin"),
    (r"GET /(ads|imports)(/.*)?", "ads:read"),
    (r"\w+ /(ads|deals|imports|ratings)(/.*)?", "ads:write"),
)


def needed(method: str, path: str) -> str | None:
    operation = f"{method.upper()} {path}"
    return next(scope for pattern, scope in SCOPES if re.fullmatch(pattern, operation))


@pytest.mark.heavy
async def test_a_key_can_do_what_its_scope_allows_and_nothing_else(api: Api) -> None:
    admin = await api.admin()
    keys = {scope: await with_key(api, admin, scope) for scope in KeyScope}
    seen = set()
    for operation in authenticated_operations(api):
        ids = {"id": NOWHERE, "commentId": NOWHERE, "imageId": NOWHERE}
        for scope, holder in keys.items():
            answer = await operation.call(api.client, holder.headers, **ids)
            where = (operation.method, operation.path, scope, answer.status_code)
            assert operation.scope == needed(operation.method, operation.path), where
            allowing = {operation.scope, str(operation.scope).replace(":read", ":write")}
            if operation.scope is None:
                assert answer.json()["type"] == "/problems#session-required", where
                assert "scope" not in answer.json(), where
                assert "WWW-Authenticate" not in answer.headers, where
            elif scope not in allowing:
                assert answer.status_code == 403, where
                assert answer.json()["type"] == "/problems#insufficient-scope", where
                assert answer.json()["scope"] == operation.scope, where
                assert answer.headers["WWW-Authenticate"] == (
                    f'Bearer realm="adsvc", error="insufficient_scope", scope="{operation.scope}"'
                ), where
            else:
                assert answer.status_code in {200, 202, 204, 400, 404, 415}, where
                seen.add(operation.scope)

    assert seen == {
        *("ads:read", "ads:write", "account:read", "account:write"),
        *("messages:read", "messages:write"),
        *("moderation", "events:read", "admin"),
    }


async def test_no_scope_gives_more_than_the_account_has(api: Api) -> None:
    person, other = await api.person(), await api.person()
    ad = await other.post_ad()
    holder = await with_key(api, person, *KeyScope)
    for method, path in (
        ("GET", "/users"),
        ("GET", "/moderation/cases"),
        ("DELETE", f"/ads/{ad['pk']}"),
        ("PUT", "/categories/furniture"),
    ):
        answer = await holder.request(method, path, json={"name": "Furniture"})
        assert answer.status_code == 403, path
        assert answer.json()["type"] == "/problems#forbidden", path


@pytest.mark.heavy
async def test_what_anybody_may_needs_no_scope(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    holder = await with_key(api, person, "events:read")
    ad_path = f"/ads/{ad['pk']}"
    about = f"{ad_path}/details", f"{ad_path}/similar", f"/sellers/{person.id}"
    for path in ("/ads", "/ads/facets", "/ads/map?bbox=1,1,2,2", *about, "/categories", "/site"):
        assert (await holder.get(path)).status_code == 200, path
    picture = ad["image"]
    assert (await holder.get(picture)).status_code == 200


def test_every_operation_with_credentials_says_what_a_key_needs(api: Api) -> None:
    """Whatever is forgotten is refused to keys; this finds it."""
    for route in api.app.routes:
        if isinstance(route, APIRoute):
            assert isinstance(route.endpoint, Endpoint), route.path
            assert route.endpoint.anonymous is (route.endpoint.requires is None), route.path


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_operation_that_does_not_say_is_not_declared(method: str) -> None:
    async def change() -> None:
        """Does nothing."""

    usual: dict[str, Any] = {"operation_id": "change", "summary": "Change", "limit": None}
    both = {"anonymous": True, "requires": KeyScope.ADMIN}
    for options in (usual, usual | both):
        operation = Endpoint(Router(tag="site"), method, "/x", **options)
        with pytest.raises(TypeError, match="must say what a key needs"):
            operation(change)


@pytest.mark.heavy
async def test_a_hot_answer_is_not_given_to_a_key_without_the_scope(api: Api) -> None:
    author, reader = await api.person(), await api.person()
    path = f"/ads/{(await author.post_ad())['pk']}"
    good, bad = (
        await with_key(api, reader, "ads:write"),
        await with_key(api, reader, "account:read"),
    )
    await settle(api)
    for who in (author, reader, good, bad):
        await who.get(path)
    with reads(api) as counted:
        for who, status in ((reader, 200), (good, 200), (bad, 403), (author, 200)):
            answer = await who.get(path)
            assert answer.status_code == status
        assert counted.total() == 0
    odd = f"/ads/0{path.removeprefix('/ads/')}"
    assert (await bad.get(odd)).status_code == 403


async def test_the_scope_is_checked_after_credentials_and_before_everything_else(api: Api) -> None:
    person = await api.person()
    holder = await with_key(api, person, "account:read")
    nonsense: dict[str, Any] = {"content": b"\xff", "headers": {"Content-Type": "text/x"}}
    for method, path in (
        ("PATCH", f"/ads/{NOWHERE}"),
        ("PATCH", "/ads/abc"),
        ("GET", f"/ads/{NOWHERE}"),
        ("GET", "/ads/abc/comments"),
        ("DELETE", f"/users/me/keys/{NOWHERE}"),
        ("PUT", "/categories/UPPER"),
        ("POST", f"/users/{NOWHERE}/suspend"),
    ):
        wrong = await api.client.request(method, path, headers=as_bearer("adsvc_x"))
        assert wrong.status_code == 401, path
        answer = await holder.request(method, path, **nonsense)
        assert answer.status_code == 403, path
        kinds = {"/problems#insufficient-scope", "/problems#session-required"}
        assert answer.json()["type"] in kinds, path


@pytest.mark.heavy
async def test_the_document_lists_only_scopes_that_there_are(api: Api) -> None:
    for path, operations in api.app.openapi()["paths"].items():
        for method in METHODS:
            for entry in operations.get(method, {}).get("security", ()):
                assert set(entry) <= {"bearer"}, path
                assert len(entry["bearer"]) <= 1, path
                assert set(entry["bearer"]) <= set(KeyScope), path


async def test_an_administrator_s_key_changes_what_others_posted(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ad = await author.post_ad()
    holder: Person = await with_key(api, admin, "ads:write")
    answer = await holder.patch(f"/ads/{ad['pk']}", json={"price": 7})
    assert answer.status_code == 200
    answer = await (await create_key(admin, scopes=["admin"])).patch(
        f"/ads/{ad['pk']}", json={"price": 8}
    )
    assert answer.json()["type"] == "/problems#insufficient-scope"
