"""The documentation pages, which ask nobody else for anything."""

import re

import httpx


async def test_the_pages_name_no_file_of_another_site(client: httpx.AsyncClient) -> None:
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
