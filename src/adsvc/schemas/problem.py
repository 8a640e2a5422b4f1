from typing import Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from adsvc.errors import FaultCode
from adsvc.schemas.ads import Status
from adsvc.schemas.base import Record, absent

Absent = SkipJsonSchema[None]

Bound = Annotated[int | float, WithJsonSchema({"type": "number"})]


class FaultDetail(Record):
    """One thing that is wrong with the request.

    Either `pointer` or `parameter` says where. The members after `detail` say what is allowed; they
    are named as in JSON Schema, and present where they apply to the `code`.
    """

    pointer: Annotated[
        str | Absent,
        Field(
            description="Where in the JSON of the request, as a JSON Pointer (RFC 6901).",
            examples=["/price"],
        ),
    ] = absent()
    parameter: Annotated[
        str | Absent,
        Field(
            description="The name of the query parameter, path parameter, header or form part.",
            examples=["limit"],
        ),
    ] = absent()
    part: Annotated[
        str | Absent,
        Field(
            description="In a form: the part that is at fault, or whose JSON is.",
            examples=["properties"],
        ),
    ] = absent()
    code: Annotated[
        FaultCode, Field(description="The kind of fault, for programs.", examples=["out-of-range"])
    ]
    detail: Annotated[
        str,
        Field(
            description="The fault in words, for the client's developer.",
            examples=["must be a whole number from 0 to 2147483647"],
        ),
    ]
    type: Annotated[
        Literal["string", "integer", "number", "boolean", "object", "array"] | Absent,
        Field(description="The JSON type that is expected.", examples=["integer"]),
    ] = absent()
    minimum: Annotated[
        Bound | Absent, Field(description="The lowest number allowed.", examples=[0])
    ] = absent()
    maximum: Annotated[
        Bound | Absent, Field(description="The highest number allowed.", examples=[2_147_483_647])
    ] = absent()
    min_length: Annotated[
        int | Absent, Field(description="The fewest characters allowed.", examples=[4])
    ] = absent()
    max_length: Annotated[
        int | Absent, Field(description="The most characters allowed.", examples=[150])
    ] = absent()
    min_items: Annotated[
        int | Absent, Field(description="The fewest items allowed.", examples=[1])
    ] = absent()
    max_items: Annotated[
        int | Absent, Field(description="The most items allowed.", examples=[20])
    ] = absent()
    pattern: Annotated[
        str | Absent,
        Field(
            description="The regular expression (ECMA-262) that the value must match.",
            examples=["^[a-z0-9-]{1,64}$"],
        ),
    ] = absent()
    format: Annotated[
        Literal["date"] | Absent,
        Field(description="The format of JSON Schema that is expected.", examples=["date"]),
    ] = absent()
    options: Annotated[
        list[str] | Absent,
        Field(
            description="The allowed values. Absent if there are more than 50.",
            examples=[["fixed", "negotiable", "free", "onRequest"]],
        ),
    ] = absent()
    number: Annotated[
        int | Absent,
        Field(
            description="Which one of several parts or parameters of the same name, from 1.",
            examples=[2],
        ),
    ] = absent()


class Problem(BaseModel):
    """The body of every refusal: problem details (RFC 9457)."""

    type: Annotated[
        str,
        Field(
            description="The kind of problem, for programs. `/problems` explains each.",
            examples=["/problems#invalid-request"],
        ),
    ]
    title: Annotated[
        str,
        Field(
            description="The kind of problem in words; the same for each of its type.",
            examples=["The request is not valid"],
        ),
    ]
    status: Annotated[
        int,
        Field(
            description="The HTTP status of the answer.",
            examples=[400],
            json_schema_extra={"format": "int32"},
        ),
    ]
    detail: Annotated[
        str,
        Field(
            description="What went wrong this time, for the client's developer.",
            examples=["The request is not valid; see errors."],
        ),
    ]
    instance: Annotated[
        str,
        Field(
            description="Identifies this occurrence. Its last part is the `X-Request-Id`.",
            examples=["urn:uuid:7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"],
        ),
    ]
    scope: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#insufficient-scope`: the scope that the key lacks.",
            examples=["ads:write"],
        ),
    ] = None
    challenge: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#second-factor-required`: what the code is sent "
            "with to `POST /login/second-factor`, within five minutes.",
            examples=["eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luK2p3dCJ9.e30.x"],
        ),
    ] = None
    quota: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#quota-exceeded`: the bytes that may be used.",
            examples=[1_073_741_824],
        ),
    ] = None
    used: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#quota-exceeded`: the bytes that are used.",
            examples=[1_073_600_000],
        ),
    ] = None
    status_before: Annotated[
        Status | SkipJsonSchema[None],
        Field(
            alias="from",
            description="Only with `/problems#illegal-transition`: the ad's status.",
            examples=["sold"],
        ),
    ] = None
    allowed: Annotated[
        list[str] | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#illegal-transition`: the steps that this status "
            "allows; and with `/problems#offer-not-possible`: what the caller may do to the offer.",
            examples=[["publish", "withdraw", "renew"]],
        ),
    ] = None
    until: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#suspended`: when the suspension ends, in "
            "milliseconds since 1970-01-01T00:00Z. Absent if it has no end.",
            examples=[1767225600000],
        ),
    ] = None
    explanation: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="Only with `/problems#suspended`: the reasons.",
            examples=["Offers of things that do not exist."],
        ),
    ] = None
    errors: Annotated[
        list[FaultDetail] | SkipJsonSchema[None],
        Field(description="Only with status 400: everything that is wrong, and where."),
    ] = None
