"""The document as OpenAPI 3.0.3, the collection for Postman, and the changelog as a page."""

import json

import httpx2
import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from adsvc.api.openapi.document import as_openapi_3_0, postman_collection
from support.contract.documents import document_with, operations


@pytest.mark.heavy
async def test_the_document_for_older_tools_is_valid(client: httpx2.AsyncClient) -> None:
    served = (await client.get("/openapi-3.0.json")).json()
    assert served == as_openapi_3_0(document_with())
    assert served["openapi"] == "3.0.3"
    assert list(OpenAPIV30SpecValidator(served).iter_errors()) == []
    text = json.dumps(served)
    for newer in ('"null"', '"const"', '"contentMediaType"'):
        assert newer not in text
    assert "webhooks" not in served
    schemas = served["components"]["schemas"]
    assert schemas["Delivery"]["properties"]["answer"]["nullable"] is True
    assert schemas["Webhook"]["properties"]["disabledReason"]["nullable"] is True


@pytest.mark.heavy
async def test_the_collection_for_postman_has_every_operation(client: httpx2.AsyncClient) -> None:
    served = (await client.get("/postman.json")).json()
    document = document_with()
    assert served == postman_collection(document)
    requests = {
        (each["request"]["method"], each["request"]["url"]["raw"]): each["request"]
        for folder in served["item"]
        for each in folder["item"]
    }
    assert len(requests) == sum(1 for _ in operations(document))
    for request in requests.values():
        body = request.get("body", {"mode": "none"})
        assert body["mode"] in {"none", "raw", "urlencoded", "formdata", "file"}
        if body["mode"] == "raw":
            assert isinstance(json.loads(body["raw"]), dict)
    posted = requests["POST", "{{baseUrl}}/ads"]["body"]["formdata"]
    assert [part["key"] for part in posted] == ["properties", "image"]
    assert json.loads(posted[0]["value"])["title"]
    assert requests["GET", "{{baseUrl}}/ads/:id"]["url"]["variable"][0]["key"] == "id"
    assert requests["POST", "{{baseUrl}}/login"]["auth"] == {"type": "noauth"}


@pytest.mark.heavy
async def test_the_changelog_is_a_page(client: httpx2.AsyncClient) -> None:
    page = await client.get("/changelog")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h2" in page.text
    assert "Unreleased" in page.text
