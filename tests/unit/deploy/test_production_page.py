"""docs/production.md can be pasted word for word: what it names exists."""

import re
import subprocess
from pathlib import Path

import pytest

from adsvc.settings import Settings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/production.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """As forges make them of headings."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_settings_files_and_links_exist() -> None:
    known = {f"ADSVC_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"\bADSVC_[A-Z0-9_]+", PAGE)) <= known
    for name in re.findall(r"\bdeploy/[\w./@-]+\w", PAGE):
        assert (ROOT / name).exists(), name
    for target, anchor in re.findall(r"\]\((?!http)([^)#]*)(?:#([\w-]+))?\)", PAGE):
        path = ROOT / "docs" / target if target else ROOT / "docs/production.md"
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


@pytest.mark.heavy
def test_every_block_is_a_script() -> None:
    assert len(BLOCKS) >= 10
    for block in BLOCKS:
        checked = subprocess.run(
            ["bash", "-n"], input=block, text=True, capture_output=True, check=False
        )
        assert checked.returncode == 0, checked.stderr


def test_the_proxy_is_configured_as_the_page_does_it(tmp_path: Path) -> None:
    [block] = [block for block in BLOCKS if "certbot certonly" in block]
    commands = re.findall(r"^sed \"s/ads.*\n(?: +.*\n)*", block, re.MULTILINE)
    together = "".join(commands).replace("/etc/nginx/conf.d", str(tmp_path))
    script = f"set -e; DOMAIN=site.test\n{together}"
    subprocess.run(["bash", "-c", script], check=True, cwd=ROOT)
    proxy, to_https = ((tmp_path / f"adsvc{end}.conf").read_text() for end in ("", "-https"))
    for line in (
        "listen 443 ssl;", "listen [::]:443 ssl;", "server_name site.test;",
        "    ssl_certificate     /etc/letsencrypt/live/site.test/fullchain.pem;",
        "    ssl_certificate_key /etc/letsencrypt/live/site.test/privkey.pem;",
    ):  # fmt: skip
        assert line in proxy, line
    assert "listen 80;" not in proxy
    assert "server_name site.test;" in to_https
    for text in (proxy, to_https):
        assert "example.com" not in text
    # One word more for a bucket.
    assert proxy.count("default directory;") == 1
