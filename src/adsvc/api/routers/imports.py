from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, JsonValue
from pydantic.json_schema import SkipJsonSchema

from adsvc import errors
from adsvc.api.app_state import AppState
from adsvc.api.dependencies.access import refuses
from adsvc.api.dependencies.bodies import Body, Call, Page
from adsvc.api.dependencies.caller import CallerWithAccount
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.feeds import CSV, NDJSON, read_feed
from adsvc.api.input.parameters import ImportIdPath, PageQuery, Pairs, QueryModel
from adsvc.api.openapi import feed_body
from adsvc.enums import ImportMode, ImportRowStatus, KeyScope
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.db.statements import Row
from adsvc.kit.http.json import limited, media_type
from adsvc.kit.records import OneOf
from adsvc.repositories import imports as import_rows
from adsvc.schemas.imports import Import, ImportedRow, ImportedRows, Imports, counted
from adsvc.services import imports
from adsvc.services.imports import MOST_BYTES, FeedRow
from adsvc.settings import MailRequired

router = APIRouter(prefix="/imports", tags=["ads"])

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
    """`full`: the ads that the feed does not have are withdrawn. `partial`: they stay."""
    dry_run: Annotated[bool, Field(alias="dryRun", examples=[True])] = False
    """`true` checks all rows, and changes nothing."""


class ImportedRowQuery(PageQuery):
    status: Annotated[
        Annotated[str, OneOf(*ImportRowStatus)] | SkipJsonSchema[None], Field(examples=["failed"])
    ] = None
    """Only rows with this status."""


@refuses(errors.NotFoundError)
async def own_import(caller: CallerWithAccount, state: AppState, import_id: ImportIdPath) -> Row:
    return await imports.existing(state.database.reader, caller.user.id, import_id)


@Endpoint(
    router,
    "POST",
    "",
    summary="Import a feed of ads",
    requires=KeyScope.ADS_WRITE,
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


@Endpoint(
    router,
    "GET",
    "",
    summary="List the caller's imports",
    requires=KeyScope.ADS_READ,
)
async def list_imports(call: Call[None]) -> Imports:
    """Returns the ten newest imports of the caller, of the last 30 days."""
    found = await import_rows.of_owner(call.database.reader, call.caller.user_id)
    return Imports(results=[counted(row) for row in found])


@Endpoint(
    router,
    "GET",
    "/{id}",
    summary="Get an import",
    requires=KeyScope.ADS_READ,
    access=own_import,
)
async def get_import(_: Call[None], found: Row) -> Import:
    """Returns how far an import of the caller has come. The ten newest of an account are
    kept, for 30 days.
    """
    return counted(found)


@Endpoint(
    router,
    "GET",
    "/{id}/rows",
    summary="List what an import changes",
    requires=KeyScope.ADS_READ,
    own_list=True,
    query=ImportedRowQuery,
    response_model=ImportedRows,
    access=own_import,
)
async def list_import_rows(call: Call[None], found: Row) -> Page:
    """Returns a page of the rows that change something or have failed, and of the ads that are
    withdrawn.
    """
    query: ImportedRowQuery = call.query
    filters: Pairs = [("status", query.status)] if query.status else []
    page = call.page(f"import {found['id']} {query.status}", filters)
    rows = await import_rows.rows(
        call.database.reader, found["id"], query.status, page.limit + 1, after=page.before or 0
    )
    shown = rows[: page.limit]
    last = shown[-1]["number"] if len(rows) > page.limit else None
    records = [ImportedRow.model_validate(row) for row in shown]
    return Page([each.model_dump_json(by_alias=True, exclude_unset=True) for each in records], last)


@Endpoint(
    router,
    "POST",
    "/{id}/confirm",
    summary="Confirm an import",
    requires=KeyScope.ADS_WRITE,
    access=own_import,
    refused_with=(errors.ImportNotWaitingError,),
)
async def confirm_import(call: Call[None], found: Row) -> Import:
    """Begins an import that waits because it would withdraw more than half of the caller's ads, and
    returns it.

    Counts towards the account's limit on changes.
    """
    return counted(await imports.confirm(call.transaction, call.user.id, found["id"]))
