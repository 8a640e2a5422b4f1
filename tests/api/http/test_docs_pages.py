"""The documentation pages load nothing from other sites."""

import re

import httpx2
import pytest

from support.contract.documents import operations
from support.scene.api import Api


@pytest.mark.heavy
async def test_the_pages_name_no_file_of_another_site(client: httpx2.AsyncClient) -> None:
    for page in ("/docs", "/redoc"):
        answer = await client.get(page)
        assert answer.status_code == 200
        for url in re.findall(r'(?:src|href)="([^"]+)"', answer.text):
            assert url.startswith("/docs-assets/"), page
            assert (await client.get(url)).status_code == 200
    # The only picture that the script itself would fetch.
    script = await client.get("/docs-assets/redoc.standalone.js")
    assert script.headers["Content-Type"].startswith("text/javascript")
    assert "cdn.redoc.ly" not in script.text
    headers = {"If-None-Match": script.headers["ETag"]}
    again = await client.get("/docs-assets/redoc.standalone.js", headers=headers)
    assert (again.status_code, again.content) == (304, b"")


async def test_swagger_ui_logs_in_with_name_and_password(client: httpx2.AsyncClient) -> None:
    """It sends a token only by the scheme that gave it, which has to be listed."""
    page = await client.get("/docs")
    assert "url: '/docs/openapi.json'" in page.text
    redirect = re.search(r"oauth2RedirectUrl: window.location.origin \+ '(.+?)'", page.text)
    assert redirect is not None
    assert (await client.get(redirect[1])).status_code == 200
    tried = (await client.get("/docs/openapi.json")).json()
    document = (await client.get("/openapi.json")).json()
    flow = tried["components"]["securitySchemes"].pop("oauth2")["flows"]["password"]
    assert flow["tokenUrl"] == "token"
    for *_, operation in operations(document):
        assert {"oauth2": []} not in operation["security"]
    for *_, operation in operations(tried):
        if operation["security"]:
            assert operation["security"].pop() == {"oauth2": []}
    assert tried == document


@pytest.mark.heavy
async def test_the_interface_s_page_is_served_and_led_to(client: httpx2.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    assert document["externalDocs"]["url"].startswith("http")
    where = "/" + document["externalDocs"]["url"].split("/", 3)[3]
    page = await client.get(where)
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "<td><code>POST /login</code></td>" in page.text
    headings = set(re.findall(r'<h[1-6] id="([^"]+)"', page.text))
    links = re.findall(r'href="([^"]+)"', page.text)
    assert len(links) > 5
    for link in links:
        if link.startswith("#"):
            assert link[1:] in headings, link
        elif not link.startswith("https://"):
            assert (await client.get(str(page.url.join(link)))).status_code == 200, link
    again = await client.get(where, headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 304
    assert where in (await client.get("/llms.txt")).text
    for chapter in ("Authentication", "Pages", "Sending a request again", "Errors", "Versions"):
        assert f"## {chapter}\n" in document["info"]["description"]


async def test_the_page_to_try_operations_opens_none_and_filters_them(api: Api) -> None:
    page = (await api.client.get("/docs")).text
    assert '"docExpansion": "none"' in page
    assert '"filter": true' in page
