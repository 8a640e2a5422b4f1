"""`Prefer: handling=strict` (RFC 7240 §4.4): unknown parameters and members are refused."""

from typing import Any

import httpx2
import pytest

from support.contract.documents import document_with, operations, resolved
from support.scene.api import Api, ad_form

STRICT = {"Prefer": "handling=strict"}

# RFC 6749 §3.2 requires OAuth's endpoints to ignore unknown parameters. Probes have no clients.
NEVER_STRICT = {"/token", "/revoke", "/livez", "/readyz"}


# Their answers do not end.
ENDLESS = {"streamEvents", "streamMyEvents"}

# Their requests are those of RFC 6749 and 7009, and of probes.
NEVER_STRICT = {"/token", "/revoke", "/livez", "/readyz"}


def faults_of(answer: httpx2.Response) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.text
    assert answer.headers["Preference-Applied"] == "handling=strict"
    found = answer.json()["errors"]
    return [(fault.get("parameter") or fault.get("pointer"), fault["code"]) for fault in found]


@pytest.mark.heavy
async def test_every_operation_refuses_a_parameter_that_it_does_not_know(api: Api) -> None:
    admin, other = await api.admin(), await api.admin()
    document = document_with()
    await admin.post_ad()
    seen = set()
    for method, path, operation in operations(document):
        if path in NEVER_STRICT:
            answer = await admin.request(method.upper(), f"{path}?prise=1", headers=STRICT)
            assert "Preference-Applied" not in answer.headers
            continue
        where = path.replace("{slug}", "none")
        for name in ("id", "commentId", "imageId", "name"):
            where = where.replace(f"{{{name}}}", "1")
        for _ in range(2):
            # The second time some have their answers in memory.
            answer = await admin.request(method.upper(), f"{where}?prise=canary", headers=STRICT)
            assert faults_of(answer) == [("prise", "unknown")], (method, path)
            assert "canary" not in answer.text
        seen.add(operation["operationId"])
        if operation["operationId"] in ENDLESS:
            continue
        # It may end the session.
        lenient = await other.request(
            method.upper(), f"{where}?prise=1", headers=STRICT | {"Prefer": "x"}
        )
        assert "Preference-Applied" not in lenient.headers
        assert "prise" not in lenient.text, (method, path)
    assert len(seen) > 55


@pytest.mark.heavy
async def test_credentials_and_rights_are_checked_before_parameters(api: Api) -> None:
    person, refused = await api.person(), set()
    for method, path, operation in operations(document_with()):
        where = path.replace("{slug}", "none")
        for name in ("id", "commentId", "imageId", "name"):
            where = where.replace(f"{{{name}}}", "1")
        if "401" not in operation["responses"] or path in {"/login", "/token"}:
            continue
        answer = await api.client.request(method.upper(), f"{where}?prise=1", headers=STRICT)
        if answer.status_code == 400:
            # Anonymous, with an answer of 401 for its body.
            assert not operation.get("security"), path
            continue
        assert answer.status_code == 401, (method, path)
        answer = await person.request(method.upper(), f"{where}?prise=1", headers=STRICT)
        assert answer.status_code in {400, 403}, (method, path)
        refused.add((path.split("/")[1], answer.status_code))
    assert {("admin", 403), ("moderation", 403), ("users", 400)} <= refused
    assert ("admin", 400) not in refused


@pytest.mark.heavy
async def test_every_parameter_of_the_document_is_known(api: Api) -> None:
    person = await api.admin()
    document = document_with()
    for method, path, operation in operations(document):
        if path in NEVER_STRICT or (path == "/users/me" and method == "delete"):
            continue
        parameters = [resolved(document, each) for each in operation.get("parameters", ())]
        query = "&".join(f"{each['name']}=x" for each in parameters if each["in"] == "query")
        where = path.replace("{slug}", "none")
        for name in ("id", "commentId", "imageId", "name"):
            where = where.replace(f"{{{name}}}", "1")
        answer = await person.request(method.upper(), f"{where}?{query}", headers=STRICT)
        assert "is not a parameter" not in answer.text, (method, path, answer.text)
        assert answer.headers.get("Preference-Applied") == "handling=strict", (method, path)


async def test_members_that_are_not_known_are_refused_at_their_names(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    place = {"latitude": 52.5, "longitude": 13.4, "altitude": 34}
    sent = {"prise": 4, "price": -1, "a/b~c": 1, "location": place}
    answer = await person.patch(path, json=sent, headers=STRICT)
    assert sorted(faults_of(answer)) == [
        ("/a~1b~0c", "unknown"), ("/location/altitude", "unknown"),
        ("/price", "out-of-range"), ("/prise", "unknown"),
    ]  # fmt: skip
    answer = await person.patch(
        "/users/me", json={"firstName": "Zoe", "lastNam": "x"}, headers=STRICT
    )
    assert faults_of(answer) == [("/lastNam", "unknown")]
    assert (await person.get("/users/me")).json()["firstName"] != "Zoe"
    answer = await person.post("/ads", files=ad_form(prise=1), headers=STRICT)
    assert faults_of(answer) == [("/prise", "unknown")]
    assert answer.json()["errors"][0]["part"] == "properties"
    changed = await person.patch(path, json={"price": 4}, headers=STRICT)
    assert (changed.status_code, changed.headers["Preference-Applied"]) == (200, "handling=strict")
    lenient = await person.patch(path, json={"price": 5, "prise": 4})
    assert (lenient.status_code, lenient.json()["price"]) == (200, 5)


async def test_of_all_that_is_not_known_the_first_twenty_are_named(api: Api) -> None:
    person = await api.person()
    many = {f"more{number}": number for number in range(30)}
    answer = await person.patch("/users/me", json={"firstName": "Zoe", **many}, headers=STRICT)
    assert faults_of(answer) == [(f"/{name}", "unknown") for name in list(many)[:20]]
    for where in ("/ads", "/site"):
        answer = await person.get(where, params=many, headers=STRICT)
        assert faults_of(answer) == [(name, "unknown") for name in list(many)[:20]], where


async def test_the_preference_is_read_as_rfc_7240_says(api: Api) -> None:
    for value, applied in (
        ("handling=strict", True), ('Handling = "strict"', True), ("HANDLING=STRICT; x=1", True),
        ("respond-async, handling=strict", True), ("handling=lenient", False),
        ("handling=lenient, handling=strict", False), ("handling=strictly", False),
        ("xhandling=strict", False), ("strict", False), ("", False),
    ):  # fmt: skip
        for where in ("/ads", "/site"):
            answer = await api.client.get(f"{where}?foo=1", headers={"Prefer": value})
            assert answer.status_code == (400 if applied else 200), (where, value)
            assert ("Preference-Applied" in answer.headers) == applied, (where, value)
    twice: list[tuple[str, Any]] = [("Prefer", "respond-async"), ("Prefer", "handling=strict")]
    assert (await api.client.get("/site?foo=1", headers=twice)).status_code == 400
    for where in ("/ads", "/site", "/openapi.json"):
        for _ in range(2):
            answer = await api.client.head(where, headers=STRICT)
            applied = where != "/openapi.json"
            assert (answer.status_code, "Preference-Applied" in answer.headers) == (200, applied)
