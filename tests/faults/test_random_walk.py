"""Three people who do random things, compared with a model of what should be so."""

import asyncio
import sys
import time
import traceback
from dataclasses import dataclass
from itertools import chain
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from faults.conftest import NewService
from faults.model import WORDS, Account
from faults.scale import SHORT, times
from faults.served import Service
from faults.walks import PEOPLE, PRICE, AdWalk
from faults.world import ALL, World

pytestmark = pytest.mark.drill

# Files go a moment after the rows that named them.
SWEPT_SECONDS = 5
A_DAY = 24 * 60 * 60
WALKS = settings(
    max_examples=times(40, short=3),
    stateful_step_count=times(40, short=20),
    deadline=None,
    print_blob=True,
    derandomize=SHORT,
    # They are about what takes long, and this does.
    suppress_health_check=list(HealthCheck),
)
SORTS = st.sampled_from((None, "-created", "created", "price", "-price"))
FILTERS = st.fixed_dictionaries(
    {}, optional={"q": st.sampled_from(WORDS), "minPrice": PRICE, "maxPrice": PRICE}
)


@dataclass
class Stage:
    """What lasts from one walk to the next."""

    service: Service
    client: httpx2.Client
    watcher: Account
    admin: Account
    failed: bool = False


class Walk(AdWalk):
    """And to their accounts, and what all see of it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        world = World(stage.client, stage.watcher)
        admin = Account(stage.admin.id, stage.admin.username, admin=True)
        world.log_in(admin)
        super().__init__(
            world, {"anna": world.register(), "boris": world.register(), "admin": admin}
        )

    def teardown(self) -> None:
        """Leaves neither rows nor files to the next run."""
        if isinstance(sys.exc_info()[1], AssertionError) and not self._stage.failed:
            # What a service keeps in memory may make it fail in another way when tried again, and
            # that is all that hypothesis would tell.
            self._stage.failed = True
            traceback.print_exc()
        admin = self.people["admin"]
        self.world.log_in(admin)
        for ad in self.world.ask(admin, "GET", f"/ads?limit={ALL}").json()["results"]:
            assert self.world.ask(admin, "DELETE", f"/ads/{ad['pk']}").status_code == 204
        for name in ("anna", "boris"):
            self.world.remove(self.people[name])
        assert self.world.ask(None, "GET", "/ads").json()["count"] == 0
        deadline = time.monotonic() + SWEPT_SECONDS
        while self._stage.service.image_files():
            assert time.monotonic() < deadline, self._stage.service.image_files()

    # Accounts

    def _me(self, who: Account, token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        answer = self.world.ask(None, "GET", "/users/me", headers=headers)
        assert not answer.is_success or answer.json()["id"] == who.id
        return answer.status_code

    @rule(
        who=PEOPLE,
        what=st.sampled_from(("log in", "log out", "refresh", "refresh twice", "change password")),
        number=st.integers(0, 9),
    )
    def look_after_an_account(self, who: str, what: str, number: int) -> None:
        person = self.people[who]
        if person.token is None:
            self._log_in(person)
        elif what == "log out":
            self._log_out(person, person.refresh if number % 2 else person.token)
        elif what.startswith("refresh"):
            self._refresh(person, twice=what == "refresh twice")
        elif what == "change password" and not person.admin:
            self._change_password(person, number)
        self._use_ended_tokens(person)

    def _log_in(self, person: Account) -> None:
        wrong = {"username": person.username, "password": "not this one"}
        assert self.world.ask(None, "POST", "/login", json=wrong).status_code == 401
        self.world.log_in(person)

    def _log_out(self, person: Account, token: str | None) -> None:
        answer = self.world.ask(None, "POST", "/revoke", data={"token": token})
        assert answer.status_code == 200
        person.forget()

    def _refresh(self, person: Account, *, twice: bool) -> None:
        old = person.token
        assert old
        form = {"grant_type": "refresh_token", "refresh_token": person.refresh}
        answer = self.world.ask(None, "POST", "/token", data=form)
        assert answer.status_code == 200, answer.text
        self.world.given(person, answer)
        assert self._me(person, old) == 200
        if twice:
            again = self.world.ask(None, "POST", "/token", data=form)
            assert (again.status_code, again.json()) == (200, answer.json())
            following = {**form, "refresh_token": person.refresh}
            assert self.world.ask(None, "POST", "/token", data=following).status_code == 200
            answer = self.world.ask(None, "POST", "/token", data=form)
            assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
            person.ended.append(old)
            person.forget()

    def _change_password(self, person: Account, number: int) -> None:
        method, path = ("POST", "PATCH")[number % 2], "/users/set_password"
        record = {"currentPassword": "not this one", "newPassword": f"another password {number}"}
        assert self.world.ask(person, method, path, json=record).status_code == 403
        assert self.world.ask(None, method, path, json=record).status_code == 401
        record["currentPassword"] = person.password
        answer = self.world.ask(person, method, path, json=record)
        assert answer.status_code == 200, answer.text
        person.forget()
        person.password = record["newPassword"]
        self.world.given(person, answer)

    def _use_ended_tokens(self, person: Account) -> None:
        assert [self._me(person, token) for token in person.ended] == [401] * len(person.ended)
        if person.token:
            assert self._me(person, person.token) == 200

    # What is to be seen

    @rule(
        who=PEOPLE,
        filters=FILTERS,
        author=st.none() | PEOPLE,
        sort=SORTS,
        limit=st.sampled_from((1, 2, ALL)),
    )
    def look_for_ads(
        self, who: str, filters: dict[str, Any], author: str | None, sort: str | None, limit: int
    ) -> None:
        self.world.check_finding(filters, self.people[author] if author else None, sort, limit)
        person = self.people[who]
        answer = self.world.attempt(person, None, "GET", f"/ads/me?limit={ALL}")
        if answer is not None:
            self.world.check_listing(answer, lambda ad: ad.author is person)

    @rule(who=PEOPLE)
    def look_at_ads(self, who: str) -> None:
        """At what is there, again at what was there before, and at what is not there any more."""
        self.world.check_tag("/ads")
        for pk, ad in self.world.ads.items():
            answer = self.world.attempt(self.people[who], None, "GET", f"/ads/{pk}")
            if answer is not None:
                names = {"authorFirstName": "", "authorLastName": "", "phone": ""}
                contact = {"email": ad.author.username, **names}
                told = {"pk": pk, "image": ad.path, **ad.properties, **contact}
                assert answer.json() | told == answer.json()
            self.world.check_tag(f"/ads/{pk}")
            self.world.check_tag(ad.path)
        paths = [f"/ads/{pk}{rest}" for pk in self.world.gone for rest in ("", "/comments")]
        for path in chain(paths, self.world.dead_paths):
            assert self.world.ask(self.world.watcher, "GET", path).status_code == 404


async def test_whatever_people_do_all_see_what_they_should(new_service: NewService) -> None:
    # What a hash costs is no part of this.
    service = new_service(password_memory_kib=8, password_iterations=1, access_token_seconds=A_DAY)
    await service.start()
    with httpx2.Client(base_url=service.address, timeout=30) as client:
        world = World(client, Account(0, ""))
        stage = Stage(service, client, world.register(), world.register())
        promoted = await service.run("users", "promote", stage.admin.username)
        assert promoted.returncode == 0, promoted.stderr

        class Here(Walk):
            def __init__(self) -> None:
                super().__init__(stage)

        await asyncio.to_thread(run_state_machine_as_test, Here, settings=WALKS)
