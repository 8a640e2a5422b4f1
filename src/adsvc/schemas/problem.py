from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.records import Record, absent
from adsvc.schemas.ads import Status

Absent = SkipJsonSchema[None]

Bound = Annotated[int | float, WithJsonSchema({"type": "number"})]


class FaultDetail(Record):
    """One thing that is wrong with the request.

    Either `pointer` or `parameter` says where. The members after `detail` say what is allowed; they
    are named as in JSON Schema, and present where they apply to the `code`.
    """

    pointer: Annotated[str | Absent, Field(examples=["/price"])] = absent()
    """Where in the JSON of the request, as a JSON Pointer (RFC 6901)."""
    parameter: Annotated[str | Absent, Field(examples=["limit"])] = absent()
    """The name of the query parameter, path parameter, header or form part."""
    part: Annotated[str | Absent, Field(examples=["properties"])] = absent()
    """In a form: the part that is at fault, or whose JSON is."""
    code: Annotated[FaultCode, Field(examples=["out-of-range"])]
    """The kind of fault, for programs."""
    detail: Annotated[str, Field(examples=["must be a whole number from 0 to 2147483647"])]
    """The fault in words, for the client's developer."""
    type: Annotated[
        Literal["string", "integer", "number", "boolean", "object", "array"] | Absent,
        Field(examples=["integer"]),
    ] = absent()
    """The JSON type that is expected."""
    minimum: Annotated[Bound | Absent, Field(examples=[0])] = absent()
    """The lowest number allowed."""
    maximum: Annotated[Bound | Absent, Field(examples=[2_147_483_647])] = absent()
    """The highest number allowed."""
    min_length: Annotated[int | Absent, Field(examples=[4])] = absent()
    """The fewest characters allowed."""
    max_length: Annotated[int | Absent, Field(examples=[150])] = absent()
    """The most characters allowed."""
    min_items: Annotated[int | Absent, Field(examples=[1])] = absent()
    """The fewest items allowed."""
    max_items: Annotated[int | Absent, Field(examples=[20])] = absent()
    """The most items allowed."""
    pattern: Annotated[str | Absent, Field(examples=["^[a-z0-9-]{1,64}$"])] = absent()
    """The regular expression (ECMA-262) that the value must match."""
    format: Annotated[Literal["date"] | Absent, Field(examples=["date"])] = absent()
    """The format of JSON Schema that is expected."""
    options: Annotated[
        list[str] | Absent, Field(examples=[["fixed", "negotiable", "free", "onRequest"]])
    ] = absent()
    """The allowed values. Absent if there are more than 50."""
    number: Annotated[int | Absent, Field(examples=[2])] = absent()
    """Which one of several parts or parameters of the same name, from 1."""


def detail_of(fault: Fault) -> FaultDetail:
    # The whole body is at fault if no place is given.
    pointer = fault.pointer or "" if fault.parameter is None else None
    place = {"pointer": pointer, "parameter": fault.parameter, "part": fault.part}
    said = {"code": fault.code, "detail": fault.detail}
    return FaultDetail.model_validate({**place, **said, **fault.figures})


class Problem(BaseModel):
    """The body of every refusal: problem details (RFC 9457)."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    type: Annotated[str, Field(examples=["/problems#invalid-request"])]
    """The kind of problem, for programs. `/problems` explains each."""
    title: Annotated[str, Field(examples=["The request is not valid"])]
    """The kind of problem in words; the same for each of its type."""
    status: Annotated[int, Field(examples=[400], json_schema_extra={"format": "int32"})]
    """The HTTP status of the answer."""
    detail: Annotated[str, Field(examples=["The request is not valid; see errors."])]
    """What went wrong this time, for the client's developer."""
    instance: Annotated[str, Field(examples=["urn:uuid:7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"])]
    """Identifies this occurrence. Its last part is the `X-Request-Id`."""
    scope: Annotated[str | SkipJsonSchema[None], Field(examples=["ads:write"])] = None
    """Only with `/problems#insufficient-scope`: the scope that the key lacks."""
    feature: Annotated[str | SkipJsonSchema[None], Field(examples=["comments"])] = None
    """Only with `/problems#feature-off`: what the site does without, as in `features` of `GET
    /site`."""
    challenge: Annotated[
        str | SkipJsonSchema[None],
        Field(examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luK2p3dCJ9.e30.x"]),
    ] = None
    """Only with `/problems#second-factor-required`: what the code is sent with to `POST
    /login/second-factor`, within five minutes; and with `/problems#link-required`: what the
    password is sent with to `POST /login/oidc/link`, within an hour."""
    quota: Annotated[int | SkipJsonSchema[None], Field(examples=[1_073_741_824])] = None
    """Only with `/problems#quota-exceeded`: the bytes that may be used."""
    used: Annotated[int | SkipJsonSchema[None], Field(examples=[1_073_600_000])] = None
    """Only with `/problems#quota-exceeded`: the bytes that are used."""
    status_before: Annotated[
        Status | SkipJsonSchema[None], Field(alias="from", examples=["sold"])
    ] = None
    """Only with `/problems#illegal-transition`: the ad's status."""
    allowed: Annotated[
        list[str] | SkipJsonSchema[None], Field(examples=[["publish", "withdraw", "renew"]])
    ] = None
    """Only with `/problems#illegal-transition`: the steps that this status allows; and with
    `/problems#offer-not-possible`: what the caller may do to the offer."""
    until: Annotated[int | SkipJsonSchema[None], Field(examples=[1767225600000])] = None
    """Only with `/problems#suspended`: when the suspension ends, in milliseconds since
    1970-01-01T00:00Z. Absent if it has no end."""
    explanation: Annotated[
        str | SkipJsonSchema[None], Field(examples=["Offers of things that do not exist."])
    ] = None
    """Only with `/problems#suspended`: the reasons."""
    appeal_token: Annotated[
        str | SkipJsonSchema[None],
        Field(alias="appealToken", examples=["b1Zr0uGQn4yHh7C3mWkq2DQ6NQ"]),
    ] = None
    """Only with `/problems#suspended`: reads the decision, and appeals, without a login."""
    errors: list[FaultDetail] | SkipJsonSchema[None] = None
    """Only with status 400: everything that is wrong, and where."""
