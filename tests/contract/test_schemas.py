"""The document's schemas become good types in generated clients."""

import json
import re

import pytest

from support.contract.documents import Json, document_with, operations, resolved, schemas_of, values


@pytest.fixture(scope="module")
def document() -> Json:
    return document_with()


def test_components_of_different_kinds_have_different_names(document: Json) -> None:
    """Some generators make types of all of them, in one place."""
    typed = ("schemas", "responses", "parameters")
    names = [name for section in typed for name in document["components"][section]]
    assert len(names) == len(set(names))


@pytest.mark.heavy
def test_javascript_can_hold_every_bound(document: Json) -> None:
    for key in ("minimum", "maximum", "default"):
        for bound in values(document, key):
            assert not isinstance(bound, int) or abs(bound) < 2**53, bound
    assert 2**53 - 1 in values(document["components"]["parameters"]["AdIdParameter"], "maximum")


def test_no_placeholder_of_a_limit_is_left(document: Json) -> None:
    assert "x-limit" not in json.dumps(document)


def test_bounds_are_written_as_json_schema_writes_them(document: Json) -> None:
    """What stands behind a validator of ours comes out as `ge`, which means nothing to clients."""
    for name in ("ge", "le", "gt", "lt"):
        assert list(values(document["paths"], name)) == []


def test_the_document_does_not_announce_what_fastapi_would_answer(document: Json) -> None:
    announced = {
        kind
        for *_, operation in operations(document)
        if "422" in operation["responses"]
        for kind in resolved(document, operation["responses"]["422"])["content"]
    }
    assert announced == {"application/problem+json"}
    assert "HTTPValidationError" not in json.dumps(document)


def test_schemas_are_such_as_generators_take_well(document: Json) -> None:
    """Each of these made unwieldy names or unusable types."""
    assert "u0000" not in json.dumps(document)
    for schema in schemas_of(document):
        where = json.dumps(schema)
        assert not isinstance(schema.get("title"), str), where
        types = schema.get("type", "")
        if "integer" in types:
            assert schema["format"] in {"int32", "int64"}, where
        if "enum" in schema:
            names = schema["x-enum-varnames"]
            assert len(set(names)) == len(schema["enum"]), where
            assert all(re.fullmatch("[A-Z][A-Z_]*", name) for name in names), where
            assert "default" not in schema, where
        # What may be null, and is no record, is one type beside null.
        assert "oneOf" not in schema, where
        assert "allOf" not in schema, where
        if "anyOf" in schema:
            [record, null] = schema["anyOf"]
            assert ("$ref" in record, null) == (True, {"type": "null"}), where
    for name, schema in document["components"]["schemas"].items():
        # One is a member by that name.
        members = list(schema.get("properties", {}).values())
        assert list(values(members, "default")) == [], name


def test_an_ad_is_made_of_members_that_have_to_be_there(document: Json) -> None:
    schemas = document["components"]["schemas"]
    # Ads that are free or have a price on request need none.
    assert schemas["CreateAd"]["required"] == ["title", "description"]
    assert "required" not in schemas["CreateOrUpdateAd"]
    form = schemas["CreateAdForm"]["properties"]["properties"]
    assert form["$ref"] == "#/components/schemas/CreateAd"
