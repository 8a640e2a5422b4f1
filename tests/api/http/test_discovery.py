"""How programs discover the interface."""

import json
import re
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from adsvc.settings import load_settings
from conftest import ApiFactory
from support.contract.expected import RECORDS
from support.scene.api import Api


@pytest.mark.heavy
async def test_the_document_need_not_be_sent_twice(client: httpx2.AsyncClient) -> None:
    whole = await client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
    assert whole.headers["Content-Type"] == "application/json"
    assert whole.headers["Cache-Control"] == "public, no-cache"
    packed = await client.get("/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.content == whole.content
    assert int(packed.headers["Content-Length"]) * 5 < len(whole.content)
    for answer in (whole, packed):
        headers = {
            "If-None-Match": answer.headers["ETag"],
            "Accept-Encoding": answer.headers.get("Content-Encoding", "identity"),
        }
        again = await client.get("/openapi.json", headers=headers)
        assert (again.status_code, again.content) == (304, b"")
    assert (await client.head("/openapi.json")).headers["ETag"]


@pytest.mark.heavy
async def test_the_catalogue_leads_to_what_is_there(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/.well-known/api-catalog")
    assert answer.headers["Content-Type"].startswith("application/linkset+json")
    assert answer.headers["Link"] == '</.well-known/api-catalog>; rel="api-catalog"'
    [catalogue, interface] = answer.json()["linkset"]
    assert catalogue["item"] == [{"href": interface["anchor"]}]
    for relation in ("service-desc", "service-doc", "status"):
        [target] = interface[relation]
        found = await client.get(target["href"])
        assert found.status_code == 200
        assert found.headers["Content-Type"].startswith(target["type"])


@pytest.mark.heavy
async def test_the_guide_for_language_models_is_true(start_api: ApiFactory) -> None:
    async with start_api(site_name="Trödel") as api:
        answer = await api.client.get("/llms.txt")
        assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
        assert answer.text.startswith("# Trödel\n\n> ")
        for path in ("/openapi.json", "/redoc", "/problems"):
            assert f"({path})" in answer.text
            assert (await api.client.get(path)).status_code == 200
        document = (await api.client.get("/openapi.json")).json()
        listed = [line for line in answer.text.splitlines() if re.match(r"- `[A-Z]+ /", line)]
        operations = [
            (method.upper(), path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        assert len(listed) == len(operations) > 100
        open_to_all = {line.split("`")[1] for line in listed if line.endswith("(no credentials)")}
        for method, path, operation in operations:
            [line] = [each for each in listed if each.startswith(f"- `{method} {path}`: ")]
            assert operation["summary"] in line
            if method == "GET" and "{" not in path:
                answered = await api.client.get(path, params={"near": "1,1", "q": "oak"})
                is_open = f"GET {path}" in open_to_all
                assert (answered.status_code == 401) is not is_open, (path, answered.status_code)
        assert any(line.endswith("(scope ads:write)") for line in listed)
        assert any(line.endswith("(session)") for line in listed)


async def test_security_contacts_are_published_where_set(api: Api, start_api: ApiFactory) -> None:
    missing = await api.client.get("/.well-known/security.txt")
    assert (missing.status_code, missing.json()["type"]) == (404, "/problems#not-found")
    contacts = load_settings(
        security_contact="mailto:security@example.com, https://example.com/report"
    ).security_contact
    async with start_api(security_contact=contacts) as named:
        answer = await named.client.get("/.well-known/security.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    *told, expires = answer.text.splitlines()
    assert told == ["Contact: mailto:security@example.com", "Contact: https://example.com/report"]
    name, _, moment = expires.partition(": ")
    left = datetime.fromisoformat(moment) - datetime.now(UTC)
    assert name == "Expires"
    assert timedelta(days=170) < left < timedelta(days=365)


@pytest.mark.parametrize("contact", ["security@example.com", "http://example.com", "mailto:nobody"])
def test_a_security_contact_is_a_uri(contact: str) -> None:
    with pytest.raises(Exception, match="mailto: or https://"):
        load_settings(security_contact=contact)


@pytest.mark.heavy
async def test_what_is_deprecated_says_so(api: Api) -> None:
    person = await api.person()
    operations = (await person.client.get("/openapi.json")).json()["paths"]["/users/set_password"]
    assert operations["post"]["deprecated"] is True
    assert "deprecated" not in operations["patch"]
    moments = {"Deprecation": "@1795305600", "Sunset": "Mon, 22 Nov 2027 00:00:00 GMT"}
    origin = {"Origin": "http://localhost:3000"}
    change = {"currentPassword": "wrong, but long", "newPassword": "another horse, another staple"}
    refused = await person.post("/users/set_password", json=change, headers=origin)
    assert refused.status_code == 403
    exposed = refused.headers["Access-Control-Expose-Headers"].split(", ")
    for name, moment in moments.items():
        assert refused.headers[name] == moment
        assert name.lower() in exposed
    change["currentPassword"] = person.password
    done = await person.post("/users/set_password", json=change)
    assert done.status_code == 200
    assert moments.items() <= {name: done.headers[name] for name in moments}.items()
    headers = {"Authorization": f"Bearer {done.json()['access_token']}"}
    other = await person.client.patch("/users/set_password", json=change, headers=headers)
    assert not moments.keys() & set(map(str.title, other.headers))


@pytest.mark.heavy
async def test_the_export_is_what_the_document_says(api: Api) -> None:
    """Every answer is held against the document; here it has everything that it can have."""
    person = await api.person()
    await person.post_ad()
    answer = await person.get("/users/me/export")
    assert list(json.loads(answer.content)) == RECORDS["AccountExport"]
    assert answer.headers["Content-Disposition"]
