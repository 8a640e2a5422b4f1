"""What is written down in two places is the same in both, and a new member is not forgotten."""

import json
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from adsvc import models
from adsvc.policies import is_author_or_admin
from adsvc.repositories.accounts import callers
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.projection import In, members
from adsvc.schemas.moderation import Snapshot
from support.scene.api import Api
from support.scene.moderation import moderator, only_case, reported

DOCUMENT = json.loads(Path(__file__).parents[2].joinpath("openapi.json").read_bytes())
ENUMERATIONS: tuple[type[StrEnum], ...] = (
    models.AdStatus, models.PriceType, models.Role, models.AccountStatus, models.CaseStatus,
    models.CaseKind, models.ReportReason, models.DecisionAction, models.DecisionGround,
)  # fmt: skip
# Members of an ad that a moderator sees elsewhere, or does not need for a decision.
NOT_IN_SNAPSHOT = {
    "pk", "author", "status", "image", "thumbnail", "imageCount", "location", "expiresAt",
    "soldAt", "createdAt", "updatedAt", "authorFirstName", "authorLastName", "email", "phone",
}  # fmt: skip
# Filters that an index of their own serves; all others make a listing a search.
INDEXED = {"min_price", "max_price", "author", "created_after", "created_before", "statuses"}


class Row:
    def __init__(self, id: int, role: models.Role, author_id: int) -> None:
        self.id, self.role, self.author_id = id, role, author_id


async def test_the_policy_and_the_sql_of_statements_agree(api: Api) -> None:
    condition = callers.is_author_or_admin("resource")
    for role in models.Role:
        for caller, author in ((1, 1), (1, 2)):
            row = Row(caller, role, author)
            [found] = await api.sql(
                f"SELECT {condition} FROM (SELECT CAST(:caller AS bigint) AS id,"  # noqa: S608
                " CAST(:role AS text) AS role) AS caller,"
                " (SELECT CAST(:author AS bigint) AS author_id) AS resource",
                caller=caller,
                role=role.value,
                author=author,
            )
            expected = role is models.Role.ADMIN or caller == author
            assert (found, is_author_or_admin(row, row)) == (expected, expected), (role, author)


@pytest.mark.parametrize("enumeration", ENUMERATIONS, ids=lambda one: one.__name__)
def test_the_interface_names_the_values_that_are_stored(enumeration: type[StrEnum]) -> None:
    [named] = [
        schema["x-extensible-enum"]
        for name, schema in DOCUMENT["components"]["schemas"].items()
        if name == enumeration.__name__
    ]
    assert sorted(named) == sorted(enumeration)


async def test_moderators_see_every_member_that_an_author_writes(api: Api) -> None:
    written = {member.name for member in members(In.EXTENDED)} - NOT_IN_SNAPSHOT
    shown = {field.alias or name for name, field in Snapshot.model_fields.items()} - {"text"}
    assert shown == written
    author, judge = await api.person(), await moderator(api)
    ad = await author.post_ad(place="Berlin", priceType="negotiable")
    await reported(api, f"/ads/{ad['pk']}")
    case = await only_case(judge)
    [stored] = await api.sql("SELECT snapshot FROM cases")
    assert set(stored) == written
    told: dict[str, Any] = case["snapshot"]
    assert {name: told[name] for name in ("title", "place", "priceType", "price")} == {
        name: ad[name] for name in ("title", "place", "priceType", "price")
    }


def test_every_filter_has_an_index_or_is_a_search() -> None:
    anything: Any = object()
    for field in fields(AdFilter):
        made = AdFilter(**{field.name: anything})
        assert made.is_search is (field.name not in INDEXED), field.name
