"""Suspended accounts, and accounts as administrators see them."""

import asyncio

import httpx2
import pytest

from adsvc.enums import Role
from adsvc.kit.db.statements import Statements
from adsvc.repositories.moderation import decisions as decision_rows
from adsvc.services.moderation import decisions
from adsvc.services.moderation.decisions import show_again
from conftest import ApiFactory
from support.scene.api import Api, Person, ad_form
from support.scene.listings import ids_of
from support.scene.moderation import (
    SCAM,
    TERMS,
    decide,
    moderator,
    neighbour,
    only_case,
    reported,
    try_to_decide,
    undo,
)
from support.scene.talk import write
from support.scene.warmth import settle
from support.trouble.blocking import until_waiting, while_changing

DAY = 24 * 3600 * 1000


async def log_in(api: Api, person: Person) -> httpx2.Response:
    sent = {"username": person.username, "password": person.password}
    return await api.client.post("/login", json=sent)


async def suspend(admin: Person, user_id: int, **members: object) -> httpx2.Response:
    return await admin.post(f"/users/{user_id}/suspend", json={**TERMS, **members})


async def count(api: Api) -> int:
    listed = (await api.client.get("/ads")).json()
    assert len(listed["results"]) == listed["count"]
    found: int = listed["count"]
    return found


