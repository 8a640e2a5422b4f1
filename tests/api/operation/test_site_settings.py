"""The site as administrators set it: what is in effect, what is refused, the history."""

import asyncio
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from adsvc.services.picture_deletion import orphans
from adsvc.settings import Jobs, Storefront
from adsvc_ops.backup.database import BackupQueries
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import Api, Person, image_form
from support.scene.factors import kind
from support.scene.storefront import build

Json = dict[str, Any]


@pytest.fixture
async def admin(api: Api) -> Person:
    return await api.admin()


async def change(admin: Person, **members: object) -> Json:
    answer = await admin.patch("/admin/site", json=members)
    assert answer.status_code == 200, answer.text
    record: Json = answer.json()
    return record


async def test_a_change_is_in_effect_and_can_be_undone(api: Api, admin: Person) -> None:
    before = (await admin.get("/admin/site")).json()
    changed = await change(
        admin, name="Horses", currency="CHF", languages=["de", "en"], colors={"accent": "#FFCC00"}
    )
    assert changed["colors"] == {"accent": "#ffcc00"}
    site = (await api.client.get("/site")).json()
    for name in ("name", "currency", "languages", "colors", "headline", "registration"):
        assert site[name] == changed[name]
    assert changed == {
        **before,
        "name": "Horses",
        "currency": "CHF",
        "languages": ["de", "en"],
        "colors": {"accent": "#ffcc00"},
    }
    # Texts are merged by their languages.
    await change(admin, headline={"de": "  Rund ums\tPferd ", "en": "All about horses"})
    assert (await change(admin, headline={"en": None}))["headline"] == {"de": "Rund ums Pferd"}
    listed = (await admin.get("/admin/site/history", params={"limit": "1"})).json()
    [newest] = listed["results"]
    assert newest["before"] == {"headline": {"de": "Rund ums Pferd", "en": "All about horses"}}
    assert newest["after"] == {"headline": {"de": "Rund ums Pferd"}}
    assert newest["actor"] == str((await admin.get("/users/me")).json()["id"])
    assert listed["next"] is not None
    undone = await admin.post(f"/admin/site/history/{newest['id']}/restore")
    assert undone.json()["headline"] == newest["before"]["headline"]
    assert undone.json()["name"] == "Horses"
    assert (await api.client.get("/site")).json()["headline"] == newest["before"]["headline"]
    events = "SELECT target FROM audit_events WHERE event = 'site_changed' ORDER BY id DESC LIMIT 2"
    [last, one_before] = await api.sql(events)
    assert (int(last), int(one_before)) == (newest["id"] + 1, newest["id"])
    missing = await admin.post("/admin/site/history/999999999/restore")
    assert (missing.status_code, kind(missing)) == (404, "not-found")
    # What changes nothing is no event.
    await change(admin, name="Horses")
    assert await api.sql(events) == [last, one_before]


async def test_a_change_can_be_bound_to_what_was_read(admin: Person) -> None:
    read = await admin.get("/admin/site")
    match = {"If-Match": read.headers["ETag"]}
    first = await admin.patch("/admin/site", json={"name": "One"}, headers=match)
    assert first.status_code == 200
    second = await admin.patch("/admin/site", json={"name": "Two"}, headers=match)
    assert (second.status_code, kind(second)) == (412, "precondition-failed")
    match = {"If-Match": first.headers["ETag"]}
    assert first.headers["ETag"] == (await admin.get("/admin/site")).headers["ETag"]
    third = await admin.patch("/admin/site", json={"name": None}, headers=match)
    assert third.json() == read.json()


@pytest.mark.parametrize(
    ("members", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 61}, "/name"),
        ({"currency": "chf"}, "/currency"),
        ({"country": "Germany"}, "/country"),
        ({"languages": []}, "/languages"),
        ({"languages": ["de", "xx"]}, "/languages"),
        ({"languages": ["../de"]}, "/languages/0"),
        ({"contact": "none"}, "/contact"),
        ({"registration": "perhaps"}, "/registration"),
        ({"headline": "Horses"}, "/headline"),
        ({"headline": {"no tag": "Horses"}}, "/headline"),
        ({"headline": {"de": 1}}, "/headline"),
        ({"banner": {"de": "x" * 201}}, "/banner"),
        ({"colors": {"accent": "red"}}, "/colors/accent"),
        ({"features": {"comments": 1}}, "/features/comments"),
        ({"sections": [{"kind": "map"}]}, "/sections/0/kind"),
        ({"sections": [{"kind": "collection", "query": "minPrice=x"}]}, "/sections/0/query"),
        ({"colors": {"accent": "#ffcc00;}body{display:none"}}, "/colors/accent"),
        ({}, ""),
    ],
)
async def test_what_cannot_be_is_refused(admin: Person, members: Json, pointer: str) -> None:
    answer = await admin.patch("/admin/site", json=members)
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]


