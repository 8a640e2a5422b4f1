"""Authenticator apps and recovery codes: setting them up, logging in, and every way around them."""

import asyncio
import base64
import re
import time
from urllib.parse import parse_qs, unquote, urlsplit

import httpx2
import jwt
import pytest

from adsvc.kit.security.encryption import Encryption, UnreadableSecretError
from adsvc.kit.security.factors import CHALLENGE_SECONDS, TotpSecret
from adsvc.services.retention import clean
from conftest import ApiFactory
from support.mail.received import sent, subjects, verified
from support.mail.server import token_in
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import begun, challenge, complete, kind, with_app
from support.scene.keys import create_key
from support.scene.logins import ask, basic, log_in, opens, refresh
from support.trouble.blocking import busy, until_waiting, while_changing

NEW = "another horse, another staple"


async def remove(person: Person, code: str, password: str = PASSWORD) -> tuple[int, str]:
    sent = {"currentPassword": password, "code": code}
    answer = await person.request("DELETE", "/users/me/totp", json=sent)
    return answer.status_code, "" if answer.is_success else kind(answer)


@pytest.mark.heavy
async def test_an_app_is_set_up_used_and_removed(api: Api) -> None:
    person, address = await verified(api)
    assert (await person.get("/users/me")).json()["totp"] is False
    app = await with_app(person)
    assert len(set(app.codes)) == 10
    assert all(re.fullmatch(r"([A-Z2-7]{4}-){3}[A-Z2-7]{4}", code) for code in app.codes)
    me = (await person.get("/users/me")).json()
    assert (me["totp"], me["recoveryCodesLeft"]) == (True, 10)
    assert (await person.get("/users/me/export")).json()["user"]["totp"] is True
    answer = await complete(api.client, await challenge(api, person), app.fresh())
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert await opens(api.client, answer.json()["access_token"])
    assert (await refresh(api.client, answer.json()["refresh_token"])).status_code == 200
    assert await remove(person, app.codes[0]) == (204, "")
    await api.log_in(person.username, PASSWORD)
    assert await api.sql("SELECT count(*) FROM totps") == [0]
    assert await api.sql("SELECT count(*) FROM recovery_codes") == [0]
    assert await api.sql("SELECT count(*) FROM sessions WHERE factor_at IS NOT NULL") == [0]
    assert [one for one in await subjects(api, address) if "Signing in" in one] == [
        "Signing in to adsvc: something was changed"
    ] * 3
    events = "SELECT event FROM audit_events WHERE event ~ 'totp|recovery' ORDER BY id"
    assert await api.sql(events) == ["totp_set", "recovery_code_used", "totp_removed"]


async def test_the_address_for_apps_is_complete(api: Api) -> None:
    person = await api.person("anna+b@example.com")
    answer = await person.post("/users/me/totp", json={"currentPassword": PASSWORD})
    made = answer.json()
    parts = urlsplit(made["uri"])
    assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
    assert unquote(parts.path) == "/adsvc:anna+b@example.com"
    expected = {
        "secret": made["secret"], "issuer": "adsvc", "digits": "6", "period": "30",
        "algorithm": "SHA1",
    }  # fmt: skip
    assert {name: value for name, [value] in parse_qs(parts.query).items()} == expected
    assert len(base64.b32decode(made["secret"])) == 20


