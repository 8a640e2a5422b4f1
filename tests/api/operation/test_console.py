"""The console: what administrators see of the site, and what they do to jobs, outbox and roles."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from adsvc.enums import JobName
from adsvc.repositories.audit_events import EXAMINED
from adsvc.settings import Settings
from adsvc.settings.model import SOURCES
from conftest import SECRET, ApiFactory
from support.scene.api import PASSWORD, Api, Person
from support.scene.keys import with_key
from support.scene.moderation import TERMS, moderator, only_case, reported

LISTS = ("ads", "audit", "settings", "jobs", "outbox")


async def everything(person: Person, path: str) -> list[dict[str, Any]]:
    """All pages of a list."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = (await person.get(f"{path}{'&' if '?' in path else '?'}limit=2{cursor}")).json()
        found += page["results"]
        if page["next"] is None:
            return found
        cursor = f"&cursor={page['next']}"


async def dead_letter(api: Api, *, attempts: int = 8) -> int:
    [entry] = await api.sql(
        "WITH made AS (INSERT INTO outbox (kind, payload, attempts, dead_at, error)"
        " VALUES ('letter', '{}', :attempts, now(), '550') RETURNING id) SELECT id FROM made",
        attempts=attempts,
    )
    return int(entry)


@pytest.mark.guard
async def test_only_administrators_and_their_keys_may(api: Api) -> None:
    admin = await api.admin()
    entry = await dead_letter(api)
    operations = [
        *(("GET", f"/admin/{name}") for name in ("overview", *LISTS)),
        ("POST", "/admin/jobs/cleaning/run"),
        ("POST", "/admin/jobs/nothing/run"),
        ("POST", f"/admin/outbox/{entry}/retry"),
        ("DELETE", f"/admin/outbox/{entry}"),
        ("PATCH", f"/users/{admin.id}"),
        ("POST", "/admin/ads/decisions"),
    ]
    lesser = await with_key(api, admin, "moderation", "events:read", "account:write")
    strangers = (await api.person(), await moderator(api), lesser)
    for method, path in operations:
        assert (await api.client.request(method, path)).status_code == 401, path
        for person in strangers:
            answer = await person.request(method, path)
            assert answer.status_code == 403, (method, path)
    program = await with_key(api, admin, "admin")
    for method, path in operations[:7]:
        assert (await program.request(method, path)).status_code in {200, 202}, path
    assert await api.sql("SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL") == [1]


async def test_the_overview_has_what_waits_and_what_grows(api: Api) -> None:
    admin, author = await api.admin(), await api.person()
    ad, old = await author.post_ad(), await author.post_ad()
    await api.sql("UPDATE ads SET created_at = now() - interval '2 d' WHERE id = :id", id=old["pk"])
    await reported(api, f"/ads/{ad['pk']}")
    await dead_letter(api)
    await api.sql(
        "INSERT INTO jobs (name, succeeded_at, failed_at) VALUES"
        " ('cleaning', now() - interval '1 h', now()), ('endings', now(), NULL),"
        " ('expiries', now(), now() - interval '1 h')"
    )
    # Of a test before.
    api.state.curves._good_until = float("-inf")
    found = (await admin.get("/admin/overview")).json()
    assert found["ads"] == {"today": 1, "total": 2}
    # One of them is two days old: reports of younger accounts do not count.
    assert found["accounts"]["today"] == found["accounts"]["total"] - 1 == 2
    assert found["cases"] == {"open": 1, "appealed": 0}
    assert found["outbox"] == {"waiting": 0, "dead": 1, "oldestAt": None}
    assert found["failingJobs"] == ["cleaning"]
    assert found["backedUpAt"] is None
    assert found["outOfService"] == []
    assert {disk["name"] for disk in found["disks"]} >= {"image store"}
    assert set(found["versions"]) == {"service", "schemaRevision", "database"}
    *_, before, yesterday, today = found["days"]
    assert (len(found["days"]), before["ads"], yesterday["ads"]) == (30, 1, 0)
    assert (today["ads"], today["accounts"], today["messages"], today["reports"]) == (1, 2, 0, 1)
    await author.post_ad()
    later = (await admin.get("/admin/overview")).json()
    assert (later["ads"]["total"], later["days"]) == (3, found["days"])
    await api.sql("DELETE FROM jobs")


