"""Components of the OpenAPI document: what operations share, and examples."""

import json
import re
from typing import Any

from adsvc.api.openapi.schemas import Json, operations
from adsvc.kit.faults import FaultCode

EXAMPLE_REFERENCE = "#/components/examples/{name}"
PROBLEM_JSON = "application/problem+json"

# Examples written by hand, where members depend on each other.
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
    # Its password is optional for accounts without one.
    "DeleteTotp": {"currentPassword": "correct horse battery", "code": "492039"},
    "DecideAds": {
        "action": "suspendAd",
        "ads": [41, 42],
        "ground": "terms",
        "explanation": "Offers of things that do not exist.",
    },
    # The secret is optional when a provider is changed.
    "PutProvider": {
        "name": "Example ID",
        "issuer": "https://id.example.com",
        "clientId": "adsvc",
        "clientSecret": "s3cr3t-of-the-provider",
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
    """All members of a request; those of a response that are always there."""
    wanted = schema.get("required") or schema.get("properties", {})
    return {
        member: example_of(rules, schemas)
        for member, rules in schema.get("properties", {}).items()
        if member in wanted
    }


def add_examples(document: Json) -> None:
    """Adds an example to every body. Each record has one, and operations refer to it."""
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
                media["examples"] = {name: _example_reference(name)}
            elif kind.endswith("json") or "examples" in media["schema"]:
                media["examples"] = {"example": {"value": example_of(media["schema"], schemas)}}
    document["components"]["examples"] = dict(sorted(examples.items()))


def _share_problems(media: Json, examples: Json, schemas: Json) -> None:
    shared: Json = {}
    for slug, example in media["examples"].items():
        problem = example["value"]
        if problem["status"] == 400:  # noqa: PLR2004 - a status
            problem["errors"] = [_fault(schemas, of_image=slug == "invalid-image")]
        # A type that has two statuses has two examples.
        known = examples.get(slug, example)["value"]["status"]
        name = slug if known == problem["status"] else f"{slug}-{problem['status']}"
        examples[name] = example
        shared[name] = _example_reference(name)
    media["examples"] = shared


def _fault(schemas: Json, *, of_image: bool) -> Json:
    """The example of a fault: a place, and the members that every fault has."""
    record = schemas["FaultDetail"]
    members = {name: example_of(record["properties"][name], schemas) for name in record["required"]}
    if of_image:
        image = {"parameter": "image", "part": "image", "code": FaultCode.UNUSABLE_IMAGE.value}
        return {**members, **image, "detail": "cannot be decoded"}
    return {**members, "pointer": "/price"}


def _example_reference(name: str) -> Json:
    return {"$ref": EXAMPLE_REFERENCE.format(name=name)}


REFERENCE = "#/components/{section}/{name}"

NOT_MODIFIED = "304"
REFUSED_FROM = 400
WORDS = re.compile(r"[A-Za-z0-9]+")


def share_responses(document: Json) -> None:
    """Moves responses that operations share to `components`: refusals, and 304."""
    shared: dict[str, str] = {}
    responses: Json = {}
    for *_, operation in operations(document):
        for status, response in operation["responses"].items():
            if status != NOT_MODIFIED and int(status) < REFUSED_FROM:
                continue
            name = _name_of(status, response)
            text = json.dumps(response, sort_keys=True)
            if shared.setdefault(name, text) != text:
                raise ValueError(f"two responses would be called {name}")
            responses[name] = response
            operation["responses"][status] = _reference("responses", name)
        operation["responses"] = dict(sorted(operation["responses"].items()))
    document["components"]["responses"] = dict(sorted(responses.items()))


def _name_of(status: str, response: Json) -> str:
    if status == NOT_MODIFIED:
        return "NotModified"
    [(kind, media)] = response["content"].items()
    name = "Or".join(_pascal(example) for example in media["examples"])
    # A record may have that name.
    return name if kind == PROBLEM_JSON else f"{name}Response"


def _pascal(text: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in WORDS.findall(text))


def share_parameters(document: Json) -> None:
    """Moves parameters of at least two operations to `components`, each under its own name.

    Of a name with several meanings, the most common one moves.
    """
    seen: dict[str, list[Json]] = {}
    for _, path, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            # The parameter has the description; its schema needs none.
            parameter["schema"].pop("description", None)
            seen.setdefault(_parameter_name(path, parameter), []).append(parameter)
    parameters: Json = {}
    for name, found in seen.items():
        equal = max(([other for other in found if other == one] for one in found), key=len)
        if len(equal) > 1:
            parameters[name] = dict(equal[0])
            for parameter in equal:
                parameter.clear()
                parameter.update(_reference("parameters", name))
    document["components"]["parameters"] = dict(sorted(parameters.items()))


def _parameter_name(path: str, parameter: Json) -> str:
    """`id` is not unique, and `adId` not the `id` of `/ads`: the path before names the thing."""
    name = parameter["name"]
    if name in {"id", "adId"} and parameter["in"] == "path":
        name = path.partition(f"/{{{name}}}")[0].rpartition("/")[2].removesuffix("s") + "-id"
    return f"{_pascal(name)}Parameter"


def _reference(section: str, name: str) -> Json:
    return {"$ref": REFERENCE.format(section=section, name=name)}