async def test_only_administrators_change_the_site(api: Api) -> None:
    person = await api.person()
    for answer in (
        await person.get("/admin/site"),
        await person.patch("/admin/site", json={"name": "Mine"}),
        await person.get("/admin/site/history"),
        await person.post("/admin/site/history/1/restore"),
        await person.put("/admin/site/logo", files=image_form()),
        await person.delete("/admin/site/icon"),
        await person.get("/admin/pages"),
        await person.post("/admin/invitations", json={}),
        await person.put("/admin/pages/mine", json={"title": {"en": "x"}, "text": {"en": "x"}}),
    ):
        assert (answer.status_code, kind(answer)) == (403, "forbidden")


async def test_closed_registration_is_refused(api: Api, admin: Person) -> None:
    await change(admin, registration="closed")
    sent = {"username": "late@example.com", "password": "correct horse battery"}
    answer = await api.client.post("/register", json=sent)
    assert (answer.status_code, kind(answer)) == (403, "registration-closed")
    await change(admin, registration="open")
    assert (await api.client.post("/register", json=sent)).status_code == 201


@pytest.mark.heavy
async def test_an_invitation_admits_as_many_accounts_as_it_says(api: Api, admin: Person) -> None:
    await change(admin, registration="invitation")

    async def register(number: int, **members: str) -> httpx2.Response:
        sent = {"username": f"guest{number}@example.com", "password": "correct horse battery"}
        return await api.client.post("/register", json={**sent, **members})

    answer = await admin.post("/admin/invitations", json={"uses": 1})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    made = answer.json()
    code = made.pop("code")
    late = await admin.post("/admin/invitations", json={"uses": 5, "expiresAt": 1})
    for wrong in ({}, {"invitation": "wrong"}, {"invitation": late.json()["code"]}):
        refusal = await register(1, **wrong)
        assert (refusal.status_code, kind(refusal)) == (400, "invitation-required")
    answers = await asyncio.gather(*(register(each, invitation=code) for each in (1, 2, 3)))
    assert sorted(each.status_code for each in answers) == [201, 400, 400]
    listed = (await admin.get("/admin/invitations")).json()["results"]
    assert [each["uses"] for each in listed] == [5, 1]
    assert listed[1] == {**made, "used": 1}
    assert code not in str(listed)
    gone = [await admin.delete(f"/admin/invitations/{made['id']}") for _ in range(2)]
    assert [each.status_code for each in gone] == [204, 404]
    events = "SELECT target FROM audit_events WHERE event = 'invitation_deleted'"
    assert await api.sql(events) == [str(made["id"])]
    await change(admin, registration="open")
    assert (await register(4)).status_code == 201


