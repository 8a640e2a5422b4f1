"""A mail address counts once a reader of its mail has confirmed it."""

import pytest

from conftest import ApiFactory
from support.mail.received import sent, subjects, unique, verified
from support.mail.server import text_of, token_in
from support.scene.api import PASSWORD, Api, Person, ad_form


async def change(person: Person, mail: object, password: str = PASSWORD) -> tuple[int, object]:
    body = {"mail": mail, "currentPassword": password}
    answer = await person.patch("/users/me", json=body)
    record = answer.json()
    told = (record.get("mail"), record.get("mailVerified"))
    return answer.status_code, told if answer.status_code == 200 else record


async def mail_of(person: Person) -> tuple[str | None, bool]:
    record = (await person.get("/users/me")).json()
    return record["mail"], record["mailVerified"]


async def verify(api: Api, address: str) -> None:
    proof = {"token": token_in((await sent(api, address))[-1])}
    answer = await api.client.post("/mail/verify", json=proof)
    assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.heavy
async def test_a_user_name_that_is_an_address_becomes_the_accounts_and_is_confirmed(
    api: Api,
) -> None:
    address = unique()
    person = await api.register(address)
    assert await mail_of(person) == (address, False)
    [mail] = await sent(api, address)
    assert "/account/verify#token=" in text_of(mail)
    [hours] = await api.sql("SELECT extract(epoch FROM expires_at - now()) / 3600 FROM mail_tokens")
    assert 23 < hours <= 24
    await verify(api, address)
    assert await mail_of(person) == (address, True)
    again = await api.client.post("/mail/verify", json={"token": token_in(mail)})
    assert (again.status_code, again.json()["type"]) == (400, "/problems#invalid-token")


async def test_any_other_user_name_has_no_address(api: Api) -> None:
    for username in (f"anna {unique()[:6]}", f"änna{unique()}", f"a@b{unique()[:4]}"):
        person = await api.register(username)
        assert await mail_of(person) == (None, False), username
    assert (await person.post("/users/me/mail/verification")).status_code == 202
    assert await api.sql("SELECT id FROM outbox") == []


@pytest.mark.heavy
async def test_a_new_address_counts_when_confirmed_and_the_old_one_is_notified(api: Api) -> None:
    person, old = await verified(api)
    new = unique()
    assert await change(person, new) == (200, (old, True))
    assert await subjects(api, old) == ["Your account at adsvc is to get another mail address"]
    assert await subjects(api, new) == ["Confirm your mail address for adsvc"]
    await verify(api, new)
    assert await mail_of(person) == (new, True)
    assert (await subjects(api, old))[-1] == "Your account at adsvc has another mail address now"
    assert len(await sent(api, new)) == 1


@pytest.mark.heavy
async def test_the_first_address_is_the_accounts_at_once_but_not_confirmed(api: Api) -> None:
    person = await api.person()
    first, second = unique(), unique()
    assert await change(person, first) == (200, (first, False))
    proof = {"token": token_in((await sent(api, first))[0])}
    assert await change(person, second) == (200, (second, False))
    # The link to the previous address is void, and no mail goes there.
    assert (await api.client.post("/mail/verify", json=proof)).status_code == 400
    assert len(await sent(api, first)) == 1
    await verify(api, second)
    assert await mail_of(person) == (second, True)


@pytest.mark.heavy
async def test_only_the_last_of_several_wanted_addresses_can_be_confirmed(api: Api) -> None:
    person, old = await verified(api)
    first, second = unique(), unique()
    await change(person, first)
    proof = {"token": token_in((await sent(api, first))[0])}
    await change(person, second)
    assert (await api.client.post("/mail/verify", json=proof)).status_code == 400
    token = token_in((await sent(api, second))[0])
    # Whoever wants the old one after all takes the wish back.
    assert await change(person, old) == (200, (old, True))
    assert (await api.client.post("/mail/verify", json={"token": token})).status_code == 400
    assert await mail_of(person) == (old, True)


async def test_a_new_password_takes_the_wish_for_another_address_back(api: Api) -> None:
    """Who knew the old password may have had it."""
    person, old = await verified(api)
    new = unique()
    await change(person, new)
    passwords = {"currentPassword": PASSWORD, "newPassword": "another horse, another staple"}
    answer = await person.patch("/users/set_password", json=passwords)
    person.token = answer.json()["access_token"]
    assert (await person.post("/users/me/mail/verification")).status_code == 202
    # The first may have been on its way already.
    for mail in await sent(api, new):
        proof = {"token": token_in(mail)}
        assert (await api.client.post("/mail/verify", json=proof)).status_code == 400
    assert await mail_of(person) == (old, True)


@pytest.mark.heavy
async def test_the_link_is_sent_once_more_on_request(api: Api) -> None:
    person, old = await verified(api)
    new = unique()
    for _ in range(2):
        answer = await person.post("/users/me/mail/verification")
        assert (answer.status_code, answer.content) == (202, b"")
    assert await sent(api, old) == []
    await change(person, new)
    await person.post("/users/me/mail/verification", headers={"Accept-Language": "ru"})
    assert (await subjects(api, new))[-1] == "Подтвердите адрес почты для adsvc"
    await verify(api, new)


async def test_of_two_links_to_an_address_one_confirms_it(api: Api) -> None:
    person, _ = await verified(api)
    new = unique()
    await change(person, new)
    await person.post("/users/me/mail/verification")
    first, second = [{"token": token_in(mail)} for mail in await sent(api, new)]
    assert (await api.client.post("/mail/verify", json=second)).status_code == 204
    assert (await api.client.post("/mail/verify", json=first)).status_code == 400


async def test_another_address_needs_the_password_and_has_to_be_one(api: Api) -> None:
    person, old = await verified(api)
    status, record = await change(person, unique(), "a wrong password")
    assert isinstance(record, dict)
    assert (status, record["type"]) == (403, "/problems#wrong-password")
    for body, pointer in (
        ({"mail": unique()}, "/currentPassword"),
        ({"mail": None, "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "anna", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "a@b.example\r\nBcc: c@d.example", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "<a@b.example>", "currentPassword": PASSWORD}, "/mail"),
        # RFC 5321 §4.5.3.1.1.
        ({"mail": f"{'a' * 65}@b.example", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "a@b.example,c@d.example", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "a b@c.example", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": f"{'a' * 250}@b.example", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": "a@localhost", "currentPassword": PASSWORD}, "/mail"),
        ({"mail": 7, "currentPassword": PASSWORD}, "/mail"),
    ):
        answer = await person.patch("/users/me", json=body)
        assert answer.status_code == 400, body
        assert pointer in {fault["pointer"] for fault in answer.json()["errors"]}, body
    answer = await person.patch("/users/me", json={"currentPassword": PASSWORD})
    assert answer.status_code == 400
    assert await mail_of(person) == (old, True)
    assert await sent(api, old) == []
    assert (await api.client.patch("/users/me", json={"mail": old})).status_code == 401
    assert (await api.client.post("/users/me/mail/verification")).status_code == 401


async def test_other_members_change_along_with_the_address(api: Api) -> None:
    person = await api.person()
    body = {"mail": (mail := unique()), "currentPassword": PASSWORD, "firstName": "Anna"}
    record = (await person.patch("/users/me", json=body)).json()
    assert (record["mail"], record["firstName"]) == (mail, "Anna")
    answer = await person.patch("/users/me", json={"firstName": "Berta", "currentPassword": "?"})
    assert answer.json()["firstName"] == "Berta"


async def test_an_internationalised_domain_is_kept_as_typed_and_written_to_in_ascii(
    api: Api,
) -> None:
    person = await api.person()
    local = unique().partition("@")[0]
    assert await change(person, f"{local}@BÜCHER.example") == (
        200,
        (f"{local}@bücher.example", False),
    )
    ascii_address = f"{local}@xn--bcher-kva.example"
    assert len(await sent(api, ascii_address)) == 1
    await verify(api, ascii_address)
    assert await mail_of(person) == (f"{local}@bücher.example", True)


async def test_mails_to_unconfirmed_addresses_do_not_contain_the_account_s_name(
    api: Api,
) -> None:
    """Else anybody could have the site send what they like to whom they like."""
    lure = "You have won, see evil.example"
    person = await api.person(f"{lure} {unique()[:4]}", firstName=lure, lastName=lure)
    address = unique()
    await change(person, address)
    await api.client.post("/password/forgot", json={"username": person.username})
    mails = await sent(api, address)
    assert len(mails) == 2
    assert not any("evil" in mail.as_string() for mail in mails)


async def test_an_unconfirmed_address_gets_no_mail_about_the_account(api: Api) -> None:
    person = await api.register(address := unique())
    only = ["Confirm your mail address for adsvc"]
    assert await subjects(api, address) == only
    passwords = {"currentPassword": PASSWORD, "newPassword": "another horse, another staple"}
    assert (await person.patch("/users/set_password", json=passwords)).status_code == 200
    assert await subjects(api, address) == only


async def test_no_header_comes_of_a_name(api: Api) -> None:
    person, address = await verified(
        api,
        unique(),
        username=f"Bcc: <b>evil</b>@c.example {unique()[:4]}",
        firstName="a\r\nBcc: b@c.example",
    )
    await api.client.post("/password/forgot", json={"username": person.username})
    [mail] = await sent(api, address)
    assert mail["Bcc"] is None
    html = mail.get_body(("html",))
    assert html is not None
    assert "<b>evil" not in html.get_content()
    assert "&lt;b&gt;evil" in html.get_content()


@pytest.mark.heavy
async def test_an_account_that_is_gone_gets_no_mail(api: Api) -> None:
    person, address = await verified(api)
    await api.client.post("/password/forgot", json={"username": person.username})
    await sent(api, address)
    answer = await person.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
    assert answer.status_code == 204
    await api.client.post("/password/forgot", json={"username": person.username})
    assert len(await sent(api, address)) == 1
    assert await api.sql("SELECT user_id FROM mail_tokens") == []


async def test_the_export_has_the_address(api: Api) -> None:
    person, address = await verified(api)
    user = (await person.get("/users/me/export")).json()["user"]
    assert (user["mail"], user["mailVerified"]) == (address, True)


@pytest.mark.heavy
@pytest.mark.parametrize("required", ["never", "post", "contact"])
async def test_an_operator_may_want_a_confirmed_address(
    start_own_api: ApiFactory, required: str
) -> None:
    async with start_own_api(mail_required=required) as api:
        (author, _), stranger = await verified(api), await api.person()
        ad = (await author.post_ad())["pk"]
        draft = (await author.post_ad(status="draft"))["pk"]
        await api.sql("UPDATE ads SET author_id = :id WHERE id = :ad", id=stranger.id, ad=draft)
        needed = ["never", "post", "contact"].index(required)

        async def statuses() -> list[int]:
            return [
                (await stranger.post("/ads", files=ad_form())).status_code,
                (await stranger.post(f"/ads/{draft}/publish")).status_code,
                (await stranger.get(f"/ads/{ad}")).status_code,
                (await stranger.get(f"/ads/{ad}")).status_code,
                (await stranger.post(f"/ads/{ad}/comments", json={"text": "Hello"})).status_code,
                (await stranger.get(f"/ads/{draft}")).status_code,
                (await stranger.get(f"/ads/{ad}/details")).status_code,
            ]

        free, posts, contacts = [201, 200], [403, 403], [403, 403, 403]
        expected = [*(posts if needed else free), *(contacts if needed > 1 else [200] * 3)]
        assert await statuses() == [*expected, 200, 200]
        refused = await stranger.post("/ads", files=ad_form())
        if needed:
            assert refused.json()["type"] == "/problems#mail-not-verified"
        await api.sql("UPDATE users SET mail = 'a@b.example', mail_verified = true")
        await api.sql("UPDATE ads SET status = 'draft' WHERE id = :id", id=draft)
        assert await statuses() == [201, 200, 200, 200, 200, 200, 200]
