"""The published document: complete, valid, and the one that is committed."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import httpx
import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from support.contract.documents import Json, document_with, resolved

ROOT = Path(__file__).parents[2]
STEPS = ("publish", "reserve", "release", "sell", "withdraw", "renew")
OPERATIONS = {
    ("post", "/login"): "login",
    ("post", "/register"): "register",
    ("get", "/ads"): "listAds",
    ("post", "/ads"): "createAd",
    ("get", "/ads/{id}"): "getAd",
    ("get", "/ads/{id}/details"): "getAdDetails",
    ("get", "/site"): "getSite",
    ("delete", "/ads/{id}"): "deleteAd",
    ("get", "/categories"): "listCategories",
    ("get", "/categories/{slug}"): "getCategory",
    ("get", "/categories/{slug}/schema"): "getCategorySchema",
    ("put", "/categories/{slug}"): "putCategory",
    ("delete", "/categories/{slug}"): "deleteCategory",
    ("patch", "/ads/{id}"): "updateAd",
    ("get", "/ads/me"): "listMyAds",
    ("patch", "/ads/{id}/image"): "replaceAdImage",
    ("post", "/ads/{id}/images"): "addAdImages",
    ("patch", "/ads/{id}/images"): "orderAdImages",
    ("delete", "/ads/{id}/images/{imageId}"): "deleteAdImage",
    **{("post", f"/ads/{{id}}/{step}"): f"{step}Ad" for step in STEPS},
    ("get", "/ads/facets"): "countAds",
    ("get", "/ads/{id}/comments"): "listComments",
    ("post", "/ads/{id}/comments"): "createComment",
    ("get", "/ads/{id}/comments/{commentId}"): "getComment",
    ("patch", "/ads/{id}/comments/{commentId}"): "updateComment",
    ("delete", "/ads/{id}/comments/{commentId}"): "deleteComment",
    ("post", "/token"): "issueToken",
    ("post", "/revoke"): "revokeToken",
    ("post", "/users/me/mail/verification"): "requestMailVerification",
    ("post", "/mail/verify"): "verifyMail",
    ("post", "/password/forgot"): "forgotPassword",
    ("post", "/password/reset"): "resetPassword",
    ("get", "/users/me"): "getMe",
    ("patch", "/users/me"): "updateMe",
    ("delete", "/users/me"): "deleteMe",
    ("patch", "/users/me/image"): "replaceMyImage",
    ("get", "/users/me/export"): "exportMe",
    ("get", "/users/me/sessions"): "listMySessions",
    ("delete", "/users/me/sessions/{id}"): "endMySession",
    ("post", "/users/set_password"): "setPassword",
    ("patch", "/users/set_password"): "changePassword",
    ("get", "/images/{name}"): "getImage",
    ("post", "/ads/{id}/reports"): "reportAd",
    ("post", "/ads/{id}/comments/{commentId}/reports"): "reportComment",
    ("get", "/moderation/cases"): "listCases",
    ("get", "/moderation/cases/{id}"): "getCase",
    ("post", "/moderation/cases/{id}/decisions"): "decideCase",
    ("post", "/moderation/decisions/{id}/undo"): "undoDecision",
    ("get", "/users/me/decisions"): "listMyDecisions",
    ("post", "/users/me/decisions/{id}/appeal"): "appealDecision",
    ("get", "/users"): "listUsers",
    ("get", "/users/{id}"): "getUser",
    ("post", "/users/{id}/suspend"): "suspendUser",
    ("post", "/users/{id}/restore"): "restoreUser",
    ("get", "/livez"): "isAlive",
    ("get", "/readyz"): "isReady",
}
# What a page about one ad shows of it, to whomever.
PAGE = ["pk", "title", "price", "priceType", "description", "image", "thumbnail", "imageCount",
        "images", "place", "location",
        "category", "attributes", "status", "expiresAt", "soldAt", "createdAt",
        "updatedAt"]  # fmt: skip
# What everybody concerned is told of a decision.
STATEMENT = ["id", "at", "action", "kind", "target", "excerpt", "ground", "reference",
             "explanation", "automated", "scope", "until", "holds", "undoes", "redress",
             "appealUntil", "appeal"]  # fmt: skip
ACCOUNT = ["id", "email", "firstName", "lastName", "phone", "role", "image", "status",
           "suspendedUntil", "createdAt", "ads"]  # fmt: skip
RECORDS = {
    "Login": ["username", "password"],
    "Register": ["username", "password", "firstName", "lastName", "phone", "role"],
    "Ad": ["pk", "author", "image", "thumbnail", "imageCount", "price", "title", "status",
           "category", "priceType", "place", "location", "createdAt", "updatedAt", "distance"],
    "Ads": ["count", "countExact", "results", "next"],
    "ExtendedAd": [*PAGE, "author", "authorFirstName", "authorLastName", "email", "phone"],
    "CreateAd": ["title", "price", "description", "category", "attributes", "priceType", "place",
                 "location", "status"],
    "CreateAdForm": ["properties", "image"],
    "CreateOrUpdateAd": ["title", "price", "description", "category", "attributes", "priceType",
                         "place", "location"],
    "Category": ["slug", "parent", "name", "names", "position", "attributes", "count"],
    "Categories": ["results"],
    "AdDetails": [*PAGE, "author"],
    "AdAuthor": ["id", "firstName", "image", "since", "adCount"],
    "Location": ["latitude", "longitude"],
    "Site": ["name", "currency", "languages", "limits"],
    "User": ["id", "email", "firstName", "lastName", "phone", "role", "image",
             "mail", "mailVerified", "storageUsed", "storageQuota"],
    "TokenPair": ["access_token", "token_type", "refresh_token", "expires_in"],
    "UpdateUser": ["firstName", "lastName", "phone", "mail", "currentPassword"],
    "NewPassword": ["currentPassword", "newPassword"],
    "Comment": ["pk", "author", "authorFirstName", "authorImage", "createdAt", "text"],
    "Comments": ["count", "results", "next"],
    "CreateOrUpdateComment": ["text"],
    "Image": ["id", "image", "width", "height", "variants", "placeholder"],
    "Images": ["results"],
    "ImageOrder": ["order"],
    "AccountExport": ["user", "sessions", "ads", "comments", "decisions", "reports"],
    "CreateReport": ["reason", "text"],
    "Report": ["id", "reason", "text", "at"],
    "CaseSummary": ["id", "status", "kind", "target", "ad", "author", "reports", "snapshot",
                    "createdAt", "appeal"],
    "Case": ["id", "status", "kind", "target", "ad", "author", "reports", "snapshot",
             "createdAt", "appeal", "current", "decisions"],
    "Cases": ["results", "next"],
    "MakeDecision": ["action", "ground", "explanation", "reference", "days"],
    "Decision": STATEMENT,
    "MadeDecision": [*STATEMENT, "by", "user", "case"],
    "Decisions": ["results", "next"],
    "CreateAppeal": ["text"],
    "Statement": ["ground", "explanation", "reference", "days"],
    "AccountSummary": ACCOUNT,
    "Account": [*ACCOUNT, "decisions"],
    "Accounts": ["results", "next"],
    "Variant": ["path", "width", "height"],
    "Problem": ["type", "title", "status", "detail", "instance", "quota", "used",
                "from", "allowed", "until", "explanation", "errors"],
    "FaultDetail": ["pointer", "parameter", "part", "code", "detail", "type", "minimum", "maximum",
                    "minLength", "maxLength", "minItems", "maxItems", "pattern", "format",
                    "options", "number"],
}  # fmt: skip
# What the interface names; any operation with credentials can also meet 429.
STATUSES = {
    "login": {200, 400, 401, 403, 413, 415, 429},
    "register": {201, 204, 400, 409, 413, 415, 429},
    "issueToken": {200, 400, 413, 415, 429},
    "revokeToken": {200, 400, 413, 415},
    "listAds": {200, 304, 400, 429},
    "countAds": {200, 304, 400, 429},
    "createAd": {201, 204, 400, 401, 403, 409, 413, 415},
    "getAd": {200, 304, 400, 401, 403, 404, 410},
    "getAdDetails": {200, 304, 400, 404, 410},
    "getSite": {200, 304},
    "deleteAd": {204, 400, 401, 403, 404, 412},
    "updateAd": {200, 204, 400, 401, 403, 404, 412, 413, 415},
    "listMyAds": {200, 304, 400, 401},
    "replaceAdImage": {200, 400, 401, 403, 404, 409, 412, 413, 415},
    "addAdImages": {201, 400, 401, 403, 404, 409, 412, 413, 415},
    "orderAdImages": {200, 400, 401, 403, 404, 412, 413, 415},
    "deleteAdImage": {204, 400, 401, 403, 404, 409, 412},
    **{f"{step}Ad": {200, 400, 401, 403, 404, 409, 412} for step in STEPS},
    "sellAd": {200, 400, 401, 403, 404, 409, 412, 413, 415},
    "getImage": {200, 206, 304, 307, 404, 416},
    "isReady": {200},
    "getMe": {200, 304, 401},
    "updateMe": {200, 204, 400, 401, 403, 412, 413, 415},
    "deleteMe": {204, 400, 401, 403, 412, 413, 415},
    "replaceMyImage": {200, 400, 401, 409, 412, 413, 415},
    "exportMe": {200, 401},
    "requestMailVerification": {202, 401},
    "verifyMail": {204, 400, 413, 415, 429},
    "forgotPassword": {202, 400, 413, 415, 429},
    "resetPassword": {204, 400, 413, 415, 429},
    "listMySessions": {200, 304, 401},
    "endMySession": {204, 400, 401, 404},
    "setPassword": {200, 400, 401, 403, 413, 415},
    "changePassword": {200, 400, 401, 403, 413, 415},
    "listComments": {200, 304, 400, 401, 404, 410},
    "createComment": {200, 204, 400, 401, 403, 404, 410, 413, 415},
    "getComment": {200, 304, 400, 401, 404, 410},
    "updateComment": {200, 204, 400, 401, 403, 404, 410, 412, 413, 415},
    "deleteComment": {204, 400, 401, 403, 404, 410, 412},
    "listCategories": {200, 304},
    "getCategory": {200, 304, 400, 404},
    "getCategorySchema": {200, 304, 400, 404},
    "putCategory": {200, 201, 400, 401, 403, 409, 412, 413, 415},
    "deleteCategory": {204, 400, 401, 403, 404, 409, 412},
}
STATUSES |= {
    "reportAd": {200, 201, 400, 401, 403, 404, 410, 413, 415},
    "reportComment": {200, 201, 400, 401, 403, 404, 410, 413, 415},
    "listCases": {200, 304, 400, 401, 403},
    "getCase": {200, 304, 400, 401, 403, 404},
    "decideCase": {201, 400, 401, 403, 404, 409, 412, 413, 415},
    "undoDecision": {201, 400, 401, 403, 404, 409},
    "listMyDecisions": {200, 304, 400, 401},
    "appealDecision": {201, 400, 401, 404, 409, 413, 415},
    "listUsers": {200, 304, 400, 401, 403},
    "getUser": {200, 304, 400, 401, 403, 404},
    "suspendUser": {200, 400, 401, 403, 404, 413, 415},
    "restoreUser": {200, 400, 401, 403, 404},
}
OAUTH = {"issueToken", "revokeToken"}


@pytest.fixture(scope="module")
def document() -> Json:
    return document_with()


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def values(node: object, key: str) -> Iterator[object]:
    """What stands under that key, wherever it is."""
    if isinstance(node, dict):
        if key in node:
            yield node[key]
        for child in node.values():
            yield from values(child, key)
    elif isinstance(node, list):
        for child in node:
            yield from values(child, key)


def schemas_of(node: object) -> Iterator[Json]:
    """Every dictionary that has a type, or is one of the forms that a schema may have instead."""
    if isinstance(node, list):
        for child in node:
            yield from schemas_of(child)
    elif isinstance(node, dict):
        if isinstance(node.get("type"), (str, list)) or "anyOf" in node or "allOf" in node:
            yield node
        for name, child in node.items():
            # What stands there are values.
            if name not in {"example", "examples", "value"}:
                yield from schemas_of(child)


async def test_the_committed_document_is_the_served_one(client: httpx.AsyncClient) -> None:
    committed = json.loads((ROOT / "openapi.json").read_text())
    assert (await client.get("/openapi.json")).json() == committed


@pytest.mark.heavy
def test_the_command_prints_the_committed_document(tmp_path: Path) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "adsvc", "openapi"], cwd=tmp_path, capture_output=True, check=True
    )
    assert printed.stdout == (ROOT / "openapi.json").read_bytes()


def test_the_document_is_valid(document: Json) -> None:
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()


def test_operations_bear_the_names_that_a_client_s_developer_will_type(document: Json) -> None:
    found = {(method, path): o["operationId"] for method, path, o in operations(document)}
    assert found == OPERATIONS


@pytest.mark.parametrize("record", RECORDS)
def test_records_have_the_members_of_the_contract(document: Json, record: str) -> None:
    assert list(document["components"]["schemas"][record]["properties"]) == RECORDS[record]


def test_every_component_is_referred_to(document: Json) -> None:
    referred = set(values(document, "$ref"))
    for section, components in document["components"].items():
        if section != "securitySchemes":
            found = {f"#/components/{section}/{name}" for name in components}
            assert found == {name for name in referred if f"/{section}/" in str(name)}


def test_components_of_different_kinds_have_different_names(document: Json) -> None:
    """Some generators make types of all of them, in one place."""
    typed = ("schemas", "responses", "parameters")
    names = [name for section in typed for name in document["components"][section]]
    assert len(names) == len(set(names))


def test_every_operation_lists_every_status_it_can_answer(document: Json) -> None:
    for _, _, operation in operations(document):
        listed = {int(status) for status in operation["responses"]}
        by_protocol = {408, 431} if "requestBody" in operation else {431}
        if operation["operationId"] == "isAlive":
            assert listed == {200} | by_protocol
            continue
        known = STATUSES[operation["operationId"]] | {500, 503} | by_protocol
        if "IdempotencyKeyParameter" in str(operation.get("parameters")):
            known |= {409, 422}
        assert listed == known | ({429} if 401 in known else set())


def test_every_refusal_is_a_problem(document: Json) -> None:
    problem = {"$ref": "#/components/schemas/Problem"}
    for _, path, operation in operations(document):
        for status, listed in operation["responses"].items():
            response = resolved(document, listed)
            assert response["description"], f"{path} {status}"
            if int(status) >= 400 and not (status == "400" and operation["operationId"] in OAUTH):
                (content,) = response["content"].values()
                assert response["content"].keys() == {"application/problem+json"}
                assert content["schema"] == problem
                for example in content["examples"].values():
                    problem_sent = resolved(document, example)["value"]
                    assert problem_sent["status"] == int(status)
                    assert ("errors" in problem_sent) == (status == "400")
            headers = {"401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After"}
            if status in headers:
                assert headers[status] in response["headers"]


def test_what_needs_credentials_says_so(document: Json) -> None:
    for _, _, operation in operations(document):
        assert (operation["security"] != []) == (
            "401" in operation["responses"] and operation["operationId"] != "login"
        )


def test_every_member_and_parameter_has_an_example_that_is_valid(document: Json) -> None:
    components = {"components": document["components"]}
    for name, schema in document["components"]["schemas"].items():
        for member, rules in schema.get("properties", {}).items():
            if re.search(r"ref'|binary|'enum'|'const'", str(rules)):
                continue
            examples = next(values(rules, "examples"), None)
            assert isinstance(examples, list), f"{name}.{member}"
            for example in examples:
                OAS31Validator({**rules, **components}).validate(example)
    for _, path, operation in operations(document):
        assert operation["summary"], path
        for listed in operation.get("parameters", ()):
            parameter = resolved(document, listed)
            assert parameter["description"], path
            named = parameter["name"] == "cursor"
            example = parameter.get("example") or parameter["schema"].get("examples")
            assert named or example or "$ref" in str(parameter["schema"]), path


def test_an_example_is_one_of_the_member_it_stands_at(document: Json) -> None:
    """Two members of one record do not have the same example, unless they hold the same."""
    alike = {"createdAt", "updatedAt", "beganAt", "lastUsedAt", "expiresAt"}
    for name, schema in document["components"]["schemas"].items():
        seen: dict[str, str] = {}
        for member, rules in schema.get("properties", {}).items():
            for example in cast("list[object]", next(values(rules, "examples"), [])):
                if isinstance(example, str) and member not in alike:
                    assert seen.setdefault(example, member) == member, name
    for record in ("Register", "UpdateUser"):
        members = document["components"]["schemas"][record]["properties"]
        assert members["firstName"]["examples"] != members["lastName"]["examples"]


def test_javascript_can_hold_every_bound(document: Json) -> None:
    for key in ("minimum", "maximum", "default"):
        for bound in values(document, key):
            assert not isinstance(bound, int) or abs(bound) < 2**53, bound
    assert 2**53 - 1 in values(document["components"]["parameters"]["AdIdParameter"], "maximum")


def test_basic_is_listed_only_where_it_is_taken(document: Json) -> None:
    assert document["components"]["securitySchemes"].keys() == {"bearer", "oauth2"}
    assert "basic" not in json.dumps(
        [operation.get("security") for *_, operation in operations(document)]
    )
    taking = document_with(http_basic=True)
    OpenAPIV31SpecValidator(taking).validate()
    assert taking["components"]["securitySchemes"].keys() == {"bearer", "oauth2", "basic"}
    for method, _, operation in operations(taking):
        assert operation["security"] == [] or {"basic": []} in operation["security"]
        if method != "get":
            refusal = resolved(taking, operation["responses"]["403"])
            assert "cross-site" in str(refusal["content"])


def test_no_placeholder_of_a_limit_is_left(document: Json) -> None:
    assert "x-limit" not in json.dumps(document)


def test_bounds_are_written_as_json_schema_writes_them(document: Json) -> None:
    """What stands behind a validator of ours comes out as `ge`, which means nothing to clients."""
    for name in ("ge", "le", "gt", "lt"):
        assert list(values(document["paths"], name)) == []


def test_the_document_does_not_announce_what_fastapi_would_answer(document: Json) -> None:
    announced = {
        kind
        for *_, operation in operations(document)
        if "422" in operation["responses"]
        for kind in resolved(document, operation["responses"]["422"])["content"]
    }
    assert announced == {"application/problem+json"}
    assert "HTTPValidationError" not in json.dumps(document)


def test_schemas_are_such_as_generators_take_well(document: Json) -> None:
    """Each of these made names that nobody would type, or types that nobody could use."""
    assert "u0000" not in json.dumps(document)
    for schema in schemas_of(document):
        where = json.dumps(schema)
        assert not isinstance(schema.get("title"), str), where
        types = schema.get("type", "")
        if "integer" in types:
            assert schema["format"] in {"int32", "int64"}, where
        if "enum" in schema:
            names = schema["x-enum-varnames"]
            assert len(set(names)) == len(schema["enum"]), where
            assert all(re.fullmatch("[A-Z][A-Z_]*", name) for name in names), where
        # What may be null, and is no record, is one type beside null.
        assert "oneOf" not in schema, where
        assert "allOf" not in schema, where
        if "anyOf" in schema:
            [record, null] = schema["anyOf"]
            assert ("$ref" in record, null) == (True, {"type": "null"}), where
    for name, schema in document["components"]["schemas"].items():
        assert list(values(schema.get("properties", {}), "default")) == [], name


def test_an_ad_is_made_of_members_that_have_to_be_there(document: Json) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["CreateAd"]["required"] == ["title", "price", "description"]
    assert "required" not in schemas["CreateOrUpdateAd"]
    form = schemas["CreateAdForm"]["properties"]["properties"]
    assert form["$ref"] == "#/components/schemas/CreateAd"


def test_every_body_has_an_example_that_is_valid(document: Json) -> None:
    components = {"components": document["components"]}
    for _, path, operation in operations(document):
        bodies = [operation.get("requestBody", {})]
        bodies += [resolved(document, response) for response in operation["responses"].values()]
        for kind, media in (pair for body in bodies for pair in body.get("content", {}).items()):
            if kind.startswith("image/"):
                continue
            assert media["examples"], f"{path} {kind}"
            validator = OAS31Validator({**media["schema"], **components})
            for example in media["examples"].values():
                validator.validate(resolved(document, example)["value"])


def test_headers_that_clients_go_by_are_described(document: Json) -> None:
    found: dict[str, set[str]] = {}
    for *_, operation in operations(document):
        for status, response in operation["responses"].items():
            headers = resolved(document, response)["headers"]
            assert "X-Request-Id" in headers
            for name, header in headers.items():
                assert resolved(document, header)["description"]
                found.setdefault(name, set()).add(f"{operation['operationId']} {status}")
    assert found["Location"] == {
        *("createAd 201", "register 201", "putCategory 201", "getImage 307"),
    }
    lists = ("Ads", "MyAds", "Comments", "Cases", "MyDecisions", "Users")
    assert found["Link"] == {f"list{name} 200" for name in lists}
    limited = {"createAd 201", "updateAd 200", "deleteAd 204", "sellAd 200", "getAd 200"}
    assert limited < found["RateLimit"]
    assert "getMe 200" not in found["RateLimit"]
    for *_, operation in operations(document):
        names = {resolved(document, p)["name"] for p in operation.get("parameters", ())}
        assert ("If-None-Match" in names) == ("304" in operation["responses"])


def test_every_tag_is_described(document: Json) -> None:
    described = {tag["name"]: tag["description"] for tag in document["tags"]}
    assert all(described.values())
    used = {tag for *_, operation in operations(document) for tag in operation["tags"]}
    assert used == described.keys()
    assert document["servers"]
    assert document["info"]["contact"]
