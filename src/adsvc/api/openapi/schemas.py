"""Changes schemas so that generators of clients make good types of them.

Pydantic's schemas are right, but hard for generators: titles that repeat the name of a member,
integers without a size, `anyOf` for what may be null, and the same enumeration again at each
member.

Enumerations in answers are open: a later version may add values. Most generators make a type of
`enum` that rejects any other value, so answers have `x-extensible-enum` instead, which they read as
text. In requests, where an unknown value is refused anyway, enumerations stay closed.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import Any

from adsvc.enums import (
    AccountStatus,
    AdStatus,
    CaseKind,
    CaseStatus,
    DecisionAction,
    DecisionGround,
    DeliveryStatus,
    DisabledReason,
    EventType,
    Hint,
    KeyScope,
    MessageKind,
    OfferStatus,
    Party,
    PriceType,
    ReportReason,
    Role,
)
from adsvc.repositories.ads.criteria import Sort
from adsvc.schemas.base import PLACEHOLDER

Json = dict[str, Any]

REFERENCE = "#/components/schemas/{model}"
LARGEST_INT32 = 2**31 - 1

# Enumerations that get a schema of their own, with its description.
ENUMERATIONS: dict[type[StrEnum], str] = {
    AdStatus: "Where an ad is in its life. Everyone sees `active` and `reserved` ads. A `draft` is"
    " not published yet. The author marked it `sold` or `withdrawn`; it `expired`; or moderators"
    " `suspended` or `removed` it.",
    PriceType: "What the price of an ad means.",
    Role: "What an account may do: `USER` manages its own things, `MODERATOR` also decides cases,"
    " `ADMIN` may do everything.",
    DeliveryStatus: "What has become of a delivery to a webhook.",
    DisabledReason: "Why nothing is sent to a webhook.",
    EventType: "What happened.",
    KeyScope: "What a key may be used for, as far as its account may. `ads`: ads with their"
    " pictures, steps, comments and reports. `account`: the profile and decisions about the"
    " account. `messages`: conversations. `moderation`: cases. `events`: the log of what happened."
    " `admin`: accounts, webhooks and categories. A `write` contains its `read`.",
    AccountStatus: "Whether an account may log in.",
    ReportReason: "What is wrong with a reported ad or comment.",
    CaseKind: "What was reported.",
    CaseStatus: "Where a case stands: `open` (reported), `decided`, or `appealed` (decided, with an"
    " appeal that waits for another decision).",
    DecisionAction: "What a moderator or an administrator did.",
    Party: "A side of a conversation: who wrote about the ad, and the ad's author.",
    MessageKind: "What a message is: `text` that a party wrote, an `offer`, or a `notice` of what"
    " has happened.",
    OfferStatus: "What has become of an offer.",
    Hint: "What a reader should be careful with: a `link`, a `mail` address, a `phone` number, an"
    " account number (`iban`), the name of a `messenger`, or a `prepayment`.",
    DecisionGround: "What a decision rests on: the law, or the terms of the site.",
}

BY_VALUES = {tuple(sorted(kind)): kind for kind in ENUMERATIONS}

# Names for values that are no identifiers.
NAMES = {value.value: value.name for value in (*Sort, *EventType, *KeyScope)}

HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
OPERATIONS = frozenset({"get", "post", "put", "patch", "delete"})
NULL = {"type": "null"}
OPEN_ENUM = "x-extensible-enum"


def reference(name: str) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=name)}


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Each operation with its method and path."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in OPERATIONS:
                yield method, path, operation


def tidy_schemas(document: Json) -> None:
    """Changes all schemas of the document in place."""
    schemas = document["components"]["schemas"]
    answered = _answered(document)
    _share_enumerations(document, answered)
    # The names of the schemas in answers, whose enumerations are open.
    opened = {name for name, schema in schemas.items() if id(schema) in answered}
    for schema in _every_schema(document):
        name = str(schema.get("$ref")).rpartition("/")[2]
        if name in opened and "enum" in schemas[name] and id(schema) not in answered:
            # In requests the enumeration stays closed.
            _become(schema, schemas[name], without=("$ref",))
    for *_, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            _join_lines(parameter)
    records = list(schemas.values())
    for schema in _all(records):
        # A default would make generators require an optional member.
        schema.pop("default", None)
    for schema in _every_schema(document):
        if "enum" in schema:
            # In Kotlin the default would be a name that is nowhere.
            schema.pop("default", None)
        is_component = any(schema is record for record in records)
        is_answered = id(schema) in answered
        _tidy(schema, opened, is_component=is_component, is_answered=is_answered)
    _name_for_go(schemas)
    document["components"]["schemas"] = dict(sorted(schemas.items()))


def _share_enumerations(document: Json, answered: set[int]) -> None:
    """Gives each enumeration that the document uses a schema, and notes which are in answers."""
    schemas = document["components"]["schemas"]
    by_kind: dict[type[StrEnum] | None, list[Json]] = defaultdict(list)
    for schema in _every_schema(document):
        by_kind[_kind(schema)].append(schema)
    for kind, description in ENUMERATIONS.items():
        uses = by_kind[kind]
        values = [member.value for member in kind]
        listed = {"type": "string", "enum": values, "description": description}
        if uses:
            schemas[kind.__name__] = listed
        if any(id(schema) in answered for schema in uses):
            answered.add(id(listed))


def _name_for_go(schemas: Json) -> None:
    """Names enumerations for generators for Go, whose own names may be those of other schemas.

    They join the names of record and member.
    """
    for name, record in schemas.items():
        for member, rules in record.get("properties", {}).items():
            if "enum" in rules and (taken := f"{name}{member.title()}") in schemas:
                rules["x-go-type-name"] = f"Closed{taken}"


def _answered(document: Json) -> set[int]:
    """The Python `id()` of each schema that a response contains."""
    answered: set[int] = set()
    sent: set[int] = set()
    for *_, operation in operations(document):
        _reach(document, operation["responses"], answered)
        _reach(document, [operation.get("requestBody"), operation.get("parameters")], sent)
    schemas = document["components"]["schemas"]
    for schema in _every_schema(document):
        if id(schema) in sent & answered and ("enum" in schema and schema not in schemas.values()):
            raise ValueError(f"an enumeration both closed and open: {schema}")
    return answered


def _reach(document: Json, node: object, reached: set[int]) -> None:
    if isinstance(node, list):
        for each in node:
            _reach(document, each, reached)
    if not isinstance(node, dict) or id(node) in reached:
        return
    reached.add(id(node))
    named = str(node.get("$ref", "")).rpartition("/")[2]
    if named:
        _reach(document, document["components"]["schemas"][named], reached)
    for key, value in node.items():
        if key not in {"example", "examples"}:
            _reach(document, value, reached)


def _every_schema(document: Json) -> list[Json]:
    found = list(_all(document["components"]["schemas"].values()))
    for *_, operation in operations(document):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        holders = [
            *operation.get("parameters", ()),
            *(media for body in bodies for media in body.get("content", {}).values()),
            *(header for body in bodies for header in body.get("headers", {}).values()),
        ]
        found += _all(holder["schema"] for holder in holders if "schema" in holder)
    return found


def _all(schemas: Iterable[Any]) -> Iterator[Json]:
    for schema in schemas:
        if isinstance(schema, dict):
            yield schema
            yield from _all(_within(schema))


def _within(schema: Json) -> Iterator[Any]:
    yield from schema.get("properties", {}).values()
    for key in ("items", "additionalProperties"):
        yield schema.get(key)
    for key in ("anyOf", "oneOf", "allOf"):
        yield from schema.get(key, ())


def _kind(schema: Json) -> type[StrEnum] | None:
    """The shared enumeration whose values the schema lists."""
    return BY_VALUES.get(tuple(sorted(schema.get("enum", ()))))


def _tidy(schema: Json, opened: Collection[str], *, is_component: bool, is_answered: bool) -> None:
    """`opened` are the names of enumerations to which values may be added."""
    schema.pop("title", None)
    if not is_component:
        _join_lines(schema)
    alternatives = schema.get("anyOf", ())
    if len(alternatives) == 2 and alternatives[1] == NULL:  # noqa: PLR2004 - it, or null
        _take_null(schema, alternatives[0], is_answered=is_answered)
    values = schema.get("enum")
    if values is not None:
        kind = _kind(schema)
        is_shared = kind is not None and (is_answered or kind.__name__ not in opened)
        if kind is not None and is_shared and not is_component:
            _become(schema, reference(kind.__name__), without=("type", "enum"))
        elif is_answered:
            _open(schema)
        else:
            schema["x-enum-varnames"] = [variable_name(value) for value in values]
    if schema.get("type") in ("integer", ["integer", "null"]):
        # FastAPI writes the bounds of nullable integers as fractions.
        schema.update({key: int(schema[key]) for key in ("minimum", "maximum") if key in schema})
        small = schema.get("maximum", LARGEST_INT32 + 1) <= LARGEST_INT32
        schema.setdefault("format", "int32" if small else "int64")


def _join_lines(described: Json) -> None:
    """Descriptions of members and parameters are docstrings, which have line breaks."""
    if "description" in described:
        described["description"] = " ".join(described["description"].split())


def _open(schema: Json) -> None:
    values = schema.pop("enum")
    known = ", ".join(f"`{value}`" for value in values)
    said = (schema.get("description"), f"Known values: {known}. Later versions may add more.")
    schema |= {OPEN_ENUM: values, "description": " ".join(filter(None, said))}


def _take_null(schema: Json, other: Json, *, is_answered: bool) -> None:
    """Makes one schema with two types of a type and null.

    Not if the type is a named schema or a closed enumeration.
    """
    values = tuple(sorted(other.get("enum", ())))
    if "type" in other and (not values or (is_answered and values not in BY_VALUES)):
        other.pop("title", None)
        _become(schema, {**other, "type": [other["type"], "null"]}, without=("anyOf",))


def _become(schema: Json, other: Json, *, without: tuple[str, ...]) -> None:
    """Copies `other` into the schema, whose own members stay, such as a description."""
    rest = {key: value for key, value in schema.items() if key not in without}
    schema.clear()
    schema.update({**other, **rest})


def variable_name(value: str) -> str:
    """The name of an enumeration's value in a program."""
    name = NAMES.get(value) or re.sub(r"[-.]", "_", HUMP.sub("_", value)).upper()
    if not NAME.fullmatch(name):
        raise ValueError(f"no name for the value {value}")
    return name


IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp")

MULTIPART, FORM_ENCODED = "multipart/form-data", "application/x-www-form-urlencoded"

IMAGE_PART = {
    "type": "string",
    "format": "binary",
    "contentMediaType": "application/octet-stream",
    "description": "A JPEG, PNG or WebP file. Its content decides, not its name or type.",
}

IMAGES_PART = {
    "type": "array",
    "items": IMAGE_PART,
    "description": "The pictures in their order, each in a part of its own.",
    PLACEHOLDER: "ad_images",
}


def _form(description: str, required: list[str], **properties: Json) -> Json:
    return {
        "type": "object",
        "description": description,
        "required": required,
        "properties": properties,
    }


# By their names in the document.
FORMS: dict[str, Json] = {
    "CreateAdForm": _form(
        "A new ad with its pictures.",
        ["properties", "image"],
        properties={
            **reference("CreateAd"),
            "description": "The ad as JSON: a text part, or a part of type `application/json`.",
        },
        image=IMAGES_PART,
    ),
    "ImageForm": _form("A picture.", ["image"], image=IMAGE_PART),
    "ImagesForm": _form("One or more pictures.", ["image"], image=IMAGES_PART),
    "TokenForm": _form(
        "What the tokens are requested with: a user name and a password, or a refresh token.",
        ["grant_type"],
        grant_type={
            "type": "string",
            "description": "`password` begins a session, `refresh_token` renews its tokens.",
            "enum": ["password", "refresh_token"],
            "examples": ["password"],
        },
        username={
            "type": "string",
            "description": "The account's user name. Only with `password`.",
            "examples": ["anna@example.com"],
        },
        password={
            "type": "string",
            "format": "password",
            "description": "The account's password. Only with `password`.",
            "examples": ["correct horse battery"],
        },
        refresh_token={
            "type": "string",
            "description": "The session's refresh token. Only with `refresh_token`.",
            "examples": ["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
        },
    ),
    "RevocationForm": _form(
        "A token of the session that is to end.",
        ["token"],
        token={
            "type": "string",
            "minLength": 1,
            "description": "The refresh token or an access token of the session.",
            "examples": ["3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
        },
        token_type_hint={
            "type": "string",
            "description": "Ignored; RFC 7009 has it.",
            "examples": ["refresh_token"],
        },
    ),
}


def _request(name: str, media_type: str, encoding: Json | None = None) -> Json:
    media: Json = {"schema": reference(name)}
    if encoding is not None:
        media["encoding"] = encoding
    return {"requestBody": {"required": True, "content": {media_type: media}}}


def ad_form(*, or_json: bool = False) -> Json:
    # No encoding for `image`: generators would send a part that has one as JSON.
    form = _request("CreateAdForm", MULTIPART, {"properties": {"contentType": "application/json"}})
    if or_json:
        form["requestBody"]["content"] |= _request("CreateAd", "application/json")["requestBody"][
            "content"
        ]
    return form


FEEDS = {
    "application/x-ndjson": '{"externalId": "A1", "title": "Oak table", "price": 1500, '
    '"description": "Solid oak, oiled.", "status": "draft"}\n',
    "text/csv": "externalId,title,price,description,status\n"
    'A1,Oak table,1500,"Solid oak, oiled.",draft\n',
}


def feed_body() -> Json:
    content = {
        kind: {"schema": {"type": "string", "examples": [example]}}
        for kind, example in FEEDS.items()
    }
    return {"requestBody": {"required": True, "content": content}}


def image_form() -> Json:
    return _request("ImageForm", MULTIPART)


def images_form() -> Json:
    return _request("ImagesForm", MULTIPART)


def token_form() -> Json:
    """The form of OAuth 2.0's token endpoint."""
    return _request("TokenForm", FORM_ENCODED)


def revocation_form() -> Json:
    return _request("RevocationForm", FORM_ENCODED)
