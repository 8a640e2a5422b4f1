"""Ads in pages of other sites."""

import re
from pathlib import Path

import pytest

from adsvc.settings import Storefront
from conftest import ApiFactory
from support.scene.factors import kind
from support.scene.storefront import build

BLOG = "https://blog.example.com"


@pytest.mark.heavy
async def test_listed_origins_may_frame_ads_and_oembed_describes_one(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    settings = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path)}
    async with start_api(**settings) as api:
        admin, author = await api.admin(), await api.person()
        ad = await author.post_ad(title="Oak <b>table</b>", place="Berlin")
        await author.post_ad(title="Lamp", price=3)
        closed = await api.client.get("/embed")
        assert "frame-ancestors 'none'" in closed.headers["Content-Security-Policy"]
        for wrong in ("blog.example.com", f"{BLOG}/", "https://*", f"{BLOG}; script-src *"):
            answer = await admin.patch("/admin/site", json={"embedOrigins": [wrong]})
            assert answer.status_code == 400, wrong
        answer = await admin.patch("/admin/site", json={"embedOrigins": [BLOG]})
        assert answer.json()["embedOrigins"] == [BLOG]
        page = await api.client.get("/embed?q=oak&limit=1", headers={"Origin": BLOG})
        policy = page.headers["Content-Security-Policy"]
        assert policy.endswith(f"frame-ancestors {BLOG}")
        assert "script-src" not in policy
        assert "<script" not in page.text
        assert re.findall(r'href="([^"]+)"', page.text) == [
            f"http://testserver/a/{ad['pk']}-oak-b-table-b",
            "http://testserver/search?q=oak",
        ]
        assert "Oak &lt;b&gt;table&lt;/b&gt;" in page.text
        assert "1500 EUR · Berlin" in page.text
        same = await api.client.get(
            "/embed?q=oak&limit=1", headers={"If-None-Match": page.headers["ETag"]}
        )
        assert same.status_code == 304
        assert (await api.client.get("/embed?limit=51")).status_code == 400

        head = (await api.client.get(f"/a/{ad['pk']}", follow_redirects=True)).text
        [address] = re.findall(r'type="application/json\+oembed" href="([^"]+)"', head)
        card = (await api.client.get(address.replace("&amp;", "&"))).json()
        assert (card["version"], card["type"], card["title"]) == ("1.0", "rich", ad["title"])
        assert "<b>" not in card["html"]
        assert card["thumbnail_url"].startswith("http://testserver/images/")
        for url in (f"{BLOG}/a/{ad['pk']}", "/a/1", "", "http://testserver/a/99999"):
            answer = await api.client.get("/oembed", params={"url": url, "format": "json"})
            assert (answer.status_code, kind(answer)) == (404, "ad-not-found"), url
        assert (await api.client.get("/oembed?format=xml")).status_code == 400