def test_codes_are_those_of_the_standard() -> None:
    """RFC 6238, appendix B, in six digits."""
    secret = TotpSecret(b"12345678901234567890")
    for moment, code in ((1111111109, "081804"), (2000000000, "279037")):
        assert secret.code(moment // 30) == code
        assert secret.step_of(code, moment) == moment // 30
        assert secret.step_of(code, moment + 30) == secret.step_of(code, moment - 30)
        assert secret.step_of(code, moment + 60) is None
        assert secret.step_of(code, moment - 60) is None


@pytest.mark.heavy
async def test_an_unconfirmed_app_counts_for_nothing(api: Api) -> None:
    person = await api.person()
    assert kind(await person.post("/users/me/totp/confirm", json={"code": "1"})) == "not-found"
    app = await begun(person)
    await api.log_in(person.username, PASSWORD)
    answer = await person.post("/users/me/totp/confirm", json={"code": app.code(5)})
    assert (answer.status_code, kind(answer)) == (403, "wrong-code")
    newer = await begun(person)
    answer = await person.post("/users/me/totp/confirm", json={"code": app.code()})
    assert answer.status_code == 403
    spaced = f" {newer.code()[:3]} {newer.code()[3:]}"
    answer = await person.post("/users/me/totp/confirm", json={"code": spaced})
    assert answer.status_code == 200
    assert await remove(await api.person(), "123456") == (404, "not-found")


@pytest.mark.heavy
async def test_the_password_is_needed_to_set_up_and_to_remove(api: Api) -> None:
    person = await api.person()
    wrong = {"currentPassword": NEW}
    answer = await person.post("/users/me/totp", json=wrong)
    assert (answer.status_code, kind(answer)) == (403, "wrong-password")
    app = await with_app(person)
    assert await remove(person, app.fresh(), NEW) == (403, "wrong-password")
    assert await remove(person, "000000" if app.code() != "000000" else "1") == (403, "wrong-code")
    # A refused password has used up no code of the app.
    assert await remove(person, app.code()) == (204, "")


@pytest.mark.heavy
async def test_an_app_is_not_replaced_without_its_code(api: Api) -> None:
    person = await api.person()
    app = await with_app(person)
    answer = await person.post("/users/me/totp", json={"currentPassword": PASSWORD})
    assert (answer.status_code, kind(answer)) == (409, "already-set")
    wrong = {"currentPassword": PASSWORD, "code": "AAAA-AAAA-AAAA-AAAA"}
    answer = await person.post("/users/me/totp", json=wrong)
    assert (answer.status_code, kind(answer)) == (403, "wrong-code")
    newer = await begun(person, code=app.codes[0])
    # Until the new one is confirmed, the old one counts.
    text = await challenge(api, person)
    assert (await complete(api.client, text, newer.code())).status_code == 401
    assert (await complete(api.client, text, app.fresh())).status_code == 200
    answer = await person.post("/users/me/totp/confirm", json={"code": newer.code()})
    assert answer.status_code == 200
    text = await challenge(api, person)
    for old in (app.fresh(), app.codes[1]):
        assert kind(await complete(api.client, text, old)) == "wrong-factor"
    code = answer.json()["recoveryCodes"][0].lower().replace("-", " ")
    assert (await complete(api.client, text, code)).status_code == 200


@pytest.mark.guard
async def test_a_code_and_a_challenge_count_once(api: Api) -> None:
    person = await api.person()
    app = await with_app(person)
    first, second = [await challenge(api, person) for _ in range(2)]
    code = app.fresh()
    assert (await complete(api.client, first, code)).status_code == 200
    answer = await complete(api.client, second, code)
    assert (answer.status_code, kind(answer)) == (401, "wrong-factor")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="adsvc"'
    # Nor one of a step before, although it is within the tolerance.
    assert (await complete(api.client, second, app.code(-1))).status_code == 401
    answer = await complete(api.client, first, app.codes[0])
    assert (answer.status_code, kind(answer)) == (401, "invalid-challenge")
    assert (await complete(api.client, second, app.codes[1])).status_code == 200
    answer = await complete(api.client, await challenge(api, person), app.codes[1])
    assert (answer.status_code, kind(answer)) == (401, "wrong-factor")


@pytest.mark.guard
@pytest.mark.parametrize("of_app", [True, False])
async def test_a_refused_login_uses_up_neither_code_nor_challenge(
    api: Api, *, of_app: bool
) -> None:
    person, admin = await api.person(), await api.admin()
    app = await with_app(person)
    used, fresh = [await challenge(api, person) for _ in range(2)]
    assert (await complete(api.client, used, app.codes[0])).status_code == 200
    code = app.fresh() if of_app else app.codes[1]
    for _ in range(2):
        answer = await complete(api.client, used, code)
        assert (answer.status_code, kind(answer)) == (401, "invalid-challenge")
    # A wrong code leaves the challenge, and a suspension leaves both.
    assert kind(await complete(api.client, fresh, app.codes[0])) == "wrong-factor"
    statement = {"ground": "terms", "explanation": "No such thing."}
    suspended = await admin.post(f"/users/{person.id}/suspend", json=statement)
    assert kind(await complete(api.client, fresh, code)) == "suspended"
    other = await api.admin()
    undone = await other.post(f"/moderation/decisions/{suspended.json()['id']}/undo")
    assert undone.is_success, undone.text
    assert (await complete(api.client, fresh, code)).status_code == 200


@pytest.mark.guard
async def test_of_two_codes_with_one_challenge_the_second_stays(api: Api) -> None:
    person = await api.person()
    app = await with_app(person)
    text = await challenge(api, person)
    answers = await asyncio.gather(*(complete(api.client, text, code) for code in app.codes[:6]))
    assert sorted(answer.status_code for answer in answers) == [200, *[401] * 5]
    assert (await api.sql("SELECT count(*) FROM recovery_codes")) == [9]


@pytest.mark.parametrize(
    "tries", [pytest.param(6, marks=pytest.mark.guard), pytest.param(50, marks=pytest.mark.heavy)]
)
@pytest.mark.parametrize("of_app", [True, False])
async def test_of_many_at_once_one_succeeds(api: Api, tries: int, *, of_app: bool) -> None:
    """Whether their challenge is the same or not."""
    person = await api.person()
    app = await with_app(person)
    texts = [await challenge(api, person) for _ in range(2)] * (tries // 2)
    code = app.fresh() if of_app else app.codes[3]
    answers = await asyncio.gather(*(complete(api.client, text, code) for text in texts))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, *[401] * (tries - 1)]
    began = "SELECT count(*) FROM sessions WHERE factor_at IS NOT NULL"
    assert await api.sql(began) == [2]


@pytest.mark.guard
async def test_other_challenges_are_worth_nothing(api: Api) -> None:
    person, other = await api.person(), await api.person()
    app, others = await with_app(person), await with_app(other)
    good, theirs = await challenge(api, person), await challenge(api, other)
    secret = api.state.settings.required_jwt_secret()
    claims = jwt.decode(good, options={"verify_signature": False})
    login = {"typ": "login+jwt"}

    def made(secret: str = secret, headers: dict[str, str] = login, **members: object) -> str:
        return jwt.encode({**claims, **members}, secret, "HS256", headers=headers)

    now = claims["exp"] - CHALLENGE_SECONDS
    assert 0 <= time.time() - now < 60
    bad = [
        *("", "x", "a.b.c", good[:-2], good + "A", "e30." * 2000, person.token),
        *(made(secret="0" * 64), made(headers={"typ": "at+jwt"}), made(headers={})),
        *(made(exp=now - 1), made(sub="0"), made(sub="x"), made(pwd="0" * 32)),
        jwt.encode(claims, "", "none", headers=login),
    ]
    for text in bad:
        answer = await complete(api.client, text, app.codes[0])
        if text:
            assert (answer.status_code, kind(answer)) == (401, "invalid-challenge"), text
        else:
            assert answer.status_code == 400
    # A code of one account does not answer the challenge of another.
    assert kind(await complete(api.client, theirs, app.codes[0])) == "wrong-factor"
    assert (await complete(api.client, theirs, others.codes[0])).status_code == 200
    # The challenge is no access token, and no code was used up by all that.
    assert not await opens(api.client, good)
    assert (await complete(api.client, made(), app.codes[0])).status_code == 200


@pytest.mark.heavy
async def test_a_new_password_makes_challenges_void(api: Api) -> None:
    person = await api.person()
    app = await with_app(person)
    text = await challenge(api, person)
    change = {"currentPassword": PASSWORD, "newPassword": NEW}
    answer = await person.patch("/users/set_password", json=change)
    assert answer.status_code == 200
    assert kind(await complete(api.client, text, app.codes[0])) == "invalid-challenge"
    person.token, person.password = answer.json()["access_token"], NEW
    # The session that the change began is one with a factor, as the one before was.
    proved = await api.sql("SELECT count(*) FROM sessions WHERE factor_at IS NOT NULL")
    assert proved == [1]
    assert (await complete(api.client, await challenge(api, person), app.codes[0])).is_success


@pytest.mark.guard
async def test_sessions_that_began_before_end(api: Api) -> None:
    person = await api.person()
    before = await log_in(api, person)
    await with_app(person)
    assert await opens(api.client, person.token)
    assert not await opens(api.client, before["access_token"])
    answer = await refresh(api.client, before["refresh_token"])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


@pytest.mark.guard
async def test_no_other_way_to_log_in_does_without_the_factor(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True) as api:
        person, client = await api.person(), api.client
        key = await create_key(person, scopes=["account:read"])
        pair = basic(person.username, PASSWORD)
        assert (await client.get("/users/me", headers=pair)).status_code == 200
        ad = await person.post_ad()
        # Answers of the cache too.
        for _ in range(2):
            assert (await client.get(f"/ads/{ad['pk']}", headers=pair)).status_code == 200
        await with_app(person)
        for path in ("/users/me", f"/ads/{ad['pk']}"):
            for _ in range(2):
                answer = await client.get(path, headers=pair)
                assert (answer.status_code, kind(answer)) == (401, "second-factor-required")
                assert "key" in answer.json()["detail"]
                assert "challenge" not in answer.json()
        wrong = await client.get("/users/me", headers=basic(person.username, NEW))
        assert kind(wrong) == "wrong-credentials"
        answer = await ask(
            client, grant_type="password", username=person.username, password=PASSWORD
        )
        told = answer.json()
        assert (answer.status_code, told["error"]) == (400, "invalid_grant")
        assert "code" in told["error_description"]
        assert (await key.get("/users/me")).status_code == 200


@pytest.mark.guard
async def test_a_reset_of_the_password_needs_the_code(api: Api) -> None:
    person, address = await verified(api)
    app = await with_app(person)
    await api.client.post("/password/forgot", json={"username": person.username})
    token = token_in((await sent(api, address))[-1])

    async def reset(**members: str) -> httpx2.Response:
        proof = {"token": token, "newPassword": NEW, **members}
        return await api.client.post("/password/reset", json=proof)

    for _ in range(2):
        answer = await reset()
        assert (answer.status_code, kind(answer)) == (403, "second-factor-required")
    for code in ("AAAA-AAAA-AAAA-AAAA", app.code(7)):
        answer = await reset(code=code)
        assert (answer.status_code, kind(answer)) == (403, "wrong-code")
    answer = await reset(code=app.codes[0])
    assert answer.status_code == 204
    assert kind(await reset(code=app.codes[1])) == "invalid-token"
    person.password = NEW
    assert (await complete(api.client, await challenge(api, person), app.codes[1])).is_success


@pytest.mark.guard
async def test_a_refused_reset_uses_up_no_code(start_api: ApiFactory) -> None:
    """Neither without room for the work of a password, nor when the token was used."""
    async with start_api(password_workers=1, password_queue=1) as api:
        person, address = await verified(api)
        app = await with_app(person)
        await api.client.post("/password/forgot", json={"username": person.username})
        token = token_in((await sent(api, address))[-1])

        async def reset(code: str) -> httpx2.Response:
            proof = {"token": token, "newPassword": NEW, "code": code}
            return await api.client.post("/password/reset", json=proof)

        with busy(api.state.password_pool):
            for code in (*app.codes[:3], app.fresh()):
                answer = await reset(code)
                assert (answer.status_code, kind(answer)) == (503, "overloaded")
        assert await api.sql("SELECT count(*) FROM recovery_codes") == [10]
        # The token of both is valid until one of them has locked the account.
        async with while_changing(api, "SELECT FROM users FOR NO KEY UPDATE"):
            resets = [asyncio.create_task(reset(code)) for code in app.codes[:2]]
            await until_waiting(api, *resets)
        answers = await asyncio.gather(*resets)
        assert sorted(answer.status_code for answer in answers) == [204, 400]
        assert await api.sql("SELECT count(*) FROM recovery_codes") == [9]


@pytest.mark.heavy
async def test_a_reset_without_an_app_ignores_a_code(api: Api) -> None:
    person, address = await verified(api)
    await api.client.post("/password/forgot", json={"username": person.username})
    proof = {"token": token_in((await sent(api, address))[-1]), "newPassword": NEW, "code": "1"}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204


@pytest.mark.heavy
async def test_who_guesses_codes_waits_and_others_do_not(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=10) as api:
        person, other = await api.person(), await api.person()
        app, others = await with_app(person), await with_app(other)
        text = await challenge(api, person)
        for _ in range(10):
            assert (await complete(api.client, text, app.code(9))).status_code == 401
        answer = await complete(api.client, text, app.codes[0])
        assert (answer.status_code, kind(answer)) == (429, "rate-limited")
        # They are the same attempts as those at the password.
        login = {"username": person.username, "password": NEW}
        assert (await api.client.post("/login", json=login)).status_code == 429
        # Elsewhere, and to another account, a login is possible.
        answer = await complete(api.at("203.0.113.9"), text, app.codes[0])
        assert answer.status_code == 200
        answer = await complete(api.client, await challenge(api, other), others.codes[0])
        assert answer.status_code == 200


@pytest.mark.guard
@pytest.mark.parametrize("way", ["reset", "remove", "confirm"])
async def test_codes_are_guessed_nowhere_else_either(start_api: ApiFactory, way: str) -> None:
    """They count as attempts to log in, by address or by session."""
    async with start_api(rate_limits="on", login_attempts=3, mails_per_address=100) as api:
        person, address = await verified(api)
        app = await (begun(person) if way == "confirm" else with_app(person))
        token = ""
        if way == "reset":
            await api.client.post("/password/forgot", json={"username": person.username})
            token = token_in((await sent(api, address))[-1])

        async def guess(code: str, client: httpx2.AsyncClient) -> httpx2.Response:
            headers = person.headers
            if way == "reset":
                proof = {"token": token, "newPassword": NEW, "code": code}
                return await client.post("/password/reset", json=proof)
            if way == "confirm":
                path = "/users/me/totp/confirm"
                return await client.post(path, json={"code": code}, headers=headers)
            body = {"currentPassword": PASSWORD, "code": code}
            return await client.request("DELETE", "/users/me/totp", json=body, headers=headers)

        for _ in range(3):
            answer = await guess(app.code(9), api.client)
            assert (answer.status_code, kind(answer)) == (403, "wrong-code")
        right = app.codes[0] if app.codes else app.code()
        answer = await guess(right, api.client)
        assert (answer.status_code, kind(answer)) == (429, "rate-limited")
        # What a session has guessed counts from everywhere.
        elsewhere = await guess(right, api.at("203.0.113.9"))
        assert elsewhere.status_code == (204 if way == "reset" else 429)


@pytest.mark.heavy
async def test_the_owner_hears_of_guesses_after_the_right_password(
    start_own_api: ApiFactory,
) -> None:
    """Once a day, and not of the errors that everybody makes."""
    async with start_own_api(rate_limits="on", login_attempts=100) as api:
        person, address = await verified(api)
        app = await with_app(person)
        news = "Somebody guesses codes for your account at adsvc"
        for number in range(1, 9):
            text = await challenge(api, person)
            assert (await complete(api.client, text, app.code(9))).status_code == 401
            assert (await subjects(api, address)).count(news) == int(number > 4), number
        # Who does not know the password is no news.
        other, others = await verified(api)
        await with_app(other)
        login = {"username": other.username, "password": NEW}
        for _ in range(8):
            assert (await api.client.post("/login", json=login)).status_code == 401
        assert news not in await subjects(api, others)


@pytest.mark.heavy
async def test_right_codes_do_not_count_as_guesses(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=2) as api:
        person = await api.person()
        app = await with_app(person)
        for code in app.codes[:5]:
            assert (await complete(api.client, await challenge(api, person), code)).is_success


@pytest.mark.heavy
async def test_a_suspended_account_does_not_log_in(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    app = await with_app(person)
    text = await challenge(api, person)
    statement = {"ground": "terms", "explanation": "No such thing."}
    answer = await admin.post(f"/users/{person.id}/suspend", json=statement)
    assert answer.status_code == 200, answer.text
    answer = await complete(api.client, text, app.codes[0])
    assert (answer.status_code, kind(answer)) == (403, "suspended")


@pytest.mark.guard
async def test_secrets_are_stored_encrypted_and_codes_hashed(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    person = await api.person()
    app = await with_app(person)
    text = await challenge(api, person)
    await complete(api.client, text, app.codes[0])
    hidden = [app.secret.text, app.secret.value.hex(), *app.codes]
    hidden += [code.replace("-", "") for code in app.codes]
    for table in await api.sql("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"):
        rows = await api.sql(f'SELECT t::text FROM "{table}" AS t')  # noqa: S608 - a name of a table
        assert not any(secret in row for row in rows for secret in hidden), table
    logged = capfd.readouterr()
    assert not any(secret in logged.out + logged.err for secret in [*hidden, text])
    exported = (await person.get("/users/me/export")).text
    assert not any(secret in exported for secret in hidden)


@pytest.mark.heavy
async def test_a_secret_is_of_no_use_to_another_account_or_site(api: Api) -> None:
    person, thief = await api.person(), await api.person()
    app, thiefs = await with_app(person), await with_app(thief)
    [theirs] = await api.sql("SELECT secret FROM totps WHERE user_id = :id", id=thief.id)
    row = "UPDATE totps SET secret = :secret WHERE user_id = :id"
    await api.sql(row, secret=theirs, id=person.id)
    text = await challenge(api, person)
    assert kind(await complete(api.client, text, thiefs.fresh())) == "wrong-factor"
    # A recovery code does not depend on the application's secret.
    assert (await complete(api.client, text, app.codes[0])).status_code == 200
    stored = Encryption("0" * 64, kind="tests").encrypted(b"secret", owner=1)
    for wrong in (Encryption("1" * 64, kind="tests"), Encryption("0" * 64, kind="webhooks")):
        with pytest.raises(UnreadableSecretError):
            wrong.decrypted(stored, owner=1)
    with pytest.raises(UnreadableSecretError):
        Encryption("0" * 64, kind="tests").decrypted(stored, owner=2)
    assert Encryption("0" * 64, kind="tests").decrypted(stored, owner=1) == b"secret"


@pytest.mark.heavy
async def test_used_challenges_are_forgotten_when_they_have_expired(api: Api) -> None:
    person = await api.person()
    app = await with_app(person)
    for code in app.codes[:2]:
        await complete(api.client, await challenge(api, person), code)
    [first, _] = await api.sql("SELECT id FROM used_challenges")
    expired = "UPDATE used_challenges SET expires_at = now() - interval '1 s' WHERE id = :first"
    await api.sql(expired, first=first)
    await clean(api.state.database, api.state.settings)
    assert await api.sql("SELECT count(*) FROM used_challenges") == [1]


async def test_bodies_are_validated(api: Api) -> None:
    person = await api.person()
    for method, path, body, pointer in (
        ("POST", "/users/me/totp", {}, "/currentPassword"),
        ("POST", "/users/me/totp", {"currentPassword": PASSWORD, "code": None}, "/code"),
        ("POST", "/users/me/totp/confirm", {"code": 492039}, "/code"),
        ("POST", "/users/me/totp/confirm", {"code": ""}, "/code"),
        ("POST", "/users/me/totp/confirm", {"code": "0" * 41}, "/code"),
        ("DELETE", "/users/me/totp", {"currentPassword": PASSWORD}, "/code"),
        ("POST", "/login/second-factor", {"code": "1"}, "/challenge"),
        ("POST", "/login/second-factor", {"challenge": "x", "code": None}, "/code"),
    ):
        answer = await person.request(method, path, json=body)
        assert answer.status_code == 400, (path, body)
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer], (path, body)


@pytest.mark.guard
async def test_two_that_confirm_at_once_get_one_set_of_codes(api: Api) -> None:
    person = await api.person()
    app = await begun(person)
    answers = await asyncio.gather(
        *(person.post("/users/me/totp/confirm", json={"code": app.code()}) for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404]
    assert await api.sql("SELECT count(*) FROM recovery_codes") == [10]
