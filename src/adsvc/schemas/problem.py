from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.schemas.ads.ad import Status


class FaultDetail(BaseModel):
    """One thing wrong with the request: exactly one of `pointer` and `parameter` says where."""

    pointer: Annotated[
        str | SkipJsonSchema[None],
        Field(description="JSON Pointer (RFC 6901) into the JSON sent.", examples=["/price"]),
    ] = None
    parameter: Annotated[
        str | SkipJsonSchema[None],
        Field(description="The query or path parameter, or the form part.", examples=["limit"]),
    ] = None
    detail: Annotated[str, Field(examples=["must be a whole number from 0 to 2147483647"])]


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
            description="With `/problems#quota-exceeded`: how many bytes pictures may take.",
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
    errors: Annotated[
        list[FaultDetail] | SkipJsonSchema[None],
        Field(description="With status 400: what is wrong, and where."),
    ] = None
