"""A caller is a value: it holds what the database said, and cannot be changed."""

import dataclasses

import pytest
from sqlalchemy import inspect

from adsvc.models.accounts import User
from adsvc.repositories.accounts import callers as caller_rows
from adsvc.repositories.accounts.callers import NAMES
from support.scene.api import Api


async def test_a_caller_is_a_value_of_no_session(api: Api) -> None:
    person = await api.person(firstName="Anna")
    found = await caller_rows.by_session(api.state.database.reader, 1, person.id)
    assert found is not None
    account, factor, _ = found
    assert factor is None
    assert (account.username, account.first_name) == (person.username, "Anna")
    assert inspect(account, raiseerr=False) is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        account.first_name = "Ben"  # type: ignore[misc]


def test_a_caller_has_what_the_table_has() -> None:
    """But for what mails and moderators go by: no request does."""
    columns = [column.key for column in User.__table__.columns]
    assert list(NAMES) == [name for name in columns if name not in {"language", "suspended_until"}]
