"""The error for an answer that is not a success."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from ._generated.models.fault_detail import FaultDetail
from ._generated.problems import PROBLEM_STATUSES, PROBLEM_TYPES
from .errors import ProblemError
from .response import info_of

KNOWN = ("type", "title", "status", "detail", "instance", "errors")


def problem_of(response: httpx2.Response) -> ProblemError:
    """By its type; for unknown types, and for answers that are no problems, by its status."""
    document = _document(response)
    kind = _reference(_text(document, "type") or "about:blank")
    # OAuth's refusals (RFC 6749, 5.2) have two members of their own.
    title = _text(document, "title") or _text(document, "error") or response.reason_phrase
    errors = document.get("errors")
    made = PROBLEM_TYPES.get(kind) or PROBLEM_STATUSES.get(response.status_code)
    return (made or ProblemError)(
        status=response.status_code,
        type=kind,
        title=title,
        detail=_text(document, "detail") or _text(document, "error_description"),
        instance=_text(document, "instance"),
        errors=[_fault(fault) for fault in errors if isinstance(fault, dict)]
        if isinstance(errors, list)
        else [],
        members={name: value for name, value in document.items() if name not in KNOWN},
        retry_after=retry_after(response),
        response=info_of(response),
    )


def retry_after(response: httpx2.Response) -> float | None:
    """The seconds of `Retry-After`, which is a number or a date (RFC 9110, 10.2.3)."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _fault(fault: dict[str, Any]) -> FaultDetail:
    """Accepts incomplete faults: the error must not be lost because of them."""
    return FaultDetail.from_dict({"code": "", "detail": "", **fault})


def _document(response: httpx2.Response) -> Mapping[str, Any]:
    if "json" not in response.headers.get("Content-Type", ""):
        return {}
    try:
        document = response.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""


def _reference(kind: str) -> str:
    """The type from `/problems#` on: before that stands the prefix or the address of a service."""
    return "/problems#" + kind.rpartition("#")[2] if "/problems#" in kind else kind
