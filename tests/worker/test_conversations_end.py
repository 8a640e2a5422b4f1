"""When conversations are deleted, and offers expire."""

import pytest

from adsvc.kit.counters import CleaningCounts
from adsvc.services.retention import clean
from support.scene.api import Api
from support.scene.talk import inbox, talk, write


@pytest.mark.heavy
async def test_old_conversations_are_deleted_with_their_texts(api: Api) -> None:
    old, recent, orphaned = await talk(api), await talk(api), await talk(api)
    await api.sql(
        "UPDATE conversations SET updated_at = now() - interval '366 days' WHERE id <> :id",
        id=recent.id,
    )
    # What has been written since keeps the whole.
    await write(orphaned.buyer, orphaned.path)
    counts = CleaningCounts()
    await clean(api.state.database, api.state.settings, counts)
    assert (counts.deleted["conversations"], counts.failed["conversations"]) == (1, 0)
    assert await inbox(old.buyer) == []
    assert await api.sql(
        "SELECT sum(bytes)::int FROM text_totals WHERE owner_id = :id", id=old.buyer.id
    ) == [0]
    assert len(await inbox(recent.buyer)) == len(await inbox(orphaned.seller)) == 1
    for person in (orphaned.buyer, orphaned.seller):
        gone = {"currentPassword": person.password}
        assert (await person.request("DELETE", "/users/me", json=gone)).status_code == 204
    await clean(api.state.database, api.state.settings)
    assert await api.sql("SELECT id FROM conversations") == [recent.id]
    assert len(await api.sql("SELECT id FROM messages")) == 1


@pytest.mark.heavy
async def test_what_cannot_be_deleted_is_counted_and_does_not_stop_the_rest(api: Api) -> None:
    await talk(api)
    await api.sql("UPDATE conversations SET updated_at = now() - interval '366 days'")
    await api.sql(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION ''kept''; END'
        """
    )
    await api.sql("CREATE TRIGGER refused BEFORE DELETE ON conversations EXECUTE FUNCTION refuse()")
    counts = CleaningCounts()
    try:
        await clean(api.state.database, api.state.settings, counts)
    finally:
        await api.sql("DROP FUNCTION refuse CASCADE")
    assert counts.failed == {"conversations": 1}
    assert "conversations" not in counts.deleted
    assert "notifications" in counts.deleted


@pytest.mark.heavy
async def test_expired_offers_are_marked(api: Api) -> None:
    found = await talk(api)
    await found.buyer.post(f"{found.path}/offers", json={"price": 5})
    await api.sql("UPDATE offers SET expires_at = now() - interval '1 hour'")
    await clean(api.state.database, api.state.settings)
    assert await api.sql("SELECT status FROM offers") == ["expired"]
