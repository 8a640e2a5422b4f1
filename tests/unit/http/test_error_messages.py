"""Every error message is a sentence of our own and repeats nothing of the input."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from adsvc.api.input.filters import FilterQuery, ListingQuery, OwnListingQuery
from adsvc.api.problems import problem_response
from adsvc.errors import InvalidRequestError
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.http.messages import parse_json
from adsvc.kit.records import NOT_TAKEN
from adsvc.schemas.ads import CreateAd, CreateOrUpdateAd, ImageOrder, Sale
from adsvc.schemas.auth import Login, Register
from adsvc.schemas.categories import Attribute, CategoryDefinition
from adsvc.schemas.comments import CreateOrUpdateComment
from adsvc.schemas.users import DeleteUser, NewPassword, UpdateUser
from adsvc.services.categories.rules import Rules
from adsvc.settings import Settings

SETTINGS = Settings()

ROOT = Path(__file__).parents[3]

CANARY = "canary-7f3c4f0e"

# How Pydantic and jsonschema-rs speak.
FRAMEWORK = re.compile(
    r"Input should|should have|should be|valid (?:string|integer|number|dict|list|boolean)|unable"
    r"|[Ff]ield required|Value error|is not of type|is not one of|does not match|(?:long|short)er"
    r" than|is (?:less|greater) than|[Aa]dditional properties|is a required|pydantic|null bytes"
)

AD: dict[str, Any] = {
    "title": "Oak table",
    "price": 1500,
    "description": "Solid oak, oiled",
    "category": "cars",
    "attributes": {"fuel": "diesel"},
    "priceType": "fixed",
    "place": "Berlin",
    "location": {"latitude": 52.5, "longitude": 13.4},
}

ATTRIBUTES: list[dict[str, Any]] = [
    {"name": "fuel", "type": "enum", "options": [{"value": "diesel", "labels": {"de": "D"}}]},
    {"name": "mileage", "type": "integer", "minimum": 0, "maximum": 9, "unit": "km"},
    {"name": "weight", "type": "number", "minimum": 0.5, "required": True},
    {"name": "seats", "type": "integer"},
    {"name": "colour", "type": "string", "maxLength": 20, "label": "C", "labels": {"de": "F"}},
    {"name": "parking", "type": "boolean", "filterable": True, "facetable": True},
    {"name": "until", "type": "date"},
]

RECORDS: list[tuple[type[BaseModel], dict[str, Any]]] = [
    (CreateAd, {**AD, "status": "draft"}),
    (CreateOrUpdateAd, AD),
    (Sale, {"price": 5}),
    (Login, {"username": "anna", "password": "correct horse"}),
    (
        Register,
        {
            "username": "anna@example.com",
            "password": "correct horse",
            "firstName": "Anna",
            "lastName": "Berg",
            "phone": "+49 30 123456",
            "role": "USER",
        },
    ),
    (UpdateUser, {"firstName": "Anna", "lastName": "Berg", "phone": "030 123456"}),
    (NewPassword, {"currentPassword": "correct horse", "newPassword": "another horse"}),
    (DeleteUser, {"currentPassword": "correct horse"}),
    (CreateOrUpdateComment, {"text": "Is it still there?"}),
    (ImageOrder, {"order": [2, 1]}),
    (
        CategoryDefinition,
        {
            "parent": "vehicles",
            "name": "Cars",
            "names": {"de": "Autos"},
            "position": 1,
            "attributes": ATTRIBUTES,
        },
    ),
]

BAD: list[Any] = [
    *(None, True, 0, -1, 1.5, -1e300, 10**400, "", " ", CANARY, CANARY * 600, f"{CANARY} \u200b"),
    *([], [None], [CANARY], [[]], {}, {CANARY: CANARY}, {"": None}, [{}], [{CANARY: 1}] * 101),
]


def mutations(good: Any) -> Iterator[Any]:
    """The document with each of its values replaced by each bad one, or left out."""
    yield from BAD
    keys = good if isinstance(good, dict) else range(len(good)) if isinstance(good, list) else ()
    for key in keys:
        for bad in mutations(good[key]):
            changed = copy.copy(good)
            changed[key] = bad
            yield changed
        if isinstance(good, dict):
            yield {name: value for name, value in good.items() if name != key}


def check(fault: Fault, sent: object) -> None:
    said = f"{fault} for {str(sent)[:300]}"
    assert fault.detail != NOT_TAKEN, said
    assert not FRAMEWORK.search(fault.detail), said
    assert CANARY not in fault.detail, said
    assert CANARY not in str(fault.figures), said
    [told] = json.loads(bytes(problem_response(InvalidRequestError(fault), "id", "").body))[
        "errors"
    ]
    assert set(fault.figures) == set(told) - {"pointer", "parameter", "part", "code", "detail"}
    assert told["code"] in list(FaultCode)
    assert ("pointer" in told) != ("parameter" in told), said


def faults_of(model: type[BaseModel], sent: object) -> list[Fault]:
    try:
        parse_json(json.dumps(sent).encode(), model, SETTINGS)
    except InvalidRequestError as error:
        return list(error.faults)
    return []


@pytest.mark.heavy
def test_no_record_speaks_as_a_framework() -> None:
    found: set[FaultCode] = set()
    for model, good in RECORDS:
        assert faults_of(model, good) == [], model
        for sent in mutations(good):
            for fault in faults_of(model, sent):
                check(fault, sent)
                found.add(fault.code)
    assert found >= {
        FaultCode.MISSING,
        FaultCode.WRONG_TYPE,
        FaultCode.OUT_OF_RANGE,
        FaultCode.WRONG_LENGTH,
        FaultCode.WRONG_COUNT,
        FaultCode.WRONG_FORMAT,
        FaultCode.NOT_AN_OPTION,
        FaultCode.INCONSISTENT,
    }


def test_no_attribute_speaks_as_a_framework() -> None:
    rules = Rules("Cars", [Attribute.model_validate(attribute) for attribute in ATTRIBUTES])
    good = {"fuel": "diesel", "mileage": 5, "weight": 1.5, "seats": 2, "colour": "red"}
    good |= {"parking": True, "until": "2026-11-30"}
    assert rules.faults(good) == []
    codes: dict[str, set[FaultCode]] = {}
    for sent in mutations(good):
        if isinstance(sent, dict):
            for fault in rules.faults(sent):
                check(fault, sent)
                codes.setdefault(fault.location, set()).add(fault.code)
    assert codes["/attributes"] == {FaultCode.UNKNOWN}
    typed = {FaultCode.WRONG_TYPE}
    assert codes["/attributes/fuel"] == {FaultCode.NOT_AN_OPTION} | typed
    assert codes["/attributes/seats"] == {FaultCode.OUT_OF_RANGE} | typed
    assert codes["/attributes/weight"] == {FaultCode.OUT_OF_RANGE, FaultCode.MISSING} | typed
    assert (
        codes["/attributes/colour"]
        == {
            FaultCode.BLANK,
            FaultCode.WRONG_LENGTH,
        }
        | typed
    )
    assert codes["/attributes/until"] == {FaultCode.WRONG_FORMAT} | typed
    assert codes["/attributes/parking"] == typed


def test_the_interface_explains_every_code() -> None:
    page = (ROOT / "docs/interface.md").read_text()
    assert [code for code in FaultCode if f"\n| `{code}` |" not in page] == []
    assert [code for code in FaultCode if f"- `{code}`:" not in (FaultCode.__doc__ or "")] == []


def test_no_parameter_speaks_as_a_framework() -> None:
    values = ["", " 1", "-1", "01", "9" * 400, CANARY, CANARY * 100, "\0", "1,2,3,4", "٣"]
    for model in (ListingQuery, FilterQuery, OwnListingQuery):
        for name, field in model.model_fields.items():
            parameter = field.alias or name
            for value in values:
                sent = {parameter: [value] if parameter in {"attr", "status"} else value}
                query = model.model_validate(sent)
                for fault in query.faults:
                    assert fault.parameter == parameter, fault
                    check(fault, sent)
