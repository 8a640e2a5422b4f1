"""When conversations are deleted, and offers expire."""

from adsvc.services.cleaning import clean
from support.scene.api import Api
from support.scene.talk import inbox, talk, write


async def test_old_conversations_are_deleted_with_their_texts(api: Api) -> None:
    old, recent, orphaned = await talk(api), await talk(api), await talk(api)
    await api.sql(
        "UPDATE conversations SET updated_at = now() - interval '366 days' WHERE id <> :id",
        id=recent.id,
    )
    # What has been written since keeps the whole.
    await write(orphaned.buyer, orphaned.path)
    await clean(api.state.database, api.state.settings)
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


async def test_expired_offers_are_marked(api: Api) -> None:
    found = await talk(api)
    await found.buyer.post(f"{found.path}/offers", json={"price": 5})
    await api.sql("UPDATE offers SET expires_at = now() - interval '1 hour'")
    await clean(api.state.database, api.state.settings)
    assert await api.sql("SELECT status FROM offers") == ["expired"]
