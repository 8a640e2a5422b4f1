"""What several operations say alike stands in the document once, under `components`."""

import json
import re

from adsvc.api.openapi.examples import PROBLEM_JSON
from adsvc.api.openapi.schemas import Json, operations

REFERENCE = "#/components/{section}/{name}"

SUCCESS = {
    "200": "Done",
    "201": "It is made",
    "202": "It will be done; there is no body",
    "204": "Done; there is no body",
}

FASTAPI_DEFAULT = "Successful Response"

NOT_MODIFIED = "304"

REFUSED_FROM = 400

WORDS = re.compile(r"[A-Za-z0-9]+")


def share_responses(document: Json) -> None:
    """Those that no operation has for itself alone: refusals, and 304."""
    shared: dict[str, str] = {}
    responses: Json = {}
    for *_, operation in operations(document):
        for status, response in operation["responses"].items():
            if response.get("description") == FASTAPI_DEFAULT:
                response["description"] = SUCCESS[status]
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
    # A record may have that name already.
    return name if kind == PROBLEM_JSON else f"{name}Response"


def _pascal(text: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in WORDS.findall(text))


def share_parameters(document: Json) -> None:
    """Those that at least two operations have, each under its own name."""
    seen: dict[str, list[Json]] = {}
    for _, path, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            # The parameter says it; its schema need not say it again.
            parameter["schema"].pop("description", None)
            seen.setdefault(_parameter_name(path, parameter), []).append(parameter)
    parameters: Json = {}
    for name, found in seen.items():
        if len(found) > 1 and all(other == found[0] for other in found):
            parameters[name] = dict(found[0])
            for parameter in found:
                parameter.clear()
                parameter.update(_reference("parameters", name))
    document["components"]["parameters"] = dict(sorted(parameters.items()))


def _parameter_name(path: str, parameter: Json) -> str:
    """`id` alone says nothing: it is of what the path names before it."""
    name = parameter["name"]
    if name == "id" and parameter["in"] == "path":
        name = path.partition("/{id}")[0].rpartition("/")[2].removesuffix("s") + "-id"
    return f"{_pascal(name)}Parameter"


def _reference(section: str, name: str) -> Json:
    return {"$ref": REFERENCE.format(section=section, name=name)}
