"""What is kept for its time, and deleted after it."""

import pytest

from adsvc.services import retention
from support.scene.api import Api

# A row of each table whose time ends in `:minutes`, by the column that has its name.
ROWS = {
    "sessions.client": (
        "(client, user_id, handle_hash, secret_hash, expires_at)"
        " VALUES (:name, :user, sha256(:digest), '', now() + make_interval(mins => :minutes))"
    ),
    "mail_tokens.address": (
        "(address, user_id, hash, purpose, expires_at)"
        " VALUES (:name, :user, sha256(:digest), 'reset', now() + make_interval(mins => :minutes))"
    ),
    "idempotency_keys.body": (
        "(body, user_id, id, fingerprint, claim, expires_at)"
        " VALUES (:name, :user, sha256(:digest), '', '', now() + make_interval(mins => :minutes))"
    ),
    "audit_events.target": (
        "(target, event, at)"
        " VALUES (:name, 'login', now() + make_interval(days => -90, mins => :minutes))"
    ),
    "mail_attempts.letter": (
        "(letter, user_id, message_id, attempt, outcome, answer, created_at)"
        " VALUES (:name, :user, gen_random_uuid(), 1, 'sent', '',"
        " now() + make_interval(days => -7, mins => :minutes))"
    ),
    "outbox.kind": (
        "(kind, payload, dead_at)"
        " VALUES (:name, '{}', now() + make_interval(days => -20, mins => :minutes))"
    ),
}


@pytest.mark.guard
async def test_nothing_is_deleted_before_its_time(api: Api) -> None:
    person = await api.person()
    settings = api.state.settings.model_copy(update={"audit_days": 90, "outbox_days": 20})
    for place, values in ROWS.items():
        table, column = place.split(".")
        await api.sql(f"DELETE FROM {table}")  # noqa: S608
        for name, minutes in (("over", -1), ("kept", 1)):
            sent = {"name": name, "user": person.id, "digest": name.encode(), "minutes": minutes}
            named = {key: value for key, value in sent.items() if f":{key}" in values}
            await api.sql(f"INSERT INTO {table} {values}", **named)
    assert await retention.clean(api.state.database, settings) == len(ROWS)
    for place in ROWS:
        table, column = place.split(".")
        assert await api.sql(f"SELECT {column} FROM {table}") == ["kept"], place  # noqa: S608