@pytest.mark.heavy
async def test_ads_of_every_status_are_listed(api: Api) -> None:
    admin, author, other = await api.admin(), await api.person(), await api.person()
    shown = await author.post_ad(title="An oak table")
    draft = (await author.post("/ads/drafts", json={"title": "An oak chair"})).json()
    hidden = await other.post_ad(title="An oak bed")
    await other.post(f"/ads/{hidden['pk']}/withdraw")

    async def found(query: str = "") -> list[int]:
        listed = await everything(admin, f"/admin/ads{query}")
        return [ad["pk"] for ad in listed]

    ids = [hidden["pk"], draft["pk"], shown["pk"]]
    assert await found() == ids
    for query in ("", "?q=oak"):
        names = {ad["authorName"] for ad in await everything(admin, f"/admin/ads{query}")}
        assert names == {author.username, other.username}
    assert "authorName" not in (await author.get("/ads/me")).json()["results"][0]
    # First those that everyone sees.
    assert await found("?q=oak") == [shown["pk"], hidden["pk"], draft["pk"]]
    assert await found("?status=withdrawn&q=oak+%25") == []
    assert await found("?q=oak+chair") == [draft["pk"]]
    assert await found(f"?q={shown['pk']}") == [shown["pk"]]
    assert await found("?q=99999999999999999999") == []
    assert await found("?status=withdrawn") == [hidden["pk"]]
    assert await found("?status=draft&q=oak") == [draft["pk"]]
    assert await found(f"?author={author.id}") == [draft["pk"], shown["pk"]]
    assert await found(f"?author={author.id}&status=active") == [shown["pk"]]
    assert await found(f"?author={other.id}&q=chair") == []
    for query in ("status=gone", "author=x", "author=0", "limit=0", "cursor=x", "q=%00"):
        answer = await admin.get(f"/admin/ads?{query}")
        assert answer.status_code == 400, query


async def test_a_page_of_ads_with_more_to_come_is_not_empty(api: Api) -> None:
    admin, author = await api.admin(), await api.person()
    hidden = await author.post_ad(title="An oak bed")
    await author.post(f"/ads/{hidden['pk']}/withdraw")
    # No ad that everyone sees has the word.
    page = (await admin.get("/admin/ads?q=oak&limit=1")).json()
    assert [ad["pk"] for ad in page["results"]] == [hidden["pk"]]
    page = (await admin.get("/admin/ads?q=walnut")).json()
    assert (page["results"], page["next"]) == ([], None)


async def decide(
    person: Person, action: str, ads: list[int], *, dry_run: bool = False, **members: Any
) -> dict[str, Any]:
    reasons = TERMS if action == "suspendAd" else {}
    sent = {"action": action, "ads": ads, "dryRun": dry_run, **reasons, **members}
    answer = await person.post("/admin/ads/decisions", json=sent)
    assert answer.status_code == 200, answer.text
    decided: dict[str, Any] = answer.json()
    assert decided["changed"] + decided["skipped"] == len(decided["results"])
    return decided


def skips(decided: dict[str, Any]) -> dict[int, str | None]:
    return {each["ad"]: each["skipped"] for each in decided["results"]}


