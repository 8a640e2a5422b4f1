"""Texts of mails that administrators write, and samples of them."""

from email.message import EmailMessage
from typing import Any

import pytest

from adsvc.enums import NotificationType
from adsvc.services.mail.texts import KINDS
from support.mail.received import sent, verified
from support.mail.server import text_of
from support.scene.api import Api, Person
from support.scene.factors import kind as problem

TITLE = "<i>{site}</i>"
VERIFY = "/admin/mails/verify"


def html_of(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    assert part is not None
    return str(part.get_content())


async def administrator(api: Api) -> tuple[Person, str]:
    person, address = await verified(api)
    await api.sql("UPDATE users SET role = 'ADMIN' WHERE id = :id", id=person.id)
    return person, address


async def write(admin: Person, kind: str, **texts: Any) -> dict[str, Any]:
    answer = await admin.put(f"/admin/mails/{kind}", json=texts)
    assert answer.status_code == 200, answer.text
    record: dict[str, Any] = answer.json()
    return record


@pytest.mark.heavy
async def test_mails_have_the_texts_that_are_written(api: Api) -> None:
    admin, address = await administrator(api)
    written = await write(
        admin,
        "priceDropped",
        subject={"en": "Cheaper:\t{title}", "de": ""},
        intro={"en": f"<b>{TITLE}</b> has {{title}} for {{price_to}}.\n\nNow."},
    )
    assert written["subject"] == {"en": "Cheaper: {title}"}
    assert written["placeholders"] == ["site", "subject", "title", "price_from", "price_to"]
    assert (await admin.get("/admin/mails/priceDropped")).json() == written
    listed = (await admin.get("/admin/mails")).json()["results"]
    assert [one["kind"] for one in listed] == [*KINDS]
    assert {*NotificationType, "verify", "reset", "login"} == {*KINDS}
    assert written in listed
    assert (await admin.post("/admin/mails/priceDropped/test")).status_code == 202
    [mail] = await sent(api, address)
    assert mail["Subject"] == "Cheaper: Oak table"
    assert "<b><i>adsvc</i></b> has Oak table for 1.\n\nNow.\n\nYou keep" in text_of(mail).replace(
        "\r", ""
    )
    html = html_of(mail)
    assert "&lt;b&gt;&lt;i&gt;adsvc&lt;/i&gt;&lt;/b&gt; has Oak table" in html
    assert "<b>" not in html
    # It is a change of the site.
    [last] = (await admin.get("/admin/site/history", params={"limit": "1"})).json()["results"]
    assert [*last["after"]["mails"]] == ["priceDropped"]
    undone = await admin.post(f"/admin/site/history/{last['id']}/restore")
    assert undone.status_code == 200
    assert (await admin.get("/admin/mails/priceDropped")).json()["subject"] == {}


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_has_a_sample_in_the_colour_of_the_site(api: Api, kind: str) -> None:
    admin, address = await administrator(api)
    await admin.patch("/admin/site", json={"colors": {"accent": "#ffcc00"}})
    await write(admin, kind, intro={"en": "Hello from {site}: {subject}"})
    assert (await admin.post(f"/admin/mails/{kind}/test")).status_code == 202
    [mail] = await sent(api, address)
    assert text_of(mail).startswith(f"Hello from adsvc: {mail['Subject']}")
    html = html_of(mail)
    assert html.count("display:inline-block") == 1
    assert "background:#ffcc00;color:#332900" in html


@pytest.mark.parametrize(
    ("sent", "pointers"),
    [
        ({"subject": {"en": "{title}"}}, ["/subject"]),
        ({"subject": {"en": "{"}, "intro": {"de": "{site} }"}}, ["/subject", "/intro"]),
        ({"intro": {"en": "{{site}}"}}, ["/intro"]),
        ({"subject": {"en": "x" * 201}}, ["/subject"]),
        ({"subject": "Hello"}, ["/subject"]),
    ],
)
async def test_what_cannot_be_written_is_refused(
    api: Api, sent: dict[str, Any], pointers: list[str]
) -> None:
    admin = await api.admin()
    answer = await admin.put(VERIFY, json=sent)
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == pointers


async def test_only_administrators_write_mails(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    for answer in (
        await person.get("/admin/mails"),
        await person.get(VERIFY),
        await person.put(VERIFY, json={}),
        await person.post(f"{VERIFY}/test"),
    ):
        assert (answer.status_code, problem(answer)) == (403, "forbidden")
    for answer in (
        await admin.get("/admin/mails/none"),
        await admin.put("/admin/mails/none", json={}),
        await admin.post("/admin/mails/none/test"),
    ):
        assert (answer.status_code, problem(answer)) == (404, "not-found")
    # Nobody gets mails at an address that is not confirmed.
    answer = await admin.post(f"{VERIFY}/test")
    assert (answer.status_code, problem(answer)) == (403, "mail-not-verified")
