"""The audit trail: who changed what of whom, stored with the change."""

import json
from typing import Any

import pytest

from adsvc.enums import AuditKind
from adsvc.kit.bulkheads import admission
from adsvc.kit.db.database import Database
from adsvc.repositories.operation.jobs import AUDIT_EVENTS, delete_old_rows
from adsvc.services import audit
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, ad_form, image_form
from support.scene.logins import basic, log_in, reuse, revoke
from support.trouble.clocks import Clock

WRONG = "not the password"
ROWS = """
    SELECT concat_ws(' ', event, actor, '->', target, 'ad', ad_id, 'of', owner_id)
    FROM audit_events WHERE event = ANY(:events) ORDER BY id
"""


async def trail(api: Api, *events: AuditKind) -> list[str]:
    return await api.sql(ROWS, events=list(events))


FOREIGN = [event for event in AuditKind if event.startswith("foreign")]


@pytest.mark.heavy
async def test_what_an_administrator_does_to_others_is_kept_with_all_ids(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ad, own = await author.post_ad(), await admin.post_ad()
    path = f"/ads/{ad['pk']}"
    comment = (await author.post(f"{path}/comments", json={"text": "Still there."})).json()
    where = f"{path}/comments/{comment['pk']}"
    # What they do to their own things is not audited.
    await author.patch(path, json={"price": 1})
    await author.patch(where, json={"text": "Sold."})
    await admin.patch(f"/ads/{own['pk']}", json={"price": 1})
    assert (await admin.delete(f"/ads/{own['pk']}")).status_code == 204
    assert await trail(api, *FOREIGN) == []

    answers = [
        await admin.patch(path, json={"price": 2}),
        await admin.patch(f"{path}/image", files=image_form()),
        await admin.patch(where, json={"text": "Removed."}),
        await admin.delete(where),
        await admin.delete(path),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 204, 204]
    whose = f"ad {ad['pk']} of {author.id}"
    expected = [
        f"foreign_ad_changed {admin.id} -> {ad['pk']} {whose}",
        f"foreign_picture_replaced {admin.id} -> {ad['pk']} {whose}",
        f"foreign_comment_changed {admin.id} -> {comment['pk']} {whose}",
        f"foreign_comment_deleted {admin.id} -> {comment['pk']} {whose}",
        f"foreign_ad_deleted {admin.id} -> {ad['pk']} {whose}",
    ]
    assert await trail(api, *FOREIGN) == expected
    found = await api.sql("SELECT request_id FROM audit_events ORDER BY id DESC LIMIT 5")
    assert found[::-1] == [answer.headers["X-Request-Id"] for answer in answers]
    assert set(await api.sql("SELECT address FROM audit_events")) == {"192.0.2.1"}
    # It outlives whom it names.
    for person in (author, admin):
        confirmation = {"currentPassword": PASSWORD}
        await person.request("DELETE", "/users/me", json=confirmation)
    assert await trail(api, *FOREIGN) == expected
    assert len(await trail(api, AuditKind.ACCOUNT_DELETED)) == 2


@pytest.mark.heavy
async def test_where_everyone_may_edit_the_audit_says_who_did(start_api: ApiFactory) -> None:
    async with start_api(ad_editors="authenticated") as api:
        author, other = await api.person(), await api.person()
        path = f"/ads/{(await author.post_ad())['pk']}"
        assert (await other.patch(path, json={"price": 3})).status_code == 200
        assert len(await trail(api, AuditKind.FOREIGN_AD_CHANGED)) == 1


async def test_a_refused_change_leaves_no_trace(api: Api) -> None:
    author, stranger, admin = await api.person(), await api.person(), await api.admin()
    path = f"/ads/{(await author.post_ad())['pk']}"
    assert (await stranger.patch(path, json={"price": 3})).status_code == 403
    assert (await admin.patch(path, json={"price": -1})).status_code == 400
    assert await trail(api, *FOREIGN) == []


@pytest.mark.heavy
async def test_logins_and_ends_of_sessions_are_kept(api: Api) -> None:
    person = await api.person()
    pairs = [await log_in(api, person) for _ in range(3)]
    await revoke(api.client, pairs[0]["refresh_token"])
    await revoke(api.client, pairs[0]["refresh_token"])
    await revoke(api.client, pairs[1]["access_token"])
    session_id = (await person.get("/users/me/sessions")).json()["results"][0]["id"]
    assert (await person.delete(f"/users/me/sessions/{session_id}")).status_code == 204
    change = {"currentPassword": PASSWORD, "newPassword": "another correct horse"}
    assert (await person.post("/users/set_password", json=change)).status_code == 200
    began = await trail(api, AuditKind.SESSION_BEGAN)
    ended = await trail(api, AuditKind.SESSION_ENDED)
    assert began == [
        f"session_began {person.id} -> {number} ad of {person.id}" for number in range(2, 6)
    ]
    # Two that were revoked, one that was ended, one that ended with the password.
    assert sorted(ended) == [
        f"session_ended {person.id} -> {n} ad of {person.id}" for n in range(1, 5)
    ]
    assert len(await trail(api, AuditKind.PASSWORD_CHANGED)) == 1


@pytest.mark.heavy
async def test_what_people_do_to_their_own_accounts_is_kept(api: Api) -> None:
    person = await api.person()
    change = {"currentPassword": PASSWORD, "mail": "anna@example.com"}
    assert (await person.patch("/users/me", json=change)).status_code == 200
    new = {"currentPassword": PASSWORD, "newPassword": "another horse, another staple"}
    answer = await person.patch("/users/set_password", json=new)
    person.token = answer.json()["access_token"]
    confirmation = {"currentPassword": new["newPassword"]}
    assert (await person.delete("/users/me", json=confirmation)).status_code == 204
    events = AuditKind.MAIL_CHANGED, AuditKind.PASSWORD_CHANGED, AuditKind.ACCOUNT_DELETED
    assert await trail(api, *events) == [
        f"{event} {person.id} -> {person.id} ad of {person.id}" for event in events
    ]


@pytest.mark.heavy
async def test_refusals_are_kept_too(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=2, http_basic=True) as api:
        person = await api.person()
        token = (await log_in(api, person))["refresh_token"]
        await reuse(api.client, token)
        record = {"username": person.username, "password": WRONG}
        for _ in range(3):
            await api.client.post("/login", json=record)
        change = {"currentPassword": WRONG, "newPassword": "another correct horse"}
        async with api.at("198.51.100.7") as elsewhere:
            headers = basic(person.username, PASSWORD)
            answer = await elsewhere.post("/users/set_password", json=change, headers=headers)
            assert answer.status_code == 403
        kept = await trail(
            api,
            AuditKind.LOGIN_FAILED,
            AuditKind.RATE_LIMITED,
            AuditKind.TOKEN_REUSED,
            AuditKind.BASIC_LOGIN,
        )
        assert kept == [
            f"token_reused -> {person.id} ad of {person.id}",
            *[f"login_failed -> {person.id} ad of {person.id}"] * 2,
            "rate_limited -> login ad of",
            f"basic_login {person.id} -> ad of {person.id}",
            f"login_failed {person.id} -> {person.id} ad of {person.id}",
        ]


async def test_a_flood_is_in_the_log_alone(
    api: Api, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(api.state.database.engine.url)
    monkeypatch.setattr(audit, "ROWS_A_MINUTE", 3)
    monkeypatch.setattr(audit, "ROWS_OF_ONE", 20)
    clock = Clock.of(admission, monkeypatch)
    for number in range(10):
        await audit.report(database, AuditKind.LOGIN_FAILED, target=number)
    await audit.report(database, AuditKind.TOKEN_REUSED, target=1)
    kept = await trail(api, AuditKind.LOGIN_FAILED, AuditKind.TOKEN_REUSED)
    assert [line.split()[0] for line in kept] == ["login_failed"] * 3 + ["token_reused"]
    assert caplog.text.count("login_failed") == 10
    # In the next minute the number of omitted ones is logged.
    clock.now += admission.MINUTE
    await audit.report(database, AuditKind.LOGIN_FAILED, target=1)
    assert await api.sql("SELECT omitted FROM audit_events ORDER BY id") == [0, 0, 0, 0, 7]
    await database.close()


@pytest.mark.parametrize(
    "flood",
    [
        # Unknown names from one network, or from many.
        ("192.0.2.{}", None),
        ("10.0.{}.1", None),
        # One account from many networks.
        ("10.0.{}.1", 6),
        # Many accounts from one address.
        ("192.0.2.1", "{}"),
    ],
)
async def test_a_flood_hides_no_attack(
    api: Api,
    monkeypatch: pytest.MonkeyPatch,
    flood: tuple[str, int | str | None],
) -> None:
    database = Database(api.state.database.engine.url)
    clock = Clock.of(admission, monkeypatch)
    monkeypatch.setattr(audit, "ROWS_A_MINUTE", 30)

    async def failed(address: str, account: int | str | None) -> None:
        account = int(account) if isinstance(account, str) else account
        token = audit.origin.set(audit.Origin("id", address))
        await audit.report(database, AuditKind.LOGIN_FAILED, target=account)
        audit.origin.reset(token)

    for number in range(100, 150):
        account = flood[1].format(number) if isinstance(flood[1], str) else flood[1]
        await failed(flood[0].format(number), account)
    [flooded] = await api.sql("SELECT count(*) FROM audit_events")
    assert 10 <= flooded <= 30
    for _ in range(5):
        await failed("198.51.100.1", 7)
    attack = "SELECT count(*) FROM audit_events WHERE address = '198.51.100.1' AND owner_id = 7"
    assert await api.sql(attack) == [5]
    [omitted] = await api.sql("SELECT sum(omitted) FROM audit_events")
    assert omitted == 50 - flooded
    clock.now += admission.MINUTE
    await failed(flood[0].format(1), flood[1] if isinstance(flood[1], int) else None)
    assert await api.sql("SELECT count(*) FROM audit_events") == [flooded + 6]
    await database.close()


@pytest.mark.heavy
async def test_a_refusal_stays_one_when_it_cannot_be_kept(
    start_own_api: ApiFactory, caplog: pytest.LogCaptureFixture
) -> None:
    async with start_own_api() as api:
        person, admin = await api.person(), await api.admin()
        path = f"/ads/{(await person.post_ad())['pk']}"
        await api.sql("ALTER TABLE audit_events RENAME TO lost_events")
        record = {"username": person.username, "password": WRONG}
        assert (await api.client.post("/login", json=record)).status_code == 401
        assert "An event could not be kept" in caplog.text
        # A change that must be kept is not made without.
        assert (await admin.patch(path, json={"price": 2})).status_code == 500
        assert await api.sql("SELECT price FROM ads") == [1500]


async def test_what_is_old_goes(api: Api) -> None:
    person = await api.person()
    await log_in(api, person)
    await api.sql("UPDATE audit_events SET at = at - interval '3 days' WHERE target = '1'")
    await delete_old_rows(api.state.database.writer, AUDIT_EVENTS, 3)
    assert await trail(api, AuditKind.SESSION_BEGAN) == [
        f"session_began {person.id} -> 2 ad of {person.id}"
    ]


@pytest.mark.heavy
async def test_lines_of_the_log_name_the_ad(
    start_api: ApiFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    async with start_api(log_format="json") as api:
        person = await api.person()
        posted = await person.post("/ads", files=ad_form())
        ad = posted.json()["pk"]
        path = f"/ads/{ad}"
        ids = {
            answer.headers["X-Request-Id"]
            for answer in (
                posted,
                await person.get(path),
                await person.get(path),
                await person.patch(path, json={"price": 2}),
                await person.request("HEAD", f"{path}/comments"),
                await person.get(f"{path}/comments/99"),
                await api.client.delete(path),
            )
        }
        for other in ("/ads/0", "/ads/x", f"/ads/{2**63}", "/ads/me", "/ads", "/users/me"):
            await person.get(other)
    lines = logged(capfd)
    assert {line["request_id"] for line in lines if line["ad_id"] is not None} == ids
    assert {line["ad_id"] for line in lines} == {ad, None}


def logged(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    lines = capfd.readouterr().err.splitlines()
    return [json.loads(line) for line in lines if '"adsvc.access"' in line]
