"""The tables of docs/interface.md list the document's operations and their statuses."""

import json
import re
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from adsvc.api.caching import COMPRESS_FROM_BYTES
from adsvc.api.input.filters import LONGEST_SEARCH
from adsvc.enums import TokenPurpose
from adsvc.kit.http.connection import LINGER_BYTES
from adsvc.kit.http.messages import MOST_UNKNOWN_NAMED
from adsvc.kit.security import tokens
from adsvc.repositories.accounts.idempotency_keys import ANSWER_HOURS
from adsvc.repositories.moderation.cases import PROBATION
from adsvc.repositories.moderation.decisions import APPEAL_DAYS
from adsvc.services.accounts.idempotency import CLAIM_SECONDS
from adsvc.services.accounts.sessions import CLIENT_MAX_LENGTH
from adsvc.services.mail.delivery import HOURS
from adsvc.settings import load_settings

ROOT = Path(__file__).parents[2]
METHODS = ("get", "post", "put", "patch", "delete")
# Below the tables it is said which operations may answer these, besides what is listed.
EVERYWHERE = {"304", "400", "403", "408", "431", "500", "503"}
# For a request with an Idempotency-Key, and for one with `validate=true`.
OF_HEADERS = {"Idempotency-Key": {"409", "422"}, "validate": {"204"}}
# A row may stand for several: `/ads/{id}/publish`, `reserve`.
ROW = re.compile(
    r"^\| (`[A-Z]+(?:`, `[A-Z]+)* /[^|\n]+) \|[^|\n]*\|([^|\n]+)\|([^|\n]*)\|[^|\n]*\|$",
    re.MULTILINE,
)


def operations() -> dict[tuple[str, str], tuple[set[str], set[str]]]:
    """What each may answer, and what of that is said of many below the tables."""
    document = json.loads((ROOT / "openapi.json").read_text())

    def name_of(parameter: dict[str, Any]) -> str:
        reference = parameter.get("$ref")
        if reference is not None:
            parameter = document["components"]["parameters"][reference.rpartition("/")[2]]
        return str(parameter["name"])

    found = {}
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                names = {name_of(one) for one in item[method].get("parameters", ())}
                said = EVERYWHERE.union(*(OF_HEADERS.get(name, set()) for name in names))
                found[method.upper(), path] = set(item[method]["responses"]), said
    return found


def told() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    before: set[str] = set()
    for named, success, refusals in ROW.findall((ROOT / "docs/interface.md").read_text()):
        statuses = set(re.findall(r"\b[2-4]\d\d\b", f"{success} {refusals}"))
        # "The same" is what stands in the row above.
        before = statuses | (before if "the same" in f"{success} {refusals}" else set())
        methods = re.findall(r"[A-Z]{3,}", named)
        first, *others = re.findall(r"`(?:[A-Z]+ )?([a-z/][^`]*)`", named)
        paths = [
            other if "/" in other else f"{first.rpartition('/')[0]}/{other}" for other in others
        ]
        for method in methods:
            found |= {(method, path): before for path in (first, *paths)}
    return found


def test_every_operation_is_listed_with_its_statuses() -> None:
    listed, there = told(), operations()
    assert set(listed) == set(there)
    for operation, (answered, said) in there.items():
        assert listed[operation] <= answered, operation
        assert answered - said <= listed[operation], operation


MEBIBYTE = 1024 * 1024
# What the page promises in numbers, as settings. What holds each is tested with other numbers.
DEFAULTS = {
    "login_attempts": 10,
    "login_attempts_in_all": 30,
    "login_attempts_per_address": 100,
    "login_network_factor": 4,
    "login_window_seconds": 300,
    "login_attempts_per_account": 100,
    "login_account_window_seconds": 3600,
    "passwords_per_account": 2,
    "passwords_per_network": 4,
    "registrations_per_address": 100,
    "registration_window_seconds": 3600,
    "access_token_seconds": 15 * 60,
    "refresh_token_seconds": 30 * 86_400,
    "sessions_per_user": 50,
    "writes_per_user": 600,
    "write_window_seconds": 600,
    "uploads_per_user": 200,
    "upload_window_seconds": 3600,
    "searches_per_address": 120,
    "search_window_seconds": 60,
    "suggestions_per_address": 600,
    "ad_reads_per_user": 300,
    "ad_read_window_seconds": 3600,
    "reports_per_user": 30,
    "report_window_seconds": 3600,
    "exports_per_user": 10,
    "export_window_seconds": 3600,
    "mails_per_account": 10,
    "mails_per_address": 30,
    "mails_per_target": 5,
    "mail_window_seconds": 3600,
    "busy_requests": 64,
    "header_timeout_seconds": 10,
    "body_timeout_seconds": 30,
    "body_min_bytes_per_second": 32 * 1024,
    "body_max_seconds": 600,
    "send_timeout_seconds": 60,
    "header_max_bytes": 64 * 1024,
    "header_max_count": 100,
    "image_quota_bytes": 1024 * MEBIBYTE,
    "text_quota_bytes": 16 * MEBIBYTE,
    "uploads_under_way_per_user": 8,
    "uploads_under_way_max_bytes": 256 * MEBIBYTE,
    "ad_images_max": 12,
    "image_max_bytes": 10 * MEBIBYTE,
    "image_max_pixels": 40_000_000,
    "image_max_side": 2048,
    "image_seconds": 15,
    "image_memory_bytes": 1024 * MEBIBYTE,
    "username_min_length": 4,
    "username_max_length": 254,
    "password_min_length": 8,
    "password_max_length": 128,
    "title_min_length": 4,
    "title_max_length": 150,
    "description_min_length": 8,
    "description_max_length": 8000,
    "comment_min_length": 1,
    "comment_max_length": 2000,
    "place_min_length": 1,
    "place_max_length": 120,
    "search_words_max": 12,
    "search_page_size_max": 100,
    "page_size_max": 1000,
    "page_size_default": 100,
    "count_bound": 1000,
    "facet_bound": 10_000,
}
# And those that are no settings.
CONSTANTS = [
    (ANSWER_HOURS, 24),
    (CLAIM_SECONDS, 30),
    (APPEAL_DAYS, 180),
    (PROBATION, "1 day"),
    (HOURS[TokenPurpose.RESET], 1),
    (HOURS[TokenPurpose.VERIFY], 24),
    (tokens.CACHE_SECONDS, 60),
    (COMPRESS_FROM_BYTES, 1024),
    (LINGER_BYTES, 32 * MEBIBYTE),
    (MOST_UNKNOWN_NAMED, 20),
    (LONGEST_SEARCH, 256),
    (CLIENT_MAX_LENGTH, 120),
]


def test_what_the_page_promises_in_numbers_is_the_default() -> None:
    settings = load_settings(jwt_secret=SecretStr("0123456789abcdefghijklmnopqrstuvwxyz"))
    assert {name: getattr(settings, name) for name in DEFAULTS} == DEFAULTS
    for constant, promised in CONSTANTS:
        assert constant == promised
