"""What administrators see of the site, and what they do to its jobs, its outbox and roles."""

from collections.abc import Sequence
from functools import partial

from adsvc import API_VERSION
from adsvc.enums import AuditKind, JobName, Role
from adsvc.errors import (
    AdministratorConcernedError,
    Gathering,
    NotFoundError,
    WrongPasswordError,
)
from adsvc.invalidation import InvalidationKind
from adsvc.kit import faults
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.db.statements import Row
from adsvc.kit.invalidation import SharedValue
from adsvc.kit.storage import ImageStore
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation import server as server_rows
from adsvc.schemas.console import (
    ChangeRole,
    DayOfSite,
    Disk,
    Growth,
    Job,
    OutboxFigures,
    Overview,
    Versions,
    WaitingCases,
)
from adsvc.schemas.moderation import Account
from adsvc.services import audit
from adsvc.services.accounts import users
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.accounts.sessions import AccountRequest
from adsvc.services.moderation.decisions import (
    current_account,
    lock_account,
    require_competent,
)
from adsvc.services.readiness import Readiness


class Curves(SharedValue[Sequence[Row]]):
    """What was new on each of the last 30 days. They change slowly, and consoles stay open."""

    def __init__(self, database: Database) -> None:
        super().__init__(partial(server_rows.days, database.reader), lambda _: CURVES_SECONDS)


CURVES_SECONDS = 10.0


async def overview(
    session: DatabaseSession, readiness: Readiness, days: Sequence[Row], reader: CallerAccount
) -> Overview:
    condition = await readiness.condition()
    found = await server_rows.figures(session, reader.id)
    return Overview(
        ads=Growth(today=found["ads_today"], total=found["ads"]),
        accounts=Growth(today=found["accounts_today"], total=found["accounts"]),
        cases=WaitingCases(open=found["cases_open"], appealed=found["cases_appealed"]),
        outbox=OutboxFigures(
            waiting=found["outbox_waiting"],
            dead=found["outbox_dead"],
            oldest_at=found["outbox_oldest"],
        ),
        failing_jobs=[
            job.name
            for job in await jobs(session)
            if job.last_failure is not None and job.last_failure > (job.last_success or 0)
        ],
        backed_up_at=await job_rows.backed_up_at(session),
        disks=[
            Disk(name=name, free=space.free, reserve=space.reserve)
            for name, space in sorted(readiness.disks.items())
        ],
        out_of_service=[part.value for part in condition.degraded],
        versions=Versions(
            service=API_VERSION,
            schema_revision=found["revision"],
            database=found["database_version"],
        ),
        days=[DayOfSite(**row) for row in days],
    )


async def jobs(session: DatabaseSession) -> Sequence[Job]:
    """All regular jobs, also those that have not run yet."""
    found = await job_rows.latest(session)
    return [
        Job(
            name=name,
            last_success=row and row["succeeded_at"],
            last_failure=row and row["failed_at"],
            running=row is not None and row["running"],
        )
        for name in JobName
        for row in (found.get(name),)
    ]


async def run_job(transaction: Transaction, actor: CallerAccount, name: JobName) -> None:
    await job_rows.request(transaction, name)
    audit.record(transaction, AuditKind.JOB_REQUESTED, actor=actor.id, target=name)


async def retry_entry(transaction: Transaction, actor: CallerAccount, entry_id: int) -> None:
    """An entry that waits stays as it is: an attempt may be under way."""
    if await outbox_rows.retry(transaction, [entry_id]):
        event = AuditKind.OUTBOX_RETRIED
        audit.record(transaction, event, actor=actor.id, target=entry_id)
    elif not await outbox_rows.exists(transaction, entry_id):
        raise NotFoundError(NO_ENTRY)


async def delete_entry(transaction: Transaction, actor: CallerAccount, entry_id: int) -> None:
    if not await outbox_rows.delete_entry(transaction, entry_id):
        raise NotFoundError(NO_ENTRY)
    event = AuditKind.OUTBOX_DELETED
    audit.record(transaction, event, actor=actor.id, target=entry_id)


async def change_account(
    request: AccountRequest, credentials: Credentials, user_id: int, change: ChangeRole
) -> Account:
    """Raises the fault of a plan that the site has not, or of a missing password."""
    transaction, settings = request.transaction, request.settings
    sent = change.changes()
    role, plan, password = (sent.get(name) for name in ("role", "plan", "current_password"))
    gathering = Gathering()
    if plan is not None and plan not in settings.plan_limits:
        gathering.add([faults.not_an_option(list(settings.plan_limits)).at("/plan")])
    if role is None and plan is None:
        gathering.add([faults.missing().at("/role")])
    if role is not None and password is None:
        gathering.add([faults.missing().at("/currentPassword")])
    gathering.refuse()
    if role is not None and password is not None:
        await _change_role(request, credentials, user_id, Role(role), password)
    if plan is not None:
        await user_rows.set_plan(transaction, user_id, plan)
        transaction.announce(InvalidationKind.USER, user_id)
        audit.record(transaction, AuditKind.PLAN_CHANGED, actor=request.user.id, target=user_id)
    return await current_account(transaction, user_id)


async def _change_role(
    request: AccountRequest, credentials: Credentials, user_id: int, role: Role, password: str
) -> None:
    """There is always an administrator left: the actor, who is locked and still one."""
    transaction, actor = request.transaction, request.user
    await credentials.require_password(request, password)
    # In one order, so that two who demote each other wait for one another.
    locked = {each: await user_rows.lock(transaction, each) for each in sorted((actor.id, user_id))}
    confirming = locked[actor.id]
    if confirming is not None and confirming.password_hash != actor.password_hash:
        # The password was changed since the request began.
        raise WrongPasswordError
    await require_competent(transaction, actor, user_id)
    user = locked[user_id]
    if user is not None and user.role is not role:
        await users.set_role(transaction, user_id, role, actor=actor.id)


async def delete_account(
    request: AccountRequest,
    credentials: Credentials,
    store: ImageStore,
    user_id: int,
    password: str,
) -> None:
    """For its owner. An administrator has to lose the role first, so that one is always left."""
    transaction, actor = request.transaction, request.user
    await credentials.require_password(request, password)
    if (await lock_account(transaction, user_id)).role is Role.ADMIN:
        raise AdministratorConcernedError
    days = request.settings.undo_days
    await users.remove(transaction, store, user_id, actor=actor.id, days=days)


NO_ENTRY = "The outbox has no entry with this id."
