"""Registrations, which have no account yet: a key belongs to the network they come from."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.caller import ClientAddress
from adsvc.api.dependencies.idempotency.attempts import Attempt, attempt, keyed_request
from adsvc.api.dependencies.idempotency.keys import IdempotencyKey
from adsvc.api.input.parameters import validation_of
from adsvc.services.accounts.networks import network


async def get_registration_attempt(
    request: Request,
    state: AppStateDep,
    address: ClientAddress,
    key: IdempotencyKey,
    response: Response,
) -> AsyncIterator[Attempt]:
    # Where nothing happens, nothing can happen twice.
    keyed = (
        None
        if validation_of(request.scope).only
        else keyed_request(request, state, key, network(address))
    )
    async with attempt(keyed, response) as made:
        yield made


RegistrationAttempt = Annotated[Attempt, Depends(get_registration_attempt, scope="function")]
