"""Another secret: what the one before has signed and encrypted stays good, and nothing more."""

from collections import Counter
from functools import partial

import httpx2
import pytest
from pydantic import SecretStr

from adsvc.errors import OperatorError
from adsvc.services import installation
from adsvc.services.installation import Renewal
from adsvc.services.webhooks import WebhookSecrets
from conftest import ApiFactory
from support.scene.api import Api, Person, ad_form
from support.scene.factors import begun, challenge, complete, kind, with_app
from support.scene.logins import log_in, opens, refresh

NEW = SecretStr("a new secret of this installation: 0123456789")
WEBHOOK = {"url": "https://example.org/", "types": ["ad.created"]}


async def rotate(api: Api, *, dry_run: bool = False, force: bool = False) -> Renewal:
    state = api.state
    return await installation.rotate_secret(
        state.database, state.settings, dry_run=dry_run, force=force, actor="operator"
    )


async def post_once(client: httpx2.AsyncClient, person: Person, key: str) -> httpx2.Response:
    headers = {**person.headers, "Idempotency-Key": key}
    return await client.post("/ads", files=ad_form(title="An oak table"), headers=headers)


@pytest.mark.heavy
async def test_what_the_previous_secret_has_made_stays_good(
    start_own_api: ApiFactory, start_api: ApiFactory
) -> None:
    async with start_own_api() as api:
        await _rotated(api, partial(start_api, database_url=api.state.settings.database_url))


async def _rotated(api: Api, start: ApiFactory) -> None:
    admin, person, other = await api.admin(), await api.person(), await api.person()
    pair = await log_in(api, other)
    app = await with_app(person)
    pending = await begun(other)
    webhook = (await admin.post("/webhooks", json=WEBHOOK)).json()
    provider = {"name": "ID", "issuer": "https://id.example.com", "clientId": "a"}
    await admin.put("/admin/providers/id", json={**provider, "clientSecret": "a secret"})
    posted = await post_once(api.client, other, "a key of a client")
    await other.post_ad()
    page = (await api.client.get("/ads", params={"limit": 1})).json()
    begun_before = await challenge(api, person)
    spent = pair["refresh_token"]
    refreshed = (await refresh(api.client, spent)).json()
    previous = api.state.settings.jwt_secret
    async with start(jwt_secret=NEW, jwt_secret_previous=previous) as both:
        assert await opens(both.client, refreshed["access_token"])
        # A client whose answer was lost repeats its refresh at another node.
        again = (await refresh(both.client, spent)).json()
        assert again["refresh_token"] == refreshed["refresh_token"]
        following = (await refresh(both.client, refreshed["refresh_token"])).json()
        answer = await both.client.get("/ads", params={"limit": 1, "cursor": page["next"]})
        assert answer.status_code == 200
        assert (await post_once(both.client, other, "a key of a client")).json() == posted.json()
        assert (await complete(both.client, begun_before, app.fresh())).status_code == 200
        # The use has encrypted the secret of that app anew.
        assert await rotate(both, dry_run=True) == Renewal(
            renewed=Counter({"authenticator apps": 1, "providers": 1, "webhooks": 1})
        )
        # The other way round, as in a process that is not replaced yet.
        assert not await opens(api.client, following["access_token"])
        async with start(jwt_secret=previous, jwt_secret_previous=NEW) as accepting:
            assert await opens(accepting.client, following["access_token"])
        await rotate(both)
        assert await rotate(both, dry_run=True) == Renewal()
    async with start(jwt_secret=NEW) as after:
        assert not await opens(after.client, refreshed["access_token"])
        assert await opens(after.client, following["access_token"])
        assert (await refresh(after.client, following["refresh_token"])).status_code == 200
        [stored] = await api.sql("SELECT secret FROM webhooks")
        keeping = WebhookSecrets(*after.state.settings.jwt_secrets())
        assert keeping.decrypted(stored) == webhook["secret"]
        person.client = other.client = after.client
        answer = await complete(after.client, await challenge(after, person), app.fresh())
        assert answer.status_code == 200
        other.token = (await log_in(after, other))["access_token"]
        answer = await other.post("/users/me/totp/confirm", json={"code": pending.fresh()})
        assert answer.status_code == 200
    assert "secret_rotated" in await api.sql("SELECT event FROM audit_events")


@pytest.mark.guard
async def test_a_secret_that_is_not_the_installations_is_refused(
    start_own_api: ApiFactory, start_api: ApiFactory
) -> None:
    async with start_own_api() as api:
        state = api.state
        await installation.require_own_secret(state.database, state.settings)
        await with_app(await api.person())
        changes = {"database_url": state.settings.database_url, "jwt_secret": NEW}
        async with start_api(**changes) as foreign:
            with pytest.raises(OperatorError, match="not the secret of this installation"):
                await installation.require_own_secret(state.database, foreign.state.settings)
            with pytest.raises(OperatorError, match="not the secret of this installation"):
                await rotate(foreign)
            given_up = await rotate(foreign, force=True)
            assert given_up == Renewal(unreadable=Counter({"authenticator apps": 1}))
            await installation.require_own_secret(state.database, foreign.state.settings)
            with pytest.raises(OperatorError):
                await installation.require_own_secret(state.database, state.settings)
            # The rows stay: with the secret before they can be read.
            with pytest.raises(OperatorError, match="authenticator apps: 1"):
                await rotate(foreign)
        async with start_api(**changes, jwt_secret_previous=state.settings.jwt_secret) as both:
            assert await rotate(both) == Renewal(renewed=Counter({"authenticator apps": 1}))


@pytest.mark.heavy
async def test_a_code_of_another_secret_is_wrong(api: Api, start_api: ApiFactory) -> None:
    person = await api.person()
    app = await with_app(person)
    async with start_api(jwt_secret=NEW) as other:
        answer = await complete(other.client, await challenge(other, person), app.fresh())
        assert kind(answer) == "wrong-factor"