@pytest.mark.heavy
async def test_other_processes_and_their_pages_follow(
    admin: Person, start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The environment of the other process fixes the currency."""
    monkeypatch.setenv("ADSVC_CURRENCY", "EUR")
    directory = build(tmp_path)
    settings = {"storefront": Storefront.ON, "storefront_dir": directory, "jobs": Jobs.OFF}
    async with start_api(**settings) as other:
        before = (await other.client.get("/")).text
        policy = (await other.client.get("/")).headers["Content-Security-Policy"]
        await change(
            admin,
            name="Horses & Co",
            languages=["de"],
            headline={"de": "Rund ums <Pferd>", "en": "All about horses"},
            welcome={"en": "Welcome"},
            banner={"de-CH": "Neu"},
            colors={"accent": "#ffcc00"},
            sections=[
                {"kind": "text", "title": {"de": "So <geht> es"}, "text": {"de": "Los."}},
                {"kind": "collection", "query": "?maxPrice=5&limit=3&minPrice=1"},
                {"kind": "categories"},
            ],
        )
        async with asyncio.timeout(5):
            while (await other.client.get("/site")).json()["name"] != "Horses & Co":  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        home = await other.client.get("/", headers={"Accept-Language": "en"})
        assert "Horses &amp; Co" in home.text
        assert '<html lang="de">' in home.text
        assert "hreflang" in before
        assert "hreflang" not in home.text
        assert "Rund ums &lt;Pferd&gt;</h1>" in home.text
        assert '<p class="welcome">Welcome</p>' in home.text
        assert '<h2>So &lt;geht&gt; es</h2><p class="welcome">Los.</p>' in home.text
        assert home.text.index("Los.") < home.text.index('class="category-tiles"')
        assert '<div class="heading-row">' not in home.text
        sections = (await other.client.get("/site")).json()["sections"]
        assert sections[1]["query"] == "minPrice=1&maxPrice=5"
        assert '<aside class="site-banner">Neu</aside>' in home.text
        assert home.headers["Content-Security-Policy"] == policy
        assert (await other.client.get("/manifest.webmanifest")).json()["name"] == "Horses & Co"
        [theme] = re.findall(r'href="(/assets/theme-[^"]+\.css)"', home.text)
        style = await other.client.get(theme)
        assert "--accent:#ffcc00;--accent-ink:#3" in style.text
        # A page that another process has made just before a change.
        older = await other.client.get("/assets/theme-older.css")
        assert (older.text, older.headers["Cache-Control"]) == (style.text, "public, no-cache")

        there = replace(admin, client=other.client)
        fixed = (await there.get("/admin/site")).json()
        assert fixed["fixed"] == ["currency"]
        refused = await there.patch("/admin/site", json={"currency": "CHF"})
        assert (refused.status_code, kind(refused)) == (409, "fixed-by-environment")
        assert "ADSVC_CURRENCY" in refused.json()["detail"]
        # Another process may set it; here it stays.
        await change(admin, currency="CHF")
        assert (await change(there, name="Horses"))["currency"] == "EUR"
    assert (await admin.get("/admin/site")).json()["currency"] == "CHF"


@pytest.mark.heavy
async def test_pictures_become_the_logo_and_all_icons(
    admin: Person, start_api: ApiFactory, tmp_path: Path
) -> None:
    directory = build(tmp_path)
    async with start_api(storefront=Storefront.ON, storefront_dir=directory) as api:
        there, get = replace(admin, client=api.client), api.client.get
        plain = (await get("/")).text
        logo = await there.put("/admin/site/logo", files=image_form())
        assert logo.status_code == 200, logo.text
        drawn = pictures.encoded(Image.new("RGBA", (30, 60), (200, 0, 0, 255)), "WEBP")
        match = {"If-Match": logo.headers["ETag"]}
        changed = await there.put("/admin/site/icon", files=image_form(drawn), headers=match)
        late = await there.put("/admin/site/icon", files=image_form(drawn), headers=match)
        assert (changed.status_code, late.status_code) == (200, 412)
        site = (await get("/site")).json()
        assert (site["logo"], site["icon"]) == (logo.json()["logo"], changed.json()["icon"])
        page = (await get("/")).text
        assert f'<img src="{site["logo"]}" alt="" height="28">' in page
        icons = re.findall(r'<link rel="([a-z-]*icon)" href="([^"]+)"', page)
        manifest = (await get("/manifest.webmanifest")).json()["icons"]
        shown = [("48x48", icons[0][1]), ("180x180", icons[1][1])]
        shown += [(one["sizes"], one["src"]) for one in manifest]
        assert [name for name, _ in icons] == ["icon", "apple-touch-icon"]
        for sizes, address in shown:
            answer = await get(address)
            assert answer.headers["Content-Type"] == "image/png", address
            made = Image.open(BytesIO(answer.content)).convert("RGBA")
            assert f"{made.width}x{made.height}" == sizes
            assert made.getpixel((made.width // 2, made.height // 2)) == (198, 0, 1, 255)
            # The picture is high: its sides are free, and white where phones want no hole.
            ground = (255, 255, 255, 255) if "apple" in address or "mask" in address else (0,) * 4
            assert made.getpixel((0, made.height // 2)) == ground
        async with api.state.database.transaction() as session:
            gone = await orphans(session, api.state.store, grace_seconds=0)
            rows = [row async for row in BackupQueries(session).pictures()]
        assert not gone.names
        named = {file for row in rows for file in row.files()}
        assert named >= {address.removeprefix("/images/") for _, address in shown}
        removed = await there.delete("/admin/site/icon")
        assert removed.json()["icon"] is None
        assert (await there.delete("/admin/site/logo")).json()["logo"] is None
        assert (await get("/")).text == plain
        listed = (await there.get("/admin/site/history")).json()["results"]
        undone = await there.post(f"/admin/site/history/{listed[1]['id']}/restore")
        assert undone.json()["icon"] == site["icon"]
        assert (await get(site["icon"])).status_code == 200
        broken = await there.put("/admin/site/icon", files=image_form(b"no picture"))
        assert broken.status_code == 415


@pytest.mark.heavy
async def test_pages_are_written_shown_ordered_and_published(
    admin: Person, start_api: ApiFactory, tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "help.md").write_text("# Help\n\nFrom a file")
    settings = {"pages_dir": tmp_path / "files", "storefront_dir": build(tmp_path / "web")}
    async with start_api(storefront=Storefront.ON, **settings) as api:
        there, get = replace(admin, client=api.client), api.client.get

        async def save(slug: str, **page: object) -> Json:
            answer = await there.put(f"/admin/pages/{slug}", json=page)
            assert answer.status_code == 200, answer.text
            saved: Json = answer.json()
            return saved

        terms = await save(
            "terms",
            title={"en": "Terms", "de": "Bedingungen"},
            text={"en": "Be *kind*.", "de": "Sei **nett**."},
            position=2,
        )
        assert (terms["version"], terms["place"]) == (1, "footer")
        await save("about", title={"de": "Über <uns>"}, text={"de": "Wir."}, place="menu")
        await save("hidden", title={"en": "Hidden"}, text={"en": "Here."}, place="none")
        listed = (await there.get("/admin/pages")).json()["results"]
        assert [page["slug"] for page in listed] == ["about", "hidden", "terms"]
        assert listed[2] == terms == (await there.get("/admin/pages/terms")).json()
        public = (await get("/site")).json()["pages"]
        assert [(page["slug"], page["place"]) for page in public] == [
            ("about", "menu"), ("hidden", "none"), ("terms", "footer"),
        ]  # fmt: skip
        assert "text" not in public[0]
        english, german = (await get("/pages/terms")).text, (await get("/pages/terms.de")).text
        assert '<html lang="en">' in english
        assert "<h1>Terms</h1>\n<p>Be <em>kind</em>.</p>" in english
        assert "<strong>nett</strong>" in german
        assert '<a href="/pages/terms.de" lang="de" hreflang="de">Bedingungen</a>' in english
        about = (await get("/pages/about")).text
        assert '<html lang="de">' in about
        assert "<h1>Über &lt;uns&gt;</h1>" in about
        home = (await get("/", headers={"Accept-Language": "de"})).text
        menu, footer = home.split("</header>")[1].split("<main")[0], home.split("<footer")[1]
        assert re.findall(r'href="(/pages/[^"]+)"', menu) == ["/pages/about"]
        assert re.findall(r'href="(/pages/[^"]+)"', footer) == ["/pages/help", "/pages/terms.de"]
        assert (await get("/pages/hidden")).status_code == 200
        sitemap = (await get("/sitemaps/pages.xml")).text
        for name in ("about", "help", "terms", "terms.de"):
            assert f"/pages/{name}</loc>" in sitemap
        match = {"If-Match": (await there.get("/admin/pages/terms")).headers["ETag"]}
        published = await there.post("/admin/pages/terms/publish", headers=match)
        late = await there.post("/admin/pages/terms/publish", headers=match)
        assert (published.json(), late.status_code) == ({**terms, "version": 2}, 412)
        # An edit is no version, and an undone version is not used again.
        same = {name: terms[name] for name in ("title", "text", "place", "position")}
        assert (await save("terms", **same | {"position": 0}))["version"] == 2
        changes = (await there.get("/admin/site/history")).json()["results"]
        await there.post(f"/admin/site/history/{changes[1]['id']}/restore")
        assert (await there.get("/admin/pages/terms")).json() == terms
        assert (await there.post("/admin/pages/terms/publish")).json()["version"] == 3
        assert (await there.delete("/admin/pages/terms")).status_code == 204
        for answer in (
            await get("/pages/terms"),
            await there.get("/admin/pages/terms"),
            await there.delete("/admin/pages/terms"),
            await there.post("/admin/pages/terms/publish"),
        ):
            assert answer.status_code == 404
        assert (await save("terms", **same))["version"] == 4
        taken = await there.put("/admin/pages/help", json=same)
        assert (taken.status_code, kind(taken)) == (409, "fixed-by-environment")


@pytest.mark.parametrize(
    ("page", "pointer"),
    [
        ({"title": {}, "text": {}}, "/title"),
        ({"title": {"en": ""}, "text": {"en": "One"}}, "/title/en"),
        ({"title": {"en": "One"}, "text": {"de": "Eins"}}, "/text"),
        ({"title": {"en": "One"}, "text": {"en": "One"}, "place": "top"}, "/place"),
        ({"title": {"en": "One"}, "text": {"en": "x" * 64_001}}, "/text"),
    ],
)
async def test_a_page_without_what_it_needs_is_refused(
    admin: Person, page: Json, pointer: str
) -> None:
    answer = await admin.put("/admin/pages/wrong", json=page)
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]


def refused(answer: httpx2.Response, feature: str) -> None:
    assert (answer.status_code, kind(answer)) == (403, "feature-off"), answer.text
    assert answer.json()["feature"] == feature


@pytest.mark.heavy
async def test_what_is_off_is_refused_or_empty_and_can_be_deleted(api: Api, admin: Person) -> None:
    author, buyer = await api.person(phone="+49 30 1234567"), await api.person()
    ad = f"/ads/{(await author.post_ad())['pk']}"
    text = {"text": "Is it still there?"}
    comment = (await buyer.post(f"{ad}/comments", json=text)).json()
    message = (await buyer.post(f"{ad}/messages", json=text)).json()
    conversation = f"/conversations/{message['conversation']}"
    offer = (await buyer.post(f"{conversation}/offers", json={"price": 900})).json()
    search = {"query": "q=table", "name": "Tables"}
    saved = (await buyer.post("/users/me/searches", json=search)).json()
    assert (await buyer.get(ad)).json()["phone"] == "+49 30 1234567"
    names = ("comments", "offers", "conversations", "phone", "map", "push", "searches")
    site = await change(admin, features=dict.fromkeys(names, False))
    assert site["features"] == dict.fromkeys(names, False)
    for path in (f"{ad}/comments", "/conversations", f"{conversation}/messages"):
        assert (await buyer.get(path)).json()["results"] == [], path
    for path in ("/users/me/searches", "/users/me/push", "/ads/map?bbox=0,0,1,1"):
        assert (await buyer.get(path)).json()["results"] == [], path
    one = f"{ad}/comments/{comment['pk']}"
    refused(await buyer.post(f"{ad}/comments", json=text), "comments")
    refused(await buyer.get(one), "comments")
    refused(await buyer.patch(one, json=text), "comments")
    refused(await buyer.post(f"{ad}/messages", json=text), "conversations")
    refused(await buyer.get(conversation), "conversations")
    refused(await buyer.post(f"{conversation}/messages", json=text), "conversations")
    refused(await author.post(f"/offers/{offer['id']}/accept"), "conversations")
    refused(await buyer.post(f"{ad}/phone"), "phone")
    refused(await buyer.post("/users/me/searches", json=search), "searches")
    refused(await buyer.patch(f"/users/me/searches/{saved['id']}", json=search), "searches")
    refused(await buyer.get(f"/users/me/searches/{saved['id']}/ads"), "searches")
    assert (await buyer.get(ad)).json()["phone"] == ""
    # What is there can be deleted and taken back.
    assert (await buyer.post(f"/offers/{offer['id']}/withdraw")).status_code == 200
    assert (await buyer.delete(one)).status_code == 204
    assert (await buyer.delete(f"/users/me/searches/{saved['id']}")).status_code == 204
    # Only what is sent changes.
    site = await change(admin, features={"conversations": True, "phone": True})
    assert site["features"] == dict.fromkeys(names, False) | {"conversations": True, "phone": True}
    refused(await buyer.post(f"{conversation}/offers", json={"price": 1}), "offers")
    assert (await buyer.get(conversation)).status_code == 200
    assert (await buyer.get(ad)).json()["phone"] == "+49 30 1234567"