@pytest.mark.guard
async def test_many_ads_are_hidden_and_shown_again_by_one_decision_each(api: Api) -> None:
    admin, other, author = await api.admin(), await api.admin(), await api.person()
    shown, reported_one, decided_before, sold = [(await author.post_ad())["pk"] for _ in range(4)]
    await author.post(f"/ads/{sold}/sell")
    own = (await admin.post_ad())["pk"]
    await reported(api, f"/ads/{reported_one}")
    await reported(api, f"/ads/{decided_before}")
    case = await only_case(admin, decided_before)
    await admin.post(f"/moderation/cases/{case['id']}/decisions", json={"action": "dismiss"})
    chosen = [shown, reported_one, decided_before, sold, own, 999_999]

    foreseen = await decide(admin, "suspendAd", chosen, dry_run=True)
    assert skips(foreseen) == {
        shown: None, reported_one: None, decided_before: None,
        sold: "status", own: "own", 999_999: "missing",
    }  # fmt: skip
    assert (foreseen["changed"], foreseen["skipped"]) == (3, 3)
    assert {each["decision"] for each in foreseen["results"]} == {None}
    assert await api.sql("SELECT count(*) FROM ads WHERE status = 'suspended'") == [0]
    assert await api.sql("SELECT count(*) FROM cases") == [2]

    sent = {"action": "suspendAd", "ads": chosen, **TERMS}
    key = {"Idempotency-Key": "bulk-1"}
    answer = await admin.post("/admin/ads/decisions", json=sent, headers=key)
    hidden = answer.json()
    assert (answer.status_code, skips(hidden)) == (200, skips(foreseen))
    again = await admin.post("/admin/ads/decisions", json=sent, headers=key)
    assert (again.json(), again.headers["Idempotent-Replayed"]) == (hidden, "true")
    suspended = await api.sql("SELECT id FROM ads WHERE status = 'suspended' ORDER BY id")
    assert suspended == sorted((shown, reported_one, decided_before))
    # Nothing waits in the queue, and the author has the reasons of each, by mail too.
    assert (await admin.get("/moderation/cases?status=open")).json()["results"] == []
    made = (await author.get("/users/me/decisions")).json()["results"]
    by_ad = {each["ad"]: each["decision"] for each in hidden["results"] if not each["skipped"]}
    assert {each["target"]: each["id"] for each in made} == by_ad
    assert {each["explanation"] for each in made} == {TERMS["explanation"]}
    letters = "SELECT count(*) FROM outbox WHERE payload->>'letter' = 'decision'"
    assert await api.sql(letters) == [3]
    trail = "SELECT target FROM audit_events WHERE event = :event AND owner_id = :owner ORDER BY id"
    noted = await api.sql(trail, event="decided", owner=author.id)
    assert sorted(noted[1:]) == sorted(str(decision) for decision in by_ad.values())

    # Who has hidden them does not show them again, and what reports have hidden is undecided.
    assert set(skips(await decide(admin, "restore", suspended)).values()) == {"ownDecision"}
    await api.sql("UPDATE ads SET status = 'suspended' WHERE id = :id", id=sold)
    assert skips(await decide(other, "restore", [*suspended, sold, own])) == {
        **dict.fromkeys(suspended), sold: "undecided", own: "status",
    }  # fmt: skip
    assert {(await author.get(f"/ads/{ad}")).json()["status"] for ad in suspended} == {"active"}
    assert len(await api.sql(trail, event="decision_undone", owner=author.id)) == 3
    for event in ("suspended", "restored"):
        noted = await api.sql(trail, event=event, owner=author.id)
        assert sorted(map(int, noted)) == suspended
    assert set(skips(await decide(other, "restore", suspended)).values()) == {"status"}


@pytest.mark.heavy
async def test_an_appeal_is_left_to_a_decision_of_its_own(api: Api) -> None:
    admin, other, author = await api.admin(), await api.admin(), await api.person()
    ad = (await author.post_ad())["pk"]
    [hidden] = (await decide(admin, "suspendAd", [ad]))["results"]
    appeal = {"text": "The photos are my own."}
    await author.post(f"/users/me/decisions/{hidden['decision']}/appeal", json=appeal)
    await api.sql("UPDATE ads SET status = 'active' WHERE id = :id", id=ad)
    assert skips(await decide(other, "suspendAd", [ad])) == {ad: "appealed"}
    await api.sql("UPDATE ads SET status = 'suspended' WHERE id = :id", id=ad)
    case = await only_case(other, ad)
    sent = {"action": "suspendAd", **TERMS}
    made = await other.post(f"/moderation/cases/{case['id']}/decisions", json=sent)
    assert made.status_code == 201
    # Against whose decision the appeal was, does not undo the one about it.
    assert skips(await decide(admin, "restore", [ad])) == {ad: "ownDecision"}
    assert skips(await decide(await api.admin(), "restore", [ad])) == {ad: None}


