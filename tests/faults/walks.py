"""Rules of what people may do to ads, for hypothesis to put in any order."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from faults.model import WORDS, Account, Comment
from faults.world import World

PEOPLE = st.sampled_from(("anna", "boris", "admin"))
# Which of those there are.
ONE = st.integers(0, 99)
COLOUR = st.integers(0, 3)
PRICE = st.integers(0, 5)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
PROPERTIES: dict[str, st.SearchStrategy[Any]] = {
    "title": st.sampled_from(WORDS).map(lambda word: f"a {word} here"),
    "description": st.sampled_from(WORDS).map(lambda word: f"one {word} and more"),
    "price": PRICE,
}
CHANGES = st.fixed_dictionaries({}, optional=PROPERTIES).filter(bool)

FIRST = {"title": "a walnut here", "description": "one violin and more", "price": 3}
UNACCEPTABLE: list[dict[str, Any]] = [{}, {"price": -1}, {"title": None}]
BAD_CHANGES = st.sampled_from(UNACCEPTABLE)


def some_ads(walk: "AdWalk") -> bool:
    return bool(walk.world.ads)


def some_comments(walk: "AdWalk") -> bool:
    return any(ad.comments for ad in walk.world.ads.values())


class AdWalk(RuleBasedStateMachine):
    """What people do to ads and comments."""

    def __init__(self, world: World, people: dict[str, Account]) -> None:
        super().__init__()
        self.world = world
        self.people = {**people, "nobody": Account(0, "")}

    @initialize(colour=COLOUR)
    def everybody_has_something_to_lose(self, colour: int) -> None:
        """And each kind of change has been refused, and made, once at least."""
        self._begin("anna", colour)
        for who in ("nobody", "boris", "anna"):
            self.change(who, 0, dict(FIRST), None)
            self.change(who, 0, None, colour)
            self.change_comment(who, 0, "Another")
            self.change_comment(who, 0, None)
            self.change(who, 0, None, None)
        assert self.world.ads == {}
        for who in ("anna", "boris", "admin"):
            self._begin(who, colour)

    def _begin(self, who: str, colour: int) -> None:
        self.world.post(self.people[who], dict(FIRST), colour)
        self.comment(who, max(self.world.ads), f"from {who}")

    @invariant()
    def all_is_as_it_should_be(self) -> None:
        self.world.check_everything()

    def ad(self, one: int) -> int:
        return sorted(self.world.ads)[one % len(self.world.ads)]

    def _comment(self, one: int) -> tuple[int, int, Comment]:
        said = [
            (pk, number, comment)
            for pk, ad in sorted(self.world.ads.items())
            for number, comment in sorted(ad.comments.items())
        ]
        return said[one % len(said)]

    # Ads

    @precondition(lambda self: len(self.world.ads) < 8)
    @rule(who=PEOPLE, properties=st.fixed_dictionaries(PROPERTIES), colour=COLOUR)
    def post(self, who: str, properties: dict[str, Any], colour: int) -> None:
        self.world.post(self.people[who], properties, colour)

    @precondition(some_ads)
    @rule(who=PEOPLE, one=ONE, changes=CHANGES | BAD_CHANGES | st.none(), colour=COLOUR | st.none())
    def change(
        self, who: str, one: int, changes: dict[str, Any] | None, colour: int | None
    ) -> None:
        """Its members or its picture; without either, it goes."""
        pk = self.ad(one)
        if changes is not None:
            self._edit(self.people[who], pk, changes)
        elif colour is not None:
            self.world.replace(self.people[who], pk, colour)
        else:
            self.world.delete(self.people[who], pk)

    def _edit(self, sender: Account, pk: int, changes: dict[str, Any]) -> None:
        ad = self.world.ads[pk]
        path = f"/ads/{pk}"
        if changes in UNACCEPTABLE:
            answer = self.world.ask(sender, "PATCH", path, json=changes)
            assert answer.status_code in {400, 401, 403}
        elif self.world.attempt(sender, ad.author, "PATCH", path, json=changes) is not None:
            ad.properties = {**ad.properties, **changes}

    # Comments

    @precondition(some_ads)
    @rule(who=PEOPLE, one=ONE, text=TEXT)
    def say(self, who: str, one: int, text: str) -> None:
        self.comment(who, self.ad(one), text)

    def comment(self, who: str, pk: int, text: str) -> None:
        sender = self.people[who]
        path = f"/ads/{pk}/comments"
        answer = self.world.attempt(sender, None, "POST", path, json={"text": text})
        if answer is not None:
            self.world.ads[pk].comments[answer.json()["pk"]] = Comment(sender, text)

    @precondition(some_comments)
    @rule(who=PEOPLE, one=ONE, text=TEXT | st.none())
    def change_comment(self, who: str, one: int, text: str | None) -> None:
        """What it says; without that, it goes."""
        pk, number, said = self._comment(one)
        path = f"/ads/{pk}/comments/{number}"
        sender = self.people[who]
        if text is None:
            if self.world.attempt(sender, said.author, "DELETE", path) is not None:
                del self.world.ads[pk].comments[number]
        elif (
            self.world.attempt(sender, said.author, "PATCH", path, json={"text": text}) is not None
        ):
            said.text = text
