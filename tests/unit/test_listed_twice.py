"""What is written down in two places is the same in both, and a new member is not forgotten."""

import json
import re
from collections import defaultdict
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, String, Table

from adsvc import enums
from adsvc.enums import AdStatus, AdStep, Role
from adsvc.invalidation import OF_TABLES, AdAspect, InvalidationKind
from adsvc.models.ads import ASPECTS
from adsvc.repositories.accounts import callers
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.projection import RecordKind, members
from adsvc.repositories.deletions import TABLES
from adsvc.schemas.moderation import Snapshot
from adsvc.services.ads.lifecycle import STEPS, steps_from
from support.scene.api import Api
from support.scene.moderation import moderator, only_case, reported

DOCUMENT = json.loads(Path(__file__).parents[2].joinpath("openapi.json").read_bytes())
SCHEMA = Path(__file__).parents[2].joinpath("alembic/schema.sql").read_text()
# The bodies of the functions of triggers.
FUNCTIONS = dict(re.findall(r"CREATE FUNCTION (\w+)\([^$]*\$\$(.*?)\$\$", SCHEMA, re.DOTALL))
TRIGGER = re.compile(r"^CREATE TRIGGER .* ON (\w+) .*EXECUTE FUNCTION (\w+)\(", re.MULTILINE)
# A notice that a function writes into `changes`.
NOTICE = re.compile(r"(?:note_changes\('|'(?=\w+:')|concat_ws\(\s*':', ')(\w+)")
# A column of the ad before and after a change, and the aspect.
ASPECT = re.compile(r"CASE WHEN \(([^)]*)\)\s+(?:IS DISTINCT FROM|<>) \([^)]*\) THEN '(\w)'")
TRANSITIONS = Path(__file__).parents[2].joinpath("web/src/ad/transitions.ts").read_text()
ENUMERATIONS: tuple[type[StrEnum], ...] = (
    enums.AdStatus, enums.PriceType, enums.Role, enums.AccountStatus, enums.CaseStatus,
    enums.CaseKind, enums.ReportReason, enums.DecisionAction, enums.DecisionGround,
    enums.KeyScope, enums.OfferStatus, enums.MessageKind, enums.Party, enums.Hint,
)  # fmt: skip
# Members of an ad that a moderator sees elsewhere, or does not need for a decision.
NOT_IN_SNAPSHOT = {
    "pk", "author", "status", "image", "thumbnail", "imageCount", "placeId", "location",
    "locationKind", "expiresAt", "soldAt", "createdAt", "updatedAt", "authorFirstName",
    "authorLastName", "email", "phone", "externalId",
}  # fmt: skip
# Tables with rows of an account that its export has in another member than that of their name.
EXPORTED = {
    "ad_events": "ads", "images": "ads", "removed_comments": "comments",
    "push_subscriptions": "push", "saved_searches": "searches", "sign_ins": "signIns",
    "totps": "user", "ratings": "deals", "accepted_terms": "terms",
}  # fmt: skip
NOT_EXPORTED = {
    "author_ad_totals": "a count of ads that are exported",
    "answer_figures": "counts of messages that are exported",
    "cases": "what others reported; the decisions are exported",
    "idempotency_keys": "answers to the account's own requests, for a day",
    "image_totals": "a sum of sizes, shown in the profile",
    "imports": "the account's own feeds, whose ads are exported; for 30 days",
    "alerted_ads": "which ads it had mails about, to send none twice",
    "mail_attempts": "a log of a week, of mails that it has itself",
    "mail_tokens": "hashes of secrets, for a week at most",
    "recovery_codes": "hashes of secrets",
    "digested_notices": "notices that wait for a mail, for an hour or two",
    "notice_mails": "how many mails it had in the last hour",
}
# Tables with rows of accounts, to which they have no foreign key.
WITHOUT_KEY = {"messages"}
# Tables with text and an account, whose text does not count for the account's quota.
NOT_COUNTED = {
    "accepted_terms": "the slug of a page each, written by the service",
    "imports": "numbers; the texts of one feed, until it is imported, are in no ad yet",
    "ad_events": "written by the service",
    "conversations": "the title of an ad each, and few of them a day",
    "cases": "written by the service",
    "deals": "the title of an ad each, which is sold once",
    "ratings": "a few words and an answer, two of a deal",
    "decisions": "written by moderators; one appeal against each",
    "idempotency_keys": "answers of the service, for a day",
    "identities": "addresses and names of providers, few of an account",
    "images": "names, made by the service",
    "keys": "a name each, and 20 keys",
    "passkeys": "a name each, and 20 passkeys",
    "sign_ins": "written by the service, 100 of an account",
    "mail_attempts": "written by the service, for a week",
    "mail_tokens": "one address at a time",
    "notifications": "written by the service",
    "push_subscriptions": "an address each, and few browsers",
    "saved_searches": "a name and a query each, and 50 searches",
    "sessions": "a few words each, and few sessions",
    "webhooks": "an address and a few words each; 20 of the site, five of an account",
    "digested_notices": "written by the service",
}
# Filters that an index of their own serves; all others make a listing a search.
INDEXED = {
    "min_price",
    "max_price",
    "author",
    "external_id",
    "created_after",
    "created_before",
    "statuses",
    # No condition.
    "is_administered",
}


