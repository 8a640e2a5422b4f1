from typing import Annotated, Literal

from pydantic import Field

from adsvc.schemas.base import Milliseconds, Record, may_be_absent
from adsvc.schemas.fields import ReportText

# As `models.Reason`.
Reason = Annotated[
    Literal["scam", "prohibited", "duplicate", "category", "offensive", "personalData", "other"],
    Field(description="What is wrong with the thing.", examples=["scam"]),
]


class CreateReport(Record):
    reason: Reason
    text: Annotated[ReportText, may_be_absent] = ""


class Report(Record):
    id: Annotated[int, Field(examples=[11])]
    reason: Reason
    text: Annotated[str, Field(examples=["Asks for money in advance."])]
    at: Milliseconds
