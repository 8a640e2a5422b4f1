"""The OpenAPI document for tools that do not read OpenAPI 3.1: as 3.0.3, and for Postman."""

import json
from copy import deepcopy
from typing import Any

from adsvc.api.openapi.schemas import Json, operations

# Of JSON Schema, and not of OpenAPI 3.0.
UNKNOWN_IN_3_0 = ("contentMediaType", "contentEncoding", "propertyNames", "patternProperties")
COMPONENTS = "#/components/"


def as_openapi_3_0(document: Json) -> Json:
    """Nullable types, single examples, and no scopes of keys; without `webhooks`."""
    rendered = deepcopy(document)
    rendered["openapi"] = "3.0.3"
    rendered.pop("webhooks", None)
    rendered["info"].pop("summary", None)
    rendered["info"]["license"].pop("identifier", None)
    for *_, operation in operations(rendered):
        operation["security"] = [{scheme: [] for scheme in one} for one in operation["security"]]
    components = rendered["components"]
    for name, schema in components["schemas"].items():
        components["schemas"][name] = _schema(schema)
    for part in ("paths", "components"):
        _render_schemas(rendered[part])
    return rendered


def _render_schemas(node: object) -> None:
    """Schemas of parameters, headers and bodies."""
    if isinstance(node, dict):
        if isinstance(node.get("schema"), dict):
            node["schema"] = _schema(node["schema"])
        for name, each in node.items():
            if name not in {"schema", "schemas", "example", "examples", "value"}:
                _render_schemas(each)
    elif isinstance(node, list):
        for each in node:
            _render_schemas(each)


def _schema(schema: Json) -> Json:
    found = _own_rules(schema)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in found:
            others = [each for each in found[several] if each.get("type") != "null"]
            if len(others) < len(found[several]):
                found["nullable"] = True
            found[several] = [_schema(each) for each in others]
    for single in ("items", "not", "additionalProperties"):
        if isinstance(found.get(single), dict):
            found[single] = _schema(found[single])
    if "properties" in found:
        members = found["properties"].items()
        found["properties"] = {name: _schema(member) for name, member in members}
    return found


def _own_rules(schema: Json) -> Json:
    """Without the schemas within it."""
    found = {name: value for name, value in schema.items() if name not in UNKNOWN_IN_3_0}
    if "$ref" in found and len(found) > 1:
        # Beside a reference nothing counts.
        found["allOf"] = [{"$ref": found.pop("$ref")}]
    if isinstance(found.get("type"), list):
        types = [each for each in found["type"] if each != "null"]
        found |= {"type": types[0], "nullable": len(types) < len(found["type"])}
    if "const" in found:
        found["enum"] = [found.pop("const")]
    if isinstance(found.get("examples"), list):
        found["example"] = found.pop("examples")[0]
    for bound in ("Minimum", "Maximum"):
        if f"exclusive{bound}" in found:
            found[bound.lower()] = found[f"exclusive{bound}"]
            found[f"exclusive{bound}"] = True
    return found


def postman_collection(document: Json) -> Json:
    """Postman's format 2.1: a folder for each tag; a token and the address are variables."""
    folders: dict[str, list[Json]] = {tag["name"]: [] for tag in document["tags"]}
    for method, path, operation in operations(document):
        folders[operation["tags"][0]].append(_request(document, path, method, operation))
    return {
        "info": {
            "name": document["info"]["title"],
            "description": document["info"]["summary"],
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
        "variable": [
            {"key": "baseUrl", "value": "http://127.0.0.1:8080"},
            {"key": "token", "value": ""},
        ],
        "item": [{"name": name, "item": items} for name, items in folders.items() if items],
    }


def _request(document: Json, path: str, method: str, operation: Json) -> Json:
    parameters = [_resolved(document, each) for each in operation.get("parameters", ())]
    segments = [
        f":{each[1:-1]}" if each.startswith("{") else each for each in path.strip("/").split("/")
    ]
    query = [_parameter(each) for each in parameters if each["in"] == "query"]
    url = {
        "raw": "{{baseUrl}}/" + "/".join(segments),
        "host": ["{{baseUrl}}"],
        "path": segments,
        # Optional ones are listed, and not sent.
        "query": [{**each, "disabled": not each.pop("required")} for each in query],
        "variable": [_parameter(each) for each in parameters if each["in"] == "path"],
    }
    request: Json = {"method": method.upper(), "url": url, "description": operation["description"]}
    if not operation["security"]:
        request["auth"] = {"type": "noauth"}
    if "requestBody" in operation:
        content = _resolved(document, operation["requestBody"])["content"]
        kind = "application/json" if "application/json" in content else next(iter(content))
        request["header"] = [{"key": "Content-Type", "value": kind}]
        request["body"] = _body(document, kind, content[kind])
    return {"name": operation["summary"], "request": request}


def _parameter(parameter: Json) -> Json:
    examples = parameter["schema"].get("examples") or [""]
    value = examples[0][0] if isinstance(examples[0], list) else examples[0]
    return {
        "key": parameter["name"],
        "value": str(value),
        "description": parameter.get("description", ""),
        "required": parameter.get("required", False),
    }


def _body(document: Json, kind: str, media: Json) -> Json:
    examples = media.get("examples", {}).values()
    example: Any = next((_resolved(document, each)["value"] for each in examples), {})
    if kind == "application/json":
        raw = json.dumps(example, ensure_ascii=False, indent=2)
        return {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}
    if kind == "application/x-www-form-urlencoded":
        pairs = [{"key": name, "value": str(value)} for name, value in example.items()]
        return {"mode": "urlencoded", "urlencoded": pairs}
    if kind != "multipart/form-data":
        return {"mode": "file", "file": {}}
    schema = _resolved(document, media["schema"])
    return {
        "mode": "formdata",
        "formdata": [
            {"key": name, "type": "text", "value": json.dumps(example[name], ensure_ascii=False)}
            if isinstance(example.get(name), dict)
            else {"key": name, "type": "file", "src": []}
            for name in schema["properties"]
        ],
    }


def _resolved(document: Json, node: Json) -> Json:
    while "$ref" in node:
        kind, name = node["$ref"].removeprefix(COMPONENTS).split("/")
        node = document["components"][kind][name]
    return node
