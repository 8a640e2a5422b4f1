"""Operations as the templates see them: what is passed, and how it is sent and read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from openapi_python_client.parser.bodies import Body, BodyType
from openapi_python_client.parser.openapi import Endpoint
from openapi_python_client.parser.properties import (
    FileProperty,
    ListProperty,
    ModelProperty,
    Property,
)
from openapi_python_client.schema.untrusted_string import UntrustedString
from openapi_python_client.strings import PythonIdentifier

import document

RESPONSE = "httpx2.Response"
SPECIAL_HEADERS = {"idempotency_key", "if_match", "if_none_match"}


@dataclass(frozen=True)
class Argument:
    name: str
    type: str
    value: str
    """The expression that is sent."""
    sent_as: str
    required: bool
    description: str
    constant: bool = False
    """Whether it is sent without being passed."""

    @property
    def declaration(self) -> str:
        return f"{self.name}: {self.type}" + ("" if self.required else " = UNSET")


@dataclass(frozen=True)
class Model:
    """A body, or a part of a form, that is given member by member."""

    name: str
    part: str
    arguments: Sequence[Argument]
    required: bool


@dataclass
class Operation:
    name: str
    method: str
    path: str
    summary: str
    secured: bool
    result: str
    """The type that is returned."""
    parse: str
    """The expression that makes it of a response."""
    in_path: list[Argument]
    in_query: list[Argument]
    headers: set[str]
    json: Model | None = None
    form: list[Argument] = field(default_factory=list)
    parts: list[Model] = field(default_factory=list)
    files: list[Argument] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    takes_json: bool = False
    """Whether its only part is sent as JSON when there are no files."""
    text: list[Argument] = field(default_factory=list)
    """A body that is a text."""
    streamed: bool = False
    """Whether its answer goes on. The methods for these are written by hand."""
    item: str | None = None
    """What a page of it has, if it has pages."""

    @property
    def positional(self) -> list[Argument]:
        return [*self.in_path, *self.text]

    @property
    def given(self) -> list[Argument]:
        """What is passed by keyword, what has to be first."""
        models = [*([self.json] if self.json else []), *self.parts]
        everything = [
            *(argument for model in models for argument in model.arguments),
            *self.form,
            *self.files,
            *(argument for argument in self.in_query if not argument.constant),
        ]
        if "if_match" in self.headers:
            everything.append(_header("if_match", "IfMatch", "What was read, or its tag."))
        if "if_none_match" in self.headers:
            everything.append(
                _header(
                    "if_none_match",
                    "IfMatch",
                    "What was read before, which is returned if it is still the same; or its tag,"
                    " which then ends in `NotModifiedError`.",
                )
            )
        if "idempotency_key" in self.headers:
            everything.append(
                _header("idempotency_key", "str", "One is made for each call where it is left out.")
            )
        return sorted(everything, key=lambda argument: not argument.required)

    @property
    def all_items(self) -> str:
        """The name of what goes through all pages: `ads` for `list_ads`."""
        return self.name.removeprefix("list_")


def of(raw: Mapping[str, Any], endpoints: Sequence[Endpoint]) -> Iterator[Operation]:
    found = {PythonIdentifier(one["operationId"], ""): one for one in document.operations(raw)}
    for endpoint in endpoints:
        original = found[endpoint.name]
        operation = Operation(
            name=str(endpoint.name),
            method=endpoint.method.upper(),
            path=_plain(endpoint.path),
            summary=_plain(endpoint.summary)
            + (" (deprecated)" if original.get("deprecated") else ""),
            secured=document.needs_credentials(raw, original),
            result="None",
            parse="None",
            in_path=[_argument(one) for one in endpoint.path_parameters],
            in_query=[_argument(one) for one in endpoint.query_parameters],
            headers={str(one.python_name) for one in endpoint.header_parameters} & SPECIAL_HEADERS,
        )
        for one in [*endpoint.path_parameters, *endpoint.query_parameters]:
            operation.imports |= _imports(one)
        if "x-text" in original:
            about = "The text, or a path, an open file or an iterator of pieces with it."
            operation.text = [Argument("content", "Text", "content", "", True, about)]  # noqa: FBT003
        forms = [one for one in endpoint.bodies if one.body_type != BodyType.JSON]
        # What takes a form or JSON is sent as JSON when there are no files.
        operation.takes_json = 0 < len(forms) < len(endpoint.bodies)
        for body in forms or endpoint.bodies:
            _add_body(operation, body)
        if document.returns_bytes(raw, original):
            operation.in_path = [_named_picture(one) for one in operation.in_path]
            operation.result, operation.parse = "bytes", "response.content"
        elif document.is_streamed(raw, original):
            operation.result, operation.parse, operation.streamed = RESPONSE, "response", True
        else:
            _add_result(operation, endpoint)
        yield from _validating(operation)


def _validating(operation: Operation) -> Iterator[Operation]:
    """What takes `validate` becomes two methods, as one answers with a record and one with none."""
    (validate,) = [one for one in operation.in_query if one.name == "validate"] or (None,)
    if validate is None:
        yield operation
        return
    others = [one for one in operation.in_query if one is not validate]
    yield replace(operation, in_query=others)
    only = replace(validate, value='"true"', required=False, constant=True)
    yield replace(
        operation,
        name=f"validate_{operation.name}",
        summary=f"Judge what would be sent, and change nothing: {operation.summary}",
        result="None",
        parse="None",
        in_query=[*others, only],
        headers=operation.headers - {"idempotency_key"},
    )


def _add_body(operation: Operation, body: Body) -> None:
    assert isinstance(body.prop, ModelProperty), operation.name
    if body.body_type == BodyType.JSON:
        operation.json = _model(operation, body.prop, part="")
        return
    for one in _members(body.prop):
        if body.body_type == BodyType.DATA:
            operation.form.append(_argument(one))
            operation.imports |= _imports(one)
        elif isinstance(one, ModelProperty):
            operation.parts.append(_model(operation, one, part=_plain(one.name)))
        else:
            file = _file(one)
            if operation.takes_json:
                file = replace(file, type=f"{file.type} | Unset", required=False)
            operation.files.append(file)


def _model(operation: Operation, prop: ModelProperty, *, part: str) -> Model:
    operation.imports |= _imports(prop)
    arguments = []
    in_path = {argument.name for argument in operation.in_path}
    # The path has it.
    for member in (one for one in _members(prop) if str(one.python_name) not in in_path):
        operation.imports |= _imports(member)
        arguments.append(_argument(member))
    return Model(str(prop.class_info.name), part, arguments, prop.required)


def _file(prop: Property) -> Argument:
    several = isinstance(prop, ListProperty)
    if not (several or isinstance(prop, FileProperty)):
        raise TypeError(f"{prop.python_name}: neither JSON nor a file")
    name = f"{prop.python_name}s" if several else str(prop.python_name)
    kind = "Sequence[Upload] | Upload" if several else "Upload"
    value = f"several({name})" if several else f"[{name}]"
    return Argument(name, kind, value, _plain(prop.name), prop.required, _plain(prop.description))


def _argument(prop: Property) -> Argument:
    name, kind = str(prop.python_name), prop.get_type_string().as_unembedded_code()
    value = name
    if isinstance(prop, ModelProperty) and not _members(prop):
        # Any members at all: people have a dictionary at hand.
        model = str(prop.class_info.name)
        kind = "Mapping[str, Any]" + ("" if prop.required else " | Unset")
        value = f"{model}.from_dict({name})"
        if not prop.required:
            value = f"{name} if isinstance({name}, Unset) else {value}"
    elif isinstance(prop, ModelProperty):
        model = str(prop.class_info.name)
        records = f"({model}, Unset)" if not prop.required else model
        kind = f"{kind} | Mapping[str, Any]"
        value = f"{name} if isinstance({name}, {records}) else {model}.from_dict({name})"
    return Argument(name, kind, value, _plain(prop.name), prop.required, _plain(prop.description))


def _named_picture(argument: Argument) -> Argument:
    """Records have the path of a picture; its operation takes the name."""
    if argument.type != "str":
        return argument
    return replace(argument, value=f'{argument.name}.rpartition("/")[2]')


def _header(name: str, kind: str, description: str) -> Argument:
    return Argument(name, f"{kind} | Unset", name, "", required=False, description=description)


def _add_result(operation: Operation, endpoint: Endpoint) -> None:
    answers = [answer.prop for answer in endpoint.responses.patterns]
    with_body = [prop for prop in answers if isinstance(prop, ModelProperty)]
    assert len({prop.class_info.name for prop in with_body}) <= 1, operation.name
    prop = (with_body or answers)[0]
    if not isinstance(prop, ModelProperty):
        return
    if not _members(prop):
        operation.result = "dict[str, Any]"
        operation.parse = "cast(dict[str, Any], response.json())"
        return
    operation.result = str(prop.class_info.name)
    operation.parse = f"{operation.result}.from_dict(response.json())"
    operation.imports |= _imports(prop)
    members = {_plain(member.name): member for member in _members(prop)}
    results, paged = members.get("results"), "cursor" in {one.name for one in operation.in_query}
    if paged and isinstance(results, ListProperty):
        assert isinstance(results.inner_property, ModelProperty)
        operation.item = str(results.inner_property.class_info.name)
        operation.imports |= _imports(results.inner_property)


def _members(prop: ModelProperty) -> list[Property]:
    return [*(prop.required_properties or []), *(prop.optional_properties or [])]


def _imports(prop: Property) -> set[str]:
    everything = prop.get_imports(prefix=".") | prop.get_lazy_imports(prefix=".")
    wanted = (".models", "Literal", "datetime")
    return {line for line in everything if any(word in line for word in wanted)}


def _plain(text: UntrustedString | str | None) -> str:
    value = text.get_untrusted_value() if isinstance(text, UntrustedString) else text or ""
    return value.replace("\\", "\\\\").replace('"', "'")
