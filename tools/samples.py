"""Code samples of the document: how curl and the clients in `clients/` call each operation.

They are made from the document's examples. `make format` runs this module, which writes them to the
file that the document has them from: the service itself makes none. In a sample `$ADSVC` is the
address of the service, `$TOKEN` an access token, and `client` is logged in.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from adsvc.api.openapi.document import SAMPLES
from adsvc.api.openapi.schemas import FORM_ENCODED, HUMP, MULTIPART, Json, operations
from adsvc.main import create_app
from adsvc.settings import load_settings

PHOTO = "photo.jpg"

# Of the many parameters of lists, as many as show how they are given.
QUERY = ("q", "maxPrice", "limit")

JSON = "application/json"

# As far as a page shows it without a bar to scroll by.
WIDTH = 88

# Where the example has more than a sample needs.
BODIES = {
    "CategoryDefinition": {"parent": "home", "name": "Furniture", "names": {"de": "Möbel"}},
    "UpdateSite": {"name": "Horses", "colors": {"accent": "#ffcc00"}},
}

PLACEHOLDER = re.compile(r"\{(\w+)\}")

# Names of records that are words of TypeScript.
RESERVED = {"case", "import"}

# Arguments that have another name in the client for Python.
RENAMED = {"type": "type_", "response": "response_"}

PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class SampleCall:
    """What a sample is made of."""

    operation_id: str
    method: str
    path: str
    # Of the placeholders of the path, in their order.
    arguments: tuple[Any, ...]
    query: Json
    media_type: str | None
    body: Any
    needs_token: bool
    # The record that comes back, if it is one.
    record: str | None
    is_listing: bool
    is_file: bool
    # Whether the answer goes on, event by event.
    is_stream: bool

    @property
    def properties(self) -> Json:
        """Of the members of a body, those that are no files."""
        if self.media_type == MULTIPART:
            properties: Json = self.body.get("properties", {})
            return properties
        return {} if isinstance(self.body, str) else self.body or {}

    @property
    def several_files(self) -> bool:
        return isinstance(self.body["image"], list)


def samples_of(document: Json) -> Json:
    """The values of `x-codeSamples` by operation id."""
    samples = {}
    for method, path, operation in operations(document):
        call = call_of(document, method, path, operation, {})
        samples[call.operation_id] = [
            {"lang": "Shell", "label": "curl", "source": curl(call)},
            {"lang": "TypeScript", "label": "TypeScript", "source": typescript(call)},
            {"lang": "Python", "label": "Python", "source": python(call)},
        ]
    return samples


def call_of(
    document: Json, method: str, path: str, operation: Json, values: Mapping[str, Any]
) -> SampleCall:
    """With the document's examples, except the parameters that `values` has."""
    find = partial(_resolved, document)
    given = {}
    for parameter in map(find, operation.get("parameters", ())):
        is_needed = parameter["in"] in {"path", "query"} and parameter.get("required", False)
        if is_needed or parameter["name"] in QUERY:
            [example, *_] = parameter["schema"].get("examples") or [parameter["example"]]
            given[parameter["name"]] = values.get(parameter["name"], example)
    names = PLACEHOLDER.findall(path)
    content = operation.get("requestBody", {}).get("content", {})
    media_type, media = next(iter(content.items()), (None, None))
    body = _body(find, media["examples"]) if media else None
    listed = {find(parameter)["name"] for parameter in operation.get("parameters", ())}
    return SampleCall(
        operation["operationId"],
        method.upper(),
        path.format_map({name: given[name] for name in names}),
        tuple(given[name] for name in names),
        {name: value for name, value in given.items() if name not in names},
        media_type,
        body,
        needs_token=operation["security"] != [],
        record=_record(operation),
        is_listing="cursor" in listed,
        is_file=any(kind.startswith("image/") for kind, _ in _answers(operation)),
        is_stream=any(kind == "text/event-stream" for kind, _ in _answers(operation)),
    )


def _resolved(document: Json, node: Json) -> Json:
    """The component that the node refers to, or the node."""
    if "$ref" not in node:
        return node
    section, name = node["$ref"].split("/")[-2:]
    found: Json = document["components"][section][name]
    return found


def _body(find: Callable[[Json], Json], examples: Json) -> Any:  # noqa: ANN401 - any JSON value
    [(name, example)] = examples.items()
    return BODIES.get(name) or find(example)["value"]


def _answers(operation: Json) -> Iterator[tuple[str, Json]]:
    """Media types and what is said of them, of what comes back in the best case."""
    for status in ("200", "201"):
        yield from operation["responses"].get(status, {}).get("content", {}).items()


def _record(operation: Json) -> str | None:
    answers = _answers(operation)
    names = [media["schema"]["$ref"] for kind, media in answers if kind.endswith("json")]
    return names[0].rpartition("/")[2] if names else None


