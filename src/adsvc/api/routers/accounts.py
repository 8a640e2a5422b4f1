"""Accounts as administrators see them."""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import json_response
from adsvc.api.dependencies.access import ExistingAccount, ReadSession, other_account
from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.caller import Administrator, requires
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import PageQuery
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.db.pools import Row
from adsvc.errors import (
    AccountNotFoundError,
    ForbiddenError,
    Gathering,
    InvalidRequestError,
    OverloadedError,
    UnauthenticatedError,
    WrongPasswordError,
    faults,
)
from adsvc.http.responses import PRIVATE
from adsvc.models import KeyScope, Role
from adsvc.schemas.console import ChangeRole
from adsvc.schemas.moderation import Account, Statement
from adsvc.schemas.users import Accounts, AccountSummary
from adsvc.services import console
from adsvc.services.deletions import move_afterwards
from adsvc.services.moderation import accounts
from adsvc.services.moderation.cases import suspension_of

router = APIRouter(prefix="/users", tags=["moderation"])

# No installation allows longer user names.
LONGEST_BEGINNING = 254

READ_REFUSALS = (InvalidRequestError, UnauthenticatedError, ForbiddenError)


class AccountsQuery(PageQuery):
    q: Annotated[
        str | SkipJsonSchema[None],
        Field(
            description="The beginning of the user name, in upper or lower case.",
            examples=["anna"],
            json_schema_extra={"minLength": 1, "maxLength": LONGEST_BEGINNING},
        ),
    ] = None
    status: Annotated[
        Literal["active", "suspended"] | SkipJsonSchema[None],
        Field(
            description="Only accounts with this status; all without it.", examples=["suspended"]
        ),
    ] = None

    def refuse_faults(self) -> None:
        """Raises all faults of the query."""
        gathering = Gathering(self.faults)
        if self.q is not None and not 1 <= len(self.q) <= LONGEST_BEGINNING:
            gathering.add([faults.wrong_length(1, LONGEST_BEGINNING).of("q")])
        elif self.q is not None and "\0" in self.q:
            gathering.add([faults.wrong_format("must not contain NUL").of("q")])
        gathering.refuse()


@router.get(
    "",
    operation_id="listUsers",
    summary="List accounts",
    dependencies=[requires(KeyScope.ADMIN)],
    response_model=Accounts,
    responses=answer_responses() | refusals(*READ_REFUSALS),
)
async def list_users(
    request: Request,
    _: Administrator,
    state: AppStateDep,
    session: ReadSession,
    query: Annotated[AccountsQuery, Query()],
) -> Response:
    """Returns a page of accounts: the newest first, or with `q` by user name.

    Administrators may.
    """
    query.refuse_faults()
    size = query.size(state.settings)
    sent = {"q": query.q, "status": query.status}
    filters = [(name, value) for name, value in sent.items() if value is not None]
    page = query.page(request.url.path, filters, state, size)
    listing = f"users {query.status} {query.q}"
    found, last = await accounts.listed(
        session, query.q, query.status, size, after=page.start(listing)
    )
    cursor = link = None
    if last is not None:
        cursor, link = page.next(listing, accounts.key_of(query.q, last))
    results = [AccountSummary.model_validate(row) for row in found]
    body = Accounts(results=results, next=cursor).model_dump_json(by_alias=True).encode()
    return json_response(body, PRIVATE, link=link, compressible=False).to(request)


@router.get(
    "/{id:user_id}",
    operation_id="getUser",
    summary="Get an account",
    dependencies=[requires(KeyScope.ADMIN)],
    response_model=Account,
    responses=answer_responses() | refusals(*READ_REFUSALS, AccountNotFoundError),
)
async def get_user(
    request: Request, _: Administrator, account: ExistingAccount, session: ReadSession
) -> Response:
    """Returns an account with its sessions, and the newest cases and decisions about it.

    Administrators may.
    """
    record = await accounts.described(session, account)
    return json_response(record.model_dump_json(by_alias=True).encode(), PRIVATE).to(request)


operation = partial(
    Operation,
    router,
    "POST",
    response_model=Account,
    requires=KeyScope.ADMIN,
    role=Role.ADMIN,
    access=other_account,
    takes_key=True,
)


@Operation(
    router,
    "PATCH",
    "/{id:user_id}",
    operation_id="updateUser",
    summary="Change an account's role",
    response_model=Account,
    requires=KeyScope.ADMIN,
    role=Role.ADMIN,
    access=other_account,
    body=Json(ChangeRole, adds_text=False),
    refused_with=(WrongPasswordError, OverloadedError),
)
async def update_user(write: Write[ChangeRole], account: Row) -> Account:
    """Changes the role of an account, from its next request on, and returns the account.

    Administrators may, but not for themselves, so one is always left. Their own password confirms
    it. A wrong one is refused with 403 and counts as an attempt to log in. Counts towards the
    account's limit on changes.
    """
    return await console.change_role(
        write.transaction, write.state.credentials, write.user, account["id"], write.content,
        address=write.address, session_id=write.caller.session_id,
    )  # fmt: skip


@operation(
    "/{id:user_id}/suspend",
    operation_id="suspendUser",
    summary="Suspend an account",
    body=Json(Statement, adds_text=False),
)
async def suspend_user(write: Write[Statement], account: Row) -> Account:
    """Suspends an account and returns it: its sessions end, its ads are hidden, and it cannot log
    in. Its owner receives the reasons.

    Administrators may, but not for themselves. The same statement sent again by the same
    administrator, if it would move the end by less than an hour, changes nothing and sends no
    second mail. Counts towards the account's limit on changes.
    """
    reasons = suspension_of(write.content)
    move_afterwards(write.transaction, write.state.store)
    return await accounts.suspend(write.transaction, write.user, account["id"], reasons)


@operation(
    "/{id:user_id}/restore",
    operation_id="restoreUser",
    summary="End the suspension of an account",
)
async def restore_user(write: Write[None], account: Row) -> Account:
    """Ends the suspension of an account and shows its ads again, and returns it. An account that is
    not suspended stays as it is.

    Administrators may, but not for themselves. Counts towards the account's limit on changes.
    """
    move_afterwards(write.transaction, write.state.store)
    return await accounts.restore(write.transaction, write.user, account["id"])
