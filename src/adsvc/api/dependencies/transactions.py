"""Database sessions and transactions that end with the request."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.api.app_state import AppStateDep
from adsvc.db.database import Transaction


async def get_session(state: AppStateDep) -> AsyncIterator[AsyncSession]:
    async with state.database.autocommit() as session:
        yield session


async def get_transaction(state: AppStateDep) -> AsyncIterator[Transaction]:
    async with state.database.transaction() as transaction:
        yield transaction


# With scope "function" both end before the answer goes out: a failing commit is a refusal, not a
# 201 that was never true.
ReadSession = Annotated[AsyncSession, Depends(get_session, scope="function")]

TransactionDep = Annotated[Transaction, Depends(get_transaction, scope="function")]
