"""Feeds of ads: NDJSON (https://jsonlines.org), or CSV (RFC 4180) with a header."""

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from itertools import islice

from pydantic_core import PydanticCustomError

from adsvc.errors import InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.http.json import parse_json
from adsvc.limits import Limits
from adsvc.schemas.base import external_id_of
from adsvc.schemas.imports import ImportRow
from adsvc.services.feed_columns import ATTRIBUTE, COLUMNS, KEY, members_of
from adsvc.services.imports import MOST_ROWS, FeedRow

CSV, NDJSON = "text/csv", "application/x-ndjson"


def read_feed(raw: bytes, kind: str, limits: Limits) -> Sequence[FeedRow]:
    """Its rows. Raises the fault of a feed that cannot be read as a whole.

    A row that is wrong keeps the others valid. Of two with one id the first one counts.

    Rows are read one by one, and none is longer than a body of JSON may be: a function of C holds
    all other threads while it runs.
    """
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _unreadable(f"is not UTF-8 in line {line}") from None
    lines = TextIOWrapper(BytesIO(raw), "utf-8-sig", newline="" if kind == CSV else "\n")
    members = _of_csv(raw, lines, limits) if kind == CSV else (row for row in lines if row.strip())
    rows: list[FeedRow] = []
    first: dict[str, int] = {}
    for number, row in enumerate(members, 1):
        if number > MOST_ROWS:
            raise InvalidRequestError(faults.wrong_count("rows", 1, MOST_ROWS).at(""))
        read = row if isinstance(row, FeedRow) else _read(number, row, limits)
        before = first.setdefault(read.external_id, number) if read.external_id else number
        if before != number:
            detail = f"is that of row {before} too"
            twice = Fault(FaultCode.DUPLICATE, detail).at(f"/{KEY}")
            read = FeedRow.refused(number, read.external_id, twice)
        rows.append(read)
    if not rows:
        raise InvalidRequestError(faults.wrong_count("rows", 1, MOST_ROWS).at(""))
    is_cut = kind == NDJSON and not raw.endswith(b"\n")
    if is_cut and f'"{FaultCode.MALFORMED}"' in (rows[-1].faults or ""):
        raise _unreadable(f"was cut off: row {len(rows)} has no end")
    return rows


def _unreadable(detail: str) -> InvalidRequestError:
    return InvalidRequestError(faults.malformed(detail).at(""))


def _too_long(limits: Limits) -> Fault:
    return faults.malformed(f"is longer than {limits.json_body_max_bytes} characters").at("")


def _read(number: int, text: str, limits: Limits) -> FeedRow:
    if len(text) > limits.json_body_max_bytes:
        return FeedRow.refused(number, None, _too_long(limits))
    try:
        row = parse_json(text.encode(), ImportRow, limits)
    except InvalidRequestError as error:
        external_id = None
        with suppress(PydanticCustomError):
            given = (error.sent or {}).get(KEY)
            external_id = external_id_of(given) if isinstance(given, str) else None
        return FeedRow.refused(number, external_id, *error.faults)
    if row.attributes:
        # The order of members makes no difference.
        row.attributes = dict(sorted(row.attributes.items()))
    return FeedRow.of(number, row)


def _of_csv(raw: bytes, lines: TextIOWrapper, limits: Limits) -> Iterator[str | FeedRow]:
    """The rows as JSON. The separator is a comma, or a semicolon, as the header has it."""
    head = raw.partition(b"\n")[0]
    separator = ";" if b";" in head and b"," not in head else ","
    records = _records(lines, separator, limits)
    header = [name.strip() for name in next(records, [])]
    known = [name in COLUMNS or name.startswith(ATTRIBUTE) for name in header]
    if KEY not in header or not all(known) or len({*header}) < len(header):
        raise _unreadable(f"must begin with names of columns, {KEY} among them, each once")
    rows = [*islice(records, MOST_ROWS + 1)]
    if rows and len(rows[-1]) < len(header) and not raw.endswith((b"\n", b"\r")):
        raise _unreadable(f"was cut off: row {len(rows)} has no end")
    for number, row in enumerate(rows, 1):
        if len(row) == len(header):
            yield json.dumps(members_of(dict(zip(header, row, strict=True))))
        else:
            wrong = faults.malformed(f"must have {len(header)} columns, as the header has").at("")
            yield FeedRow.refused(number, None, wrong)


def _records(lines: TextIOWrapper, separator: str, limits: Limits) -> Iterator[list[str]]:
    """Those that are not blank."""
    # Of the record so far.
    size = 0

    def sized() -> Iterator[str]:
        nonlocal size
        while line := lines.readline(limits.json_body_max_bytes + 1):
            size += len(line)
            if size > limits.json_body_max_bytes:
                raise InvalidRequestError(_too_long(limits))
            yield line

    reader = csv.reader(sized(), delimiter=separator, strict=True)
    try:
        for record in reader:
            size = 0
            if record:
                yield record
    except csv.Error:
        raise _unreadable(f"was cut off, or has a stray quote, in line {reader.line_num}") from None
