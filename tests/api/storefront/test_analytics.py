"""Scripts of others in pages: off by default, of listed origins, without code in the page."""

from pathlib import Path

import pytest

from adsvc.kit.markup import script_fault, written_scripts
from adsvc.settings import Storefront
from conftest import ApiFactory
from support.scene.storefront import build

ORIGIN = "https://plausible.example.com"
SCRIPT = f'<script defer data-domain="ads.example.com" src="{ORIGIN}/js/script.js"></script>'


@pytest.mark.parametrize(
    "snippet",
    [
        "", "Hello", "<p>", "<!-- x -->", "<!DOCTYPE html>", "<?php ?>", "<script></script>",
        "<script>alert(1)</script>", f"{SCRIPT}alert(1)", f"{SCRIPT}<img src=x onerror=alert(1)>",
        f'<script src="{ORIGIN}/x.js">alert(1)</script>',
        f'<script src="{ORIGIN}/x.js" onload="alert(1)"></script>',
        f'<script src="{ORIGIN}/x.js" type="module"></script>',
        f'<script src="{ORIGIN}/x.js" src="https://evil.example"></script>',
        f'<script src="{ORIGIN}@evil.example/x.js"></script>',
        f'<script src="{ORIGIN}\\@evil.example/x.js"></script>',
        f'<script src="{ORIGIN}.evil.example/x.js"></script>',
        '<script src="//plausible.example.com/x.js"></script>',
        '<script src="/images/x.js"></script>', '<script src="data:text/javascript,1"></script>',
        '<script src="javascript:alert(1)"></script>',
        f'<script src=" {ORIGIN}/x.js"></script>', f'<link href="{ORIGIN}/x.css">',
        f'<script src="{ORIGIN.upper()}/x.js"></script>', f"{SCRIPT}</p>x",
        f'<svg><script src="{ORIGIN}/x.js"></script></svg>',
    ],
)  # fmt: skip
def test_what_is_no_script_of_the_origins_is_refused(snippet: str) -> None:
    assert script_fault(snippet, [ORIGIN]) is not None


def test_elements_are_written_as_a_parser_reads_them() -> None:
    odd = f"<SCRIPT async DATA-x='a\"><b>' src={ORIGIN}/x.js?a&amp;b"
    assert script_fault(f"{odd}>", [ORIGIN]) is None
    assert written_scripts(f"{odd}>") == (
        f'<script async data-x="a&quot;&gt;&lt;b&gt;" src="{ORIGIN}/x.js?a&amp;b"></script>'
    )


@pytest.mark.heavy
async def test_pages_have_the_scripts_while_they_are_on(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    settings = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path)}
    async with start_api(**settings) as api:
        admin = await api.admin()
        before = await api.client.get("/")
        assert ORIGIN not in str(before.headers)
        wrong = {"origins": [ORIGIN], "snippet": "<script>alert(1)</script>"}
        for sent in (wrong, {**wrong, "origins": ["*"]}, {"origins": [ORIGIN]}):
            answer = await admin.patch("/admin/site", json={"analytics": sent})
            assert answer.status_code == 400
        sent = {"origins": [ORIGIN], "snippet": SCRIPT}
        answer = await admin.patch("/admin/site", json={"analytics": sent})
        assert answer.json()["analytics"] == sent
        page = await api.client.get("/")
        assert SCRIPT in page.text
        policy = page.headers["Content-Security-Policy"]
        assert f"script-src 'self' {ORIGIN};" in policy
        assert f"connect-src 'self' {ORIGIN};" in policy
        await admin.patch("/admin/site", json={"analytics": None})
        after = await api.client.get("/")
        assert after.headers["Content-Security-Policy"] == before.headers["Content-Security-Policy"]
        assert after.text == before.text