async def test_a_decision_about_many_ads_has_reasons_and_a_bound(api: Api) -> None:
    admin = await api.admin()
    for sent, pointers in (
        ({"action": "suspendAd", "ads": [1]}, ["/explanation", "/ground"]),
        ({"action": "removeAd", "ads": [1]}, ["/action"]),
        ({"action": "restore"}, ["/ads"]),
        ({"action": "restore", "ads": []}, ["/ads"]),
        ({"action": "restore", "ads": [0]}, ["/ads/0"]),
        ({"action": "restore", "ads": [2**63]}, ["/ads/0"]),
        ({"action": "restore", "ads": ["1"]}, ["/ads"]),
        ({"action": "restore", "ads": [*range(1, 102)]}, ["/ads"]),
        ({"action": "restore", "ads": [1], "dryRun": "yes"}, ["/dryRun"]),
    ):
        answer = await admin.post("/admin/ads/decisions", json=sent)
        assert answer.status_code == 400, sent
        assert sorted(fault["pointer"] for fault in answer.json()["errors"]) == pointers, sent


@pytest.mark.heavy
async def test_the_audit_trail_is_listed_by_what_it_is_about(api: Api) -> None:
    admin, author = await api.admin(), await api.person()
    ad = await author.post_ad()
    await admin.patch(f"/ads/{ad['pk']}", json={"price": 1})
    await admin.patch(
        f"/users/{author.id}", json={"role": "MODERATOR", "currentPassword": PASSWORD}
    )
    changed, role = (
        {"kind": "foreign_ad_changed", "target": str(ad["pk"]), "ad": ad["pk"]},
        {"kind": "role_changed", "target": str(author.id), "ad": None},
    )

    async def found(query: str) -> list[dict[str, Any]]:
        events = await everything(admin, f"/admin/audit?{query}")
        assert [event["id"] for event in events] == sorted(
            (event["id"] for event in events), reverse=True
        )
        assert all(event["user"] == author.id for event in events)
        assert all(event["actor"] == str(admin.id) for event in events)
        return [{name: event[name] for name in changed} for event in events]

    both = [role, changed]
    assert await found(f"actor={admin.id}") == both
    assert await found(f"user={author.id}") == both
    assert await found(f"ad={ad['pk']}") == [changed]
    assert await found("kind=role_changed") == [role]
    assert await found(f"user={author.id}&kind=role_changed&actor={admin.id}") == [role]
    assert await found(f"ad={ad['pk']}&kind=role_changed") == []
    assert await found(f"user={author.id}&before=4102444800000") == both
    assert await found(f"user={author.id}&before=0") == []
    for query in ("kind=nothing", "actor=anna", "actor=%00", "ad=x", "user=-1", "before=x"):
        assert (await admin.get(f"/admin/audit?{query}")).status_code == 400, query


async def test_a_page_of_the_audit_trail_with_more_to_come_is_not_empty(api: Api) -> None:
    """One statement compares a bounded number of events; a page goes on until there is a row."""
    admin = await api.admin()
    await api.sql(
        "WITH made AS (INSERT INTO audit_events (at, event, actor, owner_id) SELECT"
        " to_timestamp(n), CASE n WHEN 1 THEN 'decided' ELSE 'login_failed' END, '7', 7"
        " FROM generate_series(1, :many) AS n RETURNING id) SELECT count(*) FROM made",
        many=EXAMINED + 5,
    )
    path = "/admin/audit?user=7&kind=decided"
    page = (await admin.get(path)).json()
    assert [event["kind"] for event in page["results"]] == ["decided"]
    assert page["next"] is None


SECRETS = {
    "jwt_secret": SecretStr(SECRET),
    "database_replica_url": None,
    "smtp_url": SecretStr("smtp://letters:Xq7-smtp@mail.example.com"),
    "mail_from": "ads@example.com",
    "site_url": "https://ads.example.com",
    "backup_s3_access_key_id": "AKIA",
    "backup_s3_secret_access_key": SecretStr("Xq7-backup"),
    "webhook_proxy": SecretStr("http://proxy:Xq7-proxy@proxy.example.com:3128"),
}