class Row:
    def __init__(self, id: int, role: Role, author_id: int) -> None:
        self.id, self.role, self.author_id = id, role, author_id


async def test_the_policy_and_the_sql_of_statements_agree(api: Api) -> None:
    condition = callers.is_author_or_admin_sql("resource")
    for role in Role:
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
            expected = role is Role.ADMIN or caller == author
            assert (found, callers.is_author_or_admin(row, row)) == (expected, expected), (
                role,
                author,
            )


@pytest.mark.parametrize("enumeration", ENUMERATIONS, ids=lambda one: one.__name__)
def test_the_interface_names_the_values_that_are_stored(enumeration: type[StrEnum]) -> None:
    [named] = [
        schema["x-extensible-enum"]
        for name, schema in DOCUMENT["components"]["schemas"].items()
        if name == enumeration.__name__
    ]
    assert sorted(named) == sorted(enumeration)


@pytest.mark.parametrize(
    ("constraint", "enumeration"),
    [
        ("ck_ads_status", enums.AdStatus),
        ("ck_ads_price_type", enums.PriceType),
        ("ck_users_role", enums.Role),
        ("ck_cases_kind", enums.CaseKind),
        ("ck_cases_status", enums.CaseStatus),
    ],
)
def test_the_tables_take_the_values_that_the_code_has(
    constraint: str, enumeration: type[StrEnum]
) -> None:
    [checked] = re.findall(rf"CONSTRAINT {constraint} CHECK (.*)", SCHEMA)
    assert sorted(re.findall(r"'(\w+)'::", checked)) == sorted(enumeration)


def test_the_storefront_offers_the_steps_that_the_service_takes() -> None:
    [table] = re.findall(r"const STEPS: [^{]*\{(.*?)\n\};", TRANSITIONS, re.DOTALL)
    offered = {
        status: sorted(re.findall(r"'(\w+)'", steps))
        for status, steps in re.findall(r"(\w+): \[(.*?)\]", table)
    }
    assert offered == {status.value: sorted(steps_from(status)) for status in AdStatus}
    assert set(STEPS) == set(AdStep)
    operations = {path.rpartition("/")[2] for path in DOCUMENT["paths"]}
    assert set(AdStep) <= operations


@pytest.mark.heavy
async def test_moderators_see_every_member_that_an_author_writes(api: Api) -> None:
    written = {member.name for member in members(RecordKind.EXTENDED)} - NOT_IN_SNAPSHOT
    shown = {field.alias or name for name, field in Snapshot.model_fields.items()}
    shown -= {"text", "messages", "stars"}
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


def tables_of_accounts(schema: MetaData) -> dict[str, Table]:
    return {
        table.name: table
        for table in schema.sorted_tables
        if any(key.column.table.name == "users" for key in table.foreign_keys)
    }


def test_the_export_has_every_table_with_rows_of_an_account(schema: MetaData) -> None:
    """A new one is forgotten in no export: it is there, or there is a reason."""
    members = DOCUMENT["components"]["schemas"]["AccountExport"]["properties"].keys()
    exported = (
        members - {"user", "push", "searches", "signIns", "terms", *WITHOUT_KEY} | EXPORTED.keys()
    )
    assert tables_of_accounts(schema).keys() == exported | NOT_EXPORTED.keys()
    assert set(EXPORTED.values()) <= members


def test_text_that_accounts_store_counts_for_their_quota(schema: MetaData) -> None:
    """A new table with text has the triggers of `count_text`, or there is a reason."""
    with_text = {
        name
        for name, table in tables_of_accounts(schema).items()
        if any(isinstance(column.type, String) for column in table.columns)
    }
    counted = {
        event: set(
            re.findall(rf"TRIGGER count_text_on_{event.lower()} AFTER {event} ON (\w+)", SCHEMA)
        )
        for event in ("INSERT", "DELETE")
    }
    assert counted["INSERT"] == counted["DELETE"] == WITHOUT_KEY | with_text - NOT_COUNTED.keys()
    assert NOT_COUNTED.keys() <= with_text


def test_the_file_of_the_schema_has_the_tables_of_the_database(schema: MetaData) -> None:
    assert {
        name: (
            {column: each.nullable for column, each in table.columns.items()},
            {(key.column, key.parent, key.referred, key.on_delete) for key in table.foreign_keys},
        )
        for name, table in TABLES.items()
    } == {
        name: (
            {column.name: column.nullable for column in table.columns},
            {
                (key.parent.name, key.column.table.name, key.column.name, key.ondelete or "")
                for key in table.foreign_keys
            },
        )
        for name, table in schema.tables.items()
        if name != "alembic_version" and not name.startswith("events_")
    }


def test_tables_declare_what_their_triggers_announce() -> None:
    announced: dict[str, set[str]] = defaultdict(set)
    for table, function in TRIGGER.findall(SCHEMA):
        announced[table].update(NOTICE.findall(FUNCTIONS.get(function, "")))
    kinds = frozenset(InvalidationKind)
    found = {table: names & kinds for table, names in announced.items()}
    assert {table: names for table, names in found.items() if names} == OF_TABLES


def test_columns_declare_the_aspects_that_the_trigger_announces() -> None:
    found = {
        column.strip().removeprefix("o."): AdAspect(aspect)
        for columns, aspect in ASPECT.findall(FUNCTIONS["tell_ads_update"])
        for column in columns.split(",")
    }
    assert found == ASPECTS
