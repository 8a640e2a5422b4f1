"""The published document: complete, valid, and the one that is committed."""

import json
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from samples import samples_of
from support.contract.documents import Json, document_with, operations, resolved, values
from support.contract.expected import LISTS, OAUTH, OPERATIONS, RECORDS, STATUSES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def document() -> Json:
    return document_with()


async def test_the_committed_document_is_the_served_one(client: httpx2.AsyncClient) -> None:
    committed = json.loads((ROOT / "openapi.json").read_text())
    assert (await client.get("/openapi.json")).json() == committed


@pytest.mark.heavy
def test_the_samples_are_those_of_the_document(document: Json) -> None:
    """The service has them from a file; `make format` writes it anew."""
    shown = {
        operation["operationId"]: operation["x-codeSamples"]
        for *_, operation in operations(document)
    }
    assert shown == samples_of(document)


@pytest.mark.long
@pytest.mark.heavy
def test_the_command_prints_the_committed_document(tmp_path: Path) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "adsvc", "openapi"], cwd=tmp_path, capture_output=True, check=True
    )
    assert printed.stdout == (ROOT / "openapi.json").read_bytes()


@pytest.mark.heavy
def test_the_document_is_valid(document: Json) -> None:
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()


@pytest.mark.heavy
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


def test_every_operation_lists_every_status_it_can_answer(document: Json) -> None:
    for _, _, operation in operations(document):
        listed = {int(status) for status in operation["responses"]}
        by_protocol = {408, 431} if "requestBody" in operation else {431}
        if operation["operationId"] == "isAlive":
            assert listed == {200} | by_protocol
            continue
        known = STATUSES[operation["operationId"]] | {403, 500, 503} | by_protocol
        if operation["operationId"] not in {*OAUTH, "isReady"}:
            # With `Prefer: handling=strict`.
            known |= {400}
        if "IdempotencyKeyParameter" in str(operation.get("parameters")):
            known |= {409, 422}
        # Whatever takes credentials takes a key, or says that it does not.
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
            "401" in operation["responses"]
            and operation["operationId"]
            not in {"login", "completeLogin", "logInByPasskey", "logInByProvider", "linkIdentity"}
        )


def test_enumerations_are_open_in_answers_and_closed_in_requests(document: Json) -> None:
    """`values` lists what a node refers to, and follows no reference."""
    schemas = document["components"]["schemas"]

    def names_in(node: object) -> set[str]:
        found: set[str] = set()
        new = {str(name).rpartition("/")[2] for name in values(node, "$ref")}
        while new:
            found |= new
            new = {
                str(name).rpartition("/")[2]
                for each in new & schemas.keys()
                for name in values(schemas[each], "$ref")
            } - found
        return found & set(schemas)

    answers = [list(operation["responses"].values()) for *_, operation in operations(document)]
    answers.append(document["components"]["responses"])
    requests = [
        [operation.get("requestBody"), operation.get("parameters")]
        for *_, operation in operations(document)
    ]
    requests.append(document["components"]["parameters"])
    for node, closed in ((answers, "enum"), (requests, "x-extensible-enum")):
        for name in names_in(node):
            assert not list(values(schemas[name], closed)), name
    assert {"Role", "AdStatus", "FaultCode"} <= names_in(answers)
    assert {"CreateAd", "Sort"} <= names_in(requests)
    assert schemas["Role"]["type"] == "string"
    assert schemas["Role"]["x-extensible-enum"] == ["USER", "MODERATOR", "ADMIN"]


@pytest.mark.heavy
def test_basic_is_listed_only_where_it_is_taken(document: Json) -> None:
    assert document["components"]["securitySchemes"].keys() == {"bearer"}
    assert "basic" not in json.dumps(
        [operation.get("security") for *_, operation in operations(document)]
    )
    taking = document_with(http_basic=True)
    OpenAPIV31SpecValidator(taking).validate()
    assert taking["components"]["securitySchemes"].keys() == {"bearer", "basic"}
    for method, _, operation in operations(taking):
        assert operation["security"] == [] or {"basic": []} in operation["security"]
        if method != "get":
            refusal = resolved(taking, operation["responses"]["403"])
            assert "cross-site" in str(refusal["content"])


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
        *(
            "createAd 201",
            "createDraft 201",
            "register 201",
            "putCategory 201",
            "putProvider 201",
            "putAd 201",
            "createImport 202",
            "getImage 307",
            "setUp 201",
        ),
    }
    assert found["Link"] == {f"{name} 200" for name in LISTS}
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
