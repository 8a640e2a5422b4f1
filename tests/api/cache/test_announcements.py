"""A process announces to itself, after the commit, at least what triggers announce to all."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from adsvc.invalidation import NO_AD, AdChange, InvalidationKind
from adsvc.kit.invalidation import Invalidation
from support.scene.api import PASSWORD, Api, Person, image_form
from support.scene.categories import plant
from support.scene.warmth import settle

# What caches hear. The others wake lanes and streams.
CACHED = frozenset(
    {
        *(InvalidationKind.AD, InvalidationKind.USER, InvalidationKind.SESSION),
        *(InvalidationKind.KEY, InvalidationKind.IMAGE, InvalidationKind.CATEGORY),
    }
)


@dataclass
class Announced:
    """By the process itself, and by the triggers of the database."""

    own: list[Invalidation] = field(default_factory=list)
    triggers: list[Invalidation] = field(default_factory=list)

    @property
    def missing(self) -> list[Invalidation]:
        return [change for change in self.triggers if not self._has(change)]

    def _has(self, change: Invalidation) -> bool:
        return any(_covers(own, change) for own in self.own)


def _covers(own: Invalidation, change: Invalidation) -> bool:
    if own.kind != change.kind:
        return False
    mine, theirs = own.details, change.details
    if not isinstance(mine, AdChange) or not isinstance(theirs, AdChange):
        # All lists are void after a change of an ad of which nothing else is known.
        return own.id in {"", change.id} or (own.id == str(NO_AD) and theirs is None)
    return (
        own.id == change.id
        and mine.aspects >= theirs.aspects
        and {theirs.category_id, theirs.category_before}
        <= {mine.category_id, mine.category_before, 0}
    )


@pytest.fixture
def announced(api: Api, monkeypatch: pytest.MonkeyPatch) -> Announced:
    changes, found = api.state.database.changes, Announced()
    apply = changes.apply

    def applied(change: Invalidation) -> None:
        found.own.append(change)
        apply(change)

    def heard(change: Invalidation) -> None:
        if change.kind in CACHED and not any(change is own for own in found.own):
            found.triggers.append(change)

    monkeypatch.setattr(changes, "apply", applied)
    changes.follow(heard)
    return found


@pytest.mark.heavy
async def test_each_change_is_announced_by_the_process_that_makes_it(
    api: Api, announced: Announced
) -> None:
    await plant(api)
    admin, person, other = await api.admin(), await api.person(), await api.person()
    ad = await person.post_ad(title="Oak table", category="vehicles")
    path = f"/ads/{ad['pk']}"
    key = (await person.post("/users/me/keys", json={"name": "a", "scopes": ["ads:read"]})).json()
    change = {"currentPassword": PASSWORD, "newPassword": "another horse battery"}
    statement = {"ground": "terms", "explanation": "Spam."}
    role = {"role": "MODERATOR", "currentPassword": PASSWORD}
    car = {"parent": "vehicles", "name": "Automobiles"}
    steps: list[tuple[Person, str, str, dict[str, Any]]] = [
        (person, "PATCH", path, {"json": {"title": "Oak desk", "price": 7}}),
        (person, "PATCH", path, {"json": {"place": "Bonn", "latitude": 50.7, "longitude": 7.1}}),
        (person, "PATCH", path, {"json": {"category": None}}),
        (person, "PATCH", f"{path}/image", {"files": image_form()}),
        (person, "POST", f"{path}/images", {"files": image_form()}),
        (other, "POST", f"{path}/comments", {"json": {"text": "Is it oak?"}}),
        (other, "PUT", f"/users/me/favorites/{ad['pk']}", {}),
        (other, "POST", f"{path}/messages", {"json": {"text": "Is it still there?"}}),
        (person, "POST", f"{path}/reserve", {}),
        (person, "POST", f"{path}/release", {}),
        (person, "POST", f"{path}/withdraw", {}),
        (person, "POST", f"{path}/publish", {}),
        (person, "POST", f"{path}/sell", {}),
        (person, "PATCH", "/users/me", {"json": {"firstName": "Berta"}}),
        (person, "PATCH", "/users/me/image", {"files": image_form()}),
        (person, "PATCH", "/users/me/image", {"files": image_form()}),
        (person, "DELETE", f"/users/me/keys/{key['id']}", {}),
        (other, "PUT", f"/users/me/blocks/{person.id}", {}),
        (other, "DELETE", f"/users/me/blocks/{person.id}", {}),
        (admin, "PUT", "/categories/cars", {"json": car}),
        (admin, "PATCH", f"/users/{other.id}", {"json": role}),
        (admin, "POST", f"/users/{other.id}/suspend", {"json": statement}),
        (admin, "POST", f"/users/{other.id}/restore", {}),
        (person, "DELETE", path, {}),
        (person, "PATCH", "/users/set_password", {"json": change}),
    ]
    for who, method, where, options in steps:
        await settle(api, InvalidationKind.OUTBOX)
        announced.own.clear()
        announced.triggers.clear()
        answer = await who.request(method, where, **options)
        assert answer.status_code < 300, (method, where, answer.text)
        await settle(api, InvalidationKind.OUTBOX)
        assert announced.missing == [], (method, where, announced.own)
