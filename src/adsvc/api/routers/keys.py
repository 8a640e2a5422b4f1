from fastapi import APIRouter

from adsvc import errors
from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.caller import SESSION, has_fresh_login
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import KeyIdPath
from adsvc.repositories.accounts import keys as key_rows
from adsvc.schemas.keys import CreatedKey, CreateKey, Key, Keys
from adsvc.services.accounts import keys

router = APIRouter(prefix="/users/me/keys", tags=["users"])


# It takes no `Idempotency-Key`: the answer has a secret, which is not to be kept.
@Endpoint(
    router,
    "POST",
    "",
    summary="Create a key for a program",
    requires=SESSION,
    fresh_factor=True,
    status=201,
    body=Json(CreateKey),
    refused_with=(
        errors.LoginRequiredError,
        errors.OverloadedError,
        errors.RateLimitedError,
        errors.TooManyError,
        errors.WrongPasswordError,
    ),
)
async def create_key(call: Call[CreateKey]) -> CreatedKey:
    """Creates a key, and returns it with its secret, which cannot be read again.

    A program sends the secret as `Authorization: Bearer`. The key can do what its account may and
    its scopes allow, until it expires, is deleted, or the account is; it outlives sessions and
    passwords. The current password is needed, unless the login was in the last five minutes. The
    account gets a mail. It may have 20 keys. Counts towards the account's limit on changes.
    """
    caller = call.caller_with_account
    if "current_password" in call.content.model_fields_set:
        await call.state.credentials.require_password(call, call.content.current_password)
    elif not has_fresh_login(caller):
        raise errors.LoginRequiredError
    call.headers["Cache-Control"] = "no-store"
    return await keys.create(call, call.content)


@Endpoint(
    router,
    "GET",
    "",
    summary="List the caller's keys",
    requires=SESSION,
)
async def list_my_keys(call: Call[None]) -> Keys:
    """Returns all keys of the caller's account, the newest first, also those that have expired.

    Their secrets are not among what is returned.
    """
    async with call.database.autocommit() as session:
        found = await key_rows.list_of_user(session, call.caller.user_id)
    return Keys(results=[Key.model_validate(row) for row in found])


@Endpoint(
    router,
    "DELETE",
    "/{id}",
    summary="Delete a key",
    requires=SESSION,
    fresh_factor=True,
    status=204,
    limit=None,
    refused_with=(errors.KeyNotFoundError,),
)
async def delete_key(call: Call[None], key_id: KeyIdPath) -> None:
    """Deletes a key of the caller's account. It stops working at once."""
    await keys.delete(call.transaction, call.user, key_id)