@pytest.mark.guard
async def test_settings_are_listed_without_secrets(start_api: ApiFactory) -> None:
    async with start_api(**SECRETS) as api:
        settings = api.state.settings
        answer = await (await api.admin()).get("/admin/settings")
        secrets = {
            name: value.get_secret_value()
            for name, value in settings
            if isinstance(value, SecretStr)
        }
        assert set(secrets) >= {
            name for name, value in SECRETS.items() if isinstance(value, SecretStr)
        }
        for name, value in secrets.items():
            assert value not in answer.text, name
        assert "Xq7" not in answer.text
        listed = {each.pop("name"): each for each in answer.json()["results"]}
        assert set(listed) == {f"ADSVC_{name.upper()}" for name in Settings.model_fields}
        assert listed["ADSVC_SMTP_URL"] == {"value": None, "default": None, "source": "command"}
        assert listed["ADSVC_SITE_URL"]["value"] == "https://ads.example.com"
        assert listed["ADSVC_CURRENCY"]["value"] == listed["ADSVC_CURRENCY"]["default"] == "EUR"
        assert listed["ADSVC_HTTP_BASIC"]["value"] in {"true", "false"}
        values = {each[part] for each in listed.values() for part in ("value", "default")}
        assert [each for each in values if each and each.endswith(".0")] == []


def test_no_setting_shows_the_account_of_an_address() -> None:
    settings = Settings(jwt_secret=SecretStr(SECRET))
    shown = settings.model_copy(update={"site_name": "see http://me:Xq7@example.com/"}).listed()
    assert "Xq7" not in json.dumps(shown)
    assert "see http://example.com/" in json.dumps(shown)


def test_a_setting_says_where_it_came_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("ADSVC_SITE_NAME=Market\nADSVC_PORT=1\nADSVC_CURRENCY=\n")
    monkeypatch.setenv("ADSVC_PORT", "2")
    settings = Settings(host="localhost")
    chosen = {"host": "command", "port": "environment", "site_name": "file"}
    rest = dict.fromkeys(settings.model_fields_set - chosen.keys(), "environment")
    assert settings.sources() == chosen | rest
    shown = {each["name"]: each["source"] for each in settings.listed()}
    assert shown["ADSVC_SITE_NAME"] == "file"
    assert shown["ADSVC_CURRENCY"] == "default"
    # A process that it starts reads all of them from the environment.
    inherited = settings.to_environment()
    for name, value in inherited.items():
        monkeypatch.setenv(name, value)
    assert Settings().sources() == json.loads(inherited[SOURCES])


async def test_jobs_are_listed_and_requested(api: Api) -> None:
    admin = await api.admin()
    await api.sql("DELETE FROM jobs")
    listed = (await admin.get("/admin/jobs")).json()["results"]
    assert [job["name"] for job in listed] == [name.value for name in JobName]
    assert all(
        job == {"name": job["name"], "lastSuccess": None, "lastFailure": None, "running": False}
        for job in listed
    )
    answer = await admin.post("/admin/jobs/cleaning/run")
    assert (answer.status_code, answer.content) == (202, b"")
    running = [job["name"] for job in (await admin.get("/admin/jobs")).json()["results"]
               if job["running"]]  # fmt: skip
    assert running == ["cleaning"]
    assert (await admin.post("/admin/jobs/backup/run")).status_code == 404
    events = (await admin.get("/admin/audit?kind=job_requested")).json()["results"]
    assert [(event["actor"], event["target"]) for event in events] == [(str(admin.id), "cleaning")]
    await api.sql("DELETE FROM jobs")


