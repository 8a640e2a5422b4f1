import csv
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.access import refuses
from adsvc.api.dependencies.calls import Body, Call, CallerWithAccount, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import ImportIdPath, PageQuery, QueryModel
from adsvc.api.openapi.schemas import feed_body
from adsvc.enums import ImportMode, ImportRowStatus, KeyScope
from adsvc.errors import InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.http.messages import limited, media_type, parse_json
from adsvc.kit.records import OneOf
from adsvc.limits import Limits
from adsvc.repositories import imports as import_rows
from adsvc.schemas.base import external_id_of
from adsvc.schemas.imports import Import, ImportedRow, ImportedRows, ImportRow, Imports, counted
from adsvc.services import imports
from adsvc.services.feed_columns import ATTRIBUTE, COLUMNS, KEY, members_of
from adsvc.services.imports import MOST_BYTES, MOST_ROWS, FeedRow
from adsvc.settings import MailRequired

CSV, NDJSON = "text/csv", "application/x-ndjson"
# Then others get their turn.
WORK_SECONDS = 0.002


def read_feed(raw: bytes, kind: str, limits: Limits) -> Sequence[FeedRow]:
    """Its rows. Raises the fault of a feed that cannot be read as a whole.

    A row that is wrong keeps the others valid. Of two with one id the first one counts.

    Rows are read one by one, and none is longer than a body of JSON may be: a function of C holds
    all other threads while it runs. Python's holds them up too, so this one rests half of the time.
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
    began = time.thread_time()
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
        if (spent := time.thread_time() - began) > WORK_SECONDS:
            time.sleep(spent)
            began = time.thread_time()
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
    columns, number = len(header), 0
    for number, row in enumerate(records, 1):
        columns = len(row)
        if columns == len(header):
            yield json.dumps(members_of(dict(zip(header, row, strict=True))))
        else:
            wrong = faults.malformed(f"must have {len(header)} columns, as the header has").at("")
            yield FeedRow.refused(number, None, wrong)
    if columns < len(header) and not raw.endswith((b"\n", b"\r")):
        raise _unreadable(f"was cut off: row {number} has no end")


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


router = Router("/imports", tag="ads", requires=KeyScope.ADS_WRITE, reads=KeyScope.ADS_READ)

UTF_8 = ("", "charset=utf-8", 'charset="utf-8"')


class Feed(Body[Sequence[FeedRow]]):
    """The rows of a feed, which is received as a whole."""

    refusals = (
        errors.InvalidRequestError,
        errors.ContentTooLargeError,
        errors.UnsupportedMediaTypeError,
        errors.QuotaExceededError,
        errors.DiskNearlyFullError,
        errors.TooManyUploadsError,
        errors.OverloadedError,
    )

    async def read(
        self,
        call: Call[Sequence[FeedRow]],
        _: object,
        *,
        is_repeated: bool,  # noqa: ARG002 - as any body
    ) -> Sequence[FeedRow]:
        request, state = call.request, call.state
        kind = media_type(request)
        charset = request.headers.get("content-type", "").partition(";")[2].strip().lower()
        if kind not in {CSV, NDJSON} or charset.replace(" ", "") not in UTF_8:
            raise errors.UnsupportedMediaTypeError(f"a body of type {NDJSON} or {CSV} in UTF-8")
        await state.text_reserve.require()
        await state.text_quota.require(call.user.id)
        received = bytearray()
        client = Client.of(call.user.id, call.address)
        async with state.uploads.room(client, None) as room:
            async for piece in limited(request, "feed", MOST_BYTES):
                await room.take(len(piece))
                received += piece
            async with state.feed_pool.slot(client) as slot:
                return await slot.run(read_feed, bytes(received), kind, call.settings)

    def parts(self, content: Sequence[FeedRow]) -> tuple[JsonValue, Sequence[Path]]:
        rows = ((row.external_id, row.digest, row.faults) for row in content)
        return sha256(repr([*rows]).encode()).hexdigest(), ()


class ImportQuery(QueryModel):
    mode: Annotated[str, OneOf(*ImportMode), Field(examples=["full"])] = ImportMode.PARTIAL
    """`full`: the ads that the feed does not have are withdrawn. `partial`, the default: they stay.
    """
    dry_run: Annotated[bool, Field(alias="dryRun", examples=[True])] = False
    """`true` checks all rows, and changes nothing."""


class ImportedRowQuery(PageQuery):
    status: Annotated[
        Annotated[str, OneOf(*ImportRowStatus)] | SkipJsonSchema[None], Field(examples=["failed"])
    ] = None
    """Only rows with this status."""


@refuses(errors.NotFoundError)
async def own_import(caller: CallerWithAccount, state: AppState, import_id: ImportIdPath) -> int:
    """Its id."""
    if not await import_rows.is_own(state.database.reader, caller.user.id, import_id):
        raise errors.NotFoundError(imports.NO_IMPORT)
    return import_id


@router.post(
    "",
    summary="Import a feed of ads",
    status=202,
    response_model=Import,
    responses={202: {"headers": {"Location": {}}}},
    openapi_extra=feed_body(),
    query=ImportQuery,
    body=Feed(),
    takes_key=True,
    needs_mail=MailRequired.POST,
    refused_with=(errors.ImportInProgressError,),
)
async def create_import(call: Call[Sequence[FeedRow]]) -> Import:
    """Makes the caller's ads as the feed has them, by their `externalId`, and returns how far that
    has come. The rest is done later: `GET /imports/{id}`.

    Every account may; some sites require a confirmed mail address. A feed has up to 10,000 rows and
    16 MiB, a row as much as a body of JSON may have. Rows of ads that are as the last import has
    left them write nothing. A row that is wrong fails alone. Pictures are fetched from their
    addresses, and count towards the account's limit on uploads: rows wait for it. An account has
    one import at a time; one that waits for its confirmation is replaced. Counts towards the
    account's limit on changes.
    """
    query: ImportQuery = call.query
    row = await imports.begin(
        call.transaction, call.user.id, call.content, ImportMode(query.mode), dry_run=query.dry_run
    )
    call.headers["Location"] = f"/imports/{row['id']}"
    return counted(row)


@router.get(
    "",
    summary="List the caller's imports",
    own_list=True,
)
async def list_imports(call: Call[None]) -> Imports:
    """Returns the ten newest imports of the caller, of the last 30 days."""
    found = await import_rows.of_owner(call.database.reader, call.caller.user_id)
    return Imports(results=[counted(row) for row in found])


@router.get(
    "/{id}",
    summary="Get an import",
    own_list=True,
    access=own_import,
)
async def get_import(call: Call[None], import_id: int) -> Import:
    """Returns how far an import of the caller has come. The ten newest of an account are
    kept, for 30 days.
    """
    return counted(await imports.existing(call.database.reader, call.caller.user_id, import_id))


@router.get(
    "/{id}/rows",
    summary="List what an import changes",
    own_list=True,
    query=ImportedRowQuery,
    response_model=ImportedRows,
    access=own_import,
)
async def list_import_rows(call: Call[None], import_id: int) -> Page:
    """Returns a page of the rows that change something or have failed, and of the ads that are
    withdrawn.
    """
    query: ImportedRowQuery = call.query
    page = call.page(f"import {import_id} {query.status}")
    shown, last = await import_rows.rows(
        call.database.reader, import_id, query.status, page.limit, after=page.before or 0
    )
    records = [ImportedRow.model_validate(row) for row in shown]
    results = [each.model_dump_json(by_alias=True, exclude_unset=True) for each in records]
    return Page(results, None if last is None else last["number"])


@router.post(
    "/{id}/confirm",
    summary="Confirm an import",
    access=own_import,
    refused_with=(errors.ImportNotWaitingError,),
)
async def confirm_import(call: Call[None], import_id: int) -> Import:
    """Begins an import that waits because it would withdraw more than half of the caller's ads, and
    returns it.

    Counts towards the account's limit on changes.
    """
    return counted(await imports.confirm(call.transaction, call.user.id, import_id))
