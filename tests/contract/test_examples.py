"""All that clients send or read has an example, and the examples are valid."""

import re
from typing import cast

import pytest
from openapi_schema_validator import OAS31Validator

from support.contract.documents import Json, document_with, operations, resolved, values


@pytest.fixture(scope="module")
def document() -> Json:
    return document_with()


@pytest.mark.heavy
def test_every_member_and_parameter_has_an_example_that_is_valid(document: Json) -> None:
    components = {"components": document["components"]}
    for name, schema in document["components"]["schemas"].items():
        for member, rules in schema.get("properties", {}).items():
            if re.search(r"ref'|binary|enum'|'const'", str(rules)):
                continue
            examples = next(values(rules, "examples"), None)
            assert isinstance(examples, list), f"{name}.{member}"
            for example in examples:
                OAS31Validator({**rules, **components}).validate(example)
    for _, path, operation in operations(document):
        assert operation["summary"], path
        for listed in operation.get("parameters", ()):
            parameter = resolved(document, listed)
            assert parameter["description"], path
            named = parameter["name"] == "cursor"
            example = parameter.get("example") or parameter["schema"].get("examples")
            assert named or example or "$ref" in str(parameter["schema"]), path


@pytest.mark.heavy
def test_every_schema_member_operation_and_response_has_a_description(document: Json) -> None:
    missing = []
    for name, schema in document["components"]["schemas"].items():
        missing += [] if schema.get("description") else [name]
        missing += [
            f"{name}.{member}"
            for member, rules in schema.get("properties", {}).items()
            if not rules.get("description")
        ]
    for _, path, operation in operations(document):
        described = [operation, *operation["responses"].values(), *operation.get("parameters", ())]
        missing += [path for each in described if not resolved(document, each).get("description")]
    headers = document["components"]["headers"]
    missing += [name for name, header in headers.items() if not header.get("description")]
    assert missing == []


def test_a_creation_does_not_speak_of_what_is_there_already(document: Json) -> None:
    """A new record inherits members from the record of its changes, but not their descriptions."""
    schemas = document["components"]["schemas"]
    for change, creation in (("CreateOrUpdateAd", "CreateAd"), ("UpdateUser", "Register")):
        for member, rules in schemas[creation]["properties"].items():
            said = rules["description"]
            assert "remove" not in said, f"{creation}.{member}"
            assert "stay" not in said, f"{creation}.{member}"
        assert "left out" in schemas[change]["description"]


def test_an_example_is_one_of_the_member_it_stands_at(document: Json) -> None:
    """Two members of one record do not have the same example, unless they hold the same."""
    alike = {"createdAt", "updatedAt", "beganAt", "lastUsedAt", "expiresAt"}
    # Of WebAuthn: the same word means the same in both, and an id and a name are there twice.
    alike |= {"residentKey", "userVerification", "id", "rawId", "displayName"}
    for name, schema in document["components"]["schemas"].items():
        seen: dict[str, str] = {}
        for member, rules in schema.get("properties", {}).items():
            for example in cast("list[object]", next(values(rules, "examples"), [])):
                if isinstance(example, str) and member not in alike:
                    assert seen.setdefault(example, member) == member, name
    for record in ("Register", "UpdateUser"):
        members = document["components"]["schemas"][record]["properties"]
        assert members["firstName"]["examples"] != members["lastName"]["examples"]


@pytest.mark.heavy
def test_every_body_has_an_example_that_is_valid(document: Json) -> None:
    components = {"components": document["components"]}
    for _, path, operation in operations(document):
        bodies = [operation.get("requestBody", {})]
        bodies += [resolved(document, response) for response in operation["responses"].values()]
        for kind, media in (pair for body in bodies for pair in body.get("content", {}).items()):
            if kind.startswith("image/"):
                continue
            assert media["examples"], f"{path} {kind}"
            validator = OAS31Validator({**media["schema"], **components})
            for example in media["examples"].values():
                validator.validate(resolved(document, example)["value"])