async def test_the_outbox_is_listed_retried_and_cleared(api: Api) -> None:
    admin = await api.admin()
    await api.sql("DELETE FROM outbox")
    first, second = await dead_letter(api), await dead_letter(api)
    await api.sql("INSERT INTO outbox (kind, payload) VALUES ('letter', '{\"to\": \"Xq7\"}')")
    listed = await everything(admin, "/admin/outbox")
    assert [entry["status"] for entry in listed] == ["waiting", "dead", "dead"]
    assert "Xq7" not in json.dumps(listed)
    assert listed[2] == {
        "id": first, "kind": "letter", "status": "dead", "attempts": 8, "error": "550",
        "createdAt": listed[2]["createdAt"], "notBefore": listed[2]["notBefore"],
    }  # fmt: skip
    waiting = listed[0]["id"]
    assert [e["id"] for e in await everything(admin, "/admin/outbox?status=dead")] == [
        second,
        first,
    ]
    assert [e["id"] for e in await everything(admin, "/admin/outbox?status=waiting")] == [waiting]
    assert (await admin.get("/admin/outbox?status=sent")).status_code == 400

    for entry in (first, waiting):
        answer = await admin.post(f"/admin/outbox/{entry}/retry")
        assert (answer.status_code, answer.content) == (202, b"")
    again = {entry["id"]: entry for entry in await everything(admin, "/admin/outbox")}
    assert (again[first]["status"], again[first]["attempts"]) == ("waiting", 0)
    assert again[waiting] == listed[0]
    assert (await admin.delete(f"/admin/outbox/{second}")).status_code == 204
    for method, path in (
        ("DELETE", f"/{second}"),
        ("POST", f"/{second}/retry"),
        ("POST", "/9/retry"),
    ):
        assert (await admin.request(method, f"/admin/outbox{path}")).status_code == 404
    events = (await admin.get(f"/admin/audit?actor={admin.id}")).json()["results"]
    assert [(event["kind"], event["target"]) for event in events] == [
        ("outbox_deleted", str(second)),
        ("outbox_retried", str(first)),
    ]


def change(person: Person, who: Person, role: str, password: str = PASSWORD) -> Any:
    sent = {"role": role, "currentPassword": password}
    return person.patch(f"/users/{who.id}", json=sent)


async def test_administrators_change_roles(api: Api) -> None:
    admin, person = await api.admin(), await api.person()
    assert (await person.get("/moderation/cases")).status_code == 403
    answer = await change(admin, person, "MODERATOR")
    assert (answer.status_code, answer.json()["role"]) == (200, "MODERATOR")
    assert (await person.get("/moderation/cases")).status_code == 200
    # What changes nothing leaves no trace.
    await change(admin, person, "MODERATOR")
    assert (await change(admin, person, "USER")).json()["role"] == "USER"
    assert (await person.get("/moderation/cases")).status_code == 403
    events = await api.sql("SELECT event || ' ' || actor || ' ' || target FROM audit_events"
                           " WHERE event = 'role_changed' ORDER BY id")  # fmt: skip
    assert events == [f"role_changed {admin.id} {person.id}"] * 2


@pytest.mark.guard
async def test_a_role_needs_the_administrator_s_password(api: Api) -> None:
    admin, person = await api.admin(), await api.person()
    answer = await change(admin, person, "ADMIN", "not the password")
    assert (answer.status_code, answer.json()["type"]) == (403, "/problems#wrong-password")
    for sent, pointer in (
        ({"role": "ADMIN"}, "/currentPassword"),
        ({"role": "OWNER", "currentPassword": PASSWORD}, "/role"),
        ({"currentPassword": PASSWORD}, "/role"),
    ):
        answer = await admin.patch(f"/users/{person.id}", json=sent)
        assert answer.status_code == 400
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert (await change(admin, admin, "USER")).status_code == 403
    answer = await admin.patch("/users/999999", json={"role": "USER", "currentPassword": PASSWORD})
    assert answer.status_code == 404
    assert (await admin.get(f"/users/{person.id}")).json()["role"] == "USER"


@pytest.mark.guard
async def test_of_two_administrators_who_demote_each_other_one_is_left(api: Api) -> None:
    for _ in range(4):
        one, other = await api.admin(), await api.admin()
        answers: list[httpx2.Response] = await asyncio.gather(
            change(one, other, "USER"), change(other, one, "USER")
        )
        assert sorted(answer.status_code for answer in answers) == [200, 403]


async def test_an_account_is_shown_with_what_is_about_it(api: Api) -> None:
    admin, author = await api.admin(), await api.person()
    ad = await author.post_ad()
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(admin)
    account = (await admin.get(f"/users/{author.id}")).json()
    assert (account["mail"], account["mailVerified"]) == (None, False)
    assert (account["totp"], account["passkeys"]) == (False, 0)
    assert [session["client"] for session in account["sessions"]] == ["python-httpx2"]
    [shown] = account["cases"]
    assert (shown["id"], shown["target"], shown["reports"]) == (case["id"], ad["pk"], 1)
