"""What only administrators may do, whatever the thing."""

from typing import Annotated

from fastapi import Depends

from adsvc.api.dependencies.caller import CurrentUser
from adsvc.errors import ForbiddenError
from adsvc.models import Role
from adsvc.repositories.accounts.callers import Account


async def get_administrator(user: CurrentUser) -> Account:
    if user.role is not Role.ADMIN:
        raise ForbiddenError("Only an administrator may do this.")
    return user


Administrator = Annotated[Account, Depends(get_administrator)]
