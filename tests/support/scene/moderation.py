"""Moderators, reports and decisions, made as clients make them."""

from typing import Any

import httpx2

from adsvc.enums import Role
from support.scene.api import Api, Person

SCAM = {"reason": "scam", "text": "Asks for money in advance."}
TERMS = {"ground": "terms", "explanation": "Offers of things that do not exist."}


async def moderator(api: Api) -> Person:
    person = await api.person()
    await api.set_role(person, Role.MODERATOR)
    return person


async def neighbour(api: Api) -> Person:
    """Somebody whose reports count."""
    person = await api.person()
    await api.sql(
        "UPDATE users SET created_at = now() - interval '2 days' WHERE id = :id", id=person.id
    )
    return person


async def reported(api: Api, path: str, *, by: int = 1) -> list[Person]:
    """Those who have reported the thing at that path; each counts."""
    people = [await neighbour(api) for _ in range(by)]
    for person in people:
        answer = await person.post(f"{path}/reports", json=SCAM)
        assert answer.status_code == 201, answer.text
    return people


async def only_case(person: Person, target: int | None = None) -> dict[str, Any]:
    """The only case, or the one of the target, as moderators see it."""
    found = (await person.get("/moderation/cases")).json()["results"]
    [listed] = [case for case in found if target in {None, case["target"]}]
    case: dict[str, Any] = (await person.get(f"/moderation/cases/{listed['id']}")).json()
    return case


async def decide(person: Person, case_id: int, action: str, **members: object) -> dict[str, Any]:
    answer = await try_to_decide(person, case_id, action, **members)
    assert answer.status_code == 201, answer.text
    decision: dict[str, Any] = answer.json()
    return decision


async def try_to_decide(
    person: Person, case_id: int, action: str, **members: object
) -> httpx2.Response:
    reasons = {} if action == "dismiss" else TERMS
    sent = {"action": action, **reasons, **members}
    return await person.post(f"/moderation/cases/{case_id}/decisions", json=sent)


async def undo(person: Person, decision_id: int) -> httpx2.Response:
    return await person.post(f"/moderation/decisions/{decision_id}/undo")
