"""Examples of bodies, made from those of their members or written by hand."""

from typing import Any

from adsvc.api.openapi.schemas import Json, operations
from adsvc.errors import FaultCode

REFERENCE = "#/components/examples/{name}"

PROBLEM_JSON = "application/problem+json"

# Where members have to fit each other, or few of many suffice.
BY_HAND: dict[str, Any] = {
    "AttributeCount": {"value": "wood", "count": 12},
    "CategoryAttribute": {
        "name": "width",
        "label": "Width",
        "labels": {"de": "Breite"},
        "type": "integer",
        "unit": "cm",
        "minimum": 1,
        "maximum": 2000,
        "maxLength": None,
        "options": [],
        "required": False,
        "filterable": True,
        "facetable": True,
        "inherited": False,
    },
    "CategoryDefinition": {
        "parent": "home",
        "name": "Furniture",
        "names": {"de": "Möbel"},
        "attributes": [
            {"name": "width", "label": "Width", "type": "integer", "unit": "cm", "filterable": True}
        ],
    },
    "CategorySchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"width": {"type": "integer", "minimum": 1, "maximum": 2000}},
        "additionalProperties": False,
    },
    "CreateAd": {
        "title": "Oak table, seats six",
        "price": 1500,
        "description": "Solid oak, oiled, 180 by 90 cm, one scratch.",
        "place": "Berlin-Kreuzberg",
    },
    "CreateAdForm": {
        "properties": {
            "title": "Oak table, seats six",
            "price": 1500,
            "description": "Solid oak, oiled, 180 by 90 cm, one scratch.",
        },
        "image": ["(the bytes of photo.jpg)"],
    },
    "CreateOrUpdateAd": {"price": 1400, "place": "Berlin-Mitte"},
    "ImageForm": {"image": "(the bytes of photo.jpg)"},
    "ImagesForm": {"image": ["(the bytes of photo.jpg)"]},
    "MakeDecision": {
        "action": "suspendAd",
        "ground": "terms",
        "reference": "Terms, § 4",
        "explanation": "Offers of things that do not exist.",
    },
    "RevocationForm": {"token": "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    "Sale": {"price": 1400},
    "TokenForm": {
        "grant_type": "password",
        "username": "anna@example.com",
        "password": "correct horse battery",
    },
}


def example_of(schema: Json, schemas: Json) -> Any:  # noqa: ANN401 - any JSON value
    """One value that the schema accepts."""
    name = schema.get("$ref", "").rpartition("/")[2]
    match schema:
        case _ if name in BY_HAND:
            return BY_HAND[name]
        case (
            {"examples": [first, *_]}
            | {"const": first}
            | {"enum": [first, *_]}
            | {"x-extensible-enum": [first, *_]}
        ):
            return first
        case {"$ref": _}:
            return example_of(schemas[name], schemas)
        case {"anyOf": [first, *_]}:
            return example_of(first, schemas)
        case {"type": "array", "items": items}:
            return [example_of(items, schemas)]
        case _:
            return _record(schema, schemas)


def _record(schema: Json, schemas: Json) -> Json:
    """All members of a request, which tells what there is; of a response those always there."""
    wanted = schema.get("required") or schema.get("properties", {})
    return {
        member: example_of(rules, schemas)
        for member, rules in schema.get("properties", {}).items()
        if member in wanted
    }


def add_examples(document: Json) -> None:
    """To every body; each record has one, to which the operations refer."""
    schemas = document["components"]["schemas"]
    examples: Json = document["components"].setdefault("examples", {})
    for *_, operation in operations(document):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for kind, media in (pair for body in bodies for pair in body.get("content", {}).items()):
            if kind == PROBLEM_JSON:
                _share_problems(media, examples, schemas)
            elif "$ref" in media["schema"]:
                name = media["schema"]["$ref"].rpartition("/")[2]
                examples[name] = {"value": example_of(media["schema"], schemas)}
                media["examples"] = {name: _reference(name)}
            elif kind.endswith("json"):
                media["examples"] = {"example": {"value": example_of(media["schema"], schemas)}}
    document["components"]["examples"] = dict(sorted(examples.items()))


def _share_problems(media: Json, examples: Json, schemas: Json) -> None:
    for slug, example in media["examples"].items():
        problem = example["value"]
        if problem["status"] == 400:  # noqa: PLR2004 - a status
            problem["errors"] = [_fault(schemas, of_image=slug == "invalid-image")]
        examples[slug] = example
        media["examples"][slug] = _reference(slug)


def _fault(schemas: Json, *, of_image: bool) -> Json:
    """Where it is, and the members that every fault has."""
    record = schemas["FaultDetail"]
    members = {name: example_of(record["properties"][name], schemas) for name in record["required"]}
    if of_image:
        image = {"parameter": "image", "part": "image", "code": FaultCode.UNUSABLE_IMAGE.value}
        return {**members, **image, "detail": "cannot be decoded"}
    return {**members, "pointer": "/price"}


def _reference(name: str) -> Json:
    return {"$ref": REFERENCE.format(name=name)}
