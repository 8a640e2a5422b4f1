"""Accounts as administrators see them."""

from functools import partial
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from adsvc.api.dependencies.access import existing_account, other_account
from adsvc.api.dependencies.calls import SESSION, Call, Json, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import PageQuery
from adsvc.enums import DecisionAction, KeyScope, Role
from adsvc.errors import Gathering, OverloadedError, WrongPasswordError
from adsvc.kit import faults
from adsvc.kit.db.statements import Row
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.moderation.decisions import Reasons
from adsvc.schemas.console import ChangeRole, MailAttempt, MailAttempts
from adsvc.schemas.moderation import Account, ExpelledContent, Expulsion, Statement
from adsvc.schemas.users import Accounts, AccountSummary, DeleteUser
from adsvc.services import console
from adsvc.services.moderation.decisions import Deciding, described_account
from adsvc.services.picture_deletion import move_afterwards

router = Router("/users", tag="moderation", requires=KeyScope.ADMIN, role=Role.ADMIN)

# No installation allows longer user names.
LONGEST_BEGINNING = 254


class AccountsQuery(PageQuery):
    q: Annotated[
        str | SkipJsonSchema[None],
        Field(
            examples=["anna"], json_schema_extra={"minLength": 1, "maxLength": LONGEST_BEGINNING}
        ),
    ] = None
    """The beginning of the user name, in upper or lower case."""
    status: Annotated[
        Literal["active", "suspended"] | SkipJsonSchema[None], Field(examples=["suspended"])
    ] = None
    """Only accounts with this status; all without it."""

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
    summary="List accounts",
    query=AccountsQuery,
    compressible=False,
    response_model=Accounts,
)
async def list_users(call: Call[None]) -> Page:
    """Returns a page of accounts: the newest first, or with `q` by user name.

    Administrators may.
    """
    query: AccountsQuery = call.query
    query.refuse_faults()
    page = call.page(f"users {query.status} {query.q}")
    async with call.database.autocommit() as session:
        found, last = await user_rows.page(
            session,
            query.q,
            query.status,
            page.limit,
            after=str(page.start[0]) if page.start else None,
        )
    results = [AccountSummary.model_validate(row) for row in found]
    key = "id" if query.q is None else "username_key"
    return Page(results, None if last is None else [last[key]])


@router.get(
    "/{id:user_id}",
    summary="Get an account",
    access=existing_account,
)
async def get_user(call: Call[None], account: Row) -> Account:
    """Returns an account with its sessions, and the newest cases and decisions about it.

    Administrators may.
    """
    async with call.database.autocommit() as session:
        return await described_account(session, account)


@router.get(
    "/{id:user_id}/mails",
    summary="List the mails to an account",
    access=existing_account,
    query=PageQuery,
    compressible=False,
    response_model=MailAttempts,
)
async def list_user_mails(call: Call[None], account: Row) -> Page:
    """Returns a page of the attempts to send mails to an account in the last seven days, the newest
    first, with the server's answers, and of mails that were not sent the reasons.

    Administrators may.
    """
    page = call.page(f"mails {account['id']}")
    async with call.database.autocommit() as session:
        rows, last = await outbox_rows.attempts(
            session, account["id"], page.limit, before=page.before
        )
    results = [MailAttempt.model_validate(row) for row in rows]
    return Page(results, None if last is None else last.id)


operation = partial(
    router.post,
    response_model=Account,
    access=other_account,
    takes_key=True,
)


@router.patch(
    "/{id:user_id}",
    summary="Change an account's role or plan",
    access=other_account,
    body=Json(ChangeRole, adds_text=False),
    refused_with=(WrongPasswordError, OverloadedError),
)
async def update_user(call: Call[ChangeRole], account: Row) -> Account:
    """Changes the role or the plan of an account, from its next request on, and returns it.

    Administrators may, but not for themselves, so one is always left. Their own password confirms
    another role. A wrong one is refused with 403 and counts as an attempt to log in. Counts towards
    the account's limit on changes.
    """
    return await console.change_account(call, call.state.credentials, account["id"], call.content)


@router.delete(
    "/{id:user_id}",
    summary="Delete an account",
    requires=SESSION,
    access=other_account,
    body=Json(DeleteUser, adds_text=False),
    refused_with=(WrongPasswordError, OverloadedError),
)
async def delete_user(call: Call[DeleteUser], account: Row) -> None:
    """Deletes an account for its owner, who cannot log in: with its ads, pictures, comments and
    sessions, as `DELETE /users/me`. `POST /admin/deletions/{id}/undo` brings it back for a time.

    Administrators may, but neither themselves nor another administrator. Their own password
    confirms it. A wrong one is refused with 403 and counts as an attempt to log in. Counts towards
    the account's limit on changes.
    """
    state, password = call.state, call.content.current_password
    await console.delete_account(call, state.credentials, state.store, account["id"], password)


@operation(
    "/{id:user_id}/suspend",
    summary="Suspend an account",
    body=Json(Statement, adds_text=False),
)
async def suspend_user(call: Call[Statement], account: Row) -> Account:
    """Suspends an account and returns it: its sessions end, its ads are hidden, and it cannot log
    in. Its owner receives the reasons.

    Administrators may, but not for themselves. The same statement sent again by the same
    administrator, if it would move the end by less than an hour, changes nothing and sends no
    second mail. Counts towards the account's limit on changes.
    """
    reasons = Reasons.of(DecisionAction.SUSPEND_ACCOUNT, call.content, call.content.days)
    move_afterwards(call.transaction, call.state.store)
    return await Deciding(call.transaction, call.user).suspend(account["id"], reasons)


@operation(
    "/{id:user_id}/expel",
    summary="Suspend an account and remove all that it has published",
    response_model=ExpelledContent,
    body=Json(Expulsion, adds_text=False),
)
async def expel_user(call: Call[Expulsion], account: Row) -> ExpelledContent:
    """Suspends an account without end, as `POST /users/{id}/suspend`, and removes its comments and
    messages too; returns how much there was. With `dryRun` it returns the same, and changes
    nothing. To restore the account, also after an appeal, brings everything back.

    Administrators may, but not for themselves. Counts towards the account's limit on changes.
    """
    sent = call.content
    reasons = Reasons.of(DecisionAction.SUSPEND_ACCOUNT, sent)
    move_afterwards(call.transaction, call.state.store)
    return await Deciding(call.transaction, call.user).expel(
        account["id"], reasons, dry_run=sent.dry_run
    )


@operation(
    "/{id:user_id}/restore",
    summary="End the suspension of an account",
)
async def restore_user(call: Call[None], account: Row) -> Account:
    """Ends the suspension of an account and shows its ads again, and returns it. An account that is
    not suspended stays as it is.

    Administrators may, but not for themselves. Counts towards the account's limit on changes.
    """
    move_afterwards(call.transaction, call.state.store)
    return await Deciding(call.transaction, call.user).restore(account["id"])
