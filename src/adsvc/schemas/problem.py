from typing import Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from adsvc.errors import FaultCode
from adsvc.schemas.ads import Status
from adsvc.schemas.base import Record, absent

Absent = SkipJsonSchema[None]

Bound = Annotated[int | float, WithJsonSchema({"type": "number"})]


class FaultDetail(Record):
    """One thing wrong with the request: exactly one of `pointer` and `parameter` says where.

    The members behind `detail` are figures of the code, named as in JSON Schema: what is allowed.
    """

    pointer: Annotated[
        str | Absent,
        Field(description="JSON Pointer (RFC 6901) into the JSON sent.", examples=["/price"]),
    ] = absent()
    parameter: Annotated[
        str | Absent,
        Field(
            description="The query or path parameter, the header, or the form part.",
            examples=["limit"],
        ),
    ] = absent()
    part: Annotated[
        str | Absent,
        Field(
            description="With forms: the part, be it at fault itself or in its JSON.",
            examples=["properties"],
        ),
    ] = absent()
    code: Annotated[FaultCode, Field(examples=["out-of-range"])]
    detail: Annotated[str, Field(examples=["must be a whole number from 0 to 2147483647"])]
    type: Annotated[
        Literal["string", "integer", "number", "boolean", "object", "array"] | Absent,
        Field(description="The JSON type that is taken.", examples=["integer"]),
    ] = absent()
    minimum: Annotated[Bound | Absent, Field(examples=[0])] = absent()
    maximum: Annotated[Bound | Absent, Field(examples=[2_147_483_647])] = absent()
    min_length: Annotated[int | Absent, Field(description="In characters.", examples=[4])] = (
        absent()
    )
    max_length: Annotated[int | Absent, Field(description="In characters.", examples=[150])] = (
        absent()
    )
    min_items: Annotated[
        int | Absent, Field(description="How many there have to be.", examples=[1])
    ] = absent()
    max_items: Annotated[
        int | Absent, Field(description="How many there may be.", examples=[20])
    ] = absent()
    pattern: Annotated[
        str | Absent,
        Field(description="A regular expression.", examples=["^[a-z0-9-]{1,64}$"]),
    ] = absent()
    format: Annotated[
        Literal["date"] | Absent,
        Field(description="One of JSON Schema's formats.", examples=["date"]),
    ] = absent()
    options: Annotated[
        list[str] | Absent,
        Field(
            description="What the value may be, if that are at most 50.",
            examples=[["fixed", "negotiable", "free", "onRequest"]],
        ),
    ] = absent()
    number: Annotated[
        int | Absent,
        Field(
            description="Which of several parts or parameters of the name it is, from 1.",
            examples=[2],
        ),
    ] = absent()


class Problem(BaseModel):
    """Problem details (RFC 9457), the body of every refusal."""

    type: Annotated[
        str,
        Field(
            description="Identifies the kind of problem; `/problems` explains each.",
            examples=["/problems#invalid-request"],
        ),
    ]
    title: Annotated[str, Field(examples=["The request is not valid"])]
    status: Annotated[int, Field(examples=[400], json_schema_extra={"format": "int32"})]
    detail: Annotated[str, Field(examples=["The request is not valid; see errors."])]
    instance: Annotated[
        str,
        Field(
            description="Names this occurrence; its last part is the `X-Request-Id`.",
            examples=["urn:uuid:7f3c4f0e-4c3c-4b0e-9f55-6a1a0c0f3a10"],
        ),
    ]
    quota: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="With `/problems#quota-exceeded`: how many bytes these may take.",
            examples=[1_073_741_824],
        ),
    ] = None
    used: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="With `/problems#quota-exceeded`: how many bytes they take.",
            examples=[1_073_600_000],
        ),
    ] = None
    status_before: Annotated[
        Status | SkipJsonSchema[None],
        Field(
            alias="from",
            description="With `/problems#illegal-transition`: the ad's status.",
            examples=["sold"],
        ),
    ] = None
    allowed: Annotated[
        list[str] | SkipJsonSchema[None],
        Field(
            description="With `/problems#illegal-transition`: the operations that it allows.",
            examples=[["publish", "withdraw", "renew"]],
        ),
    ] = None
    until: Annotated[
        int | SkipJsonSchema[None],
        Field(
            description="With `/problems#suspended`: when it ends; absent for ever.",
            examples=[1767225600000],
        ),
    ] = None
    explanation: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="With `/problems#suspended`: why.",
            examples=["Offers of things that do not exist."],
        ),
    ] = None
    errors: Annotated[
        list[FaultDetail] | SkipJsonSchema[None],
        Field(description="With status 400: what is wrong, and where."),
    ] = None
