"""The smallest possible storefront, as the files that a build leaves."""

import gzip
from pathlib import Path

INDEX = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Built</title>
    <script type="module" src="/assets/app-1a2b3c4d.js"></script>
  </head>
  <body><div id="app"></div></body>
</html>
"""
SCRIPT = b"document.title = 'a storefront';\n" * 50
FILES = {
    "index.html": INDEX.encode(),
    "index.html.br": b"not used",
    "assets/app-1a2b3c4d.js": SCRIPT,
    # No test unpacks it.
    "assets/app-1a2b3c4d.js.br": b"as Brotli",
    "assets/app-1a2b3c4d.js.gz": gzip.compress(SCRIPT, mtime=0),
    "assets/icon-5e6f7a8b.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "favicon.ico": b"icon",
    ".vite/manifest.json": b"{}",
}


def build(directory: Path) -> Path:
    for name, content in FILES.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory
