"""Signing in with OpenID providers, and what is refused. The provider is a server of its own."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from adsvc.enums import RegistrationMode
from adsvc.settings import TermsVersion
from conftest import ApiFactory
from support.mail.received import sent, unique, verified
from support.mail.server import text_of, token_in
from support.outside.openid import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import kind, with_app
from support.scene.logins import log_in, opens

LOGIN, OWN, ADMIN = "/login/oidc", "/users/me/identities", "/admin/providers"


BASE = "http://localhost:8080"


@dataclass
class Site:
    api: Api
    admin: Person
    provider: OpenIdProvider

    def browser(self) -> httpx2.AsyncClient:
        """With cookies of its own."""
        client = self.api.client
        return httpx2.AsyncClient(
            transport=client._transport,
            base_url=client.base_url,
            event_hooks=client.event_hooks,
        )

    async def put(self, slug: str = "example", **members: str) -> httpx2.Response:
        known = {"name": "Example ID", "issuer": self.provider.issuer, "clientId": CLIENT_ID}
        secret = {"clientSecret": CLIENT_SECRET}
        return await self.admin.put(f"{ADMIN}/{slug}", json={**known, **secret, **members})

    async def begun(self, browser: httpx2.AsyncClient, slug: str = "example") -> str:
        """The path and query with which the provider sends the browser back."""
        answer = await browser.get(f"{LOGIN}/{slug}")
        assert answer.status_code == 302, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        async with httpx2.AsyncClient() as elsewhere:
            back = (await elsewhere.get(answer.headers["Location"])).headers["Location"]
        assert back.startswith(f"{self.api.state.settings.link_base}/")
        return back.removeprefix(self.api.state.settings.link_base)

    async def code(self, browser: httpx2.AsyncClient) -> str:
        return code_of(await browser.get(await self.begun(browser)))

    async def entered(self, browser: httpx2.AsyncClient) -> httpx2.Response:
        return await browser.post(LOGIN, json={"code": await self.code(browser)})


def fragment(answer: httpx2.Response) -> dict[str, list[str]]:
    """Of the redirect to the storefront."""
    assert answer.status_code == 302, answer.text
    target = urlsplit(answer.headers["Location"])
    assert f"{target.scheme}://{target.netloc}{target.path}" == BASE + "/account/provider"
    return parse_qs(target.fragment)


def code_of(answer: httpx2.Response) -> str:
    [code] = fragment(answer)["code"]
    return code


@pytest.fixture
async def site(start_api: ApiFactory) -> AsyncIterator[Site]:
    with openid_provider() as provider:
        async with start_api(development=True, site_url=BASE) as api:
            site = Site(api, await api.admin(), provider)
            assert (await site.put()).status_code == 201
            provider.person = {"sub": unique(), "email": unique(), "email_verified": True}
            yield site


@pytest.mark.guard
async def test_a_person_whom_no_account_knows_gets_one_without_a_password(site: Site) -> None:
    [shown] = (await site.api.client.get("/site")).json()["providers"]
    assert shown == {"id": "example", "name": "Example ID"}
    async with site.browser() as browser:
        answer = await site.entered(browser)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        token = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        me = (await browser.get("/users/me", headers=token)).json()
        mail = site.provider.person["email"]
        assert (me["email"], me["mail"], me["mailVerified"], me["role"]) == (
            mail,
            mail,
            True,
            "USER",
        )
        known = (await browser.get(OWN, headers=token)).json()
        [identity] = known["results"]
        assert (identity["provider"], identity["name"]) == ("example", "Example ID")
        assert known["hasPassword"] is False
        # The next login is of the same account, whatever the address is by then.
        site.provider.person["email"] = unique()
        site.provider.rotate()
        assert (await site.entered(browser)).status_code == 200
        assert await site.api.sql("SELECT count(*) FROM users WHERE role = 'USER'") == [1]
        # It is the last way to sign in.
        refused = await browser.delete(f"{OWN}/{identity['id']}", headers=token)
        assert kind(refused) == "last-sign-in"
        # An authenticator app needs no password within five minutes of the login.
        assert (await browser.post("/users/me/totp", json={}, headers=token)).status_code == 200
        await site.api.sql("UPDATE sessions SET began_at = now() - interval '6 minutes'")
        late = await browser.post("/users/me/totp", json={}, headers=token)
        assert kind(late) == "login-required"
        deletion = await browser.request("DELETE", "/users/me", json={}, headers=token)
        assert kind(deletion) == "login-required"
    # No password logs in.
    for password in ("!", PASSWORD):
        answer = await site.api.client.post("/login", json={"username": mail, "password": password})
        assert kind(answer) == "wrong-credentials"


Spoil = Callable[[OpenIdProvider], None]


def _claims(**members: Any) -> Spoil:
    def spoil(provider: OpenIdProvider) -> None:
        def signed(claims: dict[str, Any]) -> dict[str, Any]:
            merged = {**claims, **members}
            return {name: value for name, value in merged.items() if value is not None}

        provider.signed = signed

    return spoil


def _answer(**members: Any) -> Spoil:
    def spoil(provider: OpenIdProvider) -> None:
        def answered(sent: dict[str, Any]) -> dict[str, Any]:
            return {name: value for name, value in {**sent, **members}.items() if value is not None}

        provider.answered = answered

    return spoil


def _foreign_key(provider: OpenIdProvider) -> None:
    provider.signs_by_another_key = True


def _by_the_secret(provider: OpenIdProvider) -> None:
    """HS256 by what the provider knows of the client, or by nothing: RS256's key confusion."""
    provider.encode = lambda claims: jwt.encode(claims, CLIENT_SECRET * 8, algorithm="HS256")


def _unsigned(provider: OpenIdProvider) -> None:
    provider.encode = lambda claims: jwt.encode(claims, "", algorithm="none")


def _other_metadata(provider: OpenIdProvider) -> None:
    provider.metadata = {"issuer": "https://id.example.net"}


def _inner_address(provider: OpenIdProvider) -> None:
    provider.metadata = {"token_endpoint": "http://10.0.0.1/token"}


REFUSED = {
    "missing nonce": _claims(nonce=None),
    "nonce of another login": _claims(nonce="x"),
    "audience of another client": _claims(aud="other"),
    "several audiences without a party": _claims(aud=[CLIENT_ID, "other"]),
    "party of another client": _claims(azp="other"),
    "issuer of another provider": _claims(iss="https://id.example.net"),
    "expired token": _claims(exp=1),
    "no subject": _claims(sub=None),
    "answer of another provider": _answer(iss="https://id.example.net"),
    "answer without its provider": _answer(iss=None),
    "state of another login": _answer(state="x"),
    "no code": _answer(code=None),
    "unknown code": _answer(code="x"),
    "denied": _answer(code=None, error="access_denied"),
    "key of another": _foreign_key,
    "signed by the secret": _by_the_secret,
    "unsigned": _unsigned,
    "metadata of another provider": _other_metadata,
    "token endpoint at an inner address": _inner_address,
}


@pytest.mark.guard
@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED)
async def test_what_is_not_this_logins_answer_gets_no_code(site: Site, spoil: Spoil) -> None:
    spoil(site.provider)
    async with site.browser() as browser:
        begun = await browser.get(f"{LOGIN}/example")
        if begun.headers["Location"].startswith(BASE):
            answer = begun
        else:
            answer = await browser.get(await site.begun(browser))
        assert fragment(answer).keys() == {"error"}
        assert kind(await browser.post(LOGIN, json={"code": "x"})) == "invalid-challenge"
    assert await site.api.sql("SELECT count(*) FROM identities") == [0]


@pytest.mark.guard
async def test_keys_of_a_provider_hold_no_one_up(site: Site) -> None:
    """Private ones without their factors, which would be looked for."""
    key = RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048), as_dict=True)
    private = {name: key[name] for name in ("kty", "n", "e", "d")}
    site.provider.other_keys = [{**private, "kid": str(number)} for number in range(4)]
    async with site.browser() as browser:
        assert (await site.entered(browser)).status_code == 200


@pytest.mark.guard
async def test_code_and_answer_count_once_and_in_their_browser(site: Site) -> None:
    async with site.browser() as browser, site.browser() as stranger:
        back = await site.begun(browser)
        # Without the cookie of the login, and with that of another one.
        assert "error" in fragment(await stranger.get(back))
        await stranger.get(f"{LOGIN}/example")
        assert "error" in fragment(await stranger.get(back))
        cookies = dict(browser.cookies)
        code = code_of(await browser.get(back))
        # The answer once more, with the cookie of then.
        stranger.cookies.update(cookies)
        assert "error" in fragment(await stranger.get(back))
        assert len(site.provider.requests) == 1
        proved = dict(browser.cookies)
        sent = {"code": code}
        assert kind(await stranger.post(LOGIN, json=sent)) == "invalid-challenge"
        assert kind(await browser.post(LOGIN, json={"code": code + "x"})) == "invalid-challenge"
        answers = await asyncio.gather(*(browser.post(LOGIN, json=sent) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [200] + [401] * 7
        browser.cookies.update(proved)
        assert kind(await browser.post(LOGIN, json=sent)) == "invalid-challenge"


@pytest.mark.heavy
async def test_a_code_of_one_provider_is_not_sent_to_another(site: Site) -> None:
    with openid_provider() as other:
        assert (await site.put("other", issuer=other.issuer)).status_code == 201
        async with site.browser() as browser:
            back = await site.begun(browser)
            mixed = back.replace("/example/", "/other/")
            assert "error" in fragment(await browser.get(mixed))
            assert (other.requests, site.provider.requests) == ([], [])
            # Nor is that of a provider whose issuer has changed meanwhile.
            back = await site.begun(browser)
            assert (await site.admin.delete(f"{ADMIN}/other")).status_code == 204
            assert (await site.put(issuer=other.issuer)).status_code == 200
            assert "error" in fragment(await browser.get(back))
            assert (other.requests, site.provider.requests) == ([], [])


@pytest.mark.heavy
async def test_redirects_lead_nowhere_else(site: Site) -> None:
    evil = "https://evil.example/"
    async with site.browser() as browser:
        for name in ("next", "redirect_uri", "return_to", "state"):
            begun = await browser.get(f"{LOGIN}/example", params={name: evil})
            assert begun.headers["Location"].startswith(f"{site.provider.issuer}/authorize?")
            assert "evil" not in begun.headers["Location"]
        hostile = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
        begun = await browser.get(f"{LOGIN}/example", headers=hostile)
        target = parse_qs(urlsplit(begun.headers["Location"]).query)
        assert target["redirect_uri"] == [f"{BASE}{LOGIN}/example/callback"]
        back = await site.begun(browser)
        assert code_of(await browser.get(f"{back}&next={evil}&redirect_uri={evil}"))
        assert kind(await browser.get(f"{LOGIN}/unknown")) == "provider-not-found"


@pytest.mark.heavy
async def test_an_unverified_address_makes_no_account_and_links_none(site: Site) -> None:
    person, mail = await verified(site.api)
    for claims in ({"email": mail}, {"email": mail, "email_verified": False}, {}, {"email": 7}):
        site.provider.person = {"sub": unique(), **claims}
        async with site.browser() as browser:
            assert kind(await site.entered(browser)) == "mail-not-verified"
            link = {"challenge": "x", "currentPassword": person.password}
            refused = await browser.post(f"{LOGIN}/link", json=link)
            assert kind(refused) == "invalid-challenge"
    # An address that only the userinfo endpoint has is as good as one of the token.
    site.provider.person, site.provider.userinfo = {"sub": "7"}, {
        "email": unique(), "email_verified": True,
    }  # fmt: skip
    async with site.browser() as browser:
        assert (await site.entered(browser)).status_code == 200


@pytest.mark.heavy
async def test_an_account_made_before_with_that_address_gets_nothing(site: Site) -> None:
    """Its address was never verified: whoever made it knows its password."""
    mail = site.provider.person["email"]
    taken = {"username": mail, "password": PASSWORD}
    assert (await site.api.client.post("/register", json=taken)).status_code == 201
    token = await site.api.log_in(mail, PASSWORD)
    async with site.browser() as browser:
        answer = await site.entered(browser)
        assert answer.status_code == 200, answer.text
        own = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        me = (await browser.get("/users/me", headers=own)).json()
        assert (me["mail"], me["mailVerified"]) == (mail, True)
        assert re.fullmatch("example-[0-9a-f]{10}", me["email"])
    before = await site.api.client.get("/users/me", headers={"Authorization": f"Bearer {token}"})
    assert (before.json()["mailVerified"], before.json()["id"] != me["id"]) == (False, True)


@pytest.mark.heavy
async def test_a_verified_address_needs_the_password_or_the_mail(site: Site) -> None:
    person, mail = await verified(site.api, site.provider.person["email"])
    async with site.browser() as browser:
        code = {"code": await site.code(browser)}
        refused = await browser.post(LOGIN, json=code)
        assert (refused.status_code, kind(refused)) == (409, "link-required")
        assert kind(await browser.post(LOGIN, json=code)) == "invalid-challenge"
        link = {"challenge": refused.json()["challenge"], "currentPassword": person.password}
        empty = await browser.post(f"{LOGIN}/link", json={})
        assert [fault["pointer"] for fault in empty.json()["errors"]] == [
            "/challenge", "/currentPassword",
        ]  # fmt: skip
        for members, slug in (
            ({"currentPassword": "wrong horse"}, "wrong-credentials"),
            ({"challenge": "x"}, "invalid-challenge"),
            ({"token": "x"}, "invalid-token"),
        ):
            answer = await browser.post(f"{LOGIN}/link", json={**link, **members})
            assert kind(answer) == slug
        async with site.browser() as stranger:
            answer = await stranger.post(f"{LOGIN}/link", json=link)
            assert kind(answer) == "invalid-challenge"
        linked = await browser.post(f"{LOGIN}/link", json=link)
        assert linked.status_code == 200, linked.text
        assert await opens(site.api.client, linked.json()["access_token"])
        assert kind(await browser.post(f"{LOGIN}/link", json=link)) == "invalid-challenge"
        # From now on it needs no password.
        assert (await site.entered(browser)).status_code == 200
    [identity] = (await person.get(OWN)).json()["results"]
    assert (await person.get("/users/me/export")).json()["identities"] == [identity]
    assert (await person.delete(f"{OWN}/{identity['id']}")).status_code == 204
    assert kind(await person.delete(f"{OWN}/{identity['id']}")) == "identity-not-found"
    # The link of the mail is void with the account's next change; another login sends another one.
    async with site.browser() as browser, site.browser() as stranger:
        assert kind(await site.entered(browser)) == "link-required"
        letters = [
            letter
            for letter in await sent(site.api, mail)
            if "/account/provider#token" in text_of(letter)
        ]
        sent_token = {"token": token_in(letters[-1])}
        # Only in the browser that began the login: who reads the mail may not be who began it.
        assert kind(await stranger.post(f"{LOGIN}/link", json=sent_token)) == "invalid-challenge"
        linked = await browser.post(f"{LOGIN}/link", json=sent_token)
        assert linked.status_code == 200, linked.text


@pytest.mark.heavy
async def test_an_account_adds_a_person_of_a_provider(site: Site) -> None:
    """Whose mail address is another one."""
    person = await site.api.person()
    token = person.headers
    async with site.browser() as browser, site.browser() as stranger:
        sent = {"code": await site.code(browser), "currentPassword": PASSWORD}
        for client, members, slug in (
            (browser, {"currentPassword": "wrong horse"}, "wrong-password"),
            (browser, {"code": "x"}, "invalid-challenge"),
            (stranger, {}, "invalid-challenge"),
        ):
            answer = await client.post(OWN, json={**sent, **members}, headers=token)
            assert kind(answer) == slug
        unconfirmed = await browser.post(OWN, json={"code": sent["code"]}, headers=token)
        assert unconfirmed.json()["errors"][0]["pointer"] == "/currentPassword"
        added = await browser.post(OWN, json=sent, headers=token)
        assert added.status_code == 204, added.text
        assert kind(await browser.post(OWN, json=sent, headers=token)) == "invalid-challenge"
        entered = await site.entered(browser)
        assert await opens(site.api.client, entered.json()["access_token"])
        again = {**sent, "code": await site.code(browser)}
        assert kind(await browser.post(OWN, json=again, headers=token)) == "identity-taken"
    [identity] = (await person.get(OWN)).json()["results"]
    assert await site.api.sql("SELECT count(*) FROM users WHERE role = 'USER'") == [1]
    assert (await person.delete(f"{OWN}/{identity['id']}")).status_code == 204


@pytest.mark.heavy
async def test_this_was_not_me_removes_what_the_login_has_linked(site: Site) -> None:
    person, mail = await verified(site.api, site.provider.person["email"])
    await log_in(site.api, person)
    async with site.browser() as thief:
        challenge = (await site.entered(thief)).json()["challenge"]
        link = {"challenge": challenge, "currentPassword": person.password}
        elsewhere = {"User-Agent": "Mozilla/5.0 (Windows) Firefox/140.0"}
        linked = await thief.post(f"{LOGIN}/link", json=link, headers=elsewhere)
        assert linked.status_code == 200, linked.text
        letters = await sent(site.api, mail)
        [token] = [token_in(one) for one in letters if "/account/not-me#token" in text_of(one)]
        assert (await thief.post("/login/report", json={"token": token})).status_code == 204
        assert kind(await site.entered(thief)) == "link-required"
    assert await site.api.sql("SELECT count(*) FROM identities") == [0]
    assert await site.api.sql("SELECT password_hash FROM users WHERE id = :id", id=person.id) == [
        "!"
    ]


@pytest.mark.heavy
async def test_the_second_factor_still_counts(site: Site) -> None:
    person, _ = await verified(site.api, site.provider.person["email"])
    app = await with_app(person)
    async with site.browser() as browser:
        refused = await site.entered(browser)
        link = {"challenge": refused.json()["challenge"], "currentPassword": person.password}
        assert kind(await browser.post(f"{LOGIN}/link", json=link)) == "second-factor-required"
        wrong = await browser.post(f"{LOGIN}/link", json={**link, "code": app.code(9)})
        assert kind(wrong) == "wrong-code"
        linked = await browser.post(f"{LOGIN}/link", json={**link, "code": app.fresh()})
        assert linked.status_code == 200, linked.text
        refused = await site.entered(browser)
        assert (refused.status_code, kind(refused)) == (401, "second-factor-required")
        second = {"challenge": refused.json()["challenge"], "code": app.fresh()}
        answer = await browser.post("/login/second-factor", json=second)
        assert answer.status_code == 200, answer.text


@pytest.mark.heavy
async def test_registration_that_is_closed_takes_no_one_from_a_provider(site: Site) -> None:
    site.api.state.settings.take(registration=RegistrationMode.CLOSED)
    async with site.browser() as browser:
        assert kind(await site.entered(browser)) == "registration-closed"


@pytest.mark.heavy
async def test_a_new_account_needs_invitation_and_terms_from_a_provider_too(site: Site) -> None:
    settings, api = site.api.state.settings, site.api
    made = await site.admin.post("/admin/invitations", json={})
    settings.take(registration=RegistrationMode.INVITATION, terms=TermsVersion("terms", 3))
    async with site.browser() as browser:
        sent = {"code": await site.code(browser)}
        assert kind(await browser.post(LOGIN, json=sent)) == "invitation-required"
        sent["invitation"] = "wrong"
        assert kind(await browser.post(LOGIN, json=sent)) == "terms-required"
        accepted = {**sent, "acceptedTerms": 3}
        assert kind(await browser.post(LOGIN, json=accepted)) == "invitation-required"
        # None of them has used the code up.
        accepted["invitation"] = made.json()["code"]
        assert (await browser.post(LOGIN, json=accepted)).status_code == 200
        assert await api.sql("SELECT page || version FROM accepted_terms") == ["terms3"]
        # Who has an account needs neither.
        assert (await site.entered(browser)).status_code == 200


@pytest.mark.heavy
async def test_providers_are_managed_and_their_secrets_stay(site: Site) -> None:
    made = (await site.admin.get(f"{ADMIN}/example")).json()
    assert made == {
        "id": "example", "name": "Example ID", "issuer": site.provider.issuer,
        "clientId": CLIENT_ID, "redirectUri": f"{BASE}{LOGIN}/example/callback",
    }  # fmt: skip
    assert (await site.admin.get(ADMIN)).json() == {"results": [made]}
    [stored] = await site.api.sql("SELECT client_secret FROM providers")
    assert CLIENT_SECRET.encode() not in bytes(stored)
    # Without a secret the one before stays; to another issuer it is not sent.
    changed = {"name": "Other", "issuer": made["issuer"], "clientId": CLIENT_ID}
    answer = await site.admin.put(f"{ADMIN}/example", json=changed)
    assert (answer.status_code, answer.json()["name"]) == (200, "Other")
    async with site.browser() as browser:
        assert (await site.entered(browser)).status_code == 200
    for issuer, pointer in (
        ("https://id.example.net", "/clientSecret"),
        ("http://id.example.net", "/issuer"),
        ("https://10.0.0.1", "/issuer"),
        ("https://id.example.net/?a=b", "/issuer"),
    ):
        answer = await site.admin.put(f"{ADMIN}/example", json={**changed, "issuer": issuer})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)
    taken = await site.put("second")
    assert (taken.status_code, taken.json()["errors"][0]["pointer"]) == (400, "/issuer")
    person = await site.api.person()
    assert (await person.get(ADMIN)).status_code == 403
    assert (await site.admin.delete(f"{ADMIN}/example")).status_code == 204
    assert kind(await site.admin.delete(f"{ADMIN}/example")) == "provider-not-found"
    assert (await site.api.client.get("/site")).json()["providers"] == []
