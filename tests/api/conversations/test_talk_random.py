"""Random talk about an ad ends as a model in memory says."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from typing import Any, ClassVar

import httpx2
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.talk import inbox

SELLER, BUYERS = 0, (1, 2)
PERSON, BUYER, PARTY = (
    st.sampled_from((SELLER, *BUYERS)),
    st.sampled_from(BUYERS),
    st.sampled_from(("seller", "buyer")),
)
TEXTS = st.sampled_from(("Is it there?", "Yes", "Ja, gern", "Можно завтра?"))
SHOWN = ("active", "reserved")
AD_STEPS = {
    "publish": (("withdrawn",), "active"),
    "reserve": (("active",), "reserved"),
    "release": (("reserved",), "active"),
    "sell": (SHOWN, "sold"),
    "withdraw": (SHOWN, "withdrawn"),
}
OFFER_STEPS = {"accept": "accepted", "decline": "declined", "withdraw": "withdrawn"}
OTHER = {"seller": "buyer", "buyer": "seller"}


@dataclass
class ModelOffer:
    id: int
    price: int
    by: str
    status: str = "open"


@dataclass
class ModelMessage:
    id: int
    by: str
    kind: str
    text: str
    offer: ModelOffer | None


@dataclass
class ModelTalk:
    """Of one buyer with the seller."""

    id: int
    messages: list[ModelMessage] = field(default_factory=list)
    offers: list[ModelOffer] = field(default_factory=list)
    read: dict[str, int] = field(default_factory=lambda: {"seller": 0, "buyer": 0})
    hidden: set[str] = field(default_factory=set)

    @property
    def open(self) -> ModelOffer | None:
        return next((offer for offer in self.offers if offer.status == "open"), None)

    def add(self, number: int, by: str, kind: str, text: str, offer: ModelOffer | None) -> None:
        self.messages.append(ModelMessage(number, by, kind, text, offer))
        self.hidden.clear()

    def unread(self, party: str) -> int:
        return sum(one.by != party and one.id > self.read[party] for one in self.messages)


@dataclass
class Scene:
    api: Api
    loop: asyncio.AbstractEventLoop


@pytest.fixture
async def scene(start_api: ApiFactory) -> AsyncIterator[Scene]:
    async with start_api(jobs="off") as api:
        yield Scene(api, asyncio.get_running_loop())


class Talks(RuleBasedStateMachine):
    """One ad, its seller and two buyers. Runs in a thread beside the loop of the application."""

    scene: ClassVar[Scene]

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.scene.loop).result(timeout=30)

    @initialize()
    def begin(self) -> None:
        self.people: dict[int, Person] = {
            one: self.run(self.scene.api.person()) for one in (SELLER, *BUYERS)
        }
        self.alive = {SELLER, *BUYERS}
        self.ad: int = self.run(self.people[SELLER].post_ad())["pk"]
        # None once it is deleted.
        self.status: str | None = "active"
        self.talks: dict[int, ModelTalk] = {}
        # Who has blocked whom.
        self.blocks: set[tuple[int, int]] = set()
        # Each step that needs a conversation has one.
        self.write_about_the_ad(1, "Is it there?")
        self.offer(1, "buyer", 100)
        self.hide(1, "seller")
        self.answer(1, "buyer", "Yes")

    def post(self, who: int, path: str, body: Any = None) -> httpx2.Response:
        answer: httpx2.Response = self.run(self.people[who].post(path, json=body))
        return answer

    def blocked(self, buyer: int) -> bool:
        return bool({(SELLER, buyer), (buyer, SELLER)} & self.blocks)

    def has_met(self, owner: int, other: int) -> bool:
        """Whether it sees an ad of the other, or has a conversation with it."""
        return (other == SELLER and self.status in SHOWN) or {owner, other} - {SELLER} <= {
            *self.talks
        }

    def refusal(self, buyer: int, who: int) -> str | None:
        """Why this party writes nothing to the other."""
        if ({SELLER, buyer} - {who}) - self.alive:
            return "closed"
        return "blocked" if self.blocked(buyer) else None

    def acting(self, buyer: int, party: str) -> int | None:
        """The account of the party, if there is a conversation, and the account has not gone."""
        who = SELLER if party == "seller" else buyer
        return who if buyer in self.talks and who in self.alive else None

    @staticmethod
    def refused(answer: httpx2.Response, name: str, status: int = 403) -> None:
        assert answer.status_code == status, answer.text
        assert answer.json()["type"] == f"/problems#{name}"

    @rule(buyer=BUYER, text=TEXTS)
    def write_about_the_ad(self, buyer: int, text: str) -> None:
        if buyer not in self.alive:
            return
        answer = self.post(buyer, f"/ads/{self.ad}/messages", {"text": text})
        if self.status not in SHOWN:
            assert answer.status_code == (410 if self.status == "sold" else 404)
        elif self.blocked(buyer):
            self.refused(answer, "blocked")
        else:
            assert answer.status_code == 201, answer.text
            answered = answer.json()
            talk = self.talks.setdefault(buyer, ModelTalk(answered["conversation"]))
            assert answered["conversation"] == talk.id
            talk.add(answered["id"], "buyer", "text", text, None)

    @rule(buyer=BUYER, party=PARTY, text=TEXTS)
    def answer(self, buyer: int, party: str, text: str) -> None:
        if (who := self.acting(buyer, party)) is None:
            return
        talk = self.talks[buyer]
        answer = self.post(who, f"/conversations/{talk.id}/messages", {"text": text})
        if why := self.refusal(buyer, who):
            self.refused(answer, why)
        else:
            assert answer.status_code == 201, answer.text
            talk.add(answer.json()["id"], party, "text", text, None)

    @rule(buyer=BUYER, party=PARTY, price=st.integers(0, 9999))
    def offer(self, buyer: int, party: str, price: int) -> None:
        """In answer to the other party's offer it declines that one."""
        if (who := self.acting(buyer, party)) is None:
            return None
        talk = self.talks[buyer]
        before = talk.open
        answer = self.post(who, f"/conversations/{talk.id}/offers", {"price": price})
        if why := self.refusal(buyer, who):
            return self.refused(answer, why)
        is_first = before is None and party == "seller"
        is_second = before is not None and before.by == party
        if self.status not in SHOWN or is_first or is_second:
            self.refused(answer, "offer-not-possible", 409)
            allowed = ["withdraw"] if is_second and self.status in SHOWN else []
            assert answer.json()["allowed"] == allowed
            return None
        assert answer.status_code == 201, answer.text
        if before is not None:
            before.status = "declined"
        made = ModelOffer(answer.json()["id"], price, party)
        talk.offers.append(made)
        self.take_over(who, talk, made)
        return None

    def take_over(
        self, who: int, talk: ModelTalk, offer: ModelOffer | None, text: str = ""
    ) -> None:
        """The message that an offer or a step makes: its id is in no answer."""
        path = f"/conversations/{talk.id}/messages?limit=1"
        [newest] = self.run(self.people[who].get(path)).json()["results"]
        by = "seller" if who == SELLER else "buyer"
        talk.add(newest["id"], by, "notice" if text else "offer", text, offer)

    @rule(buyer=BUYER, party=PARTY, step=st.sampled_from([*OFFER_STEPS]), last=st.booleans())
    def end_an_offer(self, buyer: int, party: str, step: str, last: bool) -> None:  # noqa: FBT001 - hypothesis names it
        who = self.acting(buyer, party)
        if who is None or not self.talks[buyer].offers:
            return None
        talk = self.talks[buyer]
        offer = talk.offers[-1 if last else 0]
        answer = self.post(who, f"/offers/{offer.id}/{step}")
        why = self.refusal(buyer, who)
        # A block does not keep a party from taking its own offer back.
        if why and not (why == "blocked" and step == "withdraw"):
            return self.refused(answer, why)
        own = ["withdraw"] if offer.by == party else ["accept", "decline"]
        allowed = own if offer.status == "open" else []
        if step in allowed and step == "accept" and self.status != "active":
            allowed = ["decline"]
        if step not in allowed:
            self.refused(answer, "offer-not-possible", 409)
            assert answer.json()["allowed"] == allowed
            return None
        assert answer.status_code == 200, answer.text
        offer.status = OFFER_STEPS[step]
        if step == "accept":
            self.status = "reserved"
        return None if why else self.take_over(who, talk, offer, offer.status)

    @rule(buyer=BUYER)
    def expire(self, buyer: int) -> None:
        """The open offer, with no message about it."""
        if buyer in self.talks and (offer := self.talks[buyer].open) is not None:
            sql = "UPDATE offers SET expires_at = now() WHERE id = :id"
            self.run(self.scene.api.sql(sql, id=offer.id))
            offer.status = "expired"

    @rule(name=st.sampled_from([*AD_STEPS]), buyer=st.none() | BUYER)
    def step(self, name: str, buyer: int | None) -> None:
        if SELLER not in self.alive:
            return
        is_named = name == "sell" and buyer is not None
        body = {"buyer": self.people[buyer].id} if is_named and buyer is not None else None
        answer = self.post(SELLER, f"/ads/{self.ad}/{name}", body)
        sources, to = AD_STEPS[name]
        if self.status is None:
            assert answer.status_code == 404
        elif self.status not in sources:
            assert answer.status_code == 409
        elif is_named and (buyer not in self.talks or buyer not in self.alive):
            assert answer.status_code == 400
        else:
            assert answer.status_code == 200, answer.text
            self.status = to
            if is_named and buyer is not None and not self.blocked(buyer):
                self.take_over(SELLER, self.talks[buyer], None, "sold")

    @rule(buyer=BUYER, from_seller=st.booleans(), ends=st.booleans())
    def block(self, buyer: int, from_seller: bool, ends: bool) -> None:  # noqa: FBT001 - hypothesis names them
        if not {SELLER, buyer} <= self.alive:
            return None
        owner, other = (SELLER, buyer) if from_seller else (buyer, SELLER)
        path = f"/users/me/blocks/{self.people[other].id}"
        answer = self.run(self.people[owner].request("DELETE" if ends else "PUT", path))
        if not ends and (owner, other) not in self.blocks and not self.has_met(owner, other):
            return self.refused(answer, "account-not-found", 404)
        assert answer.status_code == 204, answer.text
        (self.blocks.discard if ends else self.blocks.add)((owner, other))
        return None

    @rule(buyer=BUYER, party=PARTY, one=st.integers(0, 99))
    def read(self, buyer: int, party: str, one: int) -> None:
        if (who := self.acting(buyer, party)) is None:
            return
        talk = self.talks[buyer]
        up_to = talk.messages[one % len(talk.messages)].id
        path = f"/conversations/{talk.id}/read"
        assert self.post(who, path, {"upTo": up_to}).status_code == 204
        talk.read[party] = max(talk.read[party], up_to)

    @rule(buyer=BUYER, party=PARTY)
    def hide(self, buyer: int, party: str) -> None:
        if (who := self.acting(buyer, party)) is not None:
            talk = self.talks[buyer]
            assert self.post(who, f"/conversations/{talk.id}/hide").status_code == 204
            talk.hidden.add(party)

    # Rarely: after it there is less to do.
    @rule(chance=st.integers(0, 9), who=st.none() | PERSON)
    def delete(self, chance: int, who: int | None) -> None:
        """An account, whose open offers end, or the ad."""
        if chance or (SELLER if who is None else who) not in self.alive:
            return
        if who is None:
            status = self.run(self.people[SELLER].delete(f"/ads/{self.ad}")).status_code
            assert status == (404 if self.status is None else 204)
        else:
            gone = {"currentPassword": self.people[who].password}
            answer = self.run(self.people[who].request("DELETE", "/users/me", json=gone))
            assert answer.status_code == 204, answer.text
            self.alive.discard(who)
            for buyer, talk in self.talks.items():
                if who in {SELLER, buyer} and (offer := talk.open) is not None:
                    own = offer.by == ("seller" if who == SELLER else "buyer")
                    offer.status = "withdrawn" if own else "declined"
            self.blocks = {pair for pair in self.blocks if who not in pair}
        if who in {None, SELLER}:
            self.status = None

    @invariant()
    def each_party_sees_what_the_model_says(self) -> None:
        for who in self.alive:
            party = "seller" if who == SELLER else "buyer"
            own = {buyer: talk for buyer, talk in self.talks.items() if who in {SELLER, buyer}}
            expected = {talk.id: self.seen(buyer, party) for buyer, talk in own.items()}
            listed = sorted(
                (talk for talk in own.values() if party not in talk.hidden),
                key=lambda talk: -talk.messages[-1].id,
            )
            found = self.run(inbox(self.people[who]))
            assert [one["id"] for one in found] == [talk.id for talk in listed]
            assert [summary(one) for one in found] == [expected[talk.id] for talk in listed]
            for talk in self.talks.values():
                self.look(who, party, talk, expected.get(talk.id))

    def seen(self, buyer: int, party: str) -> dict[str, Any]:
        talk, other = self.talks[buyer], buyer if party == "seller" else SELLER
        offer = talk.open
        hides_ad = party == "buyer" and self.status == "withdrawn"
        return {
            "ad": None if hides_ad else self.status,
            "other": self.people[other].id if other in self.alive else None,
            "role": party,
            "last": talk.messages[-1].id,
            "unread": talk.unread(party),
            "readUpTo": None if self.blocked(buyer) else talk.read[OTHER[party]] or None,
            "offer": None if offer is None else (offer.id, offer.price, offer.by, "open"),
            "blocked": self.blocked(buyer),
        }

    def look(self, who: int, party: str, talk: ModelTalk, expected: dict[str, Any] | None) -> None:
        path = f"/conversations/{talk.id}"
        one = self.run(self.people[who].get(path))
        messages = self.run(self.people[who].get(f"{path}/messages", params={"limit": 1000}))
        if expected is None:
            assert (one.status_code, messages.status_code) == (404, 404)
            return
        assert summary(one.json()) == expected
        assert [
            (m["id"], m["mine"], m["kind"], m["text"], m["offer"] and summary_of_offer(m["offer"]))
            for m in reversed(messages.json()["results"])
        ] == [
            (
                m.id, m.by == party, m.kind, m.text,
                m.offer and (m.offer.id, m.offer.price, m.offer.by, m.offer.status),
            )
            for m in talk.messages
        ]  # fmt: skip


def summary_of_offer(offer: dict[str, Any]) -> tuple[int, int, str, str]:
    return offer["id"], offer["price"], offer["by"], offer["status"]


def summary(conversation: dict[str, Any]) -> dict[str, Any]:
    """What the model knows of it."""
    return {
        **{name: conversation[name] for name in ("role", "unread", "readUpTo", "blocked")},
        "ad": conversation["ad"] and conversation["ad"]["status"],
        "other": conversation["other"] and conversation["other"]["id"],
        "last": conversation["last"]["id"],
        "offer": conversation["offer"] and summary_of_offer(conversation["offer"]),
    }


async def walk(scene: Scene, examples: int, steps: int) -> None:
    Talks.scene = scene
    how = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None,
        suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    await asyncio.to_thread(run_state_machine_as_test, Talks, settings=how)


@pytest.mark.heavy
async def test_talk_ends_as_the_model_says(scene: Scene) -> None:
    await walk(scene, 4, 25)


@pytest.mark.large
async def test_much_talk_ends_as_the_model_says(scene: Scene) -> None:
    await walk(scene, 100, 60)
