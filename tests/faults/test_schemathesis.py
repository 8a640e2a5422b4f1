"""Requests generated from the document, valid and invalid, by users of all roles and strangers."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema
from schemathesis.generation import GenerationMode
from schemathesis.python.asgi import shutdown_lifespans

from adsvc.enums import Role
from adsvc.kit.bulkheads import pools
from adsvc.kit.process.offload import ChildPool
from adsvc.main import create_app
from faults.scale import times
from support.pictures import samples as pictures
from support.scene.api import Api

pytestmark = pytest.mark.drill

# The document's example of a password would change the sender's, or end the account.
UNGUESSED = "battery staple, which no example has"
# The one whose token is sent; without it, there would be only refusals from then on.
KEPT_SESSIONS: set[int] = set()
OWN_SESSIONS = "SELECT id FROM sessions WHERE user_id = :user"
STEPS = ("publish", "reserve", "release", "sell", "withdraw", "renew")
FORMS = ("createAd", "replaceAdImage", "addAdImages")
TAGGED = [
    *("updateMe", "deleteMe", "deleteAd", "deleteAdImage"),
    *("updateComment", "deleteComment", "deleteCategory"),
]
CONFIG = {
    "seed": 1,
    "generation": {
        "max-examples": times(200, short=5),
        "deterministic": True,
        "database": "none",
        # No schema can say that no member, known or not, contains NUL.
        "allow-x00": False,
    },
    # Nor that a picture is not the path of another.
    "phases": {
        phase: {"extra-data-sources": {"responses": False}}
        for phase in ("examples", "coverage", "fuzzing")
    },
    "operations": [
        {
            # Nor can one tell a cursor that was given out from another.
            "include-operation-id": ["listAds", "listMyAds", "listComments"],
            "checks": {
                "positive_data_acceptance": {
                    "expected-statuses": ["2xx", "400", "401", "404", "410"]
                }
            },
        },
        {
            # Nor what a grant needs, nor that a parameter must not come twice.
            "include-operation-id": ["issueToken", "revokeToken"],
            "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "400", "401"]}},
        },
        {
            # Nor which names look like others, nor which passwords are guessed first.
            "include-operation-id": ["register", "setPassword", "changePassword"],
            "checks": {
                "positive_data_acceptance": {
                    "expected-statuses": ["2xx", "400", "401", "403", "409", "422"]
                }
            },
        },
        {
            # Here the path of a picture would be sent in a picture's place. Nor can a schema say
            # which categories there are, and what ads need there.
            "include-operation-id": [*FORMS, "replaceMyImage"],
            "phases": {"stateful": {"enabled": False}},
            "checks": {
                "positive_data_acceptance": {
                    # What stands for a picture in an example is none.
                    "expected-statuses": [
                        *("2xx", "400", "401", "403", "404", "409", "412", "415", "422")
                    ]
                }
            },
        },
        {
            # Nor which keys came with other requests before, nor what the tag of a thing is.
            "include-operation-id": ["createComment", *(f"{step}Ad" for step in STEPS)],
            "checks": {
                "positive_data_acceptance": {
                    "expected-statuses": [
                        *("2xx", "400", "401", "403", "404", "409", "410", "412", "422")
                    ]
                }
            },
        },
        {
            # Nor which ads have been sold or have expired.
            "include-operation-id": ["getAd", "getAdDetails"],
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ["2xx", "401", "404", "410"]}
            },
        },
        {
            # Nor which ids an order needs, nor that a filter needs another.
            "include-operation-id": ["updateAd", "countAds", "putCategory", "orderAdImages"],
            "checks": {
                "positive_data_acceptance": {
                    "expected-statuses": ["2xx", "400", "401", "403", "404", "409", "412"]
                }
            },
        },
        {
            # Nor what the tag of a thing is.
            "include-operation-id": TAGGED,
            "checks": {
                "positive_data_acceptance": {
                    "expected-statuses": ["2xx", "401", "403", "404", "409", "410", "412"]
                }
            },
        },
    ],
}
# Nor what a picture is.
schemathesis.openapi.format(
    "binary", st.sampled_from([pictures.jpeg(), pictures.png(), pictures.webp()])
)


@schemathesis.hook("map_body")
def as_the_contract_says(context: schemathesis.HookContext, body: Any) -> Any:
    """Nor how many parts a form may have that nobody asked for, nor that 15.0 is no price.

    And a string of digits is taken for one, which no document can say to those who generate types.
    """
    if not context.operation or not isinstance(body, dict):
        return body
    if context.operation.definition.raw["operationId"] in FORMS:
        body = {name: part for name, part in body.items() if name in {"image", "properties"}}
    for record in (body, body.get("properties")):
        price = record.get("price") if isinstance(record, dict) else None
        if isinstance(price, str) and price.isdigit():
            record["price"] = f"-{price}"
        if isinstance(price, float) and price.is_integer():
            record["price"] = int(price)
    return body


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case[Any], _kwargs: dict[str, Any]
) -> None:
    """Whoever tries everything ends other sessions, not the one it is at work in.

    Nor can a schema say which validators and keys a client has from before: without them.
    """
    if case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE:
        for name in ("If-Match", "Idempotency-Key"):
            case.headers.pop(name, None)
    if context.operation and context.operation.definition.raw["operationId"] == "endMySession":
        while str(case.path_parameters.get("id")) in map(str, KEPT_SESSIONS):
            case.path_parameters["id"] = int(case.path_parameters["id"]) + 1


@pytest.fixture
def app(api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    """Runs in a thread of its own, which schemathesis keeps."""
    # No other event loop could use, or end, the processes that are started there.
    monkeypatch.setattr(pools, "ChildPool", ChildPool)
    # The store that belongs to the database, which no other may use.
    yield create_app(api.state.settings)
    shutdown_lifespans()
    KEPT_SESSIONS.clear()


def told(interaction: Any) -> str:
    request, response = interaction.request, interaction.response
    answer = response and (response.status_code, response.content[:500])
    return f"{request.uri} {request.body} -> {answer}"


def failures(app: FastAPI, headers: dict[str, str]) -> list[str]:
    config = SchemathesisConfig.from_dict({**CONFIG, "headers": headers})
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=config)
    found = []
    tested = 0
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            found.append(str(event))
        if isinstance(event, events.ScenarioFinished):
            tested += event.status is Status.SUCCESS
            for case_id, checks in event.recorder.checks.items():
                found += [
                    f"{event.recorder.label} {check.name}: {check.failure_info.failure} "
                    f"{told(event.recorder.interactions[case_id])}"
                    for check in checks
                    if check.failure_info is not None
                ]
    assert tested
    return found


async def test_row_30_what_anybody_sends_is_answered_as_documented(app: FastAPI) -> None:
    assert await asyncio.to_thread(failures, app, {}) == []


@pytest.mark.parametrize("role", [Role.USER, Role.ADMIN])
async def test_row_30_what_an_account_sends_is_answered_as_documented(
    app: FastAPI, api: Api, role: Role
) -> None:
    author = await api.person()
    sender = await api.person(password=UNGUESSED)
    await api.set_role(sender, role)
    KEPT_SESSIONS.update(await api.sql(OWN_SESSIONS, user=sender.id))
    # There to be ended in its stead.
    for _ in range(3):
        await api.log_in(sender.username, UNGUESSED)
    for person in (author, sender, author):
        await person.post_ad()
    assert await asyncio.to_thread(failures, app, sender.headers) == []
    # Whoever is logged out half-way tries nothing but the refusals of strangers.
    assert (await sender.get("/users/me")).status_code == 200