@pytest.mark.guard
async def test_a_suspended_account_is_out_and_its_ads_are_hidden(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    ads = [await author.post_ad() for _ in range(3)]
    path = f"/ads/{ads[0]['pk']}"
    await author.post(f"/ads/{ads[2]['pk']}/withdraw")
    # It is known, and so is the answer.
    assert (await author.get(path)).status_code == 200
    told = (await suspend(admin, author.id, days=3)).json()
    assert told["status"] == "suspended"
    assert told["ads"] == 0
    [decision] = told["decisions"]
    assert (decision["kind"], decision["target"], decision["by"]) == (
        "account", author.id, admin.id,
    )  # fmt: skip
    assert decision["until"] - decision["at"] == 3 * DAY
    assert told["suspendedUntil"] == decision["until"]
    assert await count(api) == 0
    for refused in (await author.get(path), await author.patch(path, json={"price": 1})):
        assert refused.status_code == 401
    assert (await api.client.get(f"{path}/details")).status_code == 404
    login = await log_in(api, author)
    assert (login.status_code, login.json()["type"]) == (403, "/problems#suspended")
    assert login.json()["until"] == decision["until"]
    assert login.json()["explanation"] == TERMS["explanation"]
    wrong = await api.client.post(
        "/login", json={"username": author.username, "password": "something else"}
    )
    assert wrong.status_code == 401
    form = {"grant_type": "password", "username": author.username, "password": author.password}
    token = await api.client.post("/token", data=form)
    assert (token.status_code, token.json()["error"]) == (400, "invalid_grant")
    restored = await admin.post(f"/users/{author.id}/restore")
    assert (restored.status_code, restored.json()["status"]) == (200, "active")
    assert restored.json()["ads"] == 2
    assert await count(api) == 2
    assert (await log_in(api, author)).status_code == 200
    statuses = await api.sql("SELECT status FROM ads ORDER BY id")
    assert statuses == ["active", "active", "withdrawn"]
    again = (await admin.post(f"/users/{author.id}/restore")).json()
    assert len(again["decisions"]) == 2


@pytest.mark.heavy
async def test_suspensions_and_their_ends_are_in_the_trail(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    await suspend(admin, author.id)
    assert (await admin.post(f"/users/{author.id}/restore")).status_code == 200
    for kind in ("suspended", "restored", "decided", "decision_undone"):
        found = (await admin.get(f"/admin/audit?kind={kind}&user={author.id}")).json()
        [event] = found["results"]
        assert event["actor"] == str(admin.id), kind
        assert (event["target"] == str(author.id)) or kind.startswith("deci")


@pytest.mark.heavy
async def test_the_same_suspension_again_is_no_second_decision(api: Api) -> None:
    author, admin, other = await api.person(), await api.admin(), await api.admin()

    async def decisions_after(by: Person, **members: object) -> int:
        told = await suspend(by, author.id, **members)
        assert (told.status_code, told.json()["status"]) == (200, "suspended")
        # Each is one statement with its mail and its row in the audit trail.
        [trail] = await api.sql("SELECT count(*) FROM audit_events WHERE event = 'decided'")
        assert trail == len([row for row in told.json()["decisions"] if row["undoes"] is None])
        return int(trail)

    assert await decisions_after(admin, days=30) == 1
    assert await decisions_after(admin, days=30) == 1
    # Another statement, another end, another administrator; at last for ever, and that again.
    assert await decisions_after(admin, days=30, explanation="Repeated fraud.") == 2
    assert await decisions_after(admin, days=29, explanation="Repeated fraud.") == 3
    assert await decisions_after(other, days=29, explanation="Repeated fraud.") == 4
    assert await decisions_after(other, explanation="Repeated fraud.") == 5
    assert await decisions_after(other, explanation="Repeated fraud.") == 5
    await admin.post(f"/users/{author.id}/restore")
    assert await decisions_after(other, explanation="Repeated fraud.") == 6
    # The same days, counted from a later moment.
    assert await decisions_after(admin, days=30) == 7
    await api.sql("UPDATE decisions SET until = until - interval '2 hours' WHERE ended_at IS NULL")
    assert await decisions_after(admin, days=30) == 8


async def test_without_days_it_is_for_ever(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    told = (await suspend(admin, author.id)).json()
    assert (told["status"], told["suspendedUntil"]) == ("suspended", None)
    assert told["decisions"][0]["until"] is None
    login = (await log_in(api, author)).json()
    assert login["type"] == "/problems#suspended"
    assert "until" not in login


@pytest.mark.heavy
async def test_a_suspension_ends_by_itself(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    for _ in range(2):
        await author.post_ad()
    await suspend(admin, author.id, days=1)
    await api.sql("UPDATE users SET suspended_until = now() WHERE suspended_until IS NOT NULL")
    assert (await log_in(api, author)).status_code == 200
    await all_shown(api, 2)
    assert (await admin.get("/users?status=suspended")).json()["results"] == []


async def all_shown(api: Api, ads: int) -> None:
    """Waits for them; the service's own task may be at it."""
    async with asyncio.timeout(20):
        while await count(api) < ads or await api.sql(
            "SELECT id FROM users WHERE suspended_until > '-infinity'"
        ):
            await show_again(api.state.database, api.state.store)


@pytest.mark.heavy
async def test_a_case_ends_with_its_author_s_account(api: Api) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    path = f"/ads/{(await author.post_ad())['pk']}"
    await author.post_ad()
    await reported(api, path)
    case = await only_case(judge)
    decision = await decide(judge, case["id"], "suspendAccount", days=30)
    assert (decision["kind"], decision["target"]) == ("account", author.id)
    assert await count(api) == 0
    assert (await author.get("/users/me")).status_code == 401
    assert (await only_case(judge))["author"]["status"] == "suspended"
    assert (await undo(other, decision["id"])).status_code == 201
    assert await count(api) == 2
    assert (await log_in(api, author)).status_code == 200


@pytest.mark.heavy
async def test_an_account_is_suspended_until_the_last_decision_about_it_is_undone(
    api: Api,
) -> None:
    author, judge, other = await api.person(), await moderator(api), await moderator(api)
    ads = [(await author.post_ad())["pk"] for _ in range(2)]
    for ad in ads:
        await reported(api, f"/ads/{ad}")
    cases = [await only_case(judge, ad) for ad in ads]
    decisions = [await decide(judge, case["id"], "suspendAccount") for case in cases]
    restored = "SELECT target FROM audit_events WHERE event = 'restored'"
    for decision, login, shown, ended in zip(
        decisions, (403, 200), (0, 2), ([], [str(author.id)]), strict=True
    ):
        assert (await undo(other, decision["id"])).status_code == 201
        assert (await log_in(api, author)).status_code == login
        assert await count(api) == shown
        assert await api.sql(restored) == ended


@pytest.mark.guard
async def test_a_decision_about_an_ad_outlasts_the_suspension_of_its_author(
    start_api: ApiFactory,
) -> None:
    """An ad that reports alone had hidden comes back: its case was decided against the account."""
    async with start_api(reports_to_hide=1) as api:
        author, judge, other = await api.person(), await moderator(api), await moderator(api)
        ads = [(await author.post_ad())["pk"] for _ in range(2)]
        for ad in ads:
            await reported(api, f"/ads/{ad}")
        assert await count(api) == 0
        cases = [(await only_case(judge, ad))["id"] for ad in ads]
        await decide(judge, cases[0], "suspendAd")
        decision = await decide(judge, cases[1], "suspendAccount")
        assert (await undo(other, decision["id"])).status_code == 201
        assert await ids_of(api.client) == [ads[1]]


@pytest.mark.guard
async def test_a_suspension_survives_the_end_of_another_at_the_same_moment(
    start_api: ApiFactory,
) -> None:
    """Decided about two ads of one account."""
    async with start_api(database_timeout_seconds=60) as api:
        author, judge, other = await api.person(), await moderator(api), await moderator(api)
        ads = [(await author.post_ad())["pk"] for _ in range(2)]
        for ad in ads:
            await reported(api, f"/ads/{ad}")
        cases = [(await only_case(judge, ad))["id"] for ad in ads]
        await decide(judge, cases[0], "suspendAccount")
        await api.sql("UPDATE decisions SET appealed_at = now()")
        await api.sql("UPDATE cases SET status = 'appealed' WHERE id = :id", id=cases[0])
        async with while_changing(api, "LOCK TABLE sessions IN EXCLUSIVE MODE"):
            beginning = asyncio.create_task(try_to_decide(judge, cases[1], "suspendAccount"))
            await until_waiting(api, beginning)
            ending = asyncio.create_task(try_to_decide(other, cases[0], "dismiss"))
            await until_waiting(api, beginning, ending)
        assert ((await beginning).status_code, (await ending).status_code) == (201, 201)
        assert (await log_in(api, author)).status_code == 403
        assert await count(api) == 0


@pytest.mark.guard
async def test_the_end_of_a_suspension_frees_one_account_and_all_of_its_ads(api: Api) -> None:
    """Also an ad that something else changes at that moment; it comes back a little later."""
    author, other, admin = await api.person(), await api.person(), await api.admin()
    ads = [(await author.post_ad())["pk"] for _ in range(2)]
    for person in (author, other):
        await suspend(admin, person.id)
    async with while_changing(api, f"SELECT FROM ads WHERE id = {ads[0]} FOR UPDATE"):
        await api.sql("UPDATE users SET suspended_until = now() WHERE id = :id", id=author.id)
        await show_again(api.state.database, api.state.store)
        assert await ids_of(api.client) == [ads[1]]
    async with asyncio.timeout(20):
        while await count(api) < 2:
            await show_again(api.state.database, api.state.store)
    assert (await log_in(api, other)).status_code == 403


@pytest.mark.heavy
async def test_what_was_hidden_by_itself_stays_hidden_when_its_author_is_back(api: Api) -> None:
    author, judge, admin = await api.person(), await moderator(api), await api.admin()
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    decision = await decide(judge, (await only_case(judge))["id"], "suspendAd")
    await suspend(admin, author.id)
    # Nor is it shown while its author is suspended.
    assert (await undo(admin, decision["id"])).status_code == 201
    assert await count(api) == 0
    await admin.post(f"/users/{author.id}/restore")
    assert await count(api) == 1


@pytest.mark.heavy
async def test_of_many_ads_all_are_hidden_by_the_time_it_is_decided(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MANY", 3)
    monkeypatch.setattr(decisions, "BATCH", 2)
    author, judge, admin = await api.person(), await moderator(api), await api.admin()
    ads = [await author.post_ad() for _ in range(7)]
    await reported(api, f"/ads/{ads[0]['pk']}")
    decision = await decide(judge, (await only_case(judge))["id"], "suspendAccount")
    assert await count(api) == 0
    assert (await admin.get(f"/users/{author.id}")).json()["suspendedUntil"] is None
    assert (await undo(admin, decision["id"])).status_code == 201
    await all_shown(api, 7)


@pytest.mark.heavy
async def test_a_hold_without_a_decision_ends_by_itself(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a process that was killed in between."""
    monkeypatch.setattr(decisions, "MANY", 1)
    monkeypatch.setattr(decisions, "PROVISIONAL_SECONDS", 0)
    author, admin = await api.person(), await api.admin()
    for _ in range(2):
        await author.post_ad()
    async with api.state.database.transaction() as transaction:
        await decisions.prepare_suspension(transaction, author.id, admin.id)
    await all_shown(api, 2)
    assert (await author.get("/users/me")).status_code == 200


@pytest.mark.heavy
async def test_hiding_many_ads_holds_no_transaction_open(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends sessions that are idle in a transaction."""
    monkeypatch.setattr(decisions, "MANY", 0)
    # What jobs do would count too.
    async with start_api(jobs="off") as api:
        author, judge, admin = await api.person(), await moderator(api), await api.admin()
        await reported(api, f"/ads/{(await author.post_ad())['pk']}")
        case = await only_case(judge)
        used = []

        async def hide_ads_of(db: Statements, *args: int) -> int:
            used.append(api.state.database.pools["sessions"].used)
            return await hide(db, *args)

        hide = decision_rows.hide_ads_of
        monkeypatch.setattr(decision_rows, "hide_ads_of", hide_ads_of)
        await decide(judge, case["id"], "suspendAccount")
        assert (await suspend(admin, author.id)).status_code == 200
        # None while ads are hidden in batches, and that of the decision afterwards.
        assert used == [0, 1, 1]


@pytest.mark.heavy
async def test_nothing_of_a_suspended_account_comes_into_sight(api: Api) -> None:
    """Whoever was busy when it was suspended, and administrators."""
    author, admin = await api.person(), await api.admin()
    path = f"/ads/{(await author.post_ad(status='draft'))['pk']}"
    await suspend(admin, author.id)
    assert (await admin.post(f"{path}/publish")).json()["status"] == "suspended"
    await api.sql(
        "INSERT INTO ads (author_id, title, description, price, image)"
        " VALUES (:id, 'Oak table', 'Solid oak.', 1, 'a.jpg')",
        id=author.id,
    )
    assert await count(api) == 0
    await admin.post(f"/users/{author.id}/restore")
    assert await count(api) == 2


@pytest.mark.heavy
async def test_ads_posted_while_the_account_is_suspended_are_hidden_or_refused(api: Api) -> None:
    author, admin = await api.person(), await api.admin()
    posting = [author.post("/ads", files=ad_form()) for _ in range(4)]
    answers = await asyncio.gather(*posting, suspend(admin, author.id))
    assert {answer.status_code for answer in answers[:-1]} <= {201, 401}
    assert answers[-1].status_code == 200
    assert await count(api) == 0


async def test_the_reports_of_a_suspended_account_count_no_more(api: Api) -> None:
    author, reporter, admin = await api.person(), await neighbour(api), await api.admin()
    path = f"/ads/{(await author.post_ad())['pk']}"
    await reported(api, path)
    assert (await reporter.post(f"{path}/reports", json=SCAM)).status_code == 201
    await suspend(admin, reporter.id)
    [case] = (await admin.get("/moderation/cases")).json()["results"]
    assert case["reports"] == 1


@pytest.mark.guard
async def test_basic_credentials_of_a_suspended_account_do_not_count(
    start_api: ApiFactory,
) -> None:
    async with start_api(http_basic=True) as api:
        author, admin = await api.person(), await api.admin()
        pair = (author.username, author.password)
        assert (await api.client.get("/users/me", auth=pair)).status_code == 200
        await suspend(admin, author.id)
        assert (await api.client.get("/users/me", auth=pair)).status_code == 401
        assert (await api.client.get("/ads/me", auth=pair)).status_code == 401


@pytest.mark.heavy
async def test_the_old_token_of_a_suspended_account_is_refused_by_every_process(
    api: Api, start_api: ApiFactory
) -> None:
    async with start_api() as second:
        author, admin = await api.person(), await api.admin()
        path = f"/ads/{(await author.post_ad())['pk']}"
        for process in (api, second):
            await settle(process)
            answer = await process.client.get(path, headers=author.headers)
            assert answer.status_code == 200
            assert process.state.token_cache.get(author.headers["Authorization"])
        assert (await suspend(admin, author.id)).status_code == 200
        # The other process has heard of it.
        await settle(second)
        assert second.state.token_cache.get(author.headers["Authorization"]) is None
        for process in (api, second):
            for method in ("GET", "DELETE"):
                answer = await process.client.request(method, path, headers=author.headers)
                assert answer.status_code == 401


async def test_no_one_suspends_themselves_and_only_administrators_suspend(api: Api) -> None:
    user, judge, admin = await api.person(), await moderator(api), await api.admin()
    operations = [
        ("GET", "/users"),
        ("GET", f"/users/{user.id}"),
        ("GET", "/users/999"),
        ("POST", f"/users/{user.id}/suspend"),
        ("POST", f"/users/{user.id}/restore"),
    ]
    for method, path in operations:
        assert (await api.client.request(method, path)).status_code == 401, path
        for person in (user, judge):
            assert (await person.request(method, path)).status_code == 403, path
    for step in ("suspend", "restore"):
        assert (await admin.post(f"/users/{admin.id}/{step}", json=TERMS)).status_code == 403
        assert (await admin.post(f"/users/999/{step}", json=TERMS)).status_code == 404
        assert (await admin.post(f"/users/x/{step}", json=TERMS)).status_code == 400
    assert (await admin.get("/users/999")).status_code == 404
    for sent, pointers in (
        ({}, ["/ground", "/explanation"]),
        ({**TERMS, "days": 36_501}, ["/days"]),
    ):
        answer = await admin.post(f"/users/{user.id}/suspend", json=sent)
        assert answer.status_code == 400
        assert [fault["pointer"] for fault in answer.json()["errors"]] == pointers


async def test_accounts_are_found_by_name_and_status(api: Api) -> None:
    admin = await api.admin()
    names = ("anna@example.com", "Anna.Berg@example.com", "bert@example.com", "an_a@example.com")
    people = [await api.person(name) for name in names]
    await suspend(admin, people[1].id)

    async def found(query: str) -> list[str]:
        names: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            answer = await admin.get(f"/users?limit=1&{query}{cursor}")
            page = answer.json()
            names += [account["email"] for account in page["results"]]
            cursor = page["next"] and f"&cursor={page['next']}"
        return names

    assert await found("q=ANNA") == [names[1], names[0]]
    assert await found("q=an_a") == [names[3]]
    assert await found("q=%25") == []
    assert await found("q=anna&status=active") == [names[0]]
    assert await found("status=suspended") == [names[1]]
    assert await found("") == [*names[::-1], admin.username]
    for query in ("q=", "status=closed", f"q={'a' * 255}", "limit=x", "q=a%00"):
        assert (await admin.get(f"/users?{query}")).status_code == 400, query


@pytest.mark.parametrize("role", [Role.MODERATOR, Role.ADMIN])
async def test_who_loses_the_role_loses_the_right_at_once(api: Api, role: Role) -> None:
    person = await api.person()
    assert (await person.get("/moderation/cases")).status_code == 403
    await api.set_role(person, role)
    assert (await person.get("/moderation/cases")).status_code == 200
    assert (await person.get("/users/me")).json()["role"] == role
    await api.set_role(person, Role.USER)
    assert (await person.get("/moderation/cases")).status_code == 403


@pytest.mark.heavy
async def test_an_account_is_removed_with_all_that_it_has_published(api: Api) -> None:
    author, admin, other = await api.person(), await api.admin(), await api.person()
    ad, others = await author.post_ad(), (await other.post_ad())["pk"]
    for text in ("Buy my watches", "Cheap watches"):
        await author.post(f"/ads/{others}/comments", json={"text": text})
    written = await write(author, f"/ads/{others}", "Watches for sale")
    conversation = f"/conversations/{written['conversation']}/messages"
    # One comment is removed by a decision of its own.
    comments = (await other.get(f"/ads/{others}/comments")).json()["results"]
    await reported(api, f"/ads/{others}/comments/{comments[0]['pk']}")
    await decide(admin, (await only_case(admin))["id"], "removeComment")
    content = {"ads": 1, "pictures": 1, "comments": 1, "messages": 1, "ratings": 0}

    async def shown() -> list[int]:
        listed = (await other.get(f"/ads/{others}/comments")).json()["results"]
        messages = (await other.get(conversation)).json()["results"]
        return [await count(api), len(listed), sum(bool(each["text"]) for each in messages)]

    async def expel(**members: object) -> httpx2.Response:
        return await admin.post(f"/users/{author.id}/expel", json={**TERMS, **members})

    assert await shown() == [2, 1, 1]
    dry = await expel(dryRun=True)
    assert (dry.status_code, dry.json()) == (200, content)
    assert await shown() == [2, 1, 1]
    assert (await expel()).json() == content
    assert await shown() == [1, 0, 0]
    assert (await author.get(f"/ads/{ad['pk']}")).status_code == 401
    # Sent again, it finds nothing and makes no other decision.
    assert set((await expel()).json().values()) <= {0, 1}
    account = (await admin.get(f"/users/{author.id}")).json()
    actions = [each["action"] for each in account["decisions"]]
    assert actions == ["suspendAccount", "removeComment"]
    await admin.post(f"/users/{author.id}/restore")
    # What has a decision of its own stays removed.
    assert await shown() == [2, 1, 1]
    assert (await other.post(f"/users/{author.id}/expel", json=TERMS)).status_code == 403