def curl(call: SampleCall) -> str:
    address = f"$ADSVC{call.path}" + (f"?{urlencode(call.query)}" if call.query else "")
    words = [f'"{address}"']
    # The default of curl.
    if call.method != ("GET" if call.body is None else "POST"):
        words.append(f"-X {call.method}")
    if call.needs_token:
        words.append('-H "Authorization: Bearer $TOKEN"')
    if call.is_stream:
        words.append("--no-buffer")
    words += _curl_body(call)
    if call.is_file:
        words.append("-o picture")
    line = f"curl {' '.join(words)}"
    return line if len(line) <= WIDTH else "curl " + " \\\n  ".join(words)


def _curl_body(call: SampleCall) -> Iterator[str]:
    if call.media_type == JSON:
        yield f"--json {shlex.quote(json.dumps(call.body))}"
    elif isinstance(call.body, str):
        yield f'-H "Content-Type: {call.media_type}"'
        yield f"--data-binary {shlex.quote(call.body)}"
    elif call.media_type == FORM_ENCODED:
        for name, value in call.body.items():
            yield f"--data-urlencode {shlex.quote(f'{name}={value}')}"
    elif call.media_type == MULTIPART:
        if "properties" in call.body:
            yield f"-F {shlex.quote(f'properties={json.dumps(call.properties)};type={JSON}')}"
        yield f"-F image=@{PHOTO}"


def typescript(call: SampleCall) -> str:
    arguments = [json.dumps(argument) for argument in call.arguments]
    if call.media_type == MULTIPART:
        if "properties" in call.body:
            arguments.append(_object(call.properties))
        arguments.append(f'["{PHOTO}"]' if call.several_files else f'"{PHOTO}"')
    elif isinstance(call.body, str):
        arguments.append(json.dumps(call.body))
    elif call.body is not None:
        arguments.append(_object(call.body))
    elif call.query:
        arguments.append(_object(call.query))
    if call.is_listing:
        listing = f"client.{_iterated(call.operation_id)}({', '.join(arguments)})"
        return f"for await (const item of {listing}) {{\n  console.log(item);\n}}"
    if call.is_stream:
        listing = f"client.{_followed(call.operation_id)}()"
        return f"for await (const event of {listing}) {{\n  console.log(event);\n}}"
    assigned = f"const {_variable(_lower(call.record))} = " if call.record else ""
    return _call(f"{assigned}await client.{call.operation_id}", arguments, indent=2) + ";"


def _variable(name: str) -> str:
    return f"{name}_" if name in RESERVED else name


def _object(members: Json) -> str:
    """As people write it: names without quotes where that may be."""
    listed = (f"{_key(name)}: {_literal(value)}" for name, value in members.items())
    return f"{{ {', '.join(listed)} }}"


def _key(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else json.dumps(name)


def _literal(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return _object(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return json.dumps(value, ensure_ascii=False)


def python(call: SampleCall) -> str:
    arguments = [_repr(argument) for argument in call.arguments]
    if isinstance(call.body, str):
        arguments.append(_repr(call.body))
    members = call.properties if call.body is not None else call.query
    names = {name: RENAMED.get(name, _snake(name)) for name in members}
    arguments += [f"{names[name]}={_repr(value)}" for name, value in members.items()]
    if call.media_type == MULTIPART:
        arguments.append(f'images=["{PHOTO}"]' if call.several_files else f'image="{PHOTO}"')
    if call.is_listing:
        listing = _snake(_iterated(call.operation_id))
        return f"for item in client.{listing}({', '.join(arguments)}):\n    print(item)"
    if call.is_stream:
        return f"for event in client.{_snake(_followed(call.operation_id))}():\n    print(event)"
    assigned = f"{_variable(_snake(call.record))} = " if call.record else ""
    return _call(f"{assigned}client.{_snake(call.operation_id)}", arguments, indent=4)


def _call(name: str, arguments: list[str], *, indent: int) -> str:
    """In one line, if it is not too long."""
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return line
    listed = "".join(f"\n{' ' * indent}{argument}," for argument in arguments)
    return f"{name}({listed}\n)"


def _repr(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """As `repr`, with the quotes that formatters prefer."""
    if isinstance(value, dict):
        listed = (f"{_repr(name)}: {_repr(member)}" for name, member in value.items())
        return f"{{{', '.join(listed)}}}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _iterated(operation_id: str) -> str:
    """`ads` goes through all pages of `listAds`."""
    return _lower(operation_id.removeprefix("list"))


def _followed(operation_id: str) -> str:
    """`events` follows what `streamEvents` sends."""
    return _lower(operation_id.removeprefix("stream"))


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def _snake(name: str) -> str:
    return HUMP.sub("_", name).lower()


if __name__ == "__main__":
    made = samples_of(create_app(load_settings()).openapi())
    SAMPLES.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
