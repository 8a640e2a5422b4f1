"""The storefront's files are the same from nginx as from adsvc."""

import httpx2
import pytest

from proxy.conftest import Site
from support.scene.storefront import SCRIPT

ASSET = "/assets/app-1a2b3c4d.js"
# Of each answer, or of each server.
# What nginx sends by itself does not say which version of the interface the service has.
PER_ANSWER = {
    *("date", "server", "connection", "x-request-id", "accept-ranges"),
    "adsvc-version",
}


def told(answer: httpx2.Response) -> dict[str, str]:
    return {name: text for name, text in answer.headers.items() if name not in PER_ANSWER}


@pytest.mark.heavy
async def test_files_are_the_same_from_either(site: Site) -> None:
    direct = httpx2.AsyncClient(base_url=f"http://127.0.0.1:{site.nodes[0].port}")
    async with direct:
        for accepted in ("identity", "gzip"):
            asked = {"Accept-Encoding": accepted}
            ours = await direct.get(ASSET, headers=asked)
            theirs = await site.client.get(ASSET, headers=asked)
            assert theirs.status_code == ours.status_code == 200, accepted
            assert theirs.content == ours.content == SCRIPT, accepted
            assert told(theirs) == told(ours), accepted
            # No request reached the service.
            assert "x-request-id" not in theirs.headers, accepted
            conditional = {**asked, "If-None-Match": theirs.headers["ETag"]}
            assert (await site.client.get(ASSET, headers=conditional)).status_code == 304
    for path, status in (
        ("/", 200), ("/assets/nothing-1a2b3c4d.js", 404), ("/assets/app-1a2b3c4d.js.gz", 404),
        ("/favicon.ico", 200), ("/ads.atom", 200), ("/robots.txt", 200), ("/a/999999", 404),
    ):  # fmt: skip
        answer = await site.client.get(path)
        assert answer.status_code == status, path
        assert "x-request-id" in answer.headers, path
